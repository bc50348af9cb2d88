"""What may change in a calibration or a sensitivity: names, limits, and where they start."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from ..core.errors import OptionError, did_you_mean
from ..core.options import check_number
from .differences import FreeValue
from .variation import Variation


def free_values(free: Any) -> tuple[FreeValue, ...]:
    """From `{"damper.d": (100, 5000)}`; None for a side without a limit."""
    if not isinstance(free, Mapping) or not free:
        example = "{'damper.d': (100, 5000)}"
        raise OptionError(f"free= says what may change and its limits, {example}, not {free!r}")
    return tuple(_free(name, limits) for name, limits in free.items())


def _free(name: Any, limits: Any) -> FreeValue:
    if not isinstance(name, str) or not name.strip():
        raise OptionError(f"what is free has a name such as 'car.m', not {name!r}")
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        raise OptionError(f"the limits of '{name}' are two numbers, (100, 5000), not {limits!r}")
    ends = [-inf if limits[0] is None else limits[0], inf if limits[1] is None else limits[1]]
    for end in ends:
        check_number(f"a limit of '{name}'", end, endless=True)
    if not ends[0] < ends[1]:
        raise OptionError(f"the limits of '{name}' must rise: {ends[0]:g} is not below {ends[1]:g}")
    return FreeValue(name, float(ends[0]), float(ends[1]))


def first_values(
    free: tuple[FreeValue, ...], variation: Variation, first: Mapping[str, float] | None
) -> list[float]:
    """Where the search starts: as given, else from the drawing."""
    names = [one.name for one in free]
    for name, value in (first or {}).items():
        if name not in names:
            hint = did_you_mean(str(name), names) or f" There are {', '.join(names)}."
            raise OptionError(f"first= names '{name}', which is not free.{hint}")
        check_number(f"the first value of '{name}'", value)
    found = []
    for one in free:
        given = (first or {}).get(one.name)
        value = variation.number(one.name) if given is None else float(given)
        if not isfinite(value) or not one.low <= value <= one.high:
            where = "in the drawing" if given is None else "in first="
            limits = f"outside of its limits {one.low:g} to {one.high:g}"
            way_out = f"give first={{'{one.name}': ...}}, or other limits"
            raise OptionError(f"'{one.name}' is {value:g} {where}, {limits}; {way_out}")
        found.append(value)
    return found
