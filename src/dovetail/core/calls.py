"""Functions whose options are refused in a sentence where they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from .errors import OptionError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")


def worded_call(
    title: str, elsewhere: Mapping[str, str], *, order: int = 1
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function say which options it has; `order`: so many arguments are given by order.

    Python's own message suggests nothing. `elsewhere`: what others call an option, and its name
    here.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        known = list(signature(function).parameters)

        @wraps(function)
        def checked(*given: P.args, **named: P.kwargs) -> R:
            for name in named:
                if name in known:
                    continue
                if name in elsewhere:
                    raise OptionError(f"{title} has no option '{name}'; {elsewhere[name]}")
                hint = did_you_mean(name, known) or f" There are {', '.join(known[order:])}."
                raise OptionError(f"{title} has no option '{name}'.{hint}")
            if len(given) > order:
                way_out = f"{known[order]}={given[order]!r}"
                raise OptionError(f"{title} takes its options by name: write {way_out}")
            for place, name in enumerate(known[:order]):
                if len(given) <= place and name not in named:
                    example = f"{title}({', '.join(known[:order])})"
                    what = f"its {name}" if place else "something to run"
                    raise OptionError(f"{title} needs {what}, as in {example}")
            return function(*given, **named)

        return checked

    return decorated
