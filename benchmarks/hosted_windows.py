"""What native windows cost where FMUs are in hosts, beside the same in one process.

    python benchmarks/hosts.py

prints this too. In turns: windows of near-free FMUs here and in hosts, by wall time, in calls of a
hundred windows, of which the median counts; a ping-pong with as many processes in plain C through
shared memory (benchmarks/ping_pong.c), in blocks of a hundred as well, which is the limit; and FMUs
that take a millisecond, beside OpenMP (benchmarks/floor.c). Both sides spin as long as there is a
core for each host and for the master; where other programs want the cores, most of it is theirs.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from fmu import HERE, STEP, Floor, build, ring

import dovetail as dv
from dovetail.fmi.model import Fmu
from dovetail.fmi.native.batch import FmuBatch
from dovetail.run import fused_run

SPIN = 1e-4  # as src/dovetail/fmi/native/hosted.py has it
ROUNDS = 5
CHEAP = ((1, 1, 20000, 2.0), (100, 1, 4000, 3.0), (8, 8, 400, 80.0))  # FMUs, hosts, windows, bar
OPENMP = 95.0  # % of its speed


def ping_pong(program: Path, hosts: int) -> float:
    """Seconds of a round in C: the median of many."""
    spin = SPIN if hosts < len(os.sched_getaffinity(0)) else 0.0
    command = [str(program), str(hosts), "5000", str(spin)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def windows(system: dv.System, count: int, placement: Any, each: int = 100) -> float:
    """Seconds of a window: the median of calls of `each` windows."""
    ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(STEP), "quiet": True}
    found, native_run, room = [], FmuBatch.run, fused_run._BYTES

    def timed(self: Any, *given: Any) -> Any:
        begin = time.perf_counter()
        ran = native_run(self, *given)
        found.append((time.perf_counter() - begin) / max(ran.windows, 1))
        return ran

    where = {"stop": STEP * count, "record": "part0.y", "placement": placement}
    FmuBatch.run, fused_run._BYTES = timed, 8 * 2 * each  # type: ignore[method-assign]
    try:
        with dv.Session(system, **ways, **where) as session:
            session.run()
            assert session.statistics.native_windows == session.statistics.windows
    finally:
        FmuBatch.run, fused_run._BYTES = native_run, room  # type: ignore[method-assign]
    return statistics.median(found)


def groups(n: int, hosts: int) -> dict[str, Any]:
    return {f"part{k}": dv.LocalHost(f"host{k % hosts}") for k in range(n)}


def against(bar: float, unit: str, is_met: bool) -> str:
    """A bar, and whether it is met."""
    return f"bar {bar:g} {unit}: {'met' if is_met else 'MISSED'}"


def cheap(fmu: Fmu, program: Path, n: int, hosts: int, count: int, bar: float) -> None:
    """Near-free FMUs in some hosts; `bar`: what a host may cost more, in µs."""
    system, found = ring(n, fmu), []
    for _ in range(ROUNDS):
        here = windows(system, count, {"*": None})
        found.append((here, windows(system, count, groups(n, hosts)), ping_pong(program, hosts)))
    here, there, limit = (1e6 * statistics.median(column) for column in zip(*found, strict=True))
    title = f"{n} FMUs in {hosts} hosts" if hosts > 1 else f"{n} FMUs in one host"
    each = (there - here) / hosts
    more = f"{each:9.2f} µs more for each host"
    end = f"limit {limit:9.2f}   {against(bar, 'µs', each <= bar)}"
    print(f"{title:24} {here:9.2f} µs here {there:9.2f} hosted {more}   {end}")


def costly(folder: Path, n: int = 4, count: int = 20) -> None:
    """FMUs of a millisecond, one in each host, beside OpenMP."""
    fmu = Fmu(str(build.build("busy", 2, folder)))
    floor = Floor(folder, fmu)
    reference = str({v.name: v.reference for v in fmu.fmu.variables}["work"])
    per_round = min(floor.run(1, 5, "plain", reference, "1e5")[0] for _ in range(9)) / 5e5
    work = 1e-3 / per_round
    system, found = ring(n, fmu, work=work), []
    for _ in range(ROUNDS):
        several = [floor.run(n, k, "threads", reference, str(work))[1] for k in (count, 3 * count)]
        openmp = (several[1] - several[0]) / (2 * count)
        found.append((windows(system, 3 * count, groups(n, n), count), openmp))
    ours, openmp = (statistics.median(column) for column in zip(*found, strict=True))
    ratio = statistics.median(b / a for a, b in found)
    text = f"{1e3 * ours:.2f} ms hosted, {1e3 * openmp:.2f} by OpenMP: {100 * ratio:.0f} % of it"
    print(f"{n} FMUs of 1 ms, a host each: {text}   {against(OPENMP, '%', 100 * ratio >= OPENMP)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "ping_pong"
        subprocess.run(["cc", "-O2", "-o", str(program), str(HERE / "ping_pong.c")], check=True)
        fmu = Fmu(str(build.build("linear", 2, folder)))
        for n, hosts, count, bar in CHEAP:
            cheap(fmu, program, n, hosts, count, bar)
        costly(folder)


if __name__ == "__main__":
    main()
