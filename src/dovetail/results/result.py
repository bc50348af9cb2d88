"""What a run has left: columns by name, what it cost, how far it can be believed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..core.change import Change
from ..core.errors import DovetailError, did_you_mean
from ..core.signals import Vector
from ..core.statistics import Statistics
from .appearance import as_html, as_text
from .arrays import table_of
from .between_rows import CURVE, between_rows
from .ledger import compared, created
from .meaning import changes_in, statistics_in, verdict_in
from .patterns import Names, chosen
from .recorders.base import TIME, Array, Column, RecordedTable
from .verdict import Verdict

if TYPE_CHECKING:
    from .comparison import Comparison


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
        return cls(table_of(time, values, units or {}, facts or {"finished": True}))

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
        return statistics_in(self.facts)

    @cached_property
    def verdict(self) -> Verdict | None:
        """How far the result can be believed, if the run said so."""
        return verdict_in(self.facts)

    @property
    def ledger(self) -> Result:
        """What coupling has created at each bond by then, as curves of their own.

        `rate: ...` is what it creates at that moment, per second.
        """
        about = self._about("created by coupling")
        return Result.of(*created(self.facts), about)

    @property
    def junctions(self) -> Result:
        """How junctions stood over time: `g: ...`, by how much their ports disagree, and `s: ...`.

        s is what a coordinator drives to zero. It has the unit of g.
        """
        return Result.of(*compared(self.facts), self._about("junctions"))

    def _about(self, what: str) -> dict[str, Any]:
        return {"system": f"{self.facts.get('system')}: {what}", "finished": True}

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed by hand during the run, with `session.set`."""
        return changes_in(self.facts)

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
            part: Result.of(table["time"], table["values"], table["units"], about)
            for part, table in (self.facts.get("intermediate") or {}).items()
        }
        return {**old, **{part: Result(table) for part, table in tables.items() if table}}

    # what can be done with it ---------------------------------------------------------------------

    def select(self, *patterns: str) -> list[str]:
        """The variables that patterns mean: `prey.*`, or a list with commas; all without one."""
        return chosen(patterns or "*", self._columns)

    def at(self, times: ArrayLike, name: str) -> Any:
        """A variable at other times: between rows on a straight line, at an event the right value.

        Where windows followed an error rows are far apart, and it is the cubic through the rows
        around, but for jumps. Discrete values hold until they change.
        """
        real, curved = self._columns[name].is_real, self.facts.get("between_rows") == CURVE
        return between_rows(self.time, self[name], times, name, real=real, curved=curved)

    def compare(self, other: Result, rtol: float = 1e-6, atol: float = 1e-9) -> Comparison:
        """How far this result and another one are apart."""
        from .comparison import compare

        return compare(self, other, rtol=rtol, atol=atol)

    def plot(
        self,
        *patterns: Names,
        x: str | None = None,
        y: Names | None = None,
        path: str | Path | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
        ax: Any = None,
    ) -> Any:
        """A picture of the variables that patterns mean; of all without one.

        Over time, or over the variable `x`; `y` is another way to name what is drawn. To a file:
        .png, .svg, .pdf, or .html to look into by hand. Without a path: the matplotlib figure,
        interactive in a notebook. `size` is in inches. With `ax`: onto axes of your own.
        """
        from .pictures.overlay import plot

        return plot(self, *patterns, x=x, y=y, path=path, title=title, size=size, ax=ax)

    def save(self, path: str | Path) -> None:
        """Write it all; the suffix decides.

        .parquet, .arrow, .csv, .tsv, .h5, .hdf5, .mat, .xlsx, .json.
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
