"""What a system is to be fitted to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import OptionError, did_you_mean
from ..core.options import check_number
from ..core.signals import Vector
from ..results.reading import read
from ..results.result import Result
from ..units import UnitError, UnitMismatch, conversion


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """A measurement, and what was different when it was made.

    `data` is a result, or a file that `dv.read` reads. `values` are those of this measurement,
    `{"body.m": 320}`. `compare` and `weights` as in `dv.calibrate`, where they differ from the
    others.
    """

    data: Result | str | Path
    values: Mapping[str, Any] = field(default_factory=dict)
    compare: Mapping[str, str] | None = None
    weights: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredCurve:
    """One measured column: which signal it is compared with, and where it has values."""

    signal: str
    column: str
    time: Vector
    values: Vector
    weight: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Comparable:
    """A measurement, made ready: its own values and its curves."""

    values: Mapping[str, Any]
    curves: tuple[MeasuredCurve, ...]


def comparables(
    measured: Any,
    compare: Mapping[str, str] | None,
    weights: Mapping[str, float] | None,
    signals: Mapping[str, str | None],
) -> list[Comparable]:
    """All measurements; `signals` are those of the system, with their units."""
    given = [measured] if isinstance(measured, Measurement | Result | str | Path) else measured
    if not isinstance(given, Iterable) or isinstance(given, Mapping) or not (every := list(given)):
        what = "calibrate compares with a result, such as dv.read('bench.csv'), or a list of them"
        raise OptionError(f"{what}, not {measured!r}")
    return [_comparable(one, compare, weights, signals) for one in every]


def _comparable(
    given: Any,
    compare: Mapping[str, str] | None,
    weights: Mapping[str, float] | None,
    signals: Mapping[str, str | None],
) -> Comparable:
    one = given if isinstance(given, Measurement) else Measurement(given)
    data = read(one.data) if isinstance(one.data, str | Path) else one.data
    if not isinstance(data, Result):
        way_out = "dv.read reads a file, dv.Result.of(time, {...}) takes arrays"
        raise OptionError(f"a measurement is a result, not {one.data!r}; {way_out}")
    pairs = one.compare if one.compare is not None else compare
    pairs = _pairs(pairs, data, signals)
    chosen = one.weights if one.weights is not None else weights or {}
    for name, weight in chosen.items():
        if name not in pairs:
            hint = did_you_mean(name, pairs) or f" There are {', '.join(pairs)}."
            raise OptionError(f"there is a weight for '{name}', which is not compared.{hint}")
        check_number(f"the weight of '{name}'", weight, above=0)
    curves = tuple(_curve(data, s, c, signals[s], chosen.get(s)) for s, c in pairs.items())
    return Comparable(dict(one.values), curves)


def _pairs(compare: Any, data: Result, signals: Mapping[str, str | None]) -> dict[str, str]:
    """Which signal is compared with which column."""
    if compare is None:
        pairs = {name: name for name in data.names if name in signals}
        if not pairs:
            columns = ", ".join(f"'{name}'" for name in data.names[:6]) or "none"
            way_out = "say which belong together, compare={'body.x': 'z'}"
            what = f"there is nothing to compare: measured columns are {columns}"
            raise OptionError(f"{what}, and no signal of the system is called so; {way_out}")
        return pairs
    if not isinstance(compare, Mapping) or not compare:
        example = "{'body.x': 'z'}"
        raise OptionError(f"compare= is signals and measured columns, {example}, not {compare!r}")
    for signal, column in compare.items():
        if signal not in signals:
            hint = did_you_mean(str(signal), signals)
            raise OptionError(f"compare= names '{signal}', which is no signal of the system.{hint}")
        if column not in data:
            hint = did_you_mean(str(column), data.names) or f" There are {', '.join(data.names)}."
            raise OptionError(f"compare= names '{column}', which was not measured.{hint}")
    return dict(compare)


def _curve(
    data: Result, signal: str, column: str, unit: str | None, weight: float | None
) -> MeasuredCurve:
    if data[column].dtype.kind not in "fiub":
        raise OptionError(f"'{column}' holds no numbers, so that it cannot be compared")
    values = np.asarray(data[column], dtype=float)
    given = data.column(column).unit
    if unit is not None and given is not None and unit != given:
        try:
            found = conversion(given, unit)
            values = found.factor * values + found.offset
        except UnitMismatch as error:
            raise OptionError(f"'{column}' cannot be compared with '{signal}': {error}") from None
        except UnitError:  # a unit that only its own tool knows
            pass
    usable = np.isfinite(values)
    if not usable.any():
        raise OptionError(f"'{column}' has no values to compare with")
    return MeasuredCurve(signal, column, data.time[usable], values[usable], weight)


def span_of(measurements: Sequence[Comparable]) -> tuple[float, float]:
    """From the first to the last time at which anything was measured."""
    times = [curve.time for one in measurements for curve in one.curves]
    return min(float(t[0]) for t in times), max(float(t[-1]) for t in times)
