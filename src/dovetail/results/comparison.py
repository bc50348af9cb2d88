"""Two results side by side: which variable differs most, where, and by how much.

Times need not agree: the second result is read between its rows on a straight line, discrete
values hold. Left of an event is compared with left, right with right, so that an event that
comes a little later is not mistaken for an error as high as its jump.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..core.errors import OptionError
from ..core.harmless import harmless
from ..core.markup import card, folded, paragraph, table
from ..core.signals import Vector
from ..units import UnitError, UnitMismatch, conversion
from .apart import apart, held_apart, is_numeric, range_of, size_of
from .pairing import Pairing
from .recorders.base import Array, Column
from .result import Result

_SHOWN = 20  # variables that are not folded away
ROUNDING = 8 * float(np.finfo(float).eps)  # of a value's size: never worth a word


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest difference of one variable. `scaled` is 1 where it is just within tolerance.

    A discrete variable that differs anywhere is infinitely far off.
    """

    name: str
    error: float
    scaled: float
    time: float
    values: tuple[Any, Any]
    unit: str | None = None

    def __str__(self) -> str:
        if not self.error:
            return "nowhere"
        unit = "" if self.unit is None else f" {self.unit}"
        first, second = (f"{v:.9g}" if isinstance(v, float) else repr(v) for v in self.values)
        return f"t = {self.time:g} s: {first} and {second}{unit}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results side by side, over the time that both have. The worst variable comes first."""

    differences: tuple[Difference, ...]
    only_in_first: tuple[str, ...]
    only_in_second: tuple[str, ...]
    start: float
    stop: float
    same_range: bool
    rtol: float
    atol: float

    @property
    def worst(self) -> Difference | None:
        """The variable that differs most; None if the two have none in common."""
        return self.differences[0] if self.differences else None

    @property
    def within(self) -> bool:
        """Whether there was something to compare and all of it is within tolerance."""
        return self.worst is not None and self.worst.scaled <= 1.0

    def __bool__(self) -> bool:
        return self.within

    def __str__(self) -> str:
        return harmless("\n".join(self.table()))

    def _repr_html_(self) -> str:
        heads = ("variable", "apart", "x tolerance", "where")
        rows = [(d.name, f"{d.error:.3g}", f"{d.scaled:.3g}", str(d)) for d in self.differences]
        shown = [table(heads, rows[:_SHOWN], numbers=(1, 2))] if rows else []
        if len(rows) > _SHOWN:
            rest = table(heads, rows[_SHOWN:], numbers=(1, 2))
            shown.append(folded(f"and {len(rows) - _SHOWN} more that are closer", rest))
        said = [line for line in self.table(0)[1:] if not line.startswith(" ")]
        return card(self._headline(), *shown, *map(paragraph, said), good=self.within)

    def table(self, most: int = 20) -> list[str]:
        """Lines to print: a verdict, then the variables, worst first."""
        lines = [self._headline()]
        if not self.same_range:
            lines.append(f"Only one of them goes beyond {self.start:g} to {self.stop:g} s.")
        shown = self.differences[:most]
        width = max((len(d.name) for d in shown), default=0)
        width = max(width, len("variable"))
        if shown:
            lines.append(f"  {'variable':{width}}  {'apart':>10}  {'x tolerance':>11}  where")
        for d in shown:
            lines.append(f"  {d.name:{width}}  {d.error:10.3g}  {d.scaled:11.3g}  {d}")
        if len(self.differences) > most:
            lines.append(f"  and {len(self.differences) - most} more that are closer")
        for names, which in ((self.only_in_first, "first"), (self.only_in_second, "second")):
            if names:
                more = f" and {len(names) - 10} more" if len(names) > 10 else ""
                lines.append(f"Only in the {which}: {', '.join(names[:10])}{more}.")
        return lines

    def _headline(self) -> str:
        if self.worst is None:
            return "The two have no variable in common."
        tolerance = f"rtol {self.rtol:g} of the range, atol {self.atol:g}"
        if self.within:
            return f"Within tolerance ({tolerance})."
        beyond, count = sum(d.scaled > 1.0 for d in self.differences), len(self.differences)
        return f"Beyond tolerance ({tolerance}): {beyond} of {count} variables."


