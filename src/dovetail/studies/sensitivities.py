"""What a sensitivity study has found: derivatives, or shares of a variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.harmless import harmless
from ..core.signals import Vector
from .study import Study
from .tornado import Bars, tornado


@dataclass(frozen=True, slots=True, eq=False)
class LocalSensitivity:
    """Derivatives of signals by values, over time: `derivatives["body.x"]["strut.d"]`.

    `values` are those where they were taken, `ranges` those of the signals in that run.
    """

    time: Vector
    derivatives: Mapping[str, Mapping[str, Vector]]
    values: Mapping[str, float]
    ranges: Mapping[str, float]
    runs: int

    @property
    def relative(self) -> dict[str, dict[str, float]]:
        """By signal and value: the largest change of the signal, as a share of its range, for a
        change of the value by its own size, with its sign."""
        found: dict[str, dict[str, float]] = {}
        for signal, rows in self.derivatives.items():
            span = self.ranges[signal] or 1.0
            found[signal] = {}
            for name, row in rows.items():
                largest = float(row[np.argmax(np.abs(row))])
                found[signal][name] = largest * (abs(self.values[name]) or 1.0) / span
        return found

    def plot(self, path: str | Path | None = None) -> Any:
        """Bars for each signal, the longest first; .png, .svg or .pdf."""
        panels: dict[str, tuple[Bars, Bars]] = {
            signal: ([(name, value, 0.0) for name, value in rows.items()], [])
            for signal, rows in self.relative.items()
        }
        words = "change of the signal, of its range, per change of a value by its own size"
        return tornado(panels, (words, ""), path)

    def lines(self) -> list[str]:
        """A line for each signal and value, the largest effect first."""
        lines = [f"Local sensitivity to {len(self.values)} values, {self.runs} runs"]
        for signal, rows in self.relative.items():
            for name, value in sorted(rows.items(), key=lambda pair: -abs(pair[1])):
                lines.append(f"  {signal} by {name}: 1 % more moves it {value:+.3g} % of its range")
        return lines

    def __repr__(self) -> str:
        return harmless("\n".join(self.lines()))


@dataclass(frozen=True, slots=True, eq=False)
class SobolSensitivity:
    """Shares of a signal's variance: by each value alone, and with all it takes part in.

    `first["body.x"]["strut.d"]` and `total`; `first_error` and `total_error` are half the widths
    of their intervals of 95 %. `study` has all runs.
    """

    first: Mapping[str, Mapping[str, float]]
    total: Mapping[str, Mapping[str, float]]
    first_error: Mapping[str, Mapping[str, float]]
    total_error: Mapping[str, Mapping[str, float]]
    study: Study

    def plot(self, path: str | Path | None = None) -> Any:
        """Bars for each signal, the longest first; .png, .svg or .pdf."""
        panels = {
            signal: (
                [(n, v, self.first_error[signal][n]) for n, v in self.first[signal].items()],
                [(n, v, self.total_error[signal][n]) for n, v in self.total[signal].items()],
            )
            for signal in self.first
        }
        return tornado(panels, ("alone", "with all it takes part in"), path)

    def lines(self) -> list[str]:
        """A line for each signal and value, the largest share first."""
        lines = [f"Sobol' indices from {len(self.study)} runs"]
        for signal, rows in self.total.items():
            for name, total in sorted(rows.items(), key=lambda pair: -pair[1]):
                first = self.first[signal][name]
                errors = self.first_error[signal][name], self.total_error[signal][name]
                lines.append(
                    f"  {signal} by {name}: {first:.3f} +- {errors[0]:.3f} alone, "
                    f"{total:.3f} +- {errors[1]:.3f} in all"
                )
        return lines

    def __repr__(self) -> str:
        return harmless("\n".join(self.lines()))
