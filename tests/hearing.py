"""Jobs in the background of a shell do not hear Ctrl-C, and neither do those they start."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hearing() -> Iterator[None]:
    """Ctrl-C is heard, here and by processes that are started meanwhile."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
