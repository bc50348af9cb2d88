"""Tables as files, and as the data frames of other libraries."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import FileError, did_you_mean
from ...core.file_kinds import system_kind
from ...core.guard import check_file, guarded
from ..recorders.base import Column, RecordedTable
from .checking import check_table
from .needs import need

__all__ = ["FORMATS", "Format", "form_of", "read_table", "write"]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: the module here that writes and reads it, and the library that needs.

    The library comes with an extra. A lazy format is read column by column, any other as a whole.
    A file of a risky one may take down the process that reads it, so that another one tries it.
    """

    module: str
    title: str  # what messages call such a file
    library: str = ""
    extra: str = ""
    lazy: bool = True
    risky: bool = False

    def load(self) -> Any:
        """The module; if its library is missing, the way to get it."""
        if self.library:
            need(self.library, self.extra)
        return importlib.import_module(f".{self.module}", __name__)


FORMATS = {
    ".parquet": Format("parquet", "a Parquet file", "pyarrow", "parquet"),
    ".arrow": Format("arrow", "an Arrow file", "pyarrow", "parquet"),
    ".csv": Format("text", "a table", lazy=False),
    ".tsv": Format("text", "a table", lazy=False),
    ".h5": Format("hdf5", "an HDF5 file", "h5py", "hdf5", risky=True),
    ".hdf5": Format("hdf5", "an HDF5 file", "h5py", "hdf5", risky=True),
    ".mat": Format("mat", "a MATLAB file", lazy=False),
    ".xlsx": Format("excel", "an Excel file", "openpyxl", "excel", lazy=False),
    ".json": Format("jsonfile", "a result in JSON", lazy=False),
}

_MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\x89HDF": ".h5", b"MATLAB": ".mat"}


def form_of(path: Path) -> Format:
    """The format that a path's suffix asks for, with its library at hand."""
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        if system_kind(path.suffix) is not None and path.exists():
            run = f"'dovetail run {path.name} --output run.parquet'"
            raise FileError(path, "this is not a result", f"make one with {run}, and name that")
        what = f"'{path.suffix}' is no format for results" if path.suffix else "has no suffix"
        known = ", ".join(FORMATS)
        hint = did_you_mean(path.suffix.lower(), FORMATS)
        raise FileError(path, what, f"use one of {known}.{hint}")
    form.load()
    return form


def write(table: RecordedTable, path: Path, form: Format | None = None) -> None:
    """Write a table; a file of that name is replaced only when the new one is complete."""
    from .runfiles import check_place, reason

    form = form or form_of(path)
    check_place(path)
    part = path.with_name(path.name + ".part")
    try:
        form.load().write(table, part, path.suffix)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise FileError(path, f"cannot be written: {reason(error)}") from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read_table(
    path: Path, columns: Sequence[Column] | None = None, form: Format | None = None
) -> RecordedTable:
    """Read a table; `columns` help where a format does not hold kinds.

    A file whose format is given was made by this process; any other one comes from elsewhere.
    """
    check_file(path)
    foreign = form is None
    form = form or _form_by_content(path) or form_of(path)
    module = form.load()
    with guarded(path, f"is not {form.title}, or not a whole one"):
        if foreign and form.risky:
            module.try_out(path)
        table: RecordedTable = module.read(path, columns)
        check_table(path, table)
    return table


def _form_by_content(path: Path) -> Format | None:
    """What the first bytes say; a wrong suffix is no reason to refuse a good file."""
    with guarded(path, "cannot be read"), path.open("rb") as file:
        begin = file.read(8)
    for magic, suffix in _MAGIC.items():
        if begin.startswith(magic):
            return FORMATS[suffix]
    return None
