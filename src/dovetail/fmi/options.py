"""What a user may say about an FMU, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, prod
from numbers import Real
from typing import TYPE_CHECKING

from ..core.errors import FileError, OptionError, did_you_mean
from ..core.values import fitted
from .description import FmuVariable
from .description.conversion import to_variable

if TYPE_CHECKING:
    from .model import Fmu

MOST_VALUES = 4_000_000  # of all variables: to name them takes 3 s, and each has a column


def check_options(model: Fmu) -> None:
    """Refuse what makes no sense, or not with this FMU."""
    _check_types(model)
    _check_structural(model)
    _check_sizes(model)
    _check_events(model)
    _check_intervals(model)


def _check_types(model: Fmu) -> None:
    for name in ("structural", "intervals"):
        given = getattr(model, name)
        if not isinstance(given, Mapping):
            raise OptionError(f"{name} must be values by name, as {{'n': 5}}, not {given!r}")
    for name, things in (("logging", "categories"), ("internals", "variables")):
        given = getattr(model, name)
        listed = isinstance(given, Sequence) and not isinstance(given, str)
        if not isinstance(given, bool) and not (listed and all(isinstance(n, str) for n in given)):
            raise OptionError(f"{name} must be True, False or names of {things}, not {given!r}")
    known = model.fmu.log_categories
    for category in () if isinstance(model.logging, bool) else model.logging:
        if category not in known:
            has = ", ".join(f"'{one}'" for one in known) or "no categories"
            raise FileError(model.path, f"it knows no messages '{category}'; it has {has}")
    if model.events is not None and not isinstance(model.events, bool):
        raise OptionError(f"events must be True, False or None, not {model.events!r}")
    tolerance = model.tolerance
    if tolerance is not None and not (
        _is_number(tolerance) and isfinite(tolerance) and tolerance > 0
    ):
        raise OptionError(f"tolerance must be a number above zero, not {tolerance!r}")


def _check_structural(model: Fmu) -> None:
    known = {v.name: v for v in model.fmu.of("structuralParameter")}
    for name, given in model.structural.items():
        v = known.get(name)
        if v is None:
            hint = did_you_mean(str(name), known)
            raise FileError(model.path, f"'{name}' is not a structural parameter of it.{hint}")
        try:
            value = fitted(to_variable(v, model.fmu), given)
        except ValueError as error:
            raise FileError(model.path, f"its structural parameter '{name}' {error}") from error
        low = 0 if v.minimum is None and v.type.startswith("U") else v.minimum
        above = v.maximum is not None and isinstance(value, Real) and value > v.maximum
        if above or (low is not None and isinstance(value, Real) and value < low):
            limits = (
                f"from {low:g} on" if v.maximum is None else f"from {low or 0:g} to {v.maximum:g}"
            )
            what = f"its structural parameter '{name}' goes {limits}, and cannot be {given!r}"
            raise FileError(model.path, what)


def _check_sizes(model: Fmu) -> None:
    """Refuse arrays that no machine has room for, before each value is named."""
    used = [v for v in model.fmu.variables if model.internals or v.causality != "local"]
    counts = [prod(v.shape(model.structural)) if v.dimensions else 1 for v in used]
    if sum(counts) > MOST_VALUES:
        largest = used[max(range(len(counts)), key=counts.__getitem__)]
        what = f"its variables have {sum(counts)} values, and {MOST_VALUES} are the most"
        remedy = f"choose smaller structural parameters; '{largest.name}' is the largest"
        raise FileError(model.path, f"{what} that are read", remedy)


def _check_events(model: Fmu) -> None:
    """Refuse what cannot be run without event mode, and events that cannot be had."""
    clocks = [v.name for v in model.fmu.variables if v.type == "Clock"]
    if model.is_exchange:
        if model.events is not None:
            what = "events are part of model exchange and cannot be switched"
            raise FileError(model.path, what, "leave events=... out")
        return
    if clocks and not (model.uses_event_mode or model.is_scheduled):
        what = f"its clock '{clocks[0]}' ticks in event mode only"
        way = "leave events=False out" if model.interface.has_event_mode else "ask its supplier"
        raise FileError(model.path, what, way)
    if model.events is True and not model.may_stop_early and not model.is_scheduled:
        what = "events=True, but it offers neither event mode nor early return"
        raise FileError(model.path, what, "leave events=True out")
    if model.redoes_steps and not model.interface.can_get_and_set_state:
        what = "events=True asks for rollback after a discarded step, but it cannot save its state"
        raise FileError(model.path, what, "leave events=True out")


def _check_intervals(model: Fmu) -> None:
    known: dict[str, FmuVariable] = {v.name: v for v in model.clocks}
    for name, interval in model.intervals.items():
        timing = known[name].timing if name in known else None
        if timing is None:
            raise FileError(model.path, f"'{name}' is not a clock that keeps its own time")
        if timing.interval_variability not in ("fixed", "tunable") or timing.interval is None:
            what = f"the interval of its clock '{name}' is not for others to set"
            raise FileError(model.path, what)
        if not (_is_number(interval) and isfinite(interval) and interval > 0):
            what = f"the interval of clock '{name}' must be above zero, not {interval!r}"
            raise FileError(model.path, what)


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)
