"""A whole run on disk, to go on from later."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ..assembly.segment import Position
from ..core import codec
from ..core.change import Change
from ..core.errors import DovetailError, FileError, OptionError
from ..core.guard import check_file, guarded, short
from ..core.statistics import Statistics
from ..core.window import Grid
from ..topology.layout import Layout
from .identity import identity, is_same, shown

_KIND = b"dovetail checkpoint "
FORMAT = 3  # 1 and 2 were those of Dovetail 0.1; from 3 on, what was written stays readable
_MAGIC = _KIND + b"%d\n" % FORMAT
_HIGHEST_RATIO, _ROOM = 50, 2**24  # unpacked to packed; bytes that any checkpoint may have unpacked


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything a run needs to go on to the last bit."""

    fingerprint: str
    algorithm: Any  # what it was, as `identity` gives it
    controller: Any
    start: float
    stop: float
    grid: Grid
    position: Position
    parts: list[tuple[float, Any, Any]]  # time, state, what its rehearsal learned
    statistics: Statistics
    witness: tuple[Any, ...]
    recording: dict[str, Any]
    columns: tuple[str, ...]
    ledger: dict[str, Any]
    estimators: tuple[Any, ...] = ()  # of all parts
    changes: tuple[dict[str, Any], tuple[Change, ...]] = ({}, ())  # what was set by hand

    @staticmethod
    def of(
        *, algorithm: Any, controller: Any, estimators: Sequence[Any], **more: Any
    ) -> Checkpoint:
        """A checkpoint of a run with these; the rest as it is."""
        return Checkpoint(
            algorithm=identity(algorithm),
            controller=identity(controller),
            estimators=tuple(map(identity, estimators)),
            **more,
        )

    def write(self, path: str | Path) -> None:
        """Write it whole or not at all: a checkpoint that is there is complete."""
        target = Path(path)
        beside = target.with_name(target.name + ".writing")
        try:
            with beside.open("wb") as file:
                file.write(_MAGIC + _packed(codec.encode(self)))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        except BaseException as error:
            beside.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            raise FileError(path, f"the checkpoint cannot be written: {error.strerror}") from error

    def check_fits(
        self,
        *,
        fingerprint: str,
        algorithm: Any,
        controller: Any,
        estimators: Sequence[Any],
        start: float,
        stop: float,
        columns: tuple[str, ...],
    ) -> None:
        """Refuse to go on with a run that is not the one that was interrupted."""
        pairs = zip(self.estimators, estimators, strict=False)
        other = next((old for old, new in pairs if not is_same(old, new)), None)
        what = ""
        if self.fingerprint != fingerprint:
            what = "it was made from another drawing"
        elif not is_same(self.algorithm, algorithm):
            what = f"it was made with {shown(self.algorithm)}"
        elif not is_same(self.controller, controller):
            what = f"it was made with {shown(self.controller)}"
        elif other is not None:
            what = f"it was made with {shown(other)}"
        elif self.start != start:
            what = f"it was started at {self.start:g} s"
        elif self.columns != columns:
            what = "it records other variables"
        elif self.position.time > stop:
            what = f"it stands at {self.position.time:g} s, behind the stop at {stop:g} s"
        if what:
            way_out = "run it as it was then, or leave resume= out to begin anew"
            raise OptionError(f"the checkpoint does not fit this run: {what}; {way_out}")

    def check_sizes(self, layout: Layout) -> None:
        """Refuse a file that was not written for this run, before its numbers go anywhere."""
        outputs, wanted = self.position.outputs, layout.outputs
        derivatives = outputs.reals if outputs.derivatives is None else outputs.derivatives
        grid = self.grid
        if not (isfinite(grid.origin) and grid.size > 0 and isfinite(self.position.time)):
            what = "the checkpoint does not fit this run: its windows have no place in time"
            raise OptionError(f"{what}; leave resume= out to begin anew")
        sizes = len(self.parts), outputs.reals.shape, derivatives.shape, len(outputs.discrete)
        reals = (len(wanted.reals),)
        if sizes != (len(layout.names), reals, reals, len(wanted.discrete)):
            what = "the checkpoint holds values of another number of parts or outputs"
            raise OptionError(f"{what}; leave resume= out to begin anew")

    @staticmethod
    def read(path: str | Path) -> Checkpoint:
        """Read it again."""
        check_file(path)
        with guarded(path, "it cannot be read"):
            data = Path(path).read_bytes()
        if not data.startswith(_KIND):
            raise FileError(path, "it is not a checkpoint of Dovetail")
        if not data.startswith(_MAGIC):
            raise _other_format(path, data[len(_KIND) :].partition(b"\n")[0])
        with guarded(path, "the checkpoint is damaged"):
            found = codec.decode(_unpacked(data[len(_MAGIC) :]))
        if not isinstance(found, Checkpoint):
            raise FileError(path, "it holds something else than a checkpoint")
        return found


@contextmanager
def taken_up() -> Iterator[None]:
    """What goes wrong while a run takes up a checkpoint lies in the values of that checkpoint."""
    try:
        yield
    except (DovetailError, Warning):
        raise
    except Exception as error:
        what = "the checkpoint does not fit this run: its values are not as they were"
        raise OptionError(f"{what} ({short(error)}); leave resume= out to begin anew") from error


def _packed(text: bytes) -> bytes:
    """Compressed, unless that makes it so small that it would be taken for a bomb."""
    found = zlib.compress(text, 1)
    return found if len(text) <= _room(found) else zlib.compress(text, 0)


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, _room(data))
    if unpacker.unconsumed_tail:
        raise ValueError(f"unpacked it has more than {_room(data)} bytes")
    if not unpacker.eof:
        raise ValueError("it is cut short")
    return text


def _room(packed: bytes) -> int:
    return max(_ROOM, _HIGHEST_RATIO * len(packed))


def _other_format(path: str | Path, number: bytes) -> FileError:
    """Why a checkpoint that is none of this format is not read, and what to do."""
    if number in (b"1", b"2"):
        what = "the checkpoint was written by Dovetail 0.1, which this version cannot read"
        return FileError(path, what, "go on with Dovetail 0.1, or begin anew")
    if number.isdigit() and int(number[:9]) > FORMAT:
        what = "the checkpoint was written by a later version of Dovetail"
        return FileError(path, what, "update Dovetail, or begin anew")
    return FileError(path, "the checkpoint is damaged: its first line names no format")
