"""The points to draw of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.description import Kind
from ...core.signals import Vector
from .decimate import changes, outline
from .traces import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The points of one trace. `text` is what they mean where that is not numeric.

    `time` differs from `x` where another variable lies along the x axis. `rows` is how many rows
    were recorded.
    """

    trace: Trace
    time: Vector
    x: Vector
    values: Vector
    stepped: bool
    rows: int
    text: list[str] | None = None

    @property
    def thinned(self) -> bool:
        """Whether some recorded rows are not among the points."""
        return self.text is None and len(self.time) < self.rows

    def jumps(self) -> NDArray[np.intp]:
        """The points left of a visible jump: the next one has the same time, another value."""
        visible = [_share(self.values, 2e-3), _share(self.x, 2e-3)]
        with np.errstate(invalid="ignore"):
            apart = np.abs(np.diff(self.values)) > visible[0]
            if self.trace.over is not None:
                apart |= np.abs(np.diff(self.x)) > visible[1]
            return np.flatnonzero((np.diff(self.time) <= 0) & apart)


def curve(trace: Trace, most: int) -> Curve:
    """The points of one variable, thinned so that nothing visible is lost."""
    result, column = trace.result, trace.column
    values, time = result[column.name], result.time
    if trace.over is not None:
        x, y = _finite(result[trace.over.name]), _finite(values)
        rows = np.union1d(outline(x, most // 2), outline(y, most // 2))
        rows = np.arange(len(y)) if len(y) <= most else rows
        return Curve(trace, time[rows], x[rows], y[rows], False, len(time))
    if column.is_real:
        rows = outline(values, most)
        return Curve(trace, time[rows], time[rows], _finite(values[rows]), False, len(time))
    if column.kind in (Kind.INTEGER, Kind.ENUMERATION):
        rows = outline(values.astype(float), most)
        return Curve(trace, time[rows], time[rows], values[rows].astype(float), True, len(time))
    rows = changes(values, most)
    texts = [_told(v) for v in values[rows].tolist()]
    return Curve(trace, time[rows], time[rows], _heights(texts), True, len(time), texts)


def _finite(values: NDArray[Any]) -> Vector:
    """Numbers with gaps where there are none."""
    numbers = values.astype(float)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _share(values: Vector, part: float) -> float:
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        return part * float(np.ptp(finite)) if len(finite) else 0.0


def _told(value: Any) -> str:
    match value:
        case bool(truth):
            return "true" if truth else "false"
        case bytes(data):
            return data.hex()
        case _:
            return str(value)


def _heights(texts: list[str]) -> Vector:
    """Values that are not numeric as heights from 0 to 1: false and true, or in order."""
    levels = {"false", "true"} if set(texts) <= {"false", "true"} else set(texts)
    order = {text: k for k, text in enumerate(sorted(levels))}
    return np.array([order[t] for t in texts], dtype=float) / max(1, len(order) - 1)
