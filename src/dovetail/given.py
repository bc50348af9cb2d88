"""Options that were given: numbers that are numbers, and lists that are no texts.

A user may write anything anywhere. What cannot be meant is refused where it is written, in one
sentence, and not where it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isinf, isnan
from numbers import Integral, Real
from os import PathLike
from typing import Any

from .errors import OptionError


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
