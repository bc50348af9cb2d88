"""A connection between two parts that step side by side: numbers of one window after another."""

from __future__ import annotations

import os
import select
import socket
import ssl
import struct
import tempfile
from contextlib import suppress
from time import monotonic, perf_counter

import numpy as np

from ..core.signals import Vector
from .frames import Ended, Garbled, TooLate

_HEAD = struct.Struct("<QII")  # number of the window, how many numbers follow, and whether it stops
_STOP = 1
_POLLS = 50e-6  # seconds of polling before sleeping


class PeerLink:
    """A connection between two parts: numbers of one window after another, both ways."""

    def __init__(self, link: socket.socket, count: int, patience: float) -> None:
        self._link, self._patience = link, patience
        self._size = 8 * count
        self._had = bytearray()
        link.setblocking(False)
        self._poll = select.poll()
        self._poll.register(link, select.POLLIN)
        self._until = 0.0  # when the message that is awaited is given up; 0: nobody has slept yet
        self._polls = _POLLS if len(os.sched_getaffinity(0)) > 1 else 0.0

    def send(self, number: int, data: bytes, stop: int = 0) -> None:
        """The outputs of one window."""
        left = memoryview(_HEAD.pack(number, len(data) // 8, stop) + data)
        until = 0.0
        while left:
            try:
                left = left[self._link.send(left) :]
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                until = until or monotonic() + self._patience
                if monotonic() > until:
                    raise TooLate from None
                select.select([], [self._link], [], 0.1)
            except (OSError, ValueError) as error:
                raise Ended(str(error)) from None

    def receive(self, number: int) -> Vector:
        """The outputs of the other side at the end of a window."""
        head, self._until = _HEAD.size, 0.0
        while len(self._had) < head:
            self._more()
        numbered, count, stop = _HEAD.unpack_from(self._had)
        if stop:
            raise Ended("stopped")
        if numbered != number or 8 * count != self._size:
            raise Garbled
        while len(self._had) < head + self._size:
            self._more()
        found = np.frombuffer(bytes(self._had[head : head + self._size]), "<f8")
        del self._had[: head + self._size]
        return found

    def stop(self, number: int) -> None:
        """No more comes from here."""
        with suppress(Ended, TooLate):
            self.send(number, b"", _STOP)

    def close(self) -> None:
        """End it."""
        self._link.close()

    def _more(self) -> None:
        """Poll a little before sleeping. A message that drips in has no more time than others."""
        begin = perf_counter()
        while True:
            try:
                found = self._link.recv(65536)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                if perf_counter() - begin < self._polls:
                    os.sched_yield()
                    continue
                self._until = self._until or monotonic() + self._patience
                left = self._until - monotonic()
                if left <= 0:
                    raise TooLate from None
                self._poll.poll(min(1000 * left, 1000.0))
                continue
            except (OSError, ValueError) as error:
                raise Ended(str(error)) from None
            if not found:
                raise Ended("closed")
            self._had += found
            return


def secured(
    link: socket.socket, papers: tuple[str, str, str], patience: float, *, dials: bool
) -> socket.socket:
    """TLS with certificates that were made for this run, where the servers speak it.

    `papers`: the certificate of the other side, empty without TLS; that of this side, and its key.
    """
    theirs, mine, key = papers
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.settimeout(patience)
    if not theirs:
        return link
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT if dials else ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=theirs)
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:  # OpenSSL takes a path only
        file.write(key + mine)
        file.flush()
        context.load_cert_chain(file.name)
    return context.wrap_socket(link, server_side=not dials)
