"""HDF5: one dataset per column under its own name, `time` among them.

The group `dovetail` lists in JSON which dataset holds which variable, its kind and unit, and the
facts of the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable, batch_rows, regrouped
from .facts import facts_json
from .hdf5_trial import try_out
from .lazy import LazyTable
from .naming import distinct

__all__ = ["read", "try_out", "write"]

ABOUT = "dovetail"
CHUNK_ROWS = 2**16
_HIGHEST_RATIO, _RATIO_MATTERS_FROM = 1100, 2**26  # of a column to the file; zlib reaches 1030


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write batch by batch."""
    import h5py

    try:
        with h5py.File(path, "w", locking=False) as file:
            _fill(table, file)
    except RuntimeError as error:  # h5py says so when the disk is full
        raise OSError(None, str(error)) from error


def read(path: Path, columns: Sequence[Column] | None) -> Hdf5Table:
    """Open the file; columns are read when they are asked for."""
    return Hdf5Table(path)


class Hdf5Table(LazyTable):
    """The columns of an HDF5 file."""

    def __init__(self, path: Path) -> None:
        import h5py

        self.path = path
        self._file = h5py.File(path, "r", locking=False)
        about = json.loads(self._file[ABOUT][()]) if ABOUT in self._file else _guess(self._file)
        if TIME not in self._file:
            raise FileError(path, "has no dataset 'time'", "name it so at the root of the file")
        self.rows = int(self._file[TIME].shape[0])
        if 8 * self.rows > max(_RATIO_MATTERS_FROM, _HIGHEST_RATIO * path.stat().st_size):
            raise FileError(path, f"it says that it has {self.rows} rows, which it has no room for")
        self.facts: dict[str, Any] = about["facts"]
        listed = about["columns"]
        self.columns = tuple(Column(c["name"], Kind(c["kind"]), c["unit"]) for c in listed)
        self._kinds = {TIME: Kind.REAL} | {c.name: c.kind for c in self.columns}
        self._datasets = {TIME: TIME} | {c["name"]: c["dataset"] for c in listed}

    def _column(self, name: str) -> Array:
        return self._piece(name, 0, self.rows)

    def _last(self) -> dict[str, Any]:
        if not self.rows:
            return {}
        return {n: self._piece(n, self.rows - 1, self.rows).tolist()[0] for n in self._kinds}

    def _batches(self, size: int) -> Iterator[dict[str, Array]]:
        step = min(size, CHUNK_ROWS)
        chunks = (
            {name: self._piece(name, begin, begin + step) for name in self._kinds}
            for begin in range(0, self.rows, step)
        )
        return regrouped(chunks, size)

    def _piece(self, name: str, begin: int, end: int) -> Array:
        dataset, kind = self._file[self._datasets[name]], self._kinds[name]
        match kind:
            case Kind.STRING:
                array = typed(dataset.asstr()[begin:end], kind)
            case Kind.BINARY:
                array = typed([b.tobytes() for b in dataset[begin:end]], kind)
            case Kind.REAL:
                array = dataset[begin:end].astype(np.float64, copy=False)
            case _:
                array = dataset[begin:end]
        array.flags.writeable = False
        return array


def _fill(table: RecordedTable, file: Any) -> None:
    size = batch_rows(table.columns)
    chunk = max(1, min(size, CHUNK_ROWS, table.rows))
    keys = distinct([c.name.replace("/", "|") for c in table.columns], taken={TIME, ABOUT})
    columns = [Column(TIME, unit="s"), *table.columns]
    for column, key in zip(columns, [TIME, *keys], strict=True):
        dataset = file.create_dataset(
            key,
            shape=(table.rows,),
            dtype=_dtype(column.kind),
            chunks=(chunk,),
            maxshape=(None,),
            compression="gzip",
            compression_opts=1,
            shuffle=True,
        )
        if column.unit is not None:
            dataset.attrs["unit"] = column.unit
    begin = 0
    for arrays in table.batches(size - size % chunk):
        end = begin + len(arrays[TIME])
        for column, key in zip(columns, [TIME, *keys], strict=True):
            if column.kind is Kind.BINARY:
                for row, data in enumerate(arrays[column.name], begin):
                    file[key][row] = np.frombuffer(data, np.uint8)
            else:
                file[key][begin:end] = arrays[column.name]
        begin = end
    listed = [
        {"name": c.name, "kind": c.kind, "unit": c.unit, "dataset": key}
        for c, key in zip(table.columns, keys, strict=True)
    ]
    file[ABOUT] = facts_json({"columns": listed, "facts": dict(table.facts)})


def _dtype(kind: Kind) -> Any:
    import h5py

    match kind:
        case Kind.REAL:
            return np.float64
        case Kind.INTEGER | Kind.ENUMERATION:
            return np.int64
        case Kind.BOOLEAN | Kind.CLOCK:
            return np.bool_
        case Kind.STRING:
            return h5py.string_dtype()
        case Kind.BINARY:
            return h5py.vlen_dtype(np.uint8)


def _guess(file: Any) -> dict[str, Any]:
    """What a file of another tool holds: every dataset of numbers as long as `time`."""
    listed = [
        {"name": key, "kind": kind, "unit": None, "dataset": key}
        for key, dataset in file.items()
        if key != TIME and TIME in file and getattr(dataset, "shape", None) == file[TIME].shape
        for kind in [
            {"f": "real", "i": "integer", "u": "integer", "b": "boolean"}.get(dataset.dtype.kind)
        ]
        if kind is not None
    ]
    return {"columns": listed, "facts": {}}
