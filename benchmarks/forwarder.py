"""A process between two machines, on loopback: what passes it is late, uneven, or stands still.

    python benchmarks/forwarder.py TARGET_PORT --delay 0.005 --jitter 0.001 --stall 0.001

prints the port at which it listens. TCP hides loss: a lost packet is a pause of its stream until it
was sent again, so loss is stalls here. Bytes stay in order, as TCP keeps them.
"""

from __future__ import annotations

import argparse
import queue
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STALL = 0.2  # seconds, the least time after which Linux sends a lost packet again


def main() -> None:
    """Forward until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=int)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds, one way")
    parser.add_argument("--jitter", type=float, default=0.0, help="seconds more, at the most")
    parser.add_argument("--stall", type=float, default=0.0, help="how probable a stall is")
    given = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=_take, args=(listener, given), daemon=True).start()
    sys.stdin.read()


@contextmanager
def forwarding(
    port: int, *, delay: float = 0.0, jitter: float = 0.0, stall: float = 0.0
) -> Iterator[int]:
    """A forwarder to a port of this machine; its own port."""
    given = [str(port), "--delay", str(delay), "--jitter", str(jitter), "--stall", str(stall)]
    command = [sys.executable, str(Path(__file__).absolute()), *given]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(5)


def _take(listener: socket.socket, given: argparse.Namespace) -> None:
    while True:
        near, _ = listener.accept()
        try:
            far = socket.create_connection(("127.0.0.1", given.target), 5)
        except OSError:
            near.close()
            continue
        for a, b in ((near, far), (far, near)):
            for link in (a, b):
                link.settimeout(None)
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _forward(a, b, given)


def _forward(source: socket.socket, target: socket.socket, given: argparse.Namespace) -> None:
    """One direction: a thread that reads, and one that writes what is due."""
    waiting: queue.Queue[tuple[float, bytes]] = queue.Queue(4096)
    chance = random.Random(source.fileno())

    def read() -> None:
        last = 0.0
        with suppress(OSError):
            while data := source.recv(65536):
                late = given.delay + given.jitter * chance.random()
                late += STALL if chance.random() < given.stall else 0.0
                last = max(last, time.monotonic() + late)
                waiting.put((last, data))
        waiting.put((time.monotonic() + given.delay, b""))

    def write() -> None:
        with suppress(OSError):
            while True:
                due, data = waiting.get()
                if (left := due - time.monotonic()) > 0:
                    time.sleep(left)
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)

    for work in (read, write):
        threading.Thread(target=work, daemon=True).start()


if __name__ == "__main__":
    main()
