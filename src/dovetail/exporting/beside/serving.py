"""The Python process of an FMU: what is asked over the pipe, and answered.

`native/beside/` is the other side; docs/protocol.md has the frames.
"""

from __future__ import annotations

import os
import select
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from time import sleep
from typing import Any

from ...core.errors import DovetailError
from ...hosts.frames import Ended, Garbled
from ...machines.greeting import Hello, Refused, welcome
from ...machines.wire import FRAME, HEAD, MARK, FrameLink
from .environment import opened
from .instance import BesideInstance

_GRACE = 2.0  # seconds that a model has when its importer is gone
_COUNT, _NUMBER, _PAIR, _KEY = (struct.Struct(f) for f in ("<Q", "<d", "<dd", "<Q"))
_REAL, _STRING = 0, 3


class BesideKind(IntEnum):
    """Kinds of frames between an FMU and its Python process, beside those of machines."""

    SNAPSHOT, RESTORE, DROP, CLOSE = 23, 24, 25, 26
    MAKE, SETUP, ENTER, LEAVE, SET, GET, STEP, DERIVE = 32, 33, 34, 35, 36, 37, 38, 39
    DUMP, LOAD, RESET, TERMINATE = 40, 41, 42, 43
    DONE, FAILED, LOG = 96, 97, 98


class PipeLink(FrameLink):
    """Frames over the file descriptors that the FMU gave."""

    def __init__(self, read: int, write: int) -> None:
        self.peer, self.most = "the FMU", 2**26
        self._read, self._write = read, write
        self._had = bytearray()

    def send(self, kind: int, number: int, payload: bytes, limit: float = FRAME) -> None:
        """Send one frame whole."""
        data = memoryview(HEAD.pack(MARK, kind, number, len(payload)) + payload)
        try:
            while data:
                data = data[os.write(self._write, data) :]
        except OSError as error:
            raise Ended(str(error)) from error

    def _upto(self, size: int, until: float | None) -> bytearray:
        while len(self._had) < size:
            try:
                more = os.read(self._read, 2**16)
            except OSError as error:
                raise Ended(str(error)) from error
            if not more:
                raise Ended("closed")
            self._had += more
        return self._had


class BesideRequest:
    """The numbers of a request, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, form: struct.Struct) -> tuple[Any, ...]:
        """The next ones."""
        found = form.unpack_from(self._data, self._at)
        self._at += form.size
        return found

    def many(self, letter: str, n: int) -> list[Any]:
        """So many of one form."""
        return list(self.take(struct.Struct(f"<{n}{letter}")))

    def references(self) -> list[int]:
        """Value references, behind how many there are."""
        return self.many("I", self.take(_COUNT)[0])

    def rest(self) -> bytes:
        """All that is left."""
        found, self._at = self._data[self._at :], len(self._data)
        return found

    def text(self) -> str:
        """A text, behind its size."""
        (size,) = self.take(_COUNT)
        found = self._data[self._at : self._at + size]
        self._at += size
        return found.decode()


def serve(read: int, write: int, folder: Path) -> None:
    """Answer the FMU until it closes, or is gone."""
    _end_with(read)
    link = PipeLink(read, write)
    instance: BesideInstance | None = None
    try:
        welcome(link, Hello("host"), None, ("user",))
        while True:
            kind, number, data = link.receive(None)
            if kind == BesideKind.CLOSE:
                break
            try:
                if kind == BesideKind.MAKE:
                    model = opened((folder / "model.bin").read_bytes())
                    instance, found = BesideInstance(model, data.decode()), b""
                elif instance is None:
                    raise Garbled
                else:
                    found = _ANSWERS[BesideKind(kind)](instance, BesideRequest(data))
                answer = BesideKind.DONE, number, found
            except Exception as error:
                answer = BesideKind.FAILED, number, said(error).encode()
            sys.stdout.flush()
            link.send(*answer)
    except (Ended, Refused, Garbled):
        pass
    finally:
        if instance is not None:
            instance.close()


def said(error: BaseException) -> str:
    """What went wrong, in a sentence; of other people's exceptions with the line."""
    if isinstance(error, DovetailError):
        return str(error)
    lines = traceback.extract_tb(error.__traceback__)
    own = [f for f in lines if "dovetail" not in Path(f.filename).parts] or lines
    where = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{where}"


def _end_with(read: int) -> None:
    """End when the importer is gone, whatever the model does then."""
    if not hasattr(select, "poll"):
        return  # on Windows a job does that

    def watch() -> None:
        poll = select.poll()
        poll.register(read, 0)  # only whether the other side is there
        poll.poll()
        sleep(_GRACE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _setup(it: BesideInstance, asked: BesideRequest) -> bytes:
    it.set_up(*asked.take(_PAIR))
    return b""


def _set(it: BesideInstance, asked: BesideRequest) -> bytes:
    (kind,) = asked.take(struct.Struct("<I"))
    references = asked.references()
    if kind == _STRING:
        values: list[Any] = [asked.text() for _ in references]
    else:
        values = asked.many("d" if kind == _REAL else "q", len(references))
    it.set(references, values)
    return b""


def _get(it: BesideInstance, asked: BesideRequest) -> bytes:
    (kind,) = asked.take(struct.Struct("<I"))
    values = it.get(asked.references())
    if kind == _STRING:
        texts = [str(v).encode() for v in values]
        return b"".join(_COUNT.pack(len(text)) + text for text in texts)
    form = "d" if kind == _REAL else "q"
    return struct.pack(f"<{len(values)}{form}", *map(float if kind == _REAL else int, values))


def _step(it: BesideInstance, asked: BesideRequest) -> bytes:
    reached, ends = it.step(*asked.take(_PAIR))
    return struct.pack("<dB", reached, ends)


def _derive(it: BesideInstance, asked: BesideRequest) -> bytes:
    unknowns, knowns = asked.references(), asked.references()
    found = it.derive(unknowns, knowns, asked.many("d", len(knowns)))
    return struct.pack(f"<{len(found)}d", *found)


def _load(it: BesideInstance, asked: BesideRequest) -> bytes:
    (key,) = asked.take(_KEY)
    it.load(key, asked.rest())
    return b""


def _done(
    act: Callable[[BesideInstance], None],
) -> Callable[[BesideInstance, BesideRequest], bytes]:
    def answer(it: BesideInstance, asked: BesideRequest) -> bytes:
        act(it)
        return b""

    return answer


def _keyed(
    act: Callable[[BesideInstance, int], bytes | None],
) -> Callable[[BesideInstance, BesideRequest], bytes]:
    return lambda it, asked: act(it, asked.take(_KEY)[0]) or b""


_ANSWERS: dict[BesideKind, Callable[[BesideInstance, BesideRequest], bytes]] = {
    BesideKind.SETUP: _setup,
    BesideKind.ENTER: _done(BesideInstance.enter),
    BesideKind.LEAVE: _done(BesideInstance.leave),
    BesideKind.RESET: _done(BesideInstance.reset),
    BesideKind.TERMINATE: _done(BesideInstance.terminate),
    BesideKind.SET: _set,
    BesideKind.GET: _get,
    BesideKind.STEP: _step,
    BesideKind.DERIVE: _derive,
    BesideKind.SNAPSHOT: _keyed(BesideInstance.keep),
    BesideKind.RESTORE: _keyed(BesideInstance.restore),
    BesideKind.DROP: _keyed(BesideInstance.drop),
    BesideKind.DUMP: _keyed(BesideInstance.dump),
    BesideKind.LOAD: _load,
}
