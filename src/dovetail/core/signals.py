"""What travels between subsystems: values at an instant, and inputs over a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise
from math import inf, isnan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Discrete = bool | int | str | bytes
Shape = Literal["hold", "ramp", "hermite"]
_FEW = 8  # numbers that are added one by one in less time than an array takes


@dataclass(frozen=True, slots=True)
class Span:
    """The place of one subsystem among the signals of all: its reals and its discrete values."""

    reals: slice
    discrete: slice

    @staticmethod
    def sequence(reals: Sequence[int], discrete: Sequence[int]) -> tuple[Span, ...]:
        """Spans of these sizes, one after another."""
        pairs = zip(_slices(reals), _slices(discrete), strict=True)
        return tuple(Span(r, d) for r, d in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """Values at an instant: reals, their time derivatives where known, and discrete values.

    Discrete values are integers, booleans, strings, binaries, enumerations and clocks. Arrays
    lie flat, in row-major order.
    """

    reals: Vector
    derivatives: Vector | None = None
    discrete: tuple[Discrete, ...] = ()

    def __getitem__(self, span: Span) -> Signals:
        derivatives = None if self.derivatives is None else self.derivatives[span.reals]
        return Signals(self.reals[span.reals], derivatives, self.discrete[span.discrete])

    def equals(self, other: Signals) -> bool:
        """The same values, to the last bit; derivatives do not count."""
        return self.discrete == other.discrete and _equal(self.reals, other.reals)

    @staticmethod
    def join(parts: Sequence[Signals]) -> Signals:
        """All signals one after another; derivatives only if all parts with reals have them."""
        if not parts:
            return Signals(np.zeros(0))
        derivatives = [_known_derivatives(s) for s in parts]
        known = [s for s in derivatives if s is not None]
        return Signals(
            np.concatenate([s.reals for s in parts]),
            np.concatenate(known) if len(known) == len(parts) else None,
            tuple(chain.from_iterable([s.discrete for s in parts])),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Waveform:
    """Inputs over a window: one row per real input, one column per power of the local time.

    Local time starts at zero, so a waveform keeps its meaning when its window is shortened.
    Discrete inputs are held.
    """

    coefficients: Vector
    discrete: tuple[Discrete, ...] = ()

    @staticmethod
    def hold(values: Signals) -> Waveform:
        """Inputs that stay as they are."""
        return Waveform(values.reals[:, None].copy(), values.discrete)

    @staticmethod
    def ramp(begin: Signals, end: Signals, size: float) -> Waveform:
        """Straight lines from the values at the start to those at the end."""
        rise = (end.reals - begin.reals) / size
        return Waveform(np.column_stack([begin.reals, rise]), end.discrete)

    @staticmethod
    def hermite(begin: Signals, end: Signals, size: float) -> Waveform:
        """Cubics that meet values and derivatives at both ends.

        Where a derivative is NaN, not known, a parabola through what is known; where neither is, a
        line.
        """
        assert begin.derivatives is not None and end.derivatives is not None
        rise = (end.reals - begin.reals) / size
        first, last = begin.derivatives, end.derivatives
        if np.isnan(first).any() or np.isnan(last).any():
            first = np.where(np.isnan(first), 2 * rise - last, first)
            last = np.where(np.isnan(last), 2 * rise - first, last)
            first, last = (np.where(np.isnan(s), rise, s) for s in (first, last))
        a2 = (3 * rise - 2 * first - last) / size
        a3 = (first + last - 2 * rise) / (size * size)
        return Waveform(np.column_stack([begin.reals, first, a2, a3]), end.discrete)

    @staticmethod
    def shaped(shape: Shape, begin: Signals, end: Signals, size: float) -> Waveform:
        """A waveform of the named shape between two instants; a hold keeps the later values."""
        match shape:
            case "hold":
                return Waveform.hold(end)
            case "ramp":
                return Waveform.ramp(begin, end, size)
            case "hermite":
                return Waveform.hermite(begin, end, size)

    @property
    def order(self) -> int:
        """The highest power of time in it."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def held(self) -> Waveform | None:
        """The values alone, if nothing in it moves."""
        if self.coefficients.shape[1] == 1:
            return self
        if self.coefficients[:, 1:].any():
            return None
        return Waveform(self.coefficients[:, :1], self.discrete)

    def reals(self, time: float) -> Vector:
        """Real values at a local time."""
        a = self.coefficients
        value = a[:, -1]
        for k in range(a.shape[1] - 2, -1, -1):
            value = value * time + a[:, k]
        return value

    def at(self, time: float) -> Signals:
        """Values and derivatives at a local time."""
        a = self.coefficients
        n = a.shape[1] - 1
        derivatives = n * a[:, n]
        for k in range(n - 1, 0, -1):
            derivatives = derivatives * time + k * a[:, k]
        return Signals(self.reals(time), derivatives, self.discrete)

    def restarted(self, time: float) -> Waveform:
        """The same curves with the local time counted from `time`."""
        a = self.coefficients.copy()
        columns = a.shape[1]
        for lowest in range(columns - 1):  # repeated synthetic division
            for k in range(columns - 2, lowest - 1, -1):
                a[:, k] += time * a[:, k + 1]
        return Waveform(a, self.discrete)

    def flattened(self, rows: NDArray[np.bool_]) -> Waveform:
        """The same with some of the inputs held at what they are at the start."""
        a = self.coefficients.copy()
        a[rows, 1:] = 0.0
        return Waveform(a, self.discrete)

    def padded(self, columns: int) -> Vector:
        """The coefficients, filled up with zeros."""
        return np.pad(self.coefficients, ((0, 0), (0, columns - self.coefficients.shape[1])))

    def equals(self, other: Waveform) -> bool:
        """The same to the last bit."""
        return self is other or (
            self.discrete == other.discrete and _equal(self.coefficients, other.coefficients)
        )

    def __getitem__(self, span: Span) -> Waveform:
        return Waveform(self.coefficients[span.reals], self.discrete[span.discrete])

    def __add__(self, other: Waveform) -> Waveform:
        columns = max(self.coefficients.shape[1], other.coefficients.shape[1])
        return Waveform(self.padded(columns) + other.padded(columns), self.discrete)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What counts as no change: 1 is just within tolerance.

    `rms`: the weighted root mean square of the MasterSim notes, with the mean over the values
    compared. `max`: the largest weighted change.
    """

    rtol: float = 1e-5
    atol: float = 1e-6
    norm: Literal["rms", "max"] = field(default="rms")

    def measure(self, change: Vector, reference: Vector) -> float:
        """The size of a change; infinite where a value is not finite."""
        if change.size == 0:
            return 0.0
        scaled = change / (np.abs(reference) * self.rtol + self.atol)
        if self.norm == "rms":
            size = sqrt(_sum_of_squares(scaled) / scaled.size)
        else:
            size = float(np.max(np.abs(scaled)))
        return inf if isnan(size) else size

    def times(self, factor: float) -> Tolerance:
        """So many times as loose."""
        return (
            self
            if factor == 1.0
            else replace(self, rtol=factor * self.rtol, atol=factor * self.atol)
        )


def _sum_of_squares(values: Vector) -> float:
    """Added one after another: the same on every processor, and in native code."""
    if values.size > _FEW:
        with np.errstate(over="ignore"):
            return float(np.add.accumulate(values * values)[-1])
    total = 0.0
    for value in values.tolist():
        total += value * value
    return total


def dot(a: Vector, b: Vector) -> float:
    """The sum of products, added one after another: as `_sum_of_squares`."""
    if a.size > _FEW:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.add.accumulate(a * b)[-1]) + 0.0  # never -0.0, as the loop below
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        total += x * y
    return total


def _equal(a: Vector, b: Vector) -> bool:
    """As np.array_equal, in a third of its time."""
    return a.shape == b.shape and bool((a == b).all())


def _known_derivatives(signals: Signals) -> Vector | None:
    return signals.reals if signals.reals.size == 0 else signals.derivatives


def _slices(sizes: Sequence[int]) -> list[slice]:
    return [slice(a, b) for a, b in pairwise(accumulate(sizes, initial=0))]
