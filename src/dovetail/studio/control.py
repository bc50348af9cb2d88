"""What a run in a process of its own is told, and what it answers: lines of JSON on a socket."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_SIZE = struct.Struct("<Q")
_MOST = 2**32  # bytes of a job


class Line:
    """One end of the socket: JSON values go through whole, one after another."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._file = link.makefile("rb")
        self._lock = threading.Lock()

    def say(self, what: str, **more: Any) -> None:
        """Send one message; to a process that is gone it is lost."""
        data = json.dumps({"what": what, **more}).encode() + b"\n"
        with self._lock, suppress(OSError):
            self._link.sendall(data)

    def hear(self) -> dict[str, Any] | None:
        """The next message; None at the end, or if the other side talks nonsense."""
        try:
            line = self._file.readline(2**24)
            found = json.loads(line) if line else None
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and isinstance(found.get("what"), str) else None

    def limit(self, seconds: float) -> None:
        """Wait no longer than that for a message."""
        self._link.settimeout(seconds)

    def send_job(self, data: bytes) -> None:
        """The first thing that goes through: what is to be done, pickled by our own server."""
        self._link.sendall(_SIZE.pack(len(data)) + data)

    def job(self) -> bytes:
        """The same at the other end."""
        (size,) = _SIZE.unpack(self._file.read(_SIZE.size))
        if size > _MOST:
            raise EOFError
        return self._file.read(size)

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)  # who listens hears the end
        with suppress(OSError):
            self._file.close()
        self._link.close()


class Wishes:
    """What a run is asked to do meanwhile, kept by a thread that listens."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._lock = threading.Condition()
        self._changes: list[tuple[str, Any]] = []
        self._asked: list[dict[str, Any]] = []  # marks to be kept, or to go back to
        self._steps = 0
        self.pace: float | None = None  # so many times as fast as the clock
        self.is_paused = False
        self.is_stopped = False
        threading.Thread(target=self._listen, daemon=True).start()

    def changes(self) -> list[tuple[str, Any]]:
        """Values to be set before the next window; each is handed out once."""
        if not self._changes:
            return []
        with self._lock:
            found, self._changes = self._changes, []
        return found

    def asked(self) -> list[dict[str, Any]]:
        """Marks to be kept and to go back to, in their order; each is handed out once."""
        if not self._asked:
            return []
        with self._lock:
            ends = [k + 1 for k, one in enumerate(self._asked) if one["what"] == "back"]
            last = ends[0] if ends else len(self._asked)
            found, self._asked = self._asked[:last], self._asked[last:]
        return found

    def pause(self) -> None:
        """Stand still until there is a word to go on."""
        with self._lock:
            self.is_paused, self._steps = True, 0

    def rest(self, seconds: float) -> None:
        """Wait that long, or until there is something new."""
        with self._lock:
            if not (self.is_stopped or self._changes or self._asked):
                self._lock.wait(seconds)

    def take_step(self) -> bool:
        """Whether a paused run is to make one window; waits a moment for it."""
        with self._lock:
            waits = not (self.is_stopped or self._steps or self._changes or self._asked)
            if self.is_paused and waits:
                self._lock.wait(0.2)
            if self._steps:
                self._steps -= 1
                return True
            return False

    def _listen(self) -> None:
        while True:
            message = self._line.hear()
            with self._lock:
                if message is None:
                    self.is_stopped = True  # the server is gone, and nobody waits for this
                    self._lock.notify_all()
                    return
                self._take(message)
                self._lock.notify_all()

    def _take(self, message: Mapping[str, Any]) -> None:
        match message["what"]:
            case "pause":
                self.is_paused = True
            case "go":
                self.is_paused = False
            case "step":
                self.is_paused, self._steps = True, self._steps + 1
            case "stop":
                self.is_stopped = True
            case "mark" | "back":
                self._asked.append(dict(message))
            case "pace":
                self.pace = message.get("factor")
            case "set":
                self._changes.append((str(message.get("name")), message.get("value")))
