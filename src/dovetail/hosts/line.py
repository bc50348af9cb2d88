"""Requests on their way to a host, and answers that nobody has fetched yet."""

from __future__ import annotations

import socket
from collections import deque

from .frames import AnswerReader, Garbled, frame, send_all

_AHEAD = 2**16  # bytes under way: as much as a socket takes, so that neither side blocks the other
Answer = tuple[int, bytes, float]  # the kind, the bytes, and how many seconds it took there


class RequestLine:
    """Requests are answered one after another; several may be on their way at once."""

    def __init__(self, talk: socket.socket, reader: AnswerReader) -> None:
        self._talk, self._reader = talk, reader
        self._numbered = 0
        self._waiting = deque[tuple[int, bytes]]()
        self._under_way = deque[tuple[int, int]]()  # numbers, and bytes
        self._bytes = 0
        self._found = dict[int, Answer]()
        self._later = set[int]()  # numbers whose answers will be fetched in their time

    def add(self, request: bytes, *, later: bool) -> int:
        """One more behind the others: its number. `later`: its answer is kept until it is asked."""
        self._numbered += 1
        self._waiting.append((self._numbered, request))
        if later:
            self._later.add(self._numbered)
        return self._numbered

    def send(self) -> None:
        """Send what fits, in one piece. Ended, if the other side is gone."""
        frames = list[bytes]()
        while self._waiting:
            number, request = self._waiting[0]
            if self._under_way and self._bytes + len(request) > _AHEAD:
                break
            self._waiting.popleft()
            self._under_way.append((number, len(request)))
            self._bytes += len(request)
            frames.append(frame(0, number, request))
        if frames:
            send_all(self._talk, b"".join(frames))

    def found(self, number: int) -> Answer | None:
        """An answer that is there already."""
        return self._found.pop(number, None)

    def receive(self, number: int, timeout: float | None) -> Answer:
        """The answer to this request; those before it are kept, or passed over.

        `timeout` is for each of them. Ended, TooLate or Garbled say why there is none.
        """
        while True:
            self.send()
            answered, kind, data, seconds = self._reader.receive(timeout)
            if answered != self.first:
                raise Garbled
            self._bytes -= self._under_way.popleft()[1]
            if answered == number:
                self._later.discard(number)
                return kind, data, seconds
            if answered in self._later:
                self._later.discard(answered)
                self._found[answered] = kind, data, seconds

    @property
    def first(self) -> int:
        """The number of the first request that is not answered; 0 without one."""
        waiting = self._under_way or self._waiting
        return waiting[0][0] if waiting else 0
