"""The master's side of the fork server: started once, when the first host is needed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

from ..core.errors import RunError
from .placement import HostOptions
from .process import check_platform
from .sandbox import readable

_PREFIX = "dovetail-hosts-"
_ROOTS = ("dovetail", "numpy", "scipy", "lxml", "cloudpickle", "yaml", "pydantic")
_ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)
_START = "import sys; sys.path[:] = {!r}; from dovetail.hosts.server import main; main({}, {!r})"
_YOUNG = 60.0  # seconds: a folder may be without its lock for a moment


class ForkServer:
    """The process that makes hosts; it lives as long as this one."""

    _current: ForkServer | None = None
    _lock = threading.RLock()

    def __init__(self) -> None:
        check_platform()
        _sweep()
        self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._held = os.open(self._folder / "held", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
        import fcntl  # POSIX only

        fcntl.flock(self._held, fcntl.LOCK_EX)  # by which others know that it is in use
        self._control, theirs = socket.socketpair()
        self._surroundings = dict(os.environ)  # it starts with
        self._process = _started(theirs, self._folder)
        theirs.close()
        loaded = [m for m in sys.modules if m.partition(".")[0] in _ROOTS]
        asked = json.dumps(loaded) + "\n"
        with suppress(OSError):
            self._control.sendall(asked.encode())
        self._answer()

    @classmethod
    def current(cls) -> ForkServer:
        """The one of this process, started if it is not there."""
        with cls._lock:
            if cls._current is None or not cls._current.is_alive:
                if cls._current is not None:
                    cls._current.lost()
                cls._current = cls()
            return cls._current

    @classmethod
    def forget(cls) -> None:
        """After a fork of this process: the server belongs to the other one."""
        cls._lock = threading.RLock()
        if cls._current is not None:
            cls._current._control.close()
            os.close(cls._current._held)
            cls._current = None

    @property
    def is_alive(self) -> bool:
        """Whether it is there."""
        return self._process.poll() is None

    def spawn(self, talk: socket.socket, options: HostOptions, folders: tuple[Path, ...]) -> int:
        """Make a host that talks here; its process. `folders`: what a sandbox reads besides."""
        asked: dict[str, Any] = {
            "do": "spawn",
            "environment": dict(options.environment),
            "memory": options.bytes,
        }
        asked |= {"directory": _place_of(options)}
        asked |= {"reads": readable(folders) if options.sandbox else None}
        asked |= {"changed": self._changed()}
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        with _standard(1) as out, _standard(2) as errors:
            found: int = self._ask(asked, [talk.fileno(), out.fileno(), errors.fileno()])["pid"]
        return found

    def bury(self, pid: int, patience: float = 0.0) -> dict[str, Any]:
        """End a host, unless it ends by itself in so many seconds; how it ended."""
        return self._ask({"do": "bury", "pid": pid, "patience": patience}, [])

    def lost(self) -> None:
        """It was killed: its hosts died with it, and what it cannot remove goes."""
        self._process.wait()
        with suppress(OSError):
            self._control.close()
            os.close(self._held)
        self._held = -1
        shutil.rmtree(self._folder, ignore_errors=True)

    def _changed(self) -> dict[str, str | None]:
        """What became of environment variables here since it was started; None: it is gone."""
        before, now = self._surroundings, os.environ
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        return {name: now.get(name) for name in names}

    def _ask(self, asked: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        with self._lock:
            try:
                data = json.dumps(asked).encode() + b"\n"
                sent = socket.send_fds(self._control, [data], fds)
                self._control.sendall(data[sent:])
            except OSError:
                raise RunError("the process that makes hosts was ended from outside") from None
            return self._answer()

    def _answer(self) -> dict[str, Any]:
        data = bytearray()
        while not data.endswith(b"\n"):
            try:
                more = self._control.recv(2**20)
            except OSError:
                more = b""
            if not more:
                raise RunError("the process that makes hosts ended, or could not be started")
            data += more
        found: dict[str, Any] = json.loads(data)
        if "error" in found:
            raise RunError(f"no host can be made: {found['error']}")
        return found


def _place_of(options: HostOptions) -> str | None:
    """The working directory of a host; None where it has none, or one of its own."""
    if options.directory is not None:
        return os.path.abspath(options.directory)
    try:
        return None if options.sandbox else os.getcwd()
    except OSError:  # it was removed
        return None


def _started(control: socket.socket, folder: Path) -> subprocess.Popen[bytes]:
    code = _START.format(sys.path, control.fileno(), str(folder))
    try:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, **_ONE_THREAD},
            stdin=subprocess.DEVNULL,
            pass_fds=[control.fileno()],
            start_new_session=True,  # Ctrl-C is for the master
        )
    except OSError as error:
        raise RunError(f"no process can be started for hosts: {error.strerror}") from error


def _standard(number: int) -> Any:
    """Standard output or error as it is now; nowhere, if it is closed."""
    try:
        return os.fdopen(os.dup(number), "wb")
    except OSError:
        return open(os.devnull, "wb")


def _sweep() -> None:
    """Remove what was left where a master and its fork server were killed together."""
    import fcntl

    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), open(folder / "held", "r+") as held:
            if time() - folder.stat().st_mtime < _YOUNG:
                continue
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ForkServer.forget)
