"""Frames that are nearly right, or not at all: for servers, and for those who use them."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
from machines import HERE, SECRET, offered

import dovetail as dv
from dovetail.core import codec
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.machines import greeting
from dovetail.machines.address import Address
from dovetail.machines.greeting import Hello
from dovetail.machines.lock_step_frames import stretch_bytes
from dovetail.machines.offer import PartOffer
from dovetail.machines.publication import Shown
from dovetail.machines.requests import FrameKind, call_bytes, start_bytes
from dovetail.machines.wire import HEAD, MARK, FrameLink
from dovetail.subsystems.batch import WindowRange


def linked(place: str) -> socket.socket:
    address = Address.parse(place)
    return socket.create_connection((address.host, address.port), 10.0)


def frame(kind: int, data: bytes, number: int = 0) -> bytes:
    return HEAD.pack(MARK, kind, number, len(data)) + data


def answer_of(link: socket.socket) -> bytes:
    """What comes until it is closed."""
    link.settimeout(20.0)
    found = b""
    with suppress(ConnectionError):
        while more := link.recv(65536):
            found += more
    return found


def hostile(random_: random.Random, good: list[bytes]) -> bytes:
    """Bytes that are nearly right, or not at all."""
    way = random_.randrange(6)
    if way == 0:
        return random_.randbytes(random_.randrange(1, 200))
    data = bytearray(random_.choice(good))
    if way == 1:
        return bytes(data[: random_.randrange(len(data))])
    if way == 2:  # a size that is not meant
        return (
            HEAD.pack(MARK, random_.randrange(32), 1, random_.choice([2**60, 2**31, 2**27])) + data
        )
    for _ in range(random_.randrange(1, 6)):
        data[random_.randrange(len(data))] = random_.randrange(256)
    if way == 3:
        return frame(random_.randrange(100), bytes(data[HEAD.size :]), random_.randrange(3))
    return bytes(data) * (2 if way == 4 else 1)


def requests() -> list[bytes]:
    """One of each kind, as a user of `veiled` sends them."""
    window = Window.between(0.0, 0.1), Waveform(np.zeros((1, 2)))
    none, zeros = np.zeros(0, dtype=int), np.zeros(1)
    told = {"target": none, "source": none, "gain": np.zeros(0), "offset": np.zeros(0)}
    told |= {"own": (none, none), "plain": [True, True], "known": 0, "shape": "hold"}
    told |= {"patience": 1.0, "neighbours": []}
    windows = WindowRange(Window.between(0.0, 0.1), 0.0, 0, 3)
    return [
        frame(FrameKind.LIST, b"{}", 1),
        frame(FrameKind.OPEN, b'{"part": "part"}', 1),
        frame(FrameKind.DESCRIBE, b'{"part": "part"}', 1),
        frame(FrameKind.START, start_bytes([], 0.0, {}, False), 2),
        frame(FrameKind.BEGIN, b"", 3),
        frame(*call_bytes("outputs", (Signals(zeros), 0)), 4),
        frame(*call_bytes("advance", window), 5),
        frame(*call_bytes("tune", ({"m": 3.0},)), 6),
        frame(FrameKind.SNAPSHOT, b"\x01" + bytes(7), 7),
        frame(FrameKind.RESTORE, b"\x01" + bytes(7), 8),
        frame(FrameKind.INVITE, codec.encode({"tickets": 2}), 9),
        frame(FrameKind.MEET, codec.encode(told), 10),
        frame(FrameKind.WINDOWS, stretch_bytes(windows, 0.1, zeros, np.zeros(0)), 11),
        frame(FrameKind.CLOSE, b"", 12),
    ]


def veiled() -> PartOffer:
    """A part with a name in it that is not published."""
    shown = {"inputs": (("force", Shown("force")),), "outputs": (("x", Shown("x")),)}
    secret = {"states": {SECRET: 1.0, "x": 0.0}, "outputs": [SECRET, "x"], "inputs": ["force"]}
    rates = {"derivatives": lambda t, x, u, p: [u.force, -x[SECRET]]}
    return offered(dv.Dynamic(**secret, **rates), parameters=(), messages=False, **shown)


@contextmanager
def liar(answers: Iterable[bytes]) -> Iterator[str]:
    """A server that greets well, and answers with these bytes, one connection after another."""

    def serve() -> None:
        for data in answers:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            with link, suppress(Exception):
                wire = FrameLink(link, "")
                greeting.welcome(wire, Hello("server"), None, ("user",))
                wire.receive(5.0)
                link.sendall(data)
                with suppress(OSError):
                    link.shutdown(socket.SHUT_WR)
                answer_of(link)

    with socket.create_server((HERE.host, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield Address(HERE.host, listener.getsockname()[1]).place
        thread.join(10.0)
        assert not thread.is_alive()
