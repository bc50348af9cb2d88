"""Frames over a Unix socket: what a host is asked, and what it answers.

A frame is a mark, its kind, the number of the request, how many bytes follow, how many seconds an
answer took to find, and these bytes. Requests are pickled: a host believes its master. Answers are
not, see `answers.py`: the code in a host may be anybody's.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from math import inf
from time import monotonic

from .waiting import Late, Waiting

_HEAD = struct.Struct("<4sBQQd")
_MARK = b"dvt1"
MOST = 2**34  # bytes of a frame


class Garbled(Exception):
    """What came is no frame."""


class Ended(Exception):
    """The other side is gone."""


class TooLate(Exception):
    """The other side did not answer in time."""


def frame(kind: int, number: int, payload: bytes, seconds: float = 0.0) -> bytes:
    """One frame whole."""
    return _HEAD.pack(_MARK, kind, number, len(payload), seconds) + payload


def send_all(to: socket.socket, data: bytes) -> None:
    """Send all of it; Ended, if the other side is gone."""
    try:
        to.sendall(data)
    except OSError as error:
        raise Ended(str(error)) from error


def receive(source: socket.socket) -> tuple[int, bytes]:
    """The next request with its number; waits for it, however long that takes."""
    _, number, size, _ = _head(_exactly(source, _HEAD.size))
    return number, _exactly(source, size)


class AnswerReader:
    """Receives answers of a process that may die, hang, or write nonsense."""

    def __init__(self, source: socket.socket, process: int, most: int = MOST) -> None:
        self._source, self._process, self._most = source, process, most
        self._poll = select.poll()
        self._poll.register(source, select.POLLIN)
        self._poll.register(process, select.POLLIN)
        self._had = bytearray()  # and not used yet, as after Ctrl-C
        self.late: Late | None = None  # told when an answer takes long

    def receive(self, timeout: float | None) -> tuple[int, int, bytes, float]:
        """The next answer: the number of its request, its kind, its bytes, and its seconds.

        Ended, TooLate or Garbled say why there is none.
        """
        waiting = Waiting(None if timeout is None else monotonic() + timeout, self.late)
        kind, number, size, seconds = _head(self._upto(_HEAD.size, waiting), self._most)
        end = _HEAD.size + size
        whole = bytes(self._upto(end, waiting)[_HEAD.size : end])
        del self._had[:end]
        return number, kind, whole, seconds if 0 <= seconds < inf else 0.0

    def _upto(self, size: int, waiting: Waiting) -> bytearray:
        while len(self._had) < size:
            if waiting.is_over():
                raise TooLate
            left = waiting.left
            ready = dict(self._poll.poll(None if left is None else 1000 * left))
            if self._source.fileno() in ready:
                try:
                    found = os.read(self._source.fileno(), max(size - len(self._had), 2**16))
                except OSError as error:
                    raise Ended(str(error)) from error
                if not found:
                    raise Ended("closed")
                self._had += found
            elif self._process in ready:
                raise Ended("ended")
        return self._had


def _head(data: bytes | bytearray, most: int = MOST) -> tuple[int, int, int, float]:
    mark, kind, number, size, seconds = _HEAD.unpack(bytes(data[: _HEAD.size]))
    if mark != _MARK or size > most:
        raise Garbled
    return kind, number, size, seconds


def _exactly(source: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        try:
            more = source.recv(min(size - len(found), 2**20))
        except OSError as error:
            raise Ended(str(error)) from error
        if not more:
            raise Ended("closed")
        found += more
    return bytes(found)
