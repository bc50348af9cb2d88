"""One process of a host, from its start to its end, as its master sees it."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import weakref
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import RunError
from .answers import value_of
from .fork_server import ForkServer
from .frames import MOST, AnswerReader, Ended, Garbled, TooLate
from .line import Answer, RequestLine
from .placement import HostOptions
from .sandbox import STRANGERS_MOST, THREADS
from .waiting import Late
from .worker import CUT_OFF, NOT_BEGUN

_KNOWN = frozenset(int(s) for s in signal.Signals)
_DEEDS = {  # by the name of a signal: not every system has all of them
    "SIGSEGV": "a segmentation fault",
    "SIGBUS": "a bus error",
    "SIGFPE": "a division by zero",
    "SIGILL": "an illegal instruction",
    "SIGABRT": "abort()",
}
_BUSY = 1.0  # seconds to come to the end of a call, after Ctrl-C
_LAST_WORDS = 1.0  # seconds that a host has to end once its connection is closed


@dataclass(frozen=True, slots=True)
class Death:
    """How a host ended: in words, as an exit code or a signal, with its last lines."""

    reason: str
    exit_code: int | None = None
    signal: str | None = None
    lines: tuple[str, ...] = ()


class HostDied(Exception):
    """The process ended, or was ended because it hung or answered nonsense."""

    def __init__(self, death: Death) -> None:
        super().__init__(death.reason)
        self.death = death


class HostLife:
    """A process that answers one request at a time."""

    def __init__(
        self, options: HostOptions, folders: tuple[Path, ...] = (), late: Late | None = None
    ) -> None:
        self._options = options
        self._talk, theirs = socket.socketpair()
        self._server = ForkServer.current()
        try:
            self.pid = self._server.spawn(theirs, options, folders)
            self._process = os.pidfd_open(self.pid)
        except BaseException:
            self._talk.close()
            raise
        finally:
            theirs.close()
        most = STRANGERS_MOST if options.sandbox else MOST
        reader = AnswerReader(self._talk, self._process, most)
        reader.late = late
        self._line = RequestLine(self._talk, reader)
        self._awaited = set[int]()  # those whose answers somebody waited for, and had none yet
        self.seconds = 0.0  # that the last answer took to find
        self.death: Death | None = None
        self._end = weakref.finalize(self, _end, self._talk, self._process, self._server, self.pid)

    def ask(self, request: bytes) -> Any:
        """What the host answers; HostDied if it cannot any more."""
        return self.answer(self.tell(request))

    def tell(self, request: bytes, *, later: bool = False) -> int:
        """Ask; the number by which to fetch the answer.

        `later`: the request waits for the next one that does not, or for `send`.
        """
        if self.death is not None:
            raise HostDied(self.death)
        number = self._line.add(request, later=later)
        if not later:
            self._awaited.add(number)
            self.send()
        return number

    def send(self) -> None:
        """Requests that wait are sent."""
        try:
            if self.death is None:
                self._line.send()
        except Ended as error:
            raise self._died(error) from None

    def leave(self) -> None:
        """Nobody wants to know what it is doing any more: it has a moment to come to its end."""
        if first := self._line.first:
            self._awaited.add(first)

    @property
    def first(self) -> int:
        """The number of the first request that is not answered; 0 without one."""
        return self._line.first

    def found(self, number: int) -> Answer | None:
        """An answer that has come, behind which others were fetched."""
        return self._line.found(number)

    def answer(self, number: int) -> Any:
        """What it answers to a request.

        A part that Ctrl-C interrupted has a moment to come to its end, then its host is ended.
        """
        if self.death is not None:
            raise HostDied(self.death)
        limit, left = self._options.timeout, bool(self._awaited - {number})  # by Ctrl-C
        if left:
            limit = _BUSY if limit is None else min(limit, _BUSY)
        self._awaited.add(number)
        try:
            kind, data, self.seconds = self._line.receive(number, limit)
            self._awaited = {n for n in self._awaited if n > number}
            return value_of(kind, data)
        except (Ended, TooLate, Garbled) as error:
            died = self._died(error)
            if left and isinstance(error, TooLate):
                raise KeyboardInterrupt from None  # that is what it was left alone for
            raise died from None

    def hand(self, request: bytes, files: list[int]) -> Any:
        """Ask something that takes open files along."""
        number = self.tell(request)
        try:
            socket.send_fds(self._talk, [b"f"], files)
        except OSError as error:
            raise self._died(Ended(str(error))) from None
        return self.answer(number)

    @property
    def process(self) -> int:
        """The descriptor of its process, which can be read once it has ended."""
        return self._process

    def lost(self, error: Exception) -> HostDied:
        """Native code has seen that it is dead, hangs, or answers nonsense."""
        return self._died(error) if self.death is None else HostDied(self.death)

    def close(self) -> None:
        """End it."""
        self._end()

    def _died(self, error: Exception) -> HostDied:
        """It is buried; how it died."""
        self._end.detach()
        self._talk.close()
        os.close(self._process)
        patience = _LAST_WORDS if isinstance(error, Ended) else 0.0
        try:
            found = self._server.bury(self.pid, patience)
        except RunError:
            self._server.lost()
            self.death = Death("the process that makes hosts was ended, and its hosts with it")
        else:
            self.death = self._death(error, **found)
        return HostDied(self.death)

    def _death(self, error: Exception, status: int, why: str, lines: list[str]) -> Death:
        said = tuple(lines)
        if why == "memory":
            reason = f"it took more memory than its host may, {self._options.memory}"
            return Death(reason, signal="SIGKILL", lines=said)
        if why == "threads":
            reason = f"it started more threads than a sandbox may, {THREADS}"
            return Death(reason, signal="SIGKILL", lines=said)
        if isinstance(error, TooLate):
            reason = f"it did not answer within {self._options.timeout or _BUSY:g} s"
            return Death(reason, signal="SIGKILL", lines=said)
        if isinstance(error, Garbled):
            return Death("its process answered with what is no answer", lines=said)
        if why or (os.WIFEXITED(status) and os.WEXITSTATUS(status) == CUT_OFF):
            return Death("its process closed the connection to it", lines=said)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number in _KNOWN else f"signal {number}"
            cause = f"{_DEEDS[name]} ({name})" if name in _DEEDS else name
            return Death(f"its process was ended by {cause}", signal=name, lines=said)
        code = os.WEXITSTATUS(status)
        if code == NOT_BEGUN:
            return Death("its process could not be set up", exit_code=code, lines=said)
        return Death(f"its process left with exit code {code}", exit_code=code, lines=said)


def request(dropped: list[tuple[int, int]], method: str, *given: Any) -> bytes:
    """A request as bytes; `dropped`: snapshots that are needed no more."""
    return pickle.dumps((dropped, method, given), pickle.HIGHEST_PROTOCOL)


def farewell(life: HostLife, number: int) -> dict[str, Any]:
    """Close a part: what it says then, or said before, if it does not survive that."""
    said: dict[str, Any] = life.ask(request([], "said", number))
    try:
        said = life.ask(request([], "close", number))
    except HostDied as died:
        remark = f"failed while terminating: {died.death.reason}"
        said["remarks"] = [*said.get("remarks", ()), remark]
    return said


def _end(talk: socket.socket, process: int, server: ForkServer, pid: int) -> None:
    talk.close()
    os.close(process)
    with suppress(RunError):
        server.bury(pid)
