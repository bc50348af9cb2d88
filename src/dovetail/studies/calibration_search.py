"""The search for the values of a calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from ..core.errors import OptionError, RunError
from ..core.signals import Vector
from .differences import Differences
from .fit import Fit, fitted_curves
from .fit_statistics import at_limit, certainty, persistence
from .measurement import Comparable
from .outcome import RunOutcome
from .probes import Condition

_NO_INFLUENCE = 1e-9  # of what was measured, over the whole range of a value


class CalibrationFailed(RunError):
    """The first run of a calibration failed, so that there is nowhere to start from."""


@dataclass(slots=True)
class CalibrationSearch:
    """Residuals and their derivatives, as least squares asks for them."""

    differences: Differences
    measurements: list[Comparable]
    conditions: tuple[Condition, ...]
    scales: dict[str, float] = field(default_factory=dict)
    known: dict[bytes, list[RunOutcome]] = field(default_factory=dict)
    last: tuple[bytes, Vector] | None = None
    failed: str = ""

    def fit(
        self, begin: Vector, most: int, confidence: float, units: Mapping[str, str | None]
    ) -> Fit:
        """Search, and say how well the values are known."""
        free = self.differences.free
        self._scale()
        if not np.isfinite(self.residuals(begin)).all():
            way_out = "start elsewhere, first={...}, or try dv.simulate with these values"
            raise CalibrationFailed(
                f"the run with the first values fails: {self.failed}; {way_out}"
            )
        self._check_influence(begin, self.jacobian(begin))
        limits = np.array([f.low for f in free]), np.array([f.high for f in free])
        inside = _inside(begin, *limits)
        found = least_squares(
            self.residuals, inside, self.jacobian, bounds=limits, x_scale="jac", max_nfev=most
        )
        return self._fit(begin, found, confidence, units)

    def _fit(
        self, begin: Vector, found: Any, confidence: float, units: Mapping[str, str | None]
    ) -> Fit:
        """What was found, with all that is known of it."""
        free, variation = self.differences.free, self.differences.pool.run.variation
        names = [f.name for f in free]
        exact = self._derivatives(found.x, central=True)
        known = certainty(exact, found.fun, self._groups(), confidence)
        values = dict(zip(names, found.x.tolist(), strict=True))
        widths = dict(zip(names, known.half_widths.tolist(), strict=True))
        times = [c.times for c in self.conditions]
        curves = fitted_curves(self.measurements, self._outcomes(found.x), times, units)
        return Fit(
            values=values,
            intervals={n: (x - widths[n], x + widths[n]) for n, x in values.items()},
            deviations=dict(zip(names, known.deviations.tolist(), strict=True)),
            correlation=known.correlation,
            confidence=confidence,
            curves=curves,
            first=dict(zip(names, begin.tolist(), strict=True)),
            limits={f.name: (f.low, f.high) for f in free},
            units=variation.units(names),
            runs=self.differences.pool.made,
            converged=bool(found.status > 0),
            message=str(found.message),
            at_limits=tuple(f.name for f in free if at_limit(values[f.name], f.low, f.high)),
            confounded=tuple(tuple(names[k] for k in group) for group in known.confounded),
            alike=persistence([(c.residuals, float(np.ptp(c.measured))) for c in curves]),
            variation=variation,
        )

    def residuals(self, values: Vector) -> Vector:
        """Weighted differences; not finite where a run failed, so that the search steps back."""
        outcomes = self._outcomes(values)
        bad = [one for one in outcomes if not _usable(one)]
        if bad:
            self.failed = bad[0].reason or "a compared signal is not finite"
            return np.full(sum(c.time.size for m in self.measurements for c in m.curves), np.inf)
        blocks = [self._at_curves(k, one.signals) for k, one in enumerate(outcomes)]
        measured = [c.values for m in self.measurements for c in m.curves]
        return (np.concatenate(blocks) - np.concatenate(measured)) * self._weights()

    def jacobian(self, values: Vector) -> Vector:
        """Their derivatives by the free values, a column for each."""
        key = np.asarray(values, dtype=float).tobytes()
        if self.last is None or self.last[0] != key:
            self.last = key, self._derivatives(values, central=False)
        return self.last[1]

    def _derivatives(self, values: Vector, *, central: bool) -> Vector:
        base = self._outcomes(values)
        found = self.differences.derivatives(values, base, central=central)
        columns = [
            np.concatenate([self._at_curves(k, block[p]) for k, block in enumerate(found)])
            for p in range(len(self.differences.free))
        ]
        return np.array(columns).T * self._weights()[:, np.newaxis]

    def _outcomes(self, values: Vector) -> list[RunOutcome]:
        key = np.asarray(values, dtype=float).tobytes()
        if key not in self.known:
            while len(self.known) > 3:
                self.known.pop(next(iter(self.known)))
            self.known[key] = self.differences.base(values)
        return self.known[key]

    def _at_curves(self, number: int, signals: Any) -> Vector:
        """The values of a measurement's signals at the times of its curves, one after another."""
        times, curves = self.conditions[number].times, self.measurements[number].curves
        found = [
            row[np.searchsorted(times, curve.time)]
            for row, curve in zip(signals, curves, strict=True)
        ]
        return np.concatenate(found)

    def _scale(self) -> None:
        """What one over a weight is where none is given: the range that was measured."""
        for one in self.measurements:
            for c in one.curves:
                span = float(np.ptp(c.values)) or float(np.abs(c.values).max()) or 1.0
                self.scales[c.signal] = max(self.scales.get(c.signal, 0.0), span)

    def _weights(self) -> Vector:
        every = [c for m in self.measurements for c in m.curves]
        return np.concatenate(
            [np.full(c.time.size, c.weight or 1.0 / self.scales[c.signal]) for c in every]
        )

    def _groups(self) -> list[Any]:
        """Which residuals belong to one signal."""
        signals = [
            c.signal for m in self.measurements for c in m.curves for _ in range(c.time.size)
        ]
        every = np.array(signals)
        return [np.flatnonzero(every == name) for name in dict.fromkeys(signals)]

    def _check_influence(self, begin: Vector, jacobian: Vector) -> None:
        compared = ", ".join(dict.fromkeys(s for c in self.conditions for s in c.signals))
        for k, one in enumerate(self.differences.free):
            span = one.high - one.low
            reach = span if np.isfinite(span) else max(abs(begin[k]), 1.0)
            if np.abs(jacobian[:, k]).max() * reach < _NO_INFLUENCE:
                what = f"'{one.name}' has no influence on what is compared ({compared})"
                raise OptionError(f"{what}: leave it out of free=, or compare more")


def _inside(values: Vector, low: Vector, high: Vector) -> Vector:
    """Strictly within limits, as the search wants it."""
    span = np.where(np.isfinite(high - low), high - low, 1.0)
    return np.clip(values, low + 1e-6 * span, high - 1e-6 * span)


def _usable(outcome: RunOutcome) -> bool:
    return outcome.done and outcome.signals is not None and bool(np.isfinite(outcome.signals).all())
