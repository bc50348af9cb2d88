"""Results in the files that MasterSim writes, for programs that read those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.calendar import UNITS, Calendar
from ...core.description import Kind
from ...core.errors import FileError
from ...core.statistics import Statistics
from ..recorders.base import Column, RecordedTable

_NUMBERS = (Kind.BOOLEAN, Kind.INTEGER, Kind.ENUMERATION, Kind.REAL)  # in this order
_STEPS = (
    "Time [s]",
    "Steps",
    "StepSize [s]",
    "ErrorTestFails",
    "ConvergenceFails",
    "Iterations",
    "IterLimitExceeded",
)


@dataclass(frozen=True, slots=True)
class MasterCounts:
    """What MasterSim counts, in its own sense.

    A failed error test counts also where the window is as small as it may be, and stands. An
    iteration at its limit counts whether the window is tried again or stands (`retries`);
    windows below the limit for falling back do not iterate, and so never reach it.
    """

    steps: int
    error_fails: int
    convergence_fails: int
    iterations: int
    limit_exceeded: int

    @staticmethod
    def of(s: Statistics, *, retries: bool) -> MasterCounts:
        """Its counts from ours."""
        errors, failed = s.rejected_by_error + s.beyond_tolerance, s.rejected_by_convergence
        limit = failed if retries else s.iteration_limit_reached
        return MasterCounts(s.windows, errors, failed, s.iterations, limit)


@dataclass(frozen=True, slots=True)
class StepLine:
    """What a run had cost at the end of one window."""

    time: float
    size: float
    counts: MasterCounts


def write_folder(
    folder: Path,
    table: RecordedTable,
    statistics: Statistics,
    calendar: Calendar,
    steps: Sequence[StepLine] = (),
    *,
    retries: bool = True,
) -> None:
    """`results/values.csv`, `results/strings.csv`, `log/summary.txt`, `log/stepstats.tsv`."""
    try:
        for name in ("results", "log"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        _values(folder / "results" / "values.csv", table, calendar)
        _strings(folder / "results" / "strings.csv", table)
        _summary(folder / "log" / "summary.txt", statistics, retries)
        if steps:
            _steps(folder / "log" / "stepstats.tsv", steps)
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror}") from error


def _values(path: Path, table: RecordedTable, calendar: Calendar) -> None:
    kinds = {k: [c for c in table.columns if c.kind is k] for k in _NUMBERS}
    columns = [c for group in kinds.values() for c in group]
    heads = [f"Time [{calendar.unit}]"] + [f"{c.name} [{c.unit or '-'}]" for c in columns]
    times = table.time / UNITS[calendar.unit]
    _write(path, heads, times, [np.asarray(table[c.name]) for c in columns], table.time)


def _strings(path: Path, table: RecordedTable) -> None:
    columns: list[Column] = [c for c in table.columns if c.kind is Kind.STRING]
    if columns:
        heads = ["Time [s]"] + [c.name for c in columns]
        _write(path, heads, table.time, [table[c.name] for c in columns], table.time)


def _write(path: Path, heads: Sequence[str], times: Any, columns: Any, at: Any) -> None:
    """One row for each time; at an event the one right of it."""
    last = np.append(at[1:] != at[:-1], True) if len(at) else np.zeros(0, dtype=bool)
    rows = zip(times[last].tolist(), *(c[last].tolist() for c in columns), strict=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(" \t".join(heads) + "\n")
        file.writelines("\t".join(map(_text, row)) + "\n" for row in rows)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.14g}" if isinstance(value, float) else str(value)


def _summary(path: Path, s: Statistics, retries: bool) -> None:
    counts = MasterCounts.of(s, retries=retries)
    lines = [
        f"WallClockTime={s.wall_seconds:g}",
        f"MasterAlgorithmSteps={counts.steps}",
        f"ConvergenceFails={counts.convergence_fails}",
        f"ConvergenceIterLimitExceeded={counts.limit_exceeded}",
        f"ErrorTestFails={counts.error_fails}",
        *(f"Slave[{k}]Time={t:g}" for k, t in enumerate(s.seconds_by_part.values(), 1)),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _steps(path: Path, steps: Sequence[StepLine]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\t".join(_STEPS) + "\n")
        for s in steps:
            c = s.counts
            numbers = (c.steps, f"{s.size:.14g}", c.error_fails, c.convergence_fails)
            row = (f"{s.time:.14g}", *numbers, c.iterations, c.limit_exceeded)
            file.write("\t".join(map(str, row)) + "\n")
