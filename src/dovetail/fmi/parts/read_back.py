"""Whether an FMU has the values that it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import PartFailed
from ...core.signals import Signals
from ...core.values import Values
from ..calls.abi.types import OK, WARNING
from ..description.conversion import to_variable

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu
    from .part import FmuPart

_ROUNDING = 1e-6  # of a value that an FMU keeps as a 32-bit number, and of a change of units


class Unreadable(Exception):
    """The FMU does not tell this value."""


def check_given(part: FmuPart, values: Values) -> None:
    """Read parameters and exact start values back, right after initialization.

    One that still has the value of the description was not taken: the run would be that of
    another model. One that has a third value was changed by the FMU, which may limit or round
    it; that is noted. What an FMU does not let be read is believed.
    """
    model = part.model
    for v in model.settable:
        if v.name not in values or not is_read_back(model, v):
            continue
        given, kept = part.given_signal(v, values), _kept(part, v)
        if kept is None or _agree(given, kept):
            continue
        start = to_variable(v, model.fmu, model.structural).start
        usual = None if start is None else part.given_signal(v, {v.name: start})
        if usual is not None and _agree(usual, kept):
            what = (
                f"it ignores '{v.name}': set to {_shown(given)}, it is still {_shown(kept)} after "
                "initialization; ask its supplier, or leave the value out"
            )
            raise PartFailed(part.name, "starting", part._time, what)
        if v.causality == "parameter":
            what = f"has {_shown(kept)} for '{v.name}', though {_shown(given)} was set"
            part.remarks.append(what)


def is_read_back(model: Fmu, v: FmuVariable) -> bool:
    """Whether it still has the value that it was given when initialization is over."""
    if v.causality == "input" or v.name in model.tunes or v.clocks:
        return False
    return v.causality == "parameter" or _is_start(v)


def _is_start(v: FmuVariable) -> bool:
    """Whether it is a start value that holds until the first step."""
    return v.initial == "exact" and v.variability == "continuous"


def _kept(part: FmuPart, v: FmuVariable) -> Signals | None:
    channels, sizes = part._channels([v])
    reals, discrete = np.zeros(sizes[0]), [False] * sizes[1]
    try:
        for channel in channels:
            channel.get(part.instance.pointer or 0, believe, reals, discrete)
    except Unreadable:
        return None
    return Signals(reals, None, tuple(discrete))


def believe(status: int, function: str) -> None:
    """Nothing is wrong with a value that cannot be read."""
    if status not in (OK, WARNING):
        raise Unreadable


def _agree(a: Signals, b: Signals) -> bool:
    if a.discrete != b.discrete:
        return False
    near = _ROUNDING * np.maximum(np.abs(a.reals), np.abs(b.reals))
    with np.errstate(invalid="ignore"):
        close = np.abs(a.reals - b.reals) <= near
    return bool(np.all(close | (a.reals == b.reals) | (np.isnan(a.reals) & np.isnan(b.reals))))


def _shown(found: Signals) -> str:
    each: list[Any] = [*(f"{x:g}" for x in found.reals), *(repr(x) for x in found.discrete)]
    return ", ".join(each[:3]) + (f" and {len(each) - 3} more" if len(each) > 3 else "")
