"""A whole run on disk, to go on from later."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..assembly.segment import Position
from ..core import codec
from ..core.errors import FileError, OptionError, no_such_file
from ..core.statistics import Statistics
from ..core.window import Grid

_KIND = b"dovetail checkpoint "
_MAGIC = _KIND + b"2\n"  # another number where what is in it has changed


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything a run needs to go on to the last bit."""

    fingerprint: str
    algorithm: str
    controller: str
    start: float
    stop: float
    grid: Grid
    position: Position
    parts: list[Any]  # time, state as bytes, what its rehearsal learned
    statistics: Statistics
    witness: tuple[Any, ...]
    recording: dict[str, Any]
    columns: tuple[str, ...]
    ledger: dict[str, Any]
    estimators: tuple[str, ...] = ()  # of all parts
    changes: tuple[Any, Any] = ({}, ())  # what was set by hand

    def write(self, path: str | Path) -> None:
        """Write it whole or not at all: a checkpoint that is there is complete."""
        target = Path(path)
        beside = target.with_name(target.name + ".writing")
        try:
            with beside.open("wb") as file:
                file.write(_MAGIC + zlib.compress(codec.encode(self), 1))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise FileError(path, f"the checkpoint cannot be written: {error.strerror}") from error

    def check_fits(
        self,
        *,
        fingerprint: str,
        algorithm: str,
        controller: str,
        estimators: tuple[str, ...],
        start: float,
        stop: float,
        columns: tuple[str, ...],
    ) -> None:
        """Refuse to go on with a run that is not the one that was interrupted."""
        pairs = zip(self.estimators, estimators, strict=False)
        other = next((old for old, new in pairs if old != new), None)
        what = ""
        if self.fingerprint != fingerprint:
            what = "it was made from another drawing"
        elif self.algorithm != algorithm:
            what = f"it was made with {self.algorithm}"
        elif self.controller != controller:
            what = f"it was made with {self.controller}"
        elif other is not None:
            what = f"it was made with {other}"
        elif self.start != start:
            what = f"it was started at {self.start:g} s"
        elif self.columns != columns:
            what = "it records other variables"
        elif self.position.time > stop:
            what = f"it stands at {self.position.time:g} s, behind the stop at {stop:g} s"
        if what:
            way_out = "run it as it was then, or leave resume= out to begin anew"
            raise OptionError(f"the checkpoint does not fit this run: {what}; {way_out}")

    @staticmethod
    def read(path: str | Path) -> Checkpoint:
        """Read it again."""
        try:
            data = Path(path).read_bytes()
        except FileNotFoundError:
            raise no_such_file(path) from None
        except OSError as error:
            raise FileError(path, f"it cannot be read: {error.strerror}") from error
        if not data.startswith(_KIND):
            raise FileError(path, "it is not a checkpoint of Dovetail")
        if not data.startswith(_MAGIC):
            what = "the checkpoint was written by another version of Dovetail"
            raise FileError(path, what, "go on with that version, or begin anew")
        try:
            found = codec.decode(zlib.decompress(data[len(_MAGIC) :]))
        except (ValueError, zlib.error) as error:
            raise FileError(path, f"the checkpoint is damaged: {error}") from error
        if not isinstance(found, Checkpoint):
            raise FileError(path, "it holds something else than a checkpoint")
        return found
