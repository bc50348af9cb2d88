"""What recording costs: per row while a run goes on, and once at its end.

    python benchmarks/recording.py [megabytes]

Each line records about so many megabytes (200) of rows, one call per row.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from dovetail.results.recorders import Column, File, Memory, Parquet, Recorder


def measure(recorder: Recorder, reals: int, rows: int) -> tuple[float, float]:
    """Seconds for the rows, and for what comes after the last one."""
    recording = recorder.open([Column(f"part.x{k}") for k in range(reals)])
    times = 0.001 * np.arange(rows)
    values = np.sin(np.multiply.outer(times, np.sqrt(1.0 + np.arange(reals))))
    row = recording.row
    begin = perf_counter()
    for time, line in zip(times.tolist(), values, strict=True):
        row(time, line, ())
    middle = perf_counter()
    recording.close({})
    return middle - begin, perf_counter() - middle


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 200.0
    print(f"{'recorder':16} {'reals':>6} {'rows':>9} {'us/row':>8} {'MB/s':>7}", end=" ")
    print(f"{'at the end':>11} {'MB/s':>7} {'file':>9}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.parquet"
        for reals in (10, 100, 1000):
            report(lambda _: Memory(), path, reals, megabytes)
        for reals in (10, 100, 1000):
            report(Parquet, path, reals, megabytes)
        for suffix in (".arrow", ".h5", ".mat", ".csv"):
            report(File, Path(folder) / f"run{suffix}", 100, megabytes / 4)


def report(make: Callable[[Path], Recorder], path: Path, reals: int, megabytes: float) -> None:
    size = 8 * (reals + 1)
    rows = int(megabytes * 1e6 / size)
    recorder = make(path)
    running, closing = measure(recorder, reals, rows)
    total = rows * size / 1e6
    name = type(recorder).__name__ + (path.suffix if type(recorder) is File else "")
    print(f"{name:16} {reals:6} {rows:9} {1e6 * running / rows:8.2f}", end=" ")
    print(f"{total / running:7.0f} {closing:9.2f} s", end=" ")
    if path.exists():
        print(f"{total / closing:7.0f} {path.stat().st_size / 1e6:6.0f} MB")
        path.unlink()
    else:
        print(f"{'':7} {'':9}")


if __name__ == "__main__":
    main()
