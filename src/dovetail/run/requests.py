"""What a run is asked for, checked before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..check.checking import check
from ..controllers.base import Controller, chooses
from ..core.errors import DrawingError, OptionError
from ..core.options import check_number
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..topology.components import Structure

MOST_WINDOWS = 2.0**53  # beyond it the next number is two further: no double counts them


def check_times(start: float, stop: float) -> None:
    """Refuse times that are none, or run backwards."""
    check_number("start", start)
    check_number("stop", stop)
    if stop < start:
        raise OptionError(f"stop ({stop:g}) must not lie before start ({start:g})")


def check_span(given: RunSettings, drawn: RunSettings) -> None:
    """Refuse a run that takes no time; a session may take none, to look at its start values."""
    asked = given.over(drawn)
    start, stop = asked.start or 0.0, asked.stop
    if stop is None:
        return  # that is for the session to say
    check_number("start", start)
    check_number("stop", stop)
    told = ", as its file says" if given.start is None and drawn.start is not None else ""
    if stop < start and not told:
        check_times(start, stop)
    if not stop > start:
        way_out = "dv.Session(system, start=t, stop=t).result has the start values alone"
        raise OptionError(f"stop ({stop:g}) must lie behind start ({start:g}{told}); {way_out}")


def check_count(controller: Controller, start: float, stop: float) -> None:
    """Refuse windows of one size of which there would be more than can be counted."""
    if why := uncountable(controller, start, stop):
        raise OptionError(why)


def uncountable(controller: Controller, start: float, stop: float) -> str:
    """Why windows of one size are too many to be counted; empty where they are not."""
    size = controller.first_size
    if chooses(controller) or not (stop - start) / size > MOST_WINDOWS:
        return ""
    what = f"windows of {size:g} s would be {(stop - start) / size:.0e} up to stop ({stop:g})"
    return f"{what}, more than a run can count; take longer ones, or an earlier stop"


def check_kinds(
    algorithm: Any, controller: Any, recorder: Any, initialization: Any, calendar: Any
) -> None:
    """Refuse what is no algorithm or controller, such as a class without its parentheses."""
    file = f"dv.File({recorder!r})" if isinstance(recorder, str | Path) else "dv.Memory()"
    for what, given, verb, example in (
        ("algorithm", algorithm, "step", "dv.GaussSeidel()"),
        ("controller", controller, "judge", "dv.FixedStep(0.01)"),
        ("recorder", recorder, "open", file),
        ("initialization", initialization, "position", "dv.Consistent()"),
        ("calendar", calendar, "lasting", 'dv.Calendar("h")'),
    ):
        if given is not None and (isinstance(given, type) or not hasattr(given, verb)):
            name = given.__name__ if isinstance(given, type) else repr(given)
            raise OptionError(f"{what} must be an object such as {example}, not {name}")


def check_estimators(given: Any) -> None:
    """Refuse what is no mapping of parts to estimators."""
    example = 'as in {"plant": dv.Costarica()}'
    if not (given is None or isinstance(given, Mapping)):
        raise OptionError(f"estimators must name parts, {example}, or be 'auto', not {given!r}")
    for name, one in (given or {}).items():
        if one is not None and (isinstance(one, type) or not hasattr(one, "repeatable")):
            what = f"the estimator of '{name}' must be an object"
            raise OptionError(f"{what}, {example}, not {one!r}")


def check_system(system: Any) -> None:
    """Refuse whatever is no system."""
    if not isinstance(system, System):
        way_out = "dv.simulate runs a file or a single model too"
        raise OptionError(f"a session needs a dv.System, not {type(system).__name__}; {way_out}")


def check_drawing(system: System, span: tuple[float, float] | None = None) -> Structure:
    """Refuse a drawing with errors, all of them in one report; `span` is that of the run.

    The structure that was looked at comes back.
    """
    structure = Structure.of(system)
    report = check(system, span=span, live=False, choices=False, structure=structure)
    errors = [p for p in report.problems if not p.warning]
    if errors:
        raise DrawingError(errors, system.name)
    return structure
