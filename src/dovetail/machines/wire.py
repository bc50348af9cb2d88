"""Frames between machines: a head and bytes, over TCP, with limits on time and size.

A frame is a mark, its kind, the number of the request, how many bytes follow, and these; see
docs/protocol.md. Nothing that is read here is executed, or believed before it was looked at.
"""

from __future__ import annotations

import errno
import socket
import ssl
import struct
from contextlib import suppress
from time import monotonic
from typing import Any

from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.waiting import Late, Waiting

HEAD = struct.Struct("<4sIQQ")
MARK = b"dvm1"
MOST_BEFORE, MOST = 2**16, 2**26  # bytes of a frame, before and after the greeting
GREETING = 10.0  # seconds for a greeting
FRAME = 60.0  # seconds for the rest of a frame that has begun, and for one to be taken
_ONCE = 2**16  # bytes that are read at once: memory grows with what came, not with what was said


class FrameLink:
    """One connection; `peer` says whose."""

    def __init__(self, link: socket.socket, peer: str) -> None:
        self.peer, self.most = peer, MOST_BEFORE
        self._link = link
        self._had = bytearray()  # and not used yet
        self.late: Late | None = None  # told when an answer takes long
        with suppress(OSError):
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        keep_alive(link)

    def send(self, kind: int, number: int, payload: bytes, limit: float = FRAME) -> None:
        """Send one frame whole; TooLate if the other side does not take it."""
        data = memoryview(HEAD.pack(MARK, kind, number, len(payload)) + payload)
        until = monotonic() + limit
        try:
            while data:
                self._link.settimeout(_left(until))
                data = data[self._link.send(data[: 2**20]) :]
        except (OSError, ValueError) as error:
            raise _failure(error) from error

    def receive(self, patience: float | None, limit: float = FRAME) -> tuple[int, int, bytes]:
        """The next frame: kind, number, bytes. `patience`: seconds until it begins."""
        self._upto(1, None if patience is None else monotonic() + patience)
        until = monotonic() + limit
        mark, kind, number, size = HEAD.unpack(self._upto(HEAD.size, until)[: HEAD.size])
        if mark != MARK or size > self.most:
            raise Garbled(bytes(self._had[:4]))
        end = HEAD.size + size
        found = bytes(self._upto(end, until)[HEAD.size : end])
        del self._had[:end]
        return kind, number, found

    def answer(self, number: int | None, limit: float | None) -> tuple[int, bytes]:
        """The answer to a request, None: the next one; those to earlier ones are dropped."""
        until = None if limit is None else monotonic() + limit
        while True:
            if self.late is not None:
                self._begun(Waiting(until, self.late))
            left = None if until is None else _left(until)
            kind, answered, data = self.receive(left, FRAME if left is None else max(left, 1.0))
            if number is None or answered == number:
                return kind, data
            if answered > number:
                raise Garbled

    def _begun(self, waiting: Waiting) -> None:
        """Something is there of the next frame."""
        while not self._had:
            if waiting.is_over():
                raise TooLate
            left = waiting.left
            with suppress(TooLate):
                self._upto(1, None if left is None else monotonic() + left)

    def close(self) -> None:
        """Close it, so that the other side sees at once that it is closed."""
        with suppress(OSError):
            socket.socket.shutdown(self._link, socket.SHUT_RDWR)  # another thread may be reading
        self._link.close()

    def finish(self) -> None:
        """Close it so that what was sent last is still read: what comes is passed over."""
        drain(self._link)
        self.close()

    @property
    def user(self) -> str:
        """Who the certificate of the other side says it is; empty without one."""
        if not isinstance(self._link, ssl.SSLSocket):
            return ""
        found: Any = self._link.getpeercert() or {}
        names = [v for rdn in found.get("subject", ()) for k, v in rdn if k == "commonName"]
        return str(names[0]) if names else ""

    def _upto(self, size: int, until: float | None) -> bytearray:
        """At least so many bytes, kept until a frame is whole: Ctrl-C may come in between."""
        try:
            while len(self._had) < size:
                self._link.settimeout(None if until is None else _left(until))
                more = self._link.recv(min(size - len(self._had), _ONCE))
                if not more:
                    raise Ended("closed")
                self._had += more
        except (OSError, ValueError) as error:
            raise _failure(error) from error
        return self._had


def keep_alive(link: socket.socket) -> None:
    """A machine that is gone without a word is noticed within half a minute."""
    wanted = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4, "TCP_USER_TIMEOUT": 30000}
    with suppress(OSError):
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in wanted.items():
            if name in vars(socket):
                link.setsockopt(socket.IPPROTO_TCP, vars(socket)[name], value)


def drain(link: socket.socket) -> None:
    """Say that nothing follows, and pass over what still comes, for a second at most."""
    until = monotonic() + 1.0
    with suppress(OSError, ValueError):
        socket.socket.shutdown(link, socket.SHUT_WR)
        while monotonic() < until:
            link.settimeout(_left(until))
            if not socket.socket.recv(link, _ONCE):
                break


def _failure(error: Exception) -> Exception:
    """Patience that is over, or a connection that is: the system has given it up then."""
    if isinstance(error, TimeoutError) and error.errno != errno.ETIMEDOUT:
        return TooLate()
    return Ended(reason(error))


def reason(error: BaseException) -> str:
    """What the system, or TLS, says of a connection."""
    if isinstance(error, ssl.SSLError):
        return str(error.reason or error)
    if isinstance(error, OSError) and error.strerror:
        return str(error.strerror).lower()
    return str(error)


def _left(until: float) -> float:
    left = until - monotonic()
    if left <= 0:
        raise TimeoutError
    return left
