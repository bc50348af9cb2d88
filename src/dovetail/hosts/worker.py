"""Inside a host: parts are made here and answer what the master asks."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..core.signals import Waveform
from ..core.window import Window
from ..subsystems.batch import SupportsBatch, WindowRange
from ..subsystems.foreign import SupportsForeignCode
from ..subsystems.served import NativeFault, Served, ServedMember, SupportsServing
from ..subsystems.subsystem import Reached
from .answers import answer, failure
from .block import SharedBlock
from .frames import Ended, frame, receive, send_all
from .members import FAREWELL, MEMBERS, METHODS, SNAPSHOTS
from .neighbours import LockStep, LockStepAnswer, PartAmongOthers
from .travel import opened

CUT_OFF = 120  # exit code of a host whose connection a part has closed
NOT_BEGUN = 121  # and of one that could not enter its folder or its sandbox
_NOTHING = object()


@dataclass(frozen=True, slots=True, eq=False)
class Unsaved:
    """A snapshot that could not be made, and why: nobody waited for it."""

    error: Exception


class HostedParts:
    """The parts of one host by number, and the snapshots that the master holds on to."""

    def __init__(self, messages: int, talk: socket.socket) -> None:
        self._messages, self._talk = messages, talk  # where what FMUs log goes at once
        self._block: SharedBlock | None = None
        self._served: Served | None = None
        self._parts: dict[int, Any] = {}
        self._open: dict[int, bool] = {}  # its last step left derivatives open
        self._snapshots: dict[tuple[int, int], Any] = {}
        self._among: PartAmongOthers | None = None

    def make(self, number: int, name: str, data: bytes) -> list[str]:
        """Make a part live; what it can do."""
        model = opened(data)
        if isinstance(model, SupportsForeignCode):
            model.echo_messages(self._messages)
        part = self._parts[number] = model.instantiate(name)
        return [m for m in MEMBERS if _has(part, m)]

    def call(self, number: int, method: str, *given: Any) -> Any:
        """Call a method of a part, or read what it shows."""
        if method == "outputs_at":
            inputs, order = given
            return [self._parts[number].outputs(each, order) for each in inputs]
        if method == "advance":
            return self._advance(number, *given)
        found = getattr(self._parts[number], method)
        return found(*given) if callable(found) else found

    def _advance(self, number: int, window: Window, inputs: Waveform) -> Reached:
        self._open[number] = False
        reached: Reached = self._parts[number].advance(window, inputs)
        found = reached.outputs
        known = found.derivatives is not None and not np.isnan(found.derivatives).any()
        self._open[number] = bool(found.reals.size) and not known
        return reached

    def dumps(self) -> list[bytes]:
        """The states of all parts."""
        return [part.dump() for part in self._parts.values()]

    def linearize_lacking(self, number: int) -> Any:
        """The linearization of a part, if its last step left derivatives open; else nothing."""
        return self._parts[number].linearize() if self._open.get(number) else None

    def start(self, number: int, start: float, values: Any, derivatives: bool) -> None:
        """Enter initialization."""
        self._parts[number].initialize(start, values, derivatives=derivatives)

    def snapshot(self, number: int, key: int) -> None:
        """Keep a snapshot under a key that the master chose."""
        try:
            self._snapshots[number, key] = self._parts[number].snapshot()
        except Exception as error:
            self._snapshots[number, key] = Unsaved(error)
            raise

    def restore(self, number: int, key: int) -> None:
        """Return to a snapshot."""
        kept = self._snapshots[number, key]
        if isinstance(kept, Unsaved):
            raise kept.error
        self._parts[number].restore(kept)

    def attach(self, members: list[ServedMember], size: int) -> list[int]:
        """From now on native code steps these, as it is asked through shared memory."""
        _, files, _, _ = socket.recv_fds(self._talk, 1, 3)
        block = self._block = SharedBlock(files[0], size, files[1:])
        parts = [self._parts[m.number] for m in members]
        model = parts[0].model
        factory = model.batch_factory if isinstance(model, SupportsBatch) else None
        if not isinstance(factory, SupportsServing):
            raise TypeError("parts of this kind are not stepped by native code")
        bells = *block.bells, self._talk.fileno()
        served = self._served = factory.serve(parts, members, block.address, bells)
        return list(served.highest)

    def detach(self) -> None:
        """No longer."""
        if self._served is not None and self._block is not None:
            self._served.close()
            self._block.close()
            self._served = self._block = None

    def meet(self, number: int, plan: LockStep) -> None:
        """From now on this part may step beside those at the other ends of open connections."""
        _, files, _, _ = socket.recv_fds(self._talk, 1, max(len(plan.neighbours), 1))
        if not plan.neighbours:  # one that says nothing had to come along
            os.close(files.pop())
        links = [socket.socket(fileno=file) for file in files]
        self._among = PartAmongOthers(self._parts[number], plan, links)

    def lock_step(self, stretch: WindowRange, start: Any, known: Any, past: Any) -> Any:
        """Some windows in lock step with them."""
        if self._among is None:
            raise TypeError("it has met nobody")
        found: LockStepAnswer = self._among.windows(stretch, start, known, past)
        return [found.done, found.outputs, found.seconds, *_ending(found)]

    def fault(self, place: int, fault: NativeFault) -> None:
        """Raise the error for a call that failed in native code."""
        if self._served is not None:
            raise self._served.failure(place, fault)

    def recovered(self, place: int) -> None:
        """A member was brought back to before its error."""
        if self._served is not None:
            self._served.recovered(place)

    def wait(self) -> bool:
        """Until there is a request to be read; False if there will be none."""
        return self._served is None or self._served.wait()

    def drop(self, keys: list[tuple[int, int]]) -> None:
        """The master needs these no more."""
        for key in keys:
            self._snapshots.pop(key, None)

    def said(self, number: int) -> dict[str, Any]:
        """What a part has to say before it is closed: it may not survive that."""
        part = self._parts[number]
        kept = (m for m in FAREWELL if m != "log_messages" and _has(part, m))  # reading empties it
        return {m: getattr(part, m) for m in kept}

    def close(self, number: int) -> dict[str, Any]:
        """Close a part; what it has to say afterwards."""
        part = self._parts[number]
        for key in [k for k in self._snapshots if k[0] == number]:
            del self._snapshots[key]
        part.close()
        return {m: getattr(part, m) for m in FAREWELL if _has(part, m)}


def _ending(found: LockStepAnswer) -> list[Any]:
    failed = None if found.failed is None else list(found.failed)
    return [failed, found.stopped_by, found.why]


def _has(part: Any, member: str) -> bool:
    """Without asking for it: reading messages empties them. A method may be one of another's."""
    if inspect.getattr_static(part, member, _NOTHING) is not _NOTHING:
        return True
    hands_on = member in METHODS or member in SNAPSHOTS
    return hands_on and hasattr(type(part), "__getattr__") and hasattr(part, member)


def work(talk: socket.socket, logs: int, folder: Path) -> int:
    """Answer the master until it is gone; the exit code."""
    me = os.getpid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import resource  # POSIX only

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    tempfile.tempdir = str(folder)
    worker = HostedParts(logs, talk)
    while True:
        if not worker.wait():
            return CUT_OFF
        try:
            number, data = receive(talk)
        except Ended:
            return 0
        begin = perf_counter()
        try:
            dropped, method, given = pickle.loads(data)  # of our master
            worker.drop(dropped)
            found = answer(getattr(worker, method)(*given))
        except BaseException as error:
            found = failure(error)
        if os.getpid() != me:
            os._exit(0)  # a part has called fork(): this is the copy
        with suppress(Exception):  # a part may have closed it
            sys.stdout.flush()
        try:
            send_all(talk, frame(found[0], number, found[1], perf_counter() - begin))
        except Ended:
            return CUT_OFF
