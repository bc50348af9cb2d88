"""What a calibration has found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.harmless import harmless
from ..core.markup import card, paragraph, table
from ..core.signals import Vector
from ..drawing.system import System
from ..results.result import Result
from .outcome import RunOutcome
from .variation import Variation

_ALIKE = 0.5  # of neighbouring residuals: more is no noise
_STRONG = 0.99  # correlation worth a word


@dataclass(frozen=True, slots=True, eq=False)
class FittedCurve:
    """A measured curve, the fitted signal at its times, and how much it counts."""

    measurement: int
    signal: str
    column: str
    time: Vector
    measured: Vector
    fitted: Vector
    unit: str | None

    @property
    def residuals(self) -> Vector:
        """Fitted minus measured, in the unit of the signal."""
        return self.fitted - self.measured

    @property
    def rms(self) -> float:
        """Their root mean square."""
        return float(np.sqrt(np.mean(self.residuals**2)))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Values that make a system follow its measurements, and how well they are known.

    `intervals` cover the true value with the given `confidence` if residuals are noise; they are
    infinite where values cannot be told apart. `correlation` has the names along both sides.
    """

    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    deviations: Mapping[str, float]
    correlation: Vector
    confidence: float
    curves: tuple[FittedCurve, ...]
    first: Mapping[str, float]
    limits: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    runs: int
    converged: bool
    message: str
    at_limits: tuple[str, ...]
    confounded: tuple[tuple[str, ...], ...]
    alike: float
    variation: Variation

    def apply(self, system: System) -> None:
        """Give a system the fitted values."""
        variation = Variation.of(system, self.variation.settings, self.values)
        variation.apply(system, dict(self.values))

    def rms(self, signal: str | None = None) -> float:
        """The root mean square of what is left of a signal, or of the only one."""
        chosen = [c for c in self.curves if signal in (None, c.signal)]
        left = np.concatenate([c.residuals for c in chosen])
        return float(np.sqrt(np.mean(left**2)))

    def residuals(self, number: int = 0) -> Result:
        """What is left of one measurement: by signal, fitted minus measured, at the times of its
        first curve.
        """
        own = [c for c in self.curves if c.measurement == number]
        time = own[0].time
        left = {c.signal: np.interp(time, c.time, c.residuals) for c in own}
        return Result.of(time, left, {c.signal: c.unit for c in own if c.unit is not None})

    def plot(self, path: str | Path | None = None) -> Any:
        """Measured and fitted curves, and below them what is left; .png, .svg or .pdf."""
        from .fit_picture import draw

        return draw(self, path)

    # how it looks ---------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """A summary in sentences."""
        count = sum(c.time.size for c in self.curves)
        state = "" if self.converged else ", not converged"
        title = f"Fit of {len(self.values)} values to {count} measured ones, {self.runs} runs"
        lines = [f"{title}{state}"]
        width = max(map(len, self.values))
        for name, value in self.values.items():
            low, high = self.intervals[name]
            unit = f" {self.units[name]}" if name in self.units else ""
            span = f"{100 * self.confidence:g} % between {low:.6g} and {high:.6g}"
            lines.append(f"  {name:{width}}  {value:.6g}{unit}, {span}, from {self.first[name]:g}")
        lines += [f"  {c.signal}: {_left(c)}" for c in self.curves]
        return lines + [f"  {line}" for line in self.remarks()]

    def remarks(self) -> list[str]:
        """What should make one doubt the values or their intervals."""
        found = [] if self.converged else [f"it ended early: {self.message}"]
        if self.at_limits:
            names = " and ".join(self.at_limits)
            ends = "lie on their limits" if len(self.at_limits) > 1 else "lies on its limit"
            found.append(f"{names} {ends}, so that intervals mean little")
        for group in self.confounded:
            text = " and ".join(group)
            found.append(
                f"{text} cannot be told apart by what is compared: fix one, or compare more"
            )
        if not self.confounded:
            found += [
                f"{a} and {b} go together (correlation {r:.4f}): only one combination is well known"
                for a, b, r in self._pairs()
            ]
        if self.alike > _ALIKE:
            found.append(
                f"what is left is no noise (neighbours agree to {self.alike:.2f}): the model "
                "misses something, and intervals are too narrow"
            )
        return found

    def _pairs(self) -> list[tuple[str, str, float]]:
        names = list(self.values)
        return [
            (names[i], names[k], float(self.correlation[i, k]))
            for i in range(len(names))
            for k in range(i + 1, len(names))
            if abs(self.correlation[i, k]) > _STRONG
        ]

    def __repr__(self) -> str:
        return harmless("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        heads = ("value", "fitted", "low", "high", "from")
        rows = [
            (n, f"{v:.6g}", *(f"{x:.6g}" for x in self.intervals[n]), f"{self.first[n]:g}")
            for n, v in self.values.items()
        ]
        more = [*(f"{c.signal}: {_left(c)}" for c in self.curves), *self.remarks()]
        shown = table(heads, rows, numbers=(1, 2, 3, 4))
        return card(self.lines()[0], shown, *map(paragraph, more), good=not self.remarks())


def _left(curve: FittedCurve) -> str:
    unit = f" {curve.unit}" if curve.unit else ""
    where = f" (measurement {curve.measurement + 1})" if curve.measurement else ""
    return f"{curve.rms:.3g}{unit} rms left over {curve.time.size} values{where}"


def fitted_curves(
    measurements: Sequence[Any],
    outcomes: Sequence[RunOutcome],
    times: Sequence[Vector],
    units: Mapping[str, str | None],
) -> tuple[FittedCurve, ...]:
    """Measured and fitted values side by side."""
    found = []
    for k, (one, outcome, time) in enumerate(zip(measurements, outcomes, times, strict=True)):
        assert outcome.signals is not None
        rows = dict(zip(outcome.names, outcome.signals, strict=True))
        for curve in one.curves:
            fitted = rows[curve.signal][np.searchsorted(time, curve.time)]
            own = curve.time, curve.values, fitted, units[curve.signal]
            found.append(FittedCurve(k, curve.signal, curve.column, *own))
    return tuple(found)