def compare(
    a: Result,
    b: Result,
    *,
    rtol: float = 1e-6,
    atol: float = 1e-9,
    patterns: str = "*",
    pairs: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare two results at the times of the first.

    A difference counts against atol + rtol * range, where the range is that of the variable in
    the result where it is smaller; a few units in the last place never count. A system and the
    same system merged are compared variable by variable: `tank.level` with `plant.tank.level`.
    Where no name is in both, `level` of a measurement stands for the one variable `tank.level`;
    `pairs` says which is which: {"tank.level": "h2"}. Units of the second are converted.
    """
    for one in (a, b):
        if not isinstance(one, Result):
            what = f"a comparison is of two results, not of {one!r}"
            raise OptionError(f"{what}; dv.read reads one from a file, dv.Result.of makes one")
    if not len(a) or not len(b):
        raise OptionError("a result without rows cannot be compared")
    names_a, names_b = a.select(patterns), b.select(patterns)
    pairing = Pairing.of(a.time, b.time, rtol)
    pairs = _pairs(names_a, names_b) if pairs is None else _given(a, b, pairs)
    differences = [_difference(n, m, a, b, pairing, rtol, atol) for n, m in pairs.items()]
    theirs = set(pairs.values())
    return Comparison(
        tuple(sorted(differences, key=lambda d: d.scaled, reverse=True)),
        tuple(name for name in names_a if name not in pairs),
        tuple(name for name in names_b if name not in theirs),
        pairing.start,
        pairing.stop,
        pairing.same_range,
        rtol,
        atol,
    )


def _given(a: Result, b: Result, pairs: Mapping[str, str]) -> dict[str, str]:
    for name, other in pairs.items():
        a.column(name), b.column(other)  # refused in a sentence where they are not there
    return dict(pairs)


def _pairs(first: Sequence[str], second: Sequence[str]) -> dict[str, str]:
    """Which name of the second result stands for which of the first."""
    known = set(second)
    pairs = {name: name for name in first if name in known}
    if pairs:
        return pairs
    outer = _part_of_all(second)
    if outer:
        pairs = {name: f"{outer}.{name}" for name in first if f"{outer}.{name}" in known}
    outer = _part_of_all(first)
    if outer and not pairs:
        inner = {name: name.removeprefix(f"{outer}.") for name in first}
        pairs = {name: short for name, short in inner.items() if short in known}
    if not pairs:
        last = Counter(name.rpartition(".")[2] for name in first)
        ends = {name: name.rpartition(".")[2] for name in first}
        pairs = {name: end for name, end in ends.items() if end in known and last[end] == 1}
    return pairs


def _part_of_all(names: Sequence[str]) -> str:
    """The one part that all these variables belong to, if there is one."""
    parts = {name.partition(".")[0] for name in names}
    return parts.pop() if len(parts) == 1 else ""


def _difference(
    name: str, other: str, a: Result, b: Result, pairing: Pairing, rtol: float, atol: float
) -> Difference:
    column = a.column(name)
    x, y = a[name][pairing.rows], b[other]
    if (column.is_real or b.column(other).is_real) and is_numeric(x) and is_numeric(y):
        x, y = x.astype(float), _converted(y.astype(float), name, column, b.column(other))
        expected: Array = pairing.interpolated(y)
        errors = pairing.lenient(apart(x, expected), x, y, apart)
        span = min(range_of(x), range_of(expected))
        scale = atol + rtol * span + ROUNDING * size_of(x)
    else:
        expected = y[pairing.left]
        near = [held_apart(x, y[rows]) for rows in (pairing.earliest, pairing.latest)]
        errors = np.minimum(held_apart(x, expected), np.minimum(*near))
        errors = pairing.lenient(errors, x, y, held_apart)
        scale = 0.0
    where = int(np.argmax(errors))
    error = float(errors[where])
    scaled = error / scale if scale > 0 else (inf if error else 0.0)
    values = x[where : where + 1].tolist()[0], expected[where : where + 1].tolist()[0]
    return Difference(name, error, scaled, float(a.time[pairing.rows[where]]), values, column.unit)


def _converted(values: Vector, name: str, wanted: Column, given: Column) -> Vector:
    """Values of the second result in the unit of the first, where both have one."""
    if wanted.unit is None or given.unit is None or wanted.unit == given.unit:
        return values
    try:
        found = conversion(given.unit, wanted.unit)
    except UnitMismatch as error:
        raise OptionError(f"'{name}' cannot be compared: {error}") from None
    except UnitError:  # a unit that only its own tool knows
        return values
    return found.factor * values + found.offset
