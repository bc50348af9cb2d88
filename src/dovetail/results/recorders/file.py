"""Rows that go to disk as they come, and become a file at the end."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import FileError, OptionError
from ...core.options import check_path
from ..files.remains import Remains
from ..files.streaming import FileRecording
from .base import Column, RecordedTable, checked

if TYPE_CHECKING:
    from ..files import Format


@dataclass(frozen=True, slots=True)
class File:
    """Writes every row to disk at once; at the end the suffix decides what the file becomes.

    Suffixes: .parquet, .arrow, .csv, .tsv, .h5, .hdf5, .mat, .xlsx, .json. Until then the rows
    lie in two files beside it, and survive the death of the process: `dovetail.read` finds them.
    """

    path: str | Path

    def __post_init__(self) -> None:
        check_path("path", self.path)

    def open(self, columns: Sequence[Column]) -> FileRecording:
        """Begin a recording."""
        path, form = self._place(), self.form()
        recording = FileRecording(path, form, checked(columns), secrets.token_hex(8))
        recording.begin()
        return recording

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> FileRecording:
        """Go on from a checkpoint, with what the run left or with the file it became."""
        path, form = self._place(), self.form()
        if "bytes" not in position:
            remedy = "resume with the recorder that the run had"
            raise OptionError(f"the checkpoint knows nothing of '{path}'; {remedy}")
        name, rows = str(position["recording"]), int(position["rows"])
        recording = FileRecording(path, form, checked(columns), name)
        remains = _left_by(name, path)
        if remains is not None and remains.columns == recording.columns:
            recording.take_up(remains, rows, int(position["bytes"]))
        else:
            table = _became(name, path, recording.columns, rows)
            recording.begin()
            recording.replay(table, rows)
        return recording

    def _place(self) -> Path:
        """Where it is now: a part may change the working directory on the way."""
        return Path(self.path).absolute()

    def form(self) -> Format:
        """What the file becomes at the end."""
        from ..files import form_of

        return form_of(Path(self.path))


def _left_by(name: str, path: Path) -> Remains | None:
    """What the named run left unfinished, if it did."""
    try:
        remains = Remains(path)
    except FileError:
        return None
    return remains if remains.facts.get("recording") == name else None


def _became(name: str, path: Path, columns: tuple[Column, ...], rows: int) -> RecordedTable:
    """The file that the named run became."""
    from ..files import read_table

    if not path.exists():
        raise FileError(path, "the rows before the checkpoint are gone", "start the run anew")
    table = read_table(path, columns)
    known = table.facts.get("recording", name)
    if known != name or table.columns != columns or table.rows < rows:
        what = "holds another run than the one of the checkpoint"
        raise FileError(path, what, "start the run anew")
    return table
