"""Run a system, a model or a file: the one function that most users need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from ..algorithms.base import Algorithm
from ..assembly.consistent import Consistent
from ..controllers.base import Controller
from ..controllers.fixed_step import FixedStep
from ..core.calendar import Calendar
from ..core.calls import worded_call
from ..core.errors import OptionError
from ..core.options import check_number
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..estimators.base import Estimator
from ..hosts.placement import Placement
from ..observe.live.plot import LiveRequest
from ..results.recorders import Recorder
from ..results.result import Result
from ..run.requests import check_span
from ..run.session import Session
from ..verification.begin import Verify
from ..verification.verified import verified
from .naming import named_algorithm, named_controller, named_estimators
from .opening import Runnable, system_from
from .recommended import recommended
from .second_try import planned_anew
from .verify import remember

_STEP = "the size of windows is step=..."
_ELSEWHERE = {  # what other tools call it
    **dict.fromkeys(("step_size", "dt", "h", "size", "communication_step"), _STEP),
    **dict.fromkeys(("stop_time", "end", "end_time", "final_time", "t_end"), "it is stop=..."),
    **dict.fromkeys(("start_time", "begin", "t_start"), "it is start=..."),
    **dict.fromkeys(("start_values", "parameters", "params"), "it is values={'part.name': ...}"),
    **dict.fromkeys(("outputs", "output"), "it is record=['part.name', ...]"),
    **dict.fromkeys(("tolerance", "relative_tolerance"), "it is rtol=..."),
    "solver": "it is algorithm=...; solvers are inside the parts: dv.load(..., solver=...)",
    "master": "it is algorithm=...",
}


@worded_call("dv.simulate", _ELSEWHERE)
def simulate(
    system: Runnable,
    *,
    stop: float | None = None,
    start: float | None = None,
    step: float | None = None,
    algorithm: Algorithm | str | None = None,
    controller: Controller | str | None = None,
    estimators: Mapping[str, Estimator | str] | Literal["auto"] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    record: str | Iterable[str] | None = None,
    recorder: Recorder | None = None,
    values: Mapping[str, Any] | None = None,
    force: bool = False,
    initialization: Consistent = Consistent(),
    progress: bool | None = None,
    live: LiveRequest = False,
    quiet: bool = False,
    calendar: Calendar | None = None,
    resume: str | Path | None = None,
    verify: Verify | None = None,
    placement: Placement | None = None,
    compile: bool | None = None,
) -> Result:
    """Run a system from start to stop; the result has everything that was recorded.

    What is not given is as the file of the system says (`system.run_settings`), else as it is
    usual. `dovetail run` does the same with the same file, to the bit.

    Args:
        system: A `dv.System`; or a file that `dv.open` opens, such as "car.ssp" or "x.fmu"; or a
            model, which is run alone as a system of one part. The part has the name of its file,
            or the model's name in a Python file, or else is called `model`.
        stop: When to stop, in s.
        start: When to start, in s; usually 0.
        step: The size of windows, in s: short for `controller=dv.FixedStep(step)`.
        algorithm: How values are exchanged: `dv.GaussSeidel(20)`, or by name as on the command
            line, "gauss_seidel(20)". "recommended" takes what `system.check().recommendation`
            says, its windows as well unless `step` or `controller` is given.
        controller: How long windows are: `dv.StepDoubling(rtol=1e-4)`, or by name,
            "step_doubling(rtol=1e-4)".
        estimators: By part, how it answers in iterations: `{"plant": dv.Costarica()}`, or by name,
            `{"plant": "costarica"}`; "auto" chooses from their capabilities.
        rtol: Relative tolerance of iterations, 1e-5; algorithms and controllers may have their own.
        atol: Absolute tolerance of iterations, 1e-6.
        record: Which variables are kept, as patterns: "prey.*", or several in a list.
        recorder: Where rows go: `dv.File("run.parquet")`, and how many, `dv.Sampling(0.1)`.
        values: Parameters and start values for this run, `{"pid.Kp": 3.0}`; real ones also as text
            with a unit, "3 kN". The system itself stays as it is. The name of the part may be left
            out where there is only one.
        force: Whether values beyond the limits that models declare are taken all the same: those
            in `values`, and those in a file.
        initialization: How consistent start values are found.
        progress: Whether a bar shows how far the run is; by itself in a terminal.
        live: What is plotted while the run goes on: names or patterns, or True for all; in a
            terminal, a notebook or a window, as `dv.LivePlot(["prey.*"], on="window")` says.
        quiet: Whether to say nothing about what was chosen.
        calendar: How times are shown: `dv.Calendar("h", "2026-01-01T00:00:00")`.
        resume: A checkpoint to go on from.
        verify: Whether the error is estimated, `result.verdict.error`: by a second run that treats
            inputs in another, better way at longer windows, which may take four times the
            evaluations of the run with True, and any number with "companion"; against the
            equations of all parts, "merged"; or without a second run by what inputs were off by
            and the linearization of the parts, "carried". If nothing is said, it is where neither
            algorithm nor controller were chosen, and parts exchange something.
        placement: Where parts live: `dv.Isolated()` gives each part that brings compiled code of
            others a process of its own; `{"pump*": dv.LocalHost("pumps")}` puts parts into hosts
            by patterns, of which the first that fits counts, and None is here.
        compile: Whether all Python models that can be are compiled to C, as if each had been made
            with `compile=True`: the same values to rounding, in far less time.

    Raises:
        InputError: What was given is wrong, and nothing was run.
        RunError: The run failed; `error.result` has everything up to then.
    """
    # Over 60 lines: half of it are the options and what they mean.
    windows = windows_of(step, controller)
    drawn = system_from(system, values, force=force)
    given = RunSettings(start, stop, controller=windows)
    check_span(given, drawn.run_settings)
    if isinstance(algorithm, str) and algorithm == "recommended":
        algorithm, windows = recommended(drawn, given)
    named: Any = named_estimators(estimators)
    ways = named_algorithm(algorithm), windows, {} if named == "auto" else named, rtol, atol
    asked = RunSettings(start, stop, *ways, record, recorder, calendar, placement, compile)
    begun: dict[str, Any] = {"initialization": initialization, "resume": resume}
    return run_drawn(drawn, asked, verify, begun, progress=progress, live=live, quiet=quiet)


def run_drawn(
    drawn: System,
    asked: RunSettings,
    verify: Verify | None,
    begun: Mapping[str, Any] = MappingProxyType({}),
    session: Callable[..., Session] = Session,
    **shown: Any,
) -> Result:
    """Run a system with these settings; `begun`: how it begins, `shown`: what is seen of it.

    `session` makes the session.
    """

    def run() -> Result:
        with (
            verified(drawn, asked, verify, **begun) as planned,
            session(drawn, **planned.settings.options(), **begun, **shown) as made,
        ):
            planned.attach(made)
            return remember(made.run(), drawn.copy(), planned.settings)

    return planned_anew(drawn, asked, run)


def windows_of(step: float | None, controller: Controller | str | None) -> Controller | None:
    """The controller: windows of one size, or the one that is given."""
    if step is None:
        return named_controller(controller)
    if controller is not None:
        raise OptionError("give step= or controller=, not both: step=0.01 is dv.FixedStep(0.01)")
    check_number("step", step, above=0)
    return FixedStep(step)
