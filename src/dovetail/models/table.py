"""Measured data as a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from ..core.description import Description, Variability, Variable
from ..core.errors import ModelError, PartFailed, did_you_mean
from ..core.model_page import ModelPage
from ..core.signals import Signals, Vector
from .repeated_jumps import RepeatedJumps
from .source import SourcePart, played
from .specification import described
from .table_columns import column_array, kind_of
from .table_curves import OUTSIDE, TableCurves, ways_of

_NO_TIME = "a table needs a time column of finite numbers: seconds, one for each row."


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(ModelPage):
    """Columns over time: reals linear between rows, all others held; constant outside.

    Two rows with the same time are a jump: windows end there, and the later row holds from
    there on. `interpolation` of real columns is "linear", "hold" (the value of the row before,
    a jump wherever it changes) or "cubic" (smooth, without overshoot), for all or by column.
    `hold` names real columns that are held too, `types` columns of numbers that are
    meant as "integer", "boolean" or "string". `outside` the data columns "hold" their first and
    last values, go on "linear", are "periodic", or it is an "error" to ask for them.
    """

    time: Any
    columns: Mapping[str, Any]
    units: Mapping[str, str] = field(default_factory=dict)
    hold: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    path: str | None = field(default=None, compare=False)
    interpolation: str | Mapping[str, str] = "linear"
    outside: str = "hold"
    reading: Mapping[str, Any] = field(default_factory=dict, compare=False)  # options of its file
    notes: Sequence[str] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        t = self.times
        if t.ndim != 1 or t.size == 0 or not np.all(np.isfinite(t)):
            raise ModelError(_NO_TIME)
        back = np.flatnonzero(np.diff(t) < 0)
        if back.size:
            k = int(back[0])
            what = f"time must not decrease, but row {k + 2} ({t[k + 1]:g}) follows {t[k]:g}."
            raise ModelError(what)
        if not self.columns:
            raise ModelError("a table needs at least one column besides time.")
        for name, values in self.data.items():
            if values.shape != t.shape:
                what = f"column '{name}' has {values.size} rows, the time column {t.size}."
                raise ModelError(what)
            if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
                k = int(np.flatnonzero(~np.isfinite(values))[0])
                way_out = "fill it in, or leave the row out"
                raise ModelError(f"column '{name}' has no number in row {k + 1}; {way_out}.")
        for option, names in (("hold", self.hold), ("types", self.types)):
            for name in names:
                if name not in self.columns:
                    hint = did_you_mean(name, self.columns)
                    raise ModelError(f"{option} names '{name}', which is no column.{hint}")
        if self.outside not in OUTSIDE:
            hint = did_you_mean(str(self.outside), OUTSIDE)
            known = ", ".join(OUTSIDE)
            raise ModelError(f"outside must be one of {known}, not {self.outside!r}.{hint}")
        if self.outside == "periodic" and not t[-1] > t[0]:
            raise ModelError("a periodic table needs rows at two different times at least.")
        _ = self.description

    @staticmethod
    def read(
        path: str | Path,
        *,
        time: str | None = None,
        columns: Sequence[str] | None = None,
        units: Mapping[str, str] | None = None,
        zero: str | float | None = None,
        missing: str = "error",
        sort: bool = False,
        day_first: bool | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        sheet: str | int | None = None,
        hold: Sequence[str] = (),
        types: Mapping[str, str] | None = None,
        interpolation: str | Mapping[str, str] = "linear",
        outside: str = "hold",
    ) -> Table:
        """A table from a csv, tsv, txt, xlsx or parquet file, as people have them.

        `time`: the name of the time column, else the one called so, else the first. `columns`:
        names for all columns, in place of a header. `units` over those of the file. `zero`:
        which moment is time zero, else the first row of date-times. `missing`: empty cells are
        an "error", or "interpolate", "hold", "drop". `sort`: rows may come in any order.
        `day_first`: what 01/02/2024 means. `delimiter`, `decimal`: one character each. `sheet`:
        of an Excel file. The others are those of the table.
        """
        from ..results.measured import ReadingOptions
        from .table_files import read

        reading = ReadingOptions(
            time=time,
            columns=columns,
            units=units or {},
            zero=zero,
            missing=missing,
            sort=sort,
            day_first=day_first,
            delimiter=delimiter,
            decimal=decimal,
            sheet=sheet,
        )
        return read(
            Path(path),
            reading,
            hold=hold,
            types=types or {},
            interpolation=interpolation,
            outside=outside,
        )

    @cached_property
    def times(self) -> Vector:
        """The time column."""
        try:
            return np.asarray(self.time, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(_NO_TIME) from error

    @cached_property
    def data(self) -> dict[str, Any]:
        """The other columns, as arrays."""
        return {n: column_array(n, v, self.types.get(n)) for n, v in self.columns.items()}

    @cached_property
    def ways(self) -> dict[str, str]:
        """How each real column goes from row to row."""
        return ways_of(list(self.columns), self.interpolation, self.hold)

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        outputs = tuple(
            Variable(name, kind_of(values), self.units.get(name), variability=self._changes(name))
            for name, values in self.data.items()
        )
        return described(self, outputs=outputs, capabilities=played(self.jumps))

    def _changes(self, name: str) -> Variability:
        return "discrete" if self.ways[name] == "hold" else "continuous"

    @cached_property
    def jumps(self) -> Sequence[float]:
        """Times that stand in two rows, and changes of held columns; periodic, also the seam."""
        t = self.times
        found = set(t[1:][np.diff(t) == 0].tolist())
        for name, values in self.data.items():
            if self.ways[name] == "hold" or values.dtype.kind != "f":
                found.update(t[1:][values[1:] != values[:-1]].tolist())
        if self.outside == "periodic":
            first, last = t.item(0), t.item(-1)
            once = {jump for jump in found if first < jump < last} | {first}
            return RepeatedJumps(tuple(sorted(once)), last - first)
        return tuple(sorted(found))

    def span_notes(self, start: float, stop: float) -> list[tuple[str, bool]]:
        """What a run over this span finds beyond the data, and whether it can do so."""
        first, last = self.times.item(0), self.times.item(-1)
        slack = 1e-9 * max(abs(start), abs(stop), stop - start)
        early, late = first - start > slack, stop - last > slack
        if not (early or late) or self.outside in ("linear", "periodic") or self.times.size == 1:
            return []
        span = f"has data from {first:g} to {last:g} s"
        lasting = f"{span}, but the run goes from {start:g} to {stop:g} s"
        if self.outside == "error":
            return [(f"{lasting}; run it within the data, or choose another outside=", False)]
        before, after = f"its first values hold before {first:g} s", f"its last after {last:g} s"
        held = ", ".join(what for what, here in ((before, early), (after, late)) if here)
        held = held if early else held.replace("its last", "its last values hold")
        return [(f"{lasting}: {held} (outside='hold')", True)]

    def instantiate(self, name: str) -> SourcePart:
        """A live part."""
        t = self.times
        reals = {n: v for n, v in self.data.items() if v.dtype.kind == "f"}
        others = [v for v in self.data.values() if v.dtype.kind != "f"]
        matrix = np.column_stack(list(reals.values())) if reals else np.zeros((t.size, 0))
        curves = TableCurves(t, matrix, tuple(self.ways[n] for n in reals), self.outside)
        first, last = t.item(0), t.item(-1)

        def refuse_outside(time: float) -> None:
            near = (isclose(time, end, rel_tol=1e-9, abs_tol=1e-12) for end in (first, last))
            if not first <= time <= last and not any(near):
                what = f"its data go from {first:g} to {last:g} s, and outside='error'"
                raise PartFailed(name, "reading its table", time, what)

        def values(time: float, p: Any) -> Signals:
            if self.outside == "error":
                refuse_outside(time)
            k = max(curves.row(time)[0], 0) if others else 0
            discrete = tuple(v[k].item() if v.dtype != object else v[k] for v in others)
            return Signals(curves.values(time), None, discrete)

        def rates(time: float, p: Any, low: float, high: float) -> Vector:
            return curves.rates(time)

        return SourcePart(self.description, values, rates, lambda given: None, self.jumps)
