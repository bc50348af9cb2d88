"""A part that copies the process: the copy must not go on with the run."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def by_one_process(deed: Callable[P, R]) -> Callable[P, R]:
    """What parts do in here happens once: if one has called `fork()`, the copy ends here."""

    @wraps(deed)
    def done(*given: P.args, **named: P.kwargs) -> R:
        me = os.getpid()
        try:
            return deed(*given, **named)
        finally:
            if os.getpid() != me:
                os._exit(0)

    return done
