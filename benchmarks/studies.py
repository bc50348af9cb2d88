"""What runs of a study cost: two FMUs, a thousand windows, many times.

    python benchmarks/studies.py              all of it, a minute or two
    python benchmarks/studies.py --memory N   the memory of a study of N runs

Runs per second and core, measured in turns: by the pool of a sweep (wall time of many runs less
that of few, so that starting processes does not count), in this process, by a C loop over the
same FMUs (the limit: steps alone, nothing started), and by FMPy's instances in a Dask bag, which
is what one writes without Dovetail, with the windows in a Python loop. Orchestration is what a run
costs beside its windows: its time less the slope over windows.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import dovetail as dv

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fmus import build  # noqa: E402

WINDOWS, STEP, ROUNDS = 1000, 0.01, 3


def ring(folder: Path) -> tuple[dv.System, Path]:
    """Two instances of one FMU that feed each other."""
    path = build.build("linear", 2, folder)
    system, model = dv.System("ring"), dv.load(path)
    for name in ("a", "b"):
        system.add(name, model)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    return system, path


def options(windows: int = WINDOWS) -> dict[str, Any]:
    ways = {"algorithm": dv.Jacobi(), "step": STEP, "stop": windows * STEP, "record": "a.y"}
    return {**ways, "times": 2, "progress": False}


def pool(system: dv.System, jobs: int, few: int = 50, many: int = 450) -> float:
    """Runs per second and process of a warm pool."""
    took = []
    for count in (few, many):
        values = [-1.0 + 1e-6 * k for k in range(count)]
        begin = time.perf_counter()
        study = dv.sweep(system, {"a.a": values}, jobs=jobs, **options())
        took.append(time.perf_counter() - begin)
        assert not study.failed
    return (many - few) / (took[1] - took[0]) / jobs


def alone(system: dv.System, windows: int, count: int = 60) -> float:
    """Seconds of process time of a run in this process."""
    vary = {"a.a": [-1.0 + 1e-6 * k for k in range(count)]}
    begin = time.process_time()
    dv.sweep(system, vary, jobs=0, **options(windows))
    return (time.process_time() - begin) / count


def limit(path: Path, folder: Path) -> float:
    """Seconds of process time of the same windows in C."""
    import fmpy

    description = fmpy.read_model_description(str(path))
    unzipped = fmpy.extract(str(path), str(folder / "unzipped"))
    identifier = description.coSimulation.modelIdentifier
    library = Path(unzipped, "binaries", "linux64", f"{identifier}.so")
    by_name = {v.name: v.valueReference for v in description.modelVariables}
    program = folder / "floor"
    source = ROOT / "benchmarks" / "floor.c"
    flags = ["-O2", "-fopenmp", str(source), "-o", str(program), "-ldl", "-lm"]
    subprocess.run(["cc", *flags], check=True)
    windows = 200 * WINDOWS
    words = [str(library), description.guid, str(by_name["u"]), str(by_name["y"])]
    found = subprocess.run(
        [str(program), *words, "2", str(windows), str(STEP), "plain"],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(found.stdout.split()[0]) / 200


def by_fmpy(task: tuple[str, str, float]) -> float:
    """One run with FMPy: two instances, Jacobi, in a Python loop."""
    from fmpy import read_model_description
    from fmpy.fmi2 import FMU2Slave

    path, folder, value = task
    about = read_model_description(path)
    places = {v.name: v.valueReference for v in about.modelVariables}
    parts = []
    for name in ("a", "b"):
        part = FMU2Slave(
            guid=about.guid,
            unzipDirectory=folder,
            modelIdentifier=about.coSimulation.modelIdentifier,
            instanceName=name,
        )
        part.instantiate()
        part.setupExperiment(startTime=0.0)
        if name == "a":
            part.setReal([places["a"]], [value])
        part.enterInitializationMode()
        part.exitInitializationMode()
        parts.append(part)
    u, y = [places["u"]], [places["y"]]
    first, second = parts
    for k in range(WINDOWS):
        out = first.getReal(y), second.getReal(y)
        first.setReal(u, out[1])
        second.setReal(u, out[0])
        first.doStep(k * STEP, STEP)
        second.doStep(k * STEP, STEP)
    last = float(first.getReal(y)[0])
    for part in parts:
        part.terminate()
        part.freeInstance()
    return last


def bag(path: Path, folder: Path, jobs: int, count: int = 24) -> float:
    """Runs per second and process of FMPy in a Dask bag."""
    import dask.bag

    tasks = [(str(path), str(folder / "unzipped"), -1.0 + 1e-6 * k) for k in range(count)]
    took = []
    for some in (tasks[: jobs * 2], tasks):
        runs = dask.bag.from_sequence(some, npartitions=jobs).map(by_fmpy)
        begin = time.perf_counter()
        runs.compute(scheduler="processes", num_workers=jobs)
        took.append(time.perf_counter() - begin)
    return (count - jobs * 2) / (took[1] - took[0]) / jobs


def memory(count: int) -> None:
    """How much the process that keeps a study grows, in the first fifth and in the rest."""
    small = {"algorithm": dv.Jacobi(), "step": 1.0, "stop": 1.0, "times": 2, "progress": False}
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        system, _ = ring(folder)
        for some in (count // 5, count):
            values = [-1.0 + 1e-7 * k for k in range(some)]
            begin = time.perf_counter()
            study = dv.sweep(system, {"a.a": values}, store=folder / "study", **small)
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            took = time.perf_counter() - begin
            disk = sum(p.stat().st_size for p in (folder / "study").iterdir()) / 1e6
            sizes = f"{most:6.0f} MB at most, {disk:6.1f} MB on disk"
            print(f"{len(study):7d} runs: {sizes}, {took:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memory", type=int, metavar="N", help="of a study of so many runs")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    arguments = parser.parse_args()
    if arguments.memory:
        memory(arguments.memory)
        return
    rounds: dict[str, list[float]] = {name: [] for name in ("pool", "run", "empty", "C", "bag")}
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        system, path = ring(folder)
        alone(system, WINDOWS, 5)
        for _ in range(ROUNDS):
            rounds["C"].append(limit(path, folder))
            rounds["run"].append(alone(system, WINDOWS))
            rounds["empty"].append(alone(system, 1))
            rounds["pool"].append(pool(system, arguments.jobs))
            rounds["bag"].append(bag(path, folder, arguments.jobs))
    middle = {name: statistics.median(values) for name, values in rounds.items()}
    for words, name in (
        ("C loop, windows alone", "C"),
        ("a run in this process", "run"),
        ("a run of one window: orchestration", "empty"),
    ):
        print(f"{words:36} {1e6 * middle[name]:9.1f} us  {1 / middle[name]:9.0f} runs/s")
    for words, name in (("pool", "pool"), ("FMPy in a Dask bag", "bag")):
        print(f"{words + ', per process':36} {middle[name]:22.0f} runs/s")


if __name__ == "__main__":
    main()
