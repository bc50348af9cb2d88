"""How a run went, from its rows: windows over time, and events with the signals that jumped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .curves import Numbers, thinned
from .feed import is_number, recorded
from .plain import plain

_MOST_EVENTS = 500  # that are listed
_MOST_JUMPS = 4  # signals of an event that are named
_MOST_SIGNALS = 500  # that are looked at for jumps
_POINTS = 400  # of a curve: twice that many at the most
_SMALLEST = 1e-9  # jump, as a share of a signal's range


def story_of(path: Path) -> dict[str, Any]:
    """The windows and the events of a recording.

    A time that stands in two rows is an event, or several at once: the values right before it, and
    right after. Windows are the times between rows.
    """
    table = recorded(path)
    time = np.asarray(table.time, float)
    steps = np.diff(time)
    ends, sizes = time[1:][steps > 0], steps[steps > 0]
    found, lines = thinned(ends, sizes[None, :], _POINTS)
    names = [n for n in table.names if is_number(table, n)][:_MOST_SIGNALS]
    moments, rows = np.unique(time[1:][steps <= 0], return_index=True)
    after = np.flatnonzero(steps <= 0) + 1  # the rows right behind events
    last = {float(t): int(k) for t, k in zip(time[after], after, strict=True)}
    first = {float(time[after][k]): int(after[k]) - 1 for k in rows}
    shown = moments[:_MOST_EVENTS].tolist()
    columns = {name: np.asarray(table[name], float) for name in names} if shown else {}
    jumps = _jumps(columns, [first[t] for t in shown], [last[t] for t in shown])
    return {
        "windows": {"times": plain_list(found), "sizes": plain_list(lines[0])},
        "smallest": plain(sizes.min()) if sizes.size else None,
        "largest": plain(sizes.max()) if sizes.size else None,
        "events": [{"time": t, "jumps": found} for t, found in zip(shown, jumps, strict=True)],
        "event_count": len(moments),
    }


def plain_list(values: Numbers) -> list[Any]:
    """All of them as JSON has them: None where there is no number."""
    return [v if np.isfinite(v) else None for v in values.tolist()]


def curves_as_data(times: Any, lines: dict[str, Any], units: dict[str, str]) -> dict[str, Any]:
    """Curves of a run as JSON, by few enough points for a plot."""
    names = list(lines)[:_MOST_SIGNALS]
    if not names:
        return {"times": [], "lines": {}, "units": {}}
    block = np.stack([np.asarray(lines[n], float) for n in names])
    found, thin = thinned(np.asarray(times, float), block, _POINTS)
    return {
        "times": plain_list(found),
        "lines": {n: plain_list(line) for n, line in zip(names, thin, strict=True)},
        "units": {n: units.get(n, "") for n in names},
    }


def _jumps(columns: dict[str, Numbers], before: list[int], after: list[int]) -> list[Any]:
    """For each event the signals that jumped most, as shares of their ranges."""
    found: list[list[tuple[float, Any]]] = [[] for _ in before]
    for name, column in columns.items():
        finite = column[np.isfinite(column)]
        span = float(np.ptp(finite)) if finite.size else 0.0
        if span == 0.0:
            continue
        old, new = column[before], column[after]
        shares = np.abs(new - old) / span
        for k in np.flatnonzero(shares > _SMALLEST).tolist():
            jump = {"name": name, "from": plain(old[k]), "to": plain(new[k])}
            found[k].append((float(shares[k]), jump))
    return [
        [jump for _, jump in sorted(one, key=lambda pair: -pair[0])[:_MOST_JUMPS]] for one in found
    ]
