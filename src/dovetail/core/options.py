"""Options that were given: numbers that are numbers, and lists that are no texts.

A user may write anything anywhere. What cannot be meant is refused where it is written, in one
sentence, and not where it is used.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import wraps
from math import isfinite, isinf, isnan
from numbers import Integral, Real
from os import PathLike
from typing import Any

from .errors import OptionError, did_you_mean
from .renamed import with_new_names


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    endless: bool = False,
) -> None:
    """Refuse what is no finite real number within limits; `endless` lets infinity pass."""
    if isinstance(value, bool) or not isinstance(value, Real) or isnan(value):
        raise OptionError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if isinf(number) and not endless:
        raise OptionError(f"{name} must be finite, not {value}")
    low = (above is None or number > above) and (least is None or number >= least)
    if not (low and (most is None or number <= most)):
        raise OptionError(f"{name} must be {_limits(above, least, most)}, not {value}")


def check_whole(name: str, value: Any, least: int = 1) -> None:
    """Refuse what is no whole number, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OptionError(f"{name} must be a whole number, not {value!r}")
    if value < least:
        raise OptionError(f"{name} must be at least {least}, not {value}")


def check_order(order: Any) -> None:
    """Refuse an order that is none; None means that of the algorithm."""
    if order is not None:
        check_whole("order", order)


def check_truth(name: str, value: Any) -> None:
    """Refuse what is neither True nor False: words such as "no" would count as True."""
    if value is not True and value is not False:
        raise OptionError(f"{name} must be True or False, not {value!r}")


def check_names(name: str, value: Any, example: str) -> None:
    """Refuse what is no list of texts; a text alone would be taken letter by letter."""
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    if not (listed and all(isinstance(one, str) for one in value)):
        raise OptionError(f"{name} must be a list of texts as in {example}, not {value!r}")


def check_method(name: str, value: Any, method: str, example: str) -> None:
    """Refuse what cannot do what it is for; a class is not one of its objects."""
    if isinstance(value, type) or not callable(getattr(value, method, None)):
        given = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
        raise OptionError(f"{name} must be something like {example}, not {given}")


def check_path(name: str, value: Any) -> None:
    """Refuse what names no file."""
    if not isinstance(value, str | PathLike):
        raise OptionError(f"{name} must be the path of a file, not {value!r}")


def _limits(above: float | None, least: float | None, most: float | None) -> str:
    """`above zero and at most 1`."""
    words = []
    if above is not None:
        words.append(f"above {_shown(above)}")
    if least is not None:
        words.append(f"at least {_shown(least)}")
    if most is not None and isfinite(most):
        words.append(f"at most {most:g}")
    return " and ".join(words)


def _shown(limit: float) -> str:
    return "zero" if limit == 0 else f"{limit:g}"


def worded(*classes: type[Any]) -> None:
    """Options that these classes do not have, or must be given, are refused in a sentence.

    Python's own message names neither the class nor what could have been meant.
    """
    for cls in classes:
        if "__init__" in vars(cls):
            cls.__init__ = _worded(cls.__name__, cls.__init__)


def _worded(title: str, init: Any) -> Any:
    @wraps(init)
    def checked(self: Any, *given: Any, **named: Any) -> None:
        try:
            init(self, *given, **with_new_names(title, named))
        except TypeError:
            what = _unfitting(title, init, given, named)
            if what is None:
                raise
            raise OptionError(what) from None

    return checked


def _unfitting(title: str, init: Any, given: Sequence[Any], named: Mapping[str, Any]) -> str | None:
    """Why a class cannot be called like this; None if it can, and something else is wrong."""
    parameters = list(inspect.signature(init).parameters.values())[1:]
    known = [p.name for p in parameters]
    for name in named:
        if name not in known:
            listed = f" It has {', '.join(known)}." if known else " It has none."
            return f"{title} has no option '{name}'.{did_you_mean(name, known) or listed}"
    free = [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD]
    if len(given) > len(free):
        if not free:
            return f"{title} takes its options by name: {', '.join(f'{n}=...' for n in known[:3])}"
        return f"{title} takes {len(free)} options at most: {', '.join(free)}"
    taken = {*free[: len(given)], *named}
    lacking = [p.name for p in parameters if p.default is p.empty and p.name not in taken]
    if lacking:
        return f"{title} needs {' and '.join(lacking)}"
    twice = [name for name in free[: len(given)] if name in named]
    return f"{title} is given {twice[0]} twice" if twice else None
