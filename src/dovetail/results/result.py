"""What a run has left: columns by name, what it cost, how far it can be believed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.change import Change
from ..core.description import Kind
from ..core.errors import DovetailError, OptionError, did_you_mean
from ..core.signals import Vector
from ..core.statistics import Effort, Statistics
from .appearance import as_html, as_text
from .arrays import ArrayTable
from .patterns import chosen, matching, split
from .recorders.base import TIME, Array, Column, RecordedTable
from .verdict import Estimates, Verdict

if TYPE_CHECKING:
    from .comparison import Comparison

_PER_SECOND = {"J": "W"}


class UnknownVariable(DovetailError, KeyError):
    """A result was asked for a variable that it does not hold."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__()
        self.name, self.known = name, tuple(known)

    def __str__(self) -> str:
        hint = did_you_mean(self.name, self.known)
        if not hint and self.known:
            some = ", ".join(f"'{n}'" for n in self.known[:6])
            hint = f" There are {some}" + (", ..." if len(self.known) > 6 else ".")
        return f"'{self.name}' was not recorded.{hint}"


class Result:
    """What a finished run holds. Columns are read when they are asked for, and read-only."""

    def __init__(
        self, table: RecordedTable, inside: Mapping[str, RecordedTable | Path] | None = None
    ) -> None:
        self.table, self._inside = table, dict(inside or {})
        self._columns = {column.name: column for column in table.columns}

    @classmethod
    def of(
        cls,
        time: ArrayLike,
        values: Mapping[str, ArrayLike],
        units: Mapping[str, str] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Result:
        """A result from arrays, such as a measurement to compare with."""
        arrays: dict[str, Array] = {TIME: np.array(time, dtype=float)}
        columns = []
        for name, given in values.items():
            array = np.array(given)
            if array.shape != arrays[TIME].shape:
                raise OptionError(f"'{name}' has {array.size} values for {arrays[TIME].size} times")
            kind = _KINDS.get(array.dtype.kind, Kind.STRING)
            arrays[name] = array.astype(object) if array.dtype.kind in "US" else array
            columns.append(Column(name, kind, (units or {}).get(name)))
        return cls(ArrayTable(columns, arrays, facts or {"finished": True}))

    # what it holds --------------------------------------------------------------------------------

    @cached_property
    def time(self) -> Vector:
        """The time of each row. Two rows with the same time are left and right of an event."""
        return self.table.time

    def __getitem__(self, name: str) -> Array:
        if name == TIME:
            return self.time
        self._check(name)
        return self.table[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.table.rows

    @property
    def names(self) -> list[str]:
        """All recorded variables."""
        return list(self._columns)

    @property
    def units(self) -> dict[str, str]:
        """The units of the variables that have one."""
        return {c.name: c.unit for c in self._columns.values() if c.unit is not None}

    def column(self, name: str) -> Column:
        """Name, kind and unit of a variable."""
        self._check(name)
        return self._columns[name]

    @cached_property
    def final(self) -> dict[str, Any]:
        """The value of every variable in the last row."""
        return {name: value for name, value in self.table.last().items() if name != TIME}

    # what is known about it -----------------------------------------------------------------------

    @property
    def facts(self) -> Mapping[str, Any]:
        """What is known about the run, as JSON values."""
        return self.table.facts

    @property
    def finished(self) -> bool:
        """Whether the run reached its end."""
        return bool(self.facts.get("finished", False))

    @cached_property
    def statistics(self) -> Statistics:
        """What the run has cost."""
        told = _fitting(Statistics, self.facts.get("statistics") or {})
        efforts = told.get("effort_by_part") or {}
        told["effort_by_part"] = {p: Effort(**_fitting(Effort, e)) for p, e in efforts.items()}
        return Statistics(**told)

    @cached_property
    def verdict(self) -> Verdict | None:
        """How far the result can be believed, if the run said so."""
        found = self.facts.get("verdict")
        if not found:
            return None
        known = _fitting(Verdict, found)
        told = {n: Estimates(**e) for n, e in (known.get("estimates") or {}).items()}
        several = {name: tuple(known.get(name, ())) for name in ("notes", "junctions", "bonds")}
        return Verdict(**{**known, **several, "estimates": told})

    @property
    def ledger(self) -> Result:
        """What coupling has created at each bond by then, as curves of their own.

        `rate: ...` is what it creates at that moment, per second.
        """
        found, bonds = self._ledger(), self._ledger()["bonds"]
        named = {b["name"]: v for b, v in zip(bonds, found["created"], strict=True)}
        rates = {f"rate: {b['name']}": v for b, v in zip(bonds, found["rates"], strict=True)}
        units = {b["name"]: b["unit"] for b in bonds}
        units |= {f"rate: {name}": _PER_SECOND.get(u, f"{u}/s") for name, u in units.items()}
        return Result.of(found["time"], named | rates, units, self._about("created by coupling"))

    @property
    def junctions(self) -> Result:
        """How junctions stood over time: `g: ...`, by how much their ports disagree, and `s: ...`.

        s is what a coordinator drives to zero. It has the unit of g.
        """
        found = self._ledger()["compared"]
        if not found["rows"]:
            raise OptionError("no junction of this system has unknowns; its ports make plain wires")
        curves = [("g", found["gaps"]), ("s", found["sliding"])]
        named, units = {}, {}
        for letter, values in curves:
            for (name, unit), curve in zip(found["rows"], values, strict=True):
                named[f"{letter}: {name}"], units[f"{letter}: {name}"] = curve, unit
        return Result.of(found["time"], named, units, self._about("junctions"))

    def _ledger(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] | None = self.facts.get("ledger")
        if not found:
            raise OptionError("there is no ledger: no power ports meet in this system")
        return found

    def _about(self, what: str) -> dict[str, Any]:
        return {"system": f"{self.facts.get('system')}: {what}", "finished": True}

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed by hand during the run, with `session.set`."""
        return tuple(Change(**_fitting(Change, c)) for c in self.facts.get("changes") or ())

    @property
    def intermediate(self) -> dict[str, Result]:
        """What parts showed inside their windows, by part: each with a time axis of its own.

        FMUs that were loaded with `intermediate=...` show such values.
        """
        from .files.inside import read_inside

        tables = {
            part: read_inside(part, found) if isinstance(found, Path) else found
            for part, found in self._inside.items()
        }
        about = {"finished": self.finished}
        old = {  # files of 0.1.0 and recorders of users have them among the facts
            part: Result.of(told["time"], told["values"], told["units"], about)
            for part, told in (self.facts.get("intermediate") or {}).items()
        }
        return {**old, **{part: Result(table) for part, table in tables.items() if table}}

    # what can be done with it ---------------------------------------------------------------------

    def select(self, *patterns: str) -> list[str]:
        """The variables that patterns mean: `prey.*`, or a list with commas; all without one."""
        return chosen(patterns or "*", self._columns)

    def at(self, times: ArrayLike, name: str) -> Any:
        """A variable at other times: between rows on a straight line, at an event the right value.

        Discrete values hold until they change.
        """
        wanted, values = np.asarray(times, dtype=float), self[name]
        if not len(self):
            raise OptionError("there are no rows to read between: the run kept nothing")
        first, last = float(self.time[0]), float(self.time[-1])
        slack = 1e-9 * (last - first)
        if wanted.size and not (wanted.min() >= first - slack and wanted.max() <= last + slack):
            raise OptionError(
                f"'{name}' was recorded from {first:g} to {last:g} s, not at every time asked for"
            )
        left = np.searchsorted(self.time, wanted, side="right") - 1
        left = np.clip(left, 0, len(self) - 1)
        if not self._columns[name].is_real:
            return values[left]
        right = np.minimum(left + 1, len(self) - 1)
        size = self.time[right] - self.time[left]
        part = np.clip((wanted - self.time[left]) / np.where(size > 0, size, 1.0), 0.0, 1.0)
        begin, end = values[left], values[right]
        return np.where(part > 0, begin + part * (end - begin), begin)[()]

    def compare(self, other: Result, rtol: float = 1e-6, atol: float = 1e-9) -> Comparison:
        """How far this result and another one are apart."""
        from .comparison import compare

        return compare(self, other, rtol=rtol, atol=atol)

    def plot(self, *patterns: str, path: str | Path | None = None, title: str | None = None) -> Any:
        """A picture of the variables that patterns mean; of all without one.

        To a file: .png, .svg, .pdf, or .html to look into by hand. Without a path: the
        matplotlib figure.
        """
        from .pictures import picture

        return picture(self, self._named(patterns), path, title)

    def save(self, path: str | Path) -> None:
        """Write it all; the suffix decides: .parquet, .arrow, .csv, .tsv, .h5, .hdf5, .mat.

        What parts showed inside their windows goes into files beside, `run.inside.part.csv`.
        """
        from .files import write
        from .files.inside import write_inside

        inside = {} if self.facts.get("intermediate") else self.intermediate
        write(self.table, Path(path))
        write_inside({part: result.table for part, result in inside.items()}, Path(path))

    def to_pandas(self) -> Any:
        """A pandas DataFrame with time as its index."""
        from .files.frames import to_pandas

        return to_pandas(self.table)

    def to_xarray(self) -> Any:
        """An xarray Dataset along time."""
        from .files.frames import to_xarray

        return to_xarray(self.table)

    # how it looks ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _check(self, name: str) -> None:
        if name not in self._columns:
            raise UnknownVariable(name, self._columns)

    def _named(self, patterns: tuple[str, ...]) -> list[str]:
        """As `select`, but a pattern that means nothing is an error."""
        for pattern in split(patterns):
            if not matching(pattern, self._columns):
                raise UnknownVariable(pattern, self._columns)
        return self.select(*patterns)


_KINDS = {"f": Kind.REAL, "i": Kind.INTEGER, "u": Kind.INTEGER, "b": Kind.BOOLEAN, "S": Kind.BINARY}


def _fitting(kind: type[Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """What a dataclass knows of; another version may have written more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in found.items() if name in names}
