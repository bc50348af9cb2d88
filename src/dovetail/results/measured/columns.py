"""Cells made into arrays, column by column, some rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..recorders.base import Array
from .cells import is_missing, number, plain
from .moments import BadCell

Sort = Literal["integer", "real", "boolean", "text"]
_TRUTHS = {"true": True, "false": False}


class NotOfSort(Exception):
    """Rows further down show that a column is text, though those above were numbers."""


@dataclass(slots=True)
class ColumnBuilder:
    """One column as far as it was read; its sort is found from its first cells, or given.

    Empty cells of numbers become NaN, and their rows are kept in `missing`; so are cells of "nan"
    where `nan_counts`. A cell that is no number among numbers raises BadCell if `strict`, else
    the column is text.
    """

    decimal: str
    sort: Sort | None = None
    strict: bool = True
    nan_counts: bool = True
    chunks: list[Array] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    rows: int = 0

    def add(self, cells: Sequence[str]) -> None:
        """Take the cells of some more rows."""
        self.chunks.append(self._array(cells))
        self.rows += len(cells)

    def array(self) -> Array:
        """The whole column."""
        kinds = {chunk.dtype.kind for chunk in self.chunks}
        if not self.chunks:
            return np.zeros(0)
        if self.sort == "integer" and kinds & {"u", "f"} and kinds != {"u"}:
            return np.array([v for chunk in self.chunks for v in chunk.tolist()])
        if self.sort == "real":
            return np.concatenate([chunk.astype(float) for chunk in self.chunks])
        return np.concatenate(self.chunks)

    def _array(self, cells: Sequence[str]) -> Array:
        if self.sort in (None, "integer"):
            whole = _integers(cells)
            if whole is not None:
                self.sort = "integer"
                return whole
        if self.sort == "text":
            return _texts(cells)
        if self.sort in (None, "boolean"):
            truths = [_TRUTHS.get(cell.strip().lower()) for cell in cells]
            if None not in truths:
                self.sort = "boolean"
                return np.array(truths, dtype=bool)
            if self.sort == "boolean":
                raise NotOfSort
        return self._reals(cells)

    def _reals(self, cells: Sequence[str]) -> Array:
        """Numbers, quickly where all are plain ones."""
        texts = cells
        if self.decimal == ",":
            texts = [cell.replace(",", ".") for cell in cells]
        try:
            found = np.array(list(map(float, texts)))
        except ValueError:
            return self._one_by_one(cells)
        if "_" in "".join(cells):
            return self._one_by_one(cells)
        self.sort = "real"
        if self.nan_counts:
            self.missing += (np.flatnonzero(np.isnan(found)) + self.rows).tolist()
        return found

    def _one_by_one(self, cells: Sequence[str]) -> Array:
        found, bad = np.full(len(cells), np.nan), list[int]()
        missing: list[int] = []
        for k, cell in enumerate(cells):
            if is_missing(cell):
                missing.append(k)
                continue
            try:
                found[k] = number(cell, self.decimal)
            except ValueError:
                bad.append(k)
            else:
                if self.nan_counts and np.isnan(found[k]):
                    missing.append(k)
        if bad and self.sort is None and len(bad) * 2 > len(cells) - len(missing):
            self.sort = "text"
            return _texts(cells)
        if bad and not self.strict:
            if self.sort is None:
                self.sort = "text"
                return _texts(cells)
            raise NotOfSort
        if bad:
            raise BadCell(self.rows + bad[0], plain(cells[bad[0]], "."))
        self.sort = "real"
        self.missing += [k + self.rows for k in missing]
        return found


def _integers(cells: Sequence[str]) -> Array | None:
    """Whole numbers with all their digits; None where a cell is anything else."""
    try:
        found = list(map(int, cells))
    except ValueError:
        return None
    if "_" in "".join(cells):
        return None
    low, high = min(found, default=0), max(found, default=0)
    if low >= -(2**63) and high < 2**63:
        return np.array(found, dtype=np.int64)
    if low >= 0 and high < 2**64:
        return np.array(found, dtype=np.uint64)
    return np.array(found, dtype=float)


def _texts(cells: Sequence[str]) -> Array:
    array: Array = np.empty(len(cells), dtype=object)
    array[:] = [cell.strip() for cell in cells]
    return array
