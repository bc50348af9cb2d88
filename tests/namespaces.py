"""Machines of our own: network namespaces with a cable between them, where the system lets us."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

_CLONE_NEWNET = 0x40000000
_FOLDER = Path("/run/netns")


@dataclass(frozen=True)
class Machine:
    """One end of the cable: a namespace with an address."""

    name: str
    address: str
    link: str

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Sockets of this thread, and of threads that it starts, are made there meanwhile."""
        with open("/proc/thread-self/ns/net") as before, (_FOLDER / self.name).open() as there:
            _enter(there.fileno())
            try:
                yield
            finally:
                _enter(before.fileno())

    def cable(self, state: str) -> None:
        """Plug it in (`up`) or out (`down`)."""
        _ip("-n", self.name, "link", "set", self.link, state)


def plugged_in(one: Machine, other: Machine) -> None:
    """The cable of `other` is in again, and `one`, whose system remembers otherwise, knows it."""
    other.cable("up")
    until = monotonic() + 10.0
    with one.entered():
        while monotonic() < until:
            try:
                socket.create_connection((other.address, 9), 1.0).close()
            except ConnectionRefusedError:
                return
            except OSError:
                sleep(0.05)


@contextmanager
def two_machines() -> Iterator[tuple[Machine, Machine]]:
    """Two of them; OSError or CalledProcessError where the system does not let us."""
    stem = f"dv{os.getpid() % 100000}"
    ends = [Machine(f"{stem}{e}", f"10.77.{os.getpid() % 250}.{k}", f"{stem}{e}")
            for k, e in ((1, "a"), (2, "b"))]  # fmt: skip
    made = list[Machine]()
    try:
        for end in ends:
            _ip("netns", "add", end.name)
            made.append(end)
        first, second = ends
        peer = ("type", "veth", "peer", "name", second.link, "netns", second.name)
        _ip("-n", first.name, "link", "add", first.link, *peer)
        for end in ends:
            _ip("-n", end.name, "address", "add", f"{end.address}/24", "dev", end.link)
            for link in ("lo", end.link):
                _ip("-n", end.name, "link", "set", link, "up")
        with first.entered():
            pass
        yield first, second
    finally:
        for end in made:
            _ip("netns", "delete", end.name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def _enter(file: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(file, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
