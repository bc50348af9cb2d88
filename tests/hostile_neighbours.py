"""What passes between two parts side by side, nearly right or not at all."""

from __future__ import annotations

import random
import socket
import struct
from typing import Any

import numpy as np
from machines import spring

from dovetail.core.window import Window
from dovetail.hosts.neighbours import LockStep, LockStepAnswer, Neighbour, PartAmongOthers
from dovetail.subsystems.batch import WindowRange

HEAD = struct.Struct("<QII")
WINDOWS, PATIENCE = 3, 0.5
WHY = ("", "late", "closed", "stopped", "nonsense", "no number")
ENDED = ("reset", "pipe", "ssl", "eof", "tls")  # as the system says it


def whole() -> list[bytes]:
    """The messages of a neighbour that keeps to what was agreed."""
    return [HEAD.pack(k, 1, 0) + struct.pack("<d", 0.5 + k) for k in range(WINDOWS)]


def strange(chance: random.Random) -> bytes:
    """The same, nearly right or not at all."""
    way, data = chance.randrange(7), bytearray(b"".join(whole()))
    if way == 0:
        return chance.randbytes(chance.randrange(200))
    if way == 1:
        return bytes(data[: chance.randrange(len(data))])
    if way == 2:  # as many numbers as nobody has
        count = chance.choice([0, 2, 2**31, 2**32 - 1])
        return HEAD.pack(chance.randrange(2), count, 0) + bytes(data) * chance.randrange(40)
    if way == 3:
        value = chance.choice([float("nan"), float("inf"), -1e308, 5e-324])
        return HEAD.pack(0, 1, 0) + struct.pack("<d", value) + bytes(data)
    if way == 4:
        return b"".join(chance.sample(whole(), WINDOWS)) * chance.randrange(1, 3)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def plan(certificate: str = "", own: tuple[str, str] = ("", ""), *, early: bool) -> LockStep:
    """A spring that reads one number of its neighbour, and gives it one."""
    one, none = np.zeros(1, dtype=int), np.zeros(0, dtype=int)
    beside = Neighbour(one, one, early, False, certificate)
    wires = one, one, np.ones(1), np.zeros(1), (True, True), (none, none)
    places = np.zeros(1), one, one
    return LockStep("hold", *wires, *places, (beside,), *own, PATIENCE)


def pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a connection by TCP."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        there = socket.create_connection(listener.getsockname())
        return listener.accept()[0], there


def met(data: bytes, *, early: bool, given: LockStep | None = None) -> LockStepAnswer:
    """What a part does whose neighbour sends this, and then nothing any more."""
    here, there = pair()
    part: Any = spring().instantiate("it")
    part.initialize(0.0, {})
    part.begin()
    with there:
        there.sendall(data)
        there.shutdown(socket.SHUT_WR)
        among = PartAmongOthers(part, given or plan(early=early), [here])
        stretch = WindowRange(Window.between(0.0, 0.1), 0.0, 0, WINDOWS)
        try:
            return among.windows(stretch, np.zeros(1), np.zeros(1))
        finally:
            among.close()


def wrong(found: LockStepAnswer) -> str:
    """What is wrong with that answer; nothing if it is one."""
    if not 0 <= found.done <= WINDOWS or len(found.outputs) != 8 * found.done:
        return f"{found.done} windows, {len(found.outputs)} bytes"
    known = found.why in WHY or any(word in found.why.lower() for word in ENDED)
    if not known or (found.done < WINDOWS and not found.why and found.failed is None):
        return f"it says {found.why!r} after {found.done} windows"
    return ""
