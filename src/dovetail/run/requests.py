"""What a run is asked for, checked before anything is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

from ..check.checking import check
from ..core.errors import DrawingError, OptionError, did_you_mean
from ..drawing.system import System

_SIZES = ("step", "step_size", "dt", "h", "size")  # what others call the size of windows


def check_options(options: Mapping[str, Any], parameters: Iterable[str]) -> None:
    """Refuse options that a session does not have."""
    known = [name for name in parameters if name != "system"]
    for name, value in options.items():
        if name in _SIZES:
            way_out = f"the size of windows is controller=dv.FixedStep({value!r})"
            raise OptionError(f"dv.simulate has no option '{name}'; {way_out}")
        if name not in known:
            hint = did_you_mean(name, known) or f" There are {', '.join(known)}."
            raise OptionError(f"dv.simulate has no option '{name}'.{hint}")


def check_times(start: float, stop: float) -> None:
    """Refuse times that are none, or run backwards."""
    if not all(isinstance(t, Real) and isfinite(t) for t in (start, stop)):
        raise OptionError(f"start and stop must be finite numbers, not {start!r} and {stop!r}")
    if stop < start:
        raise OptionError(f"stop ({stop:g}) must not lie before start ({start:g})")


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


def check_drawing(system: System, span: tuple[float, float] | None = None) -> None:
    """Refuse a drawing with errors, all of them in one report; `span` is that of the run."""
    if not isinstance(system, System):
        way_out = "; dv.open opens a file" if isinstance(system, str | Path) else ""
        raise OptionError(f"a run needs a dv.System, not {type(system).__name__}{way_out}")
    errors = [
        p for p in check(system, span=span, live=False, choices=False).problems if not p.warning
    ]
    if errors:
        raise DrawingError(errors, system.name)
