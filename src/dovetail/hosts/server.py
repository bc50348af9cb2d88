"""The fork server: a process that has loaded everything once and makes hosts by fork.

It has one thread, no FMU and nothing of the run. It ends its hosts and leaves when its master is
gone, however that went, and removes what they left: their children, their folders. Hosts are its
children, so that they die with it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from .process import become_subreaper, resident, threads
from .sandbox import THREADS
from .setting import Setting, begin

_LINES = 20  # that a host wrote last
_LOOK = 0.02  # seconds between two looks at the memory of hosts
_MOST = 65536  # bytes of a request that are read at once
_LONG = 8192  # bytes of a line that are kept
_PLAIN = bytes(b if b in (9, 10) or 32 <= b != 127 else 63 for b in range(256))


class HostProcess:
    """One host, seen from its server."""

    def __init__(self, pid: int, folder: Path, pipes: tuple[int, int], shown: int) -> None:
        self.pid, self.folder, self.pipes, self.shown = pid, folder, pipes, shown
        self.lines: deque[str] = deque(maxlen=_LINES)
        self.rest = {fd: b"" for fd in pipes}
        self.open = set(pipes)
        self.limit: int | None = None  # bytes beside what it began with
        self.is_caged = False  # in a sandbox
        self.why = ""

    def read(self, fd: int) -> bool:
        """What it wrote, kept in lines and passed on; whether there may be more."""
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.open.discard(fd)
            return False
        if fd == self.pipes[0]:
            with suppress(OSError):
                os.write(self.shown, data.translate(_PLAIN) if self.is_caged else data)
        *lines, last = (self.rest[fd] + data).split(b"\n")
        self.rest[fd] = last[-_LONG:]
        self.lines += [line[-_LONG:].decode(errors="replace") for line in lines if line.strip()]
        return True

    def told(self) -> list[str]:
        """Its last lines."""
        for fd in self.pipes:
            while self.read(fd):
                pass
        last = [r.decode(errors="replace") for r in self.rest.values() if r.strip()]
        return [*self.lines, *last]

    def remove(self) -> None:
        """Nothing of it stays: processes it started, what it wrote, the ends of its pipes."""
        self.open.clear()
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
            while True:
                os.waitpid(-self.pid, 0)  # left to us; none at last
        for fd in (*self.pipes, self.shown):
            os.close(fd)
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """Answers one master, until it is gone."""

    def __init__(self, control: socket.socket, folder: Path) -> None:
        self._control, self._folder = control, folder
        self._children: dict[int, HostProcess] = {}
        self._count = 0

    def serve(self) -> None:
        """Until the master is gone."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        watched: dict[int, HostProcess] = {}
        while True:
            open_pipes = {fd: c for c in self._children.values() for fd in c.open}
            for fd in watched.keys() - open_pipes.keys():
                poll.unregister(fd)
            for fd in open_pipes.keys() - watched.keys():
                poll.register(fd, select.POLLIN)
            watched = open_pipes
            limits = any(c.limit is not None or c.is_caged for c in self._children.values())
            for fd, _ in poll.poll(1000 * _LOOK if limits else None):
                if fd in watched:
                    if fd in watched[fd].open:
                        watched[fd].read(fd)
                elif not self._request():
                    return
            if limits:
                self._weigh()

    def end(self) -> None:
        """Kill all hosts and remove what they left."""
        for child in self._children.values():
            with suppress(OSError):
                os.kill(child.pid, signal.SIGKILL)
        for child in self._children.values():
            with suppress(OSError):
                os.waitpid(child.pid, 0)
            child.remove()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _request(self) -> bool:
        data, fds, _, _ = socket.recv_fds(self._control, _MOST, 8)
        if not data:
            return False
        while not data.endswith(b"\n"):
            more = self._control.recv(_MOST)
            if not more:
                return False
            data += more
        asked = json.loads(data)
        try:
            does: dict[str, Callable[..., dict[str, Any]]]
            does = {"spawn": self._spawn, "bury": self._bury}
            found = does[asked.pop("do")](fds, **asked)
        except OSError as error:
            found = {"error": f"{error.strerror or error}"}
        with suppress(OSError):
            self._control.sendall(json.dumps(found).encode() + b"\n")
        return True

    def _spawn(
        self,
        fds: list[int],
        environment: dict[str, str],
        changed: dict[str, str | None],
        memory: int | None,
        directory: str | None,
        reads: list[str] | None,
    ) -> dict[str, Any]:
        self._count += 1
        folder = self._folder / f"host-{self._count}"
        folder.mkdir()
        talk, out, shown = fds
        errors, logs = os.pipe(), os.pipe()
        if reads is not None:  # what a stranger prints goes through here
            os.close(out)
            out = os.dup(errors[1])
        setting = Setting(folder, environment, changed, directory, reads)
        me = os.getpid()
        pid = os.fork()
        if pid == 0:
            unneeded = self._unneeded(errors[0], logs[0], shown)
            begin(me, talk, (out, errors[1], logs[1]), setting, unneeded)
        for fd in (talk, out, errors[1], logs[1]):
            os.close(fd)
        for fd in (errors[0], logs[0]):
            os.set_blocking(fd, False)
        child = self._children[pid] = HostProcess(pid, folder, (errors[0], logs[0]), shown)
        child.limit = None if memory is None else memory + resident(me)
        child.is_caged = reads is not None
        return {"pid": pid}

    def _bury(self, fds: list[int], pid: int, patience: float) -> dict[str, Any]:
        """End a host, if it does not end by itself, and say how it ended."""
        child = self._children.pop(pid)
        until, status = monotonic() + patience, None
        while status is None:
            found, how = os.waitpid(pid, os.WNOHANG)
            if found:
                status = how
            elif monotonic() >= until:
                child.why = child.why or "killed"
                os.kill(pid, signal.SIGKILL)
                status = os.waitpid(pid, 0)[1]
            else:
                for fd in child.pipes:
                    child.read(fd)
                sleep(0.0005)
        lines = child.told()
        child.remove()
        return {"status": status, "why": child.why, "lines": lines}

    def _weigh(self) -> None:
        for child in self._children.values():
            if child.limit is not None and not child.why and resident(child.pid) > child.limit:
                child.why = "memory"
                os.kill(child.pid, signal.SIGKILL)
            elif child.is_caged and not child.why and threads(child.pid) > THREADS:
                child.why = "threads"
                os.kill(child.pid, signal.SIGKILL)

    def _unneeded(self, *more: int) -> list[int]:
        others = [fd for c in self._children.values() for fd in (*c.pipes, c.shown)]
        return [self._control.fileno(), *others, *more]


def main(control: int, folder: str) -> None:
    """Load what the master has loaded, say so, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    talk = socket.socket(fileno=control)
    become_subreaper()
    server = Server(talk, Path(folder))
    try:
        if _is_ready(talk):
            server.serve()
    finally:
        server.end()


def _is_ready(talk: socket.socket) -> bool:
    """Load everything and say so; whether the master is still there, as Ctrl-C may have come."""
    data = bytearray()
    while not data.endswith(b"\n"):
        more = talk.recv(65536)
        if not more:
            return False
        data += more
    for name in json.loads(data):
        with suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # hosts share these pages
    try:
        talk.sendall(b'{"ready": true}\n')
    except OSError:
        return False
    for place in (1, 2):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, place)
        os.close(nowhere)
    return True
