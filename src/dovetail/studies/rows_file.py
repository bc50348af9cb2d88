"""The runs of a study as a table that any program reads."""

from __future__ import annotations

import csv
from math import isnan
from pathlib import Path

from ..core.errors import FileError
from ..core.harmless import harmless_line
from .space import label
from .study import Study

_FACTS = ("status", "verdict", "error", "evaluations", "windows", "seconds", "reason")


def write_rows(study: Study, path: Path) -> Path:
    """A line for each run: number, values, what became of it, final values; CSV."""
    ends = study.final
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(["run", *study.space.entries, *_FACTS, *(f"final {n}" for n in ends)])
            for row in study.rows:
                given = [label(row.values[name]) for name in study.space.entries]
                facts = [_shown(getattr(row, name)) for name in _FACTS]
                last = [_shown(values[row.number]) for values in ends.values()]
                lines.writerow([row.number, *given, *facts, *last])
    except OSError as error:
        raise FileError(path, f"cannot be written: {(error.strerror or '').lower()}") from None
    return path


def _shown(value: object) -> object:
    """Nothing where there is no number; texts on one line."""
    if isinstance(value, str):
        return harmless_line(value)
    return "" if isinstance(value, float) and isnan(value) else value
