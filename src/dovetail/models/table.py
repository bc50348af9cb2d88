"""Measured data as a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..core.description import Description, Kind, Variability, Variable
from ..core.errors import ModelError, did_you_mean
from ..core.model_page import ModelPage
from ..core.signals import Signals, Vector
from .source import SourcePart, played
from .specification import described

_NO_TIME = "a table needs a time column of finite numbers: seconds, one for each row."
TOO_LARGE = 2.0**63  # for integers of 64 bits with a sign


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(ModelPage):
    """Columns over time: reals linear between rows, all others held; constant outside.

    Two rows with the same time are a jump: windows end there, and the later row holds from
    there on. `hold` names real columns that are held too, `types` columns of numbers that are
    meant as "integer", "boolean" or "string".
    """

    time: Any
    columns: Mapping[str, Any]
    units: Mapping[str, str] = field(default_factory=dict)
    hold: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    path: str | None = field(default=None, compare=False)

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
        _ = self.description

    @staticmethod
    def read(path: str | Path) -> Table:
        """A table from a csv, tsv or parquet file; header `name [unit]`, first column time."""
        from .table_files import read

        return read(Path(path))

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
        return {n: _array(n, v, self.types.get(n)) for n, v in self.columns.items()}

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        outputs = tuple(
            Variable(name, _kind(values), self.units.get(name), variability=self._changes(name))
            for name, values in self.data.items()
        )
        return described(self, outputs=outputs, capabilities=played(self.jumps))

    def _changes(self, name: str) -> Variability:
        return "discrete" if name in self.hold else "continuous"

    @cached_property
    def jumps(self) -> tuple[float, ...]:
        """Times that stand in two rows, and changes of held columns."""
        t = self.times
        found = set(t[1:][np.diff(t) == 0].tolist())
        for name, values in self.data.items():
            if name in self.hold or values.dtype.kind != "f":
                found.update(t[1:][values[1:] != values[:-1]].tolist())
        return tuple(sorted(found))

    def instantiate(self, name: str) -> SourcePart:
        """A live part."""
        t = self.times
        columns = list(self.data.items())
        reals = [v for n, v in columns if v.dtype.kind == "f"]
        held = np.array([n in self.hold for n, v in columns if v.dtype.kind == "f"], dtype=bool)
        matrix = np.column_stack(reals) if reals else np.zeros((t.size, 0))
        others = [v for _, v in columns if v.dtype.kind != "f"]

        def values(time: float, p: Any) -> Signals:
            k = int(np.searchsorted(t, time, side="right")) - 1
            discrete = tuple(
                v[max(k, 0)].item() if v.dtype != object else v[max(k, 0)] for v in others
            )
            if k < 0 or k >= t.size - 1:
                return Signals(matrix[min(max(k, 0), t.size - 1)].copy(), None, discrete)
            share = (time - t[k]) / (t[k + 1] - t[k])
            linear = matrix[k] + share * (matrix[k + 1] - matrix[k])
            return Signals(np.where(held, matrix[k], linear), None, discrete)

        def rates(time: float, p: Any, low: float, high: float) -> Vector:
            k = int(np.searchsorted(t, time, side="right")) - 1
            if k < 0 or k >= t.size - 1:
                return np.zeros(matrix.shape[1])
            slope = (matrix[k + 1] - matrix[k]) / (t[k + 1] - t[k])
            return np.where(held, 0.0, slope)

        return SourcePart(self.description, values, rates, lambda given: None, self.jumps)


def _array(name: str, values: Any, meant: str | None) -> Any:
    array = np.asarray(values)
    if meant is not None:
        return _meant(name, array, meant)
    if array.dtype.kind in "iu":
        return array.astype(float)
    if array.dtype.kind in "fb":
        return array.astype(float) if array.dtype.kind == "f" else array
    if all(isinstance(v, str) for v in array.tolist()):
        return array.astype(object)
    raise ModelError(f"column '{name}' holds neither numbers, booleans nor text.")


def _meant(name: str, array: Any, kind: str) -> Any:
    """A column as the kind it is meant to be."""
    if kind == "real":
        return _array(name, array, None)
    if kind == "string":
        found = np.empty(array.size, dtype=object)
        found[:] = [v if isinstance(v, str) else f"{v:g}" for v in array.tolist()]
        return found
    if kind not in ("integer", "boolean"):
        raise ModelError(f"column '{name}' cannot be of type '{kind}'.")
    if kind == "integer" and array.dtype.kind in "iu":
        return array  # floats have fewer digits
    try:
        numbers = np.asarray(array, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"column '{name}' holds no numbers, but is meant as {kind}.") from None
    if not np.all(np.isfinite(numbers)):
        raise ModelError(f"column '{name}' has no number in every row.")
    if kind == "boolean":
        return numbers != 0
    if np.any(np.abs(numbers) >= TOO_LARGE):
        raise ModelError(f"column '{name}' holds numbers that are too large for integers.")
    return numbers.astype(np.int64)


def _kind(values: Any) -> Kind:
    kinds = {"f": Kind.REAL, "b": Kind.BOOLEAN, "i": Kind.INTEGER, "u": Kind.INTEGER}
    return kinds.get(values.dtype.kind, Kind.STRING)
