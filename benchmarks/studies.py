"""What runs of a study cost: two FMUs, a thousand windows, many times.

    python benchmarks/studies.py              all of it, a minute or two
    python benchmarks/studies.py --memory N   the memory of a study of N runs

Runs per second and core, measured in turns: by the pool of a sweep, whose processes reset their
instances; the same with new instances for each run; by a C loop over the same FMUs (the limit:
steps alone, nothing started); and by FMPy's instances in a Dask bag, which is what one writes
without Dovetail, with the windows in a Python loop, also reset between runs. All of it is process
time, of all processes together, that of many runs less that of few, so that starting them does not
count, and neither does what else the machine does. Orchestration is a run of one window.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
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


def spent() -> float:
    """Process time of this process and of all that have ended, in s."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def sweeps(system: dv.System, counts: tuple[int, int], windows: int, jobs: int) -> float:
    """Seconds of process time of a run, whatever processes make it."""
    took = []
    for count in counts:
        values = [-1.0 + 1e-7 * k for k in range(count)]
        begin = spent()
        study = dv.sweep(system, {"a.a": values}, jobs=jobs, **options(windows))
        took.append(spent() - begin)
        assert not study.failed and not study.remarks
    return (took[1] - took[0]) / (counts[1] - counts[0])


def pool(system: dv.System, windows: int, jobs: int) -> float:
    """Of the pool of a sweep, warm."""
    return sweeps(system, (400, 2400), windows, jobs)


def alone(system: dv.System, windows: int) -> float:
    """Of new instances for each run, in this process."""
    return sweeps(system, (5, 65), windows, 0)


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


_KEPT: dict[str, Any] = {}  # instances of a process


def by_fmpy(task: tuple[str, str, float]) -> float:
    """One run with FMPy: two instances, Jacobi, in a Python loop."""
    from fmpy import read_model_description
    from fmpy.fmi2 import FMU2Slave

    path, folder, value = task
    if path not in _KEPT:
        about = read_model_description(path)
        places = {v.name: v.valueReference for v in about.modelVariables}
        named = {"guid": about.guid, "unzipDirectory": folder}
        named["modelIdentifier"] = about.coSimulation.modelIdentifier
        _KEPT[path] = places, [FMU2Slave(instanceName=name, **named) for name in ("a", "b")]
        for part in _KEPT[path][1]:
            part.instantiate()
    places, parts = _KEPT[path]
    for part in parts:
        part.reset()
        part.setupExperiment(startTime=0.0)
        if part is parts[0]:
            part.setReal([places["a"]], [value])
        part.enterInitializationMode()
        part.exitInitializationMode()
    u, y = [places["u"]], [places["y"]]
    first, second = parts
    for k in range(WINDOWS):
        out = first.getReal(y), second.getReal(y)
        first.setReal(u, out[1])
        second.setReal(u, out[0])
        first.doStep(k * STEP, STEP)
        second.doStep(k * STEP, STEP)
    return float(first.getReal(y)[0])


def bag(path: Path, folder: Path, jobs: int, count: int = 64) -> float:
    """Seconds of process time of a run by FMPy in a Dask bag."""
    import dask.bag

    tasks = [(str(path), str(folder / "unzipped"), -1.0 + 1e-6 * k) for k in range(count)]
    took = []
    for some in (tasks[: jobs * 2], tasks):
        runs = dask.bag.from_sequence(some, npartitions=jobs).map(by_fmpy)
        begin = spent()
        runs.compute(scheduler="processes", num_workers=jobs)
        took.append(spent() - begin)
    return (took[1] - took[0]) / (count - jobs * 2)


def memory(count: int) -> None:
    """How much the process that keeps a study has taken at most, a fifth of it after the other."""
    small = {"algorithm": dv.Jacobi(), "step": 1.0, "stop": 1.0, "times": 2, "progress": False}
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        system, _ = ring(folder)
        values = [-1.0 + 1e-7 * k for k in range(count)]
        over = threading.Event()
        watcher = threading.Thread(target=watch, args=(folder / "study", count, over))
        watcher.start()
        begin = time.perf_counter()
        try:
            study = dv.sweep(system, {"a.a": values}, store=folder / "study", **small)
        finally:
            over.set()
            watcher.join()
        took, memory_then = time.perf_counter() - begin, most()
        disk = sum(p.stat().st_size for p in (folder / "study").iterdir()) / 1e6
        done = sum(row.done for row in study.rows)
        words = f"{memory_then:6.0f} MB at most, {disk:6.1f} MB on disk, {took:.0f} s"
        print(f"{done:7d} runs: {words}")


def watch(folder: Path, count: int, over: threading.Event) -> None:
    """Say how much memory was taken, as soon as a fifth more of the runs is there."""
    fifths = [count * k // 5 for k in range(1, 5)]
    while fifths and not over.wait(0.2):
        if not (folder / "study.db").is_file():
            continue
        with contextlib.suppress(sqlite3.Error):  # it is being made
            index = sqlite3.connect(f"file:{folder / 'study.db'}?mode=ro", uri=True)
            (made,) = index.execute("SELECT COUNT(*) FROM runs").fetchone()
            index.close()
            while fifths and made >= fifths[0]:
                print(f"{fifths.pop(0):7d} runs: {most():6.0f} MB at most", flush=True)


def most() -> float:
    """The most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memory", type=int, metavar="N", help="of a study of so many runs")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    arguments = parser.parse_args()
    if arguments.memory:
        memory(arguments.memory)
        return
    rounds: dict[str, list[float]] = {name: [] for name in _WORDS}
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        system, path = ring(folder)
        alone(system, WINDOWS)
        for _ in range(ROUNDS):
            rounds["C"].append(limit(path, folder))
            rounds["pool"].append(pool(system, WINDOWS, arguments.jobs))
            rounds["empty"].append(pool(system, 1, arguments.jobs))
            rounds["new"].append(alone(system, WINDOWS))
            rounds["bag"].append(bag(path, folder, arguments.jobs))
    for name, words in _WORDS.items():
        took = statistics.median(rounds[name])
        print(f"{words:48} {1e6 * took:9.1f} us  {1 / took:9.0f} runs/s and core")


_WORDS = {
    "C": "C loop, windows alone",
    "pool": "pool of a sweep, instances that are reset",
    "empty": "the same for one window: orchestration",
    "new": "new instances for each run",
    "bag": "FMPy in a Dask bag, instances that are reset",
}


if __name__ == "__main__":
    main()
