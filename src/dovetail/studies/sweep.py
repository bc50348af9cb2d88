"""Many runs of one system."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..algorithms.base import Algorithm
from ..controllers.base import Controller
from ..core.calls import worded_call
from ..core.options import check_number, check_path, check_whole
from ..drawing.run_settings import RunSettings
from ..entry.naming import named_algorithm
from ..entry.opening import Runnable, system_from
from ..entry.recommended import recommended
from ..entry.simulate import windows_of
from ..hosts.placement import Placement, check_placement
from ..verification.begin import Verify, check_way
from .bar import StudyBar
from .dask_engine import check_engine
from .estimate import StudyEstimate
from .interrupted import StudyInterrupted
from .local_pool import cores
from .plan import StudyPlan
from .space import Method, Space, Vary
from .study import Study

_ELSEWHERE = {
    **dict.fromkeys(("n", "runs", "count", "n_samples"), "it is samples=..."),
    "client": "it is engine=client",
    **dict.fromkeys(("n_jobs", "workers", "processes", "cores"), "it is jobs=..."),
    **dict.fromkeys(("output", "folder", "path"), "it is store='folder'"),
    **dict.fromkeys(("parameters", "values", "params"), "dv.sweep(system, {...}) has them second"),
    "outputs": "it is record=['part.name', ...]",
}


@worded_call("dv.sweep", _ELSEWHERE, order=2)
def sweep(
    system: Runnable,
    vary: Vary,
    *,
    stop: float | None = None,
    start: float | None = None,
    step: float | None = None,
    algorithm: Algorithm | str | None = None,
    controller: Controller | str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    record: str | Iterable[str] | None = None,
    samples: int | None = None,
    method: Method = "latin",
    seed: int = 0,
    times: int | ArrayLike = 501,
    store: str | Path | None = None,
    engine: Any = "local",
    jobs: int | None = None,
    time_limit: float | None = None,
    placement: Placement | None = None,
    verify: Verify = False,
    explain: bool = False,
    progress: bool | None = None,
) -> Study:
    """Run a system many times, with other values each time; the study has what came out.

    What was computed stays: with `store` the same call goes on where an earlier one was stopped,
    and makes only the runs that are missing. A run that fails, or takes its process along, is a
    row with the reason, and the others go on.

    Args:
        system: A `dv.System`, a file, or a model, as in `dv.simulate`.
        vary: What is varied, by name, over a list of values or a distribution such as
            `dv.studies.Uniform(500, 5000)`. Names are values of parts, "car.m"; gains of
            connections, "pid.y -> motor.u"; parts, "motor", which get other models; and the
            options algorithm, controller, step, rtol and atol. Lists make a grid; names in a tuple
            are varied together, `{("car.m", "car.J"): [(900, 1), (1200, 2)]}`; distributions are
            drawn together, `samples` times. Or a CSV file: its first line has names, each other
            one is a run.
        stop: When to stop, in s.
        start: When to start, in s.
        step: The size of windows, in s.
        algorithm: How values are exchanged, as in `dv.simulate`.
        controller: How long windows are, as in `dv.simulate`.
        rtol: Relative tolerance of iterations.
        atol: Absolute tolerance of iterations.
        record: Which variables are kept, as patterns.
        samples: How often distributions are drawn.
        method: How: "latin" hypercube, "sobol" or "random".
        seed: The same seed gives the same samples.
        times: At which times signals are kept: so many from start to stop, or a list of times.
        store: A folder to keep the study in.
        engine: "local" for processes of this machine, or a `dask.distributed.Client`: then runs
            are made by the workers of its cluster, and kept here.
        jobs: How many processes; as many as there are cores. 0: in this process, where a part
            that crashes takes everything along.
        time_limit: How long one run may take, in s; one that takes longer is ended.
        placement: Where parts live, as in `dv.simulate`; with hosts a crash costs its run also if
            `jobs` is 0, and what was computed up to then is kept.
        verify: Whether the error of each run is estimated, as in `dv.simulate`.
        explain: Make one run only; `study.estimate` says what all of them will take.
        progress: Whether a bar shows how far the study is; by itself in a terminal.

    Raises:
        InputError: What was given is wrong, and nothing was run.
        StudyNotWritten: The disk is full; what was kept is there.
    """
    # Over 60 lines: most of it are the options and what they mean.
    check_way(verify)
    check_placement(placement)
    if jobs is not None:
        check_whole("jobs", jobs, least=0)
    if time_limit is not None:
        check_number("time_limit", time_limit, above=0)
    if store is not None:
        check_path("store", store)
    check_engine(engine, jobs, time_limit)
    processes = cores() if jobs is None else jobs
    drawn = system_from(system)
    windows = windows_of(step, controller)
    if isinstance(algorithm, str) and algorithm == "recommended":
        given = RunSettings(start, stop, controller=windows)
        algorithm, windows = recommended(drawn, given)
    way = named_algorithm(algorithm)
    kept = record if record is None or isinstance(record, str) else tuple(record)
    made = start, stop, way, windows, None, rtol, atol, kept
    settings = RunSettings(*made, placement=placement)
    space = Space.of(vary, samples, method, seed)
    plan = StudyPlan.of(drawn, settings, space, times, verify)
    study = plan.begun(None if store is None else Path(store))
    missing = plan.missing(study)
    done = len(space) - len(missing)
    lacking = len(missing)
    if explain:
        missing = missing[:1]
    try:
        with StudyBar(drawn.name, len(space), shown=progress) as bar:
            bar.known(done)
            for number, outcome in plan.outcomes(missing, processes, time_limit, engine):
                study.keep(number, outcome)
                bar.count(outcome)
                done = min(done + 1, len(space))  # some may have been made a second time
                if explain:
                    study.estimate = StudyEstimate.of(len(space), lacking, processes, outcome)
    except KeyboardInterrupt:
        raise StudyInterrupted(study, done) from None
    finally:
        study.tell(plan.remarks)
        study.settled()
    if explain and not missing:
        study.estimate = StudyEstimate(len(space), 0, processes, 0.0, 0.0, 0)
    return study
