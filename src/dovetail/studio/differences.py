"""Two runs of a studio side by side: by how much each signal differs, and where over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..results.result import Result
from .feed import is_number, recorded
from .plain import plain
from .story import curves_as_data

_MOST = 200  # signals in the list


def difference_of(first: Path, second: Path, shown: list[str]) -> dict[str, Any]:
    """The list, what differs most as a share of its range first; and curves of those `shown`.

    Without any the one that differs most is drawn. Curves are the first run minus the second, at
    the times of the first that both have.
    """
    one, other = recorded(first), recorded(second)
    found = one.compare(other)
    rows = []
    for d in found.differences[:_MOST]:
        span = _range(one, d.name)
        share = d.error / span if span else None
        rows.append(
            {"name": d.name, "error": plain(d.error), "unit": d.unit or "",
             "share": plain(share), "time": plain(d.time)}
        )  # fmt: skip
    rows.sort(key=lambda row: -row["share"] if isinstance(row["share"], float) else 0.0)
    names = [n for n in shown if is_number(one, n) and is_number(other, n)]
    names = names or [r["name"] for r in rows[:1] if is_number(one, r["name"])]
    time = np.asarray(one.time, float)
    time = time[(time >= found.start) & (time <= found.stop)]
    kept = np.unique(time)
    lines = {n: np.asarray(one.at(kept, n), float) - np.asarray(other.at(kept, n), float)
             for n in names if is_number(other, n)}  # fmt: skip
    units = {n: one.units.get(n, "") for n in lines}
    return {
        "rows": rows,
        "curves": curves_as_data(kept, lines, units),
        "only": [list(found.only_in_first[:20]), list(found.only_in_second[:20])],
        "begin": plain(found.start),
        "end": plain(found.stop),
    }


def _range(table: Result, name: str) -> float:
    if not is_number(table, name):
        return 0.0
    column = np.asarray(table[name], float)
    finite = column[np.isfinite(column)]
    return float(np.ptp(finite)) if finite.size else 0.0
