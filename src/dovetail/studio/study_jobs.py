"""What a process of its own makes of a drawing beside single runs: a benchmark, a sweep."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..core.brief import brief
from ..core.errors import DovetailError
from ..drawing.system import System
from ..formats.run_data import run_data
from ..studies.benchmark import benchmark
from ..studies.benchmarking.table import Benchmark
from ..studies.local_pool import cores
from ..studies.store import Store
from ..studies.study import Study
from ..studies.sweep import sweep
from .control import Line
from .plain import plain
from .story import plain_list

_BETWEEN = 0.3  # s between two looks at how far it is
_TIMES = 101  # rows of a signal of a sweep


def benchmarked(given: Mapping[str, Any], line: Line) -> dict[str, Any]:
    """Every run of a benchmark, and what it recommends as settings of the drawing."""
    system: System = given["system"]
    line.say("share", done=0, total=0, limit=given["budget"])
    found = benchmark(
        system, budget=given["budget"], tolerance=given["tolerance"], cost=given["cost"],
        progress=False,
    )  # fmt: skip
    return _benchmark_data(found, system)


def swept(given: Mapping[str, Any], line: Line) -> dict[str, Any]:
    """Every run of a sweep with the signals that were asked for."""
    system: System = given["system"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "study")
        with _counted(folder, line, given["total"]):
            study = sweep(
                system, given["vary"], record=given["record"], times=_TIMES, store=folder,
                jobs=cores(), verify=False, progress=False,
            )  # fmt: skip
        return _sweep_data(study, given["record"])


@contextmanager
def _counted(folder: Path, line: Line, total: int) -> Any:
    """Say how many runs are kept, now and then, while there are more to come."""
    over = threading.Event()

    def tell() -> None:
        while not over.wait(_BETWEEN):
            with suppress(DovetailError, OSError):
                store = Store(folder, create=False)
                line.say("share", done=len(store.keys()), total=total)

    line.say("share", done=0, total=total)
    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _benchmark_data(found: Benchmark, system: System) -> dict[str, Any]:
    best = found.recommended
    applied = system.copy()
    found.apply(applied)
    good = {id(row): good for row, good in found.ranked()}
    return {
        "rows": [
            {
                "algorithm": row.candidate.title,
                "controller": brief(row.controller),
                "status": row.status,
                "error": plain(row.error),
                "seconds": plain(row.seconds),
                "evaluations": row.evaluations,
                "windows": row.windows,
                "reason": row.reason[:500],
                "best": row is best,
                "ranked": id(row) in good,
                "good": bool(row.done and row.error <= found.tolerance),
            }
            for row in found.rows
        ],
        "left": [
            {"algorithm": e.candidate.title, "reason": e.ended[:500]}
            for e in found.entrants
            if not e.good
        ],
        "reference": f"{found.reference.way}, known to {found.reference.error:.1g}",
        "recommended": f"{best.candidate.title} with {brief(best.controller)}",
        "why": found.why,
        "run": run_data(applied.run_settings),
        "took": found.seconds,
    }


def _sweep_data(study: Study, names: list[str]) -> dict[str, Any]:
    kept = [name for name in names if name in study.names]
    shape = (len(study), study.time.size)
    signals = {name: np.reshape(study[name], shape) for name in kept}
    return {
        "times": plain_list(study.time),
        "signals": kept,
        "rows": [
            {
                "number": row.number,
                "values": {str(k): plain(v) for k, v in dict(row.values).items()},
                "status": row.status,
                "verdict": row.verdict,
                "evaluations": row.evaluations,
                "seconds": plain(row.seconds),
                "reason": row.reason[:500],
                "lines": {name: plain_list(signals[name][row.number]) for name in kept},
            }
            for row in study.rows
        ],
    }
