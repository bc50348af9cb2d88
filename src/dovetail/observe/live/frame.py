"""One picture of a live plot, before a screen shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.seconds import Seconds
from ...core.signals import Vector
from ...results.pictures.panels import COLOURS
from ...results.recorders.base import Column
from .envelope import Envelope

MOST_PANELS, MOST_CURVES = 4, 6


@dataclass(frozen=True, slots=True, eq=False)
class LiveCurve:
    """One variable: lowest and highest value from each time on, until the next."""

    name: str
    colour: str
    times: Vector
    low: Vector
    high: Vector

    def columns(self, begin: float, end: float, count: int) -> tuple[Vector, Vector]:
        """Lowest and highest value in each of so many columns; NaN where there is none."""
        low, high = np.full(count, np.nan), np.full(count, np.nan)
        if not len(self.times) or not end > begin:
            return low, high
        places = ((self.times - begin) / (end - begin) * count).astype(int).clip(0, count - 1)
        np.fmin.at(low, places, self.low)
        np.fmax.at(high, places, self.high)
        between = np.arange(places[0], places[-1] + 1)
        known = between[~np.isnan(low[between])]
        if not len(known):
            return low, high
        empty = np.setdiff1d(np.setdiff1d(between, known), places)  # not gaps: no rows are there
        middle = (low[known] + high[known]) / 2
        low[empty] = high[empty] = np.interp(empty, known, middle)
        return low, high


@dataclass(frozen=True, slots=True, eq=False)
class LivePanel:
    """Variables of one unit, or of one part."""

    unit: str
    curves: tuple[LiveCurve, ...]
    more: int = 0  # variables for which there is no room

    def limits(self) -> tuple[float, float]:
        """Lowest and highest value of all curves; never the same."""
        values = np.concatenate([v for c in self.curves for v in (c.low, c.high)])
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        room = 0.0 if high > low else abs(high) * 0.1 or 1.0
        return low - room, high + room


@dataclass(frozen=True, slots=True, eq=False)
class LiveFrame:
    """All panels, and how far the run has come."""

    title: str
    span: tuple[float, float]
    time: float
    panels: tuple[LivePanel, ...]
    clock: Seconds = Seconds()

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1."""
        start, stop = self.span
        return min(1.0, (self.time - start) / (stop - start)) if stop > start else 1.0


def panels_of(columns: Sequence[Column], envelope: Envelope) -> tuple[LivePanel, ...]:
    """Curves in panels: by unit, and by part where there is none."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, column in enumerate(columns):
        part = column.name.rpartition(".")[0] if column.unit is None else ""
        groups.setdefault((column.unit or "", part), []).append(place)
    if len(groups) > MOST_PANELS:
        few = list(groups.items())[: MOST_PANELS - 1]
        rest = [place for _, places in list(groups.items())[MOST_PANELS - 1 :] for place in places]
        groups = {**dict(few), ("several units", ""): rest}
    found = []
    for (unit, _), places in groups.items():
        curves = tuple(
            LiveCurve(
                columns[k].name,
                COLOURS[number % len(COLOURS)],
                envelope.times,
                envelope.low[:, k],
                envelope.high[:, k],
            )
            for number, k in enumerate(places[:MOST_CURVES])
        )
        found.append(LivePanel(unit, curves, max(0, len(places) - MOST_CURVES)))
    return tuple(found)
