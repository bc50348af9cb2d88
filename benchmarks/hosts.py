"""What parts in hosts cost: a process, a hundred of them, a call, and the sight of a crash.

    python benchmarks/hosts.py

A call is one step of a part that does next to nothing, as the slope between a short and a long
run, in this process and in a host. Its limit is measured in turns with it: a byte to another
Python process and back, over the same kind of socket.
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import threading
import time
from typing import Any

from hosted_windows import against
from hosted_windows import main as native_windows
from orchestration import Trivial

import dovetail as dv
from dovetail.hosts.host import Host

ROUNDS, STEPS = 5, (200, 2200)
BARS = {"a host is started": 20.0, "100 hosts are started": 2000.0, "a crash is seen": 50.0}  # ms


def ping_pong(count: int = 2000) -> float:
    """Seconds of a byte there and back."""
    here, there = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        here.close()
        while data := there.recv(1):
            there.sendall(data)
        os._exit(0)
    there.close()
    begin = time.perf_counter()
    for _ in range(count):
        here.sendall(b"x")
        here.recv(1)
    took = (time.perf_counter() - begin) / count
    here.close()
    os.waitpid(pid, 0)
    return took


def stepping(placement: Any) -> float:
    """Seconds of a window with one part."""
    system = dv.System("one")
    system.add("it", Trivial())
    took = []
    for count in STEPS:
        ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(1.0), "quiet": True}
        with dv.Session(system, stop=float(count), placement=placement, **ways) as session:
            begin = time.perf_counter()
            session.run()
            took.append(time.perf_counter() - begin)
    return (took[1] - took[0]) / (STEPS[1] - STEPS[0])


def starts(count: int) -> float:
    """Seconds to start and end so many hosts."""
    hosts = [Host(f"h{k}", dv.Isolated()) for k in range(count)]
    begin = time.perf_counter()
    for host in hosts:
        host.start()
    took = time.perf_counter() - begin
    for host in hosts:
        host.close()
    return took


def crash() -> float:
    """Seconds from a kill to the error."""
    system = dv.System("one")
    system.add("it", Trivial())
    ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(1.0), "quiet": True}
    killed: list[float] = []
    with dv.Session(system, stop=1e9, placement={"it": dv.Isolated()}, **ways) as session:
        life: Any = session.assembly.subsystems[0].subsystem
        pid = life.host._life.pid

        def kill() -> None:
            os.kill(pid, signal.SIGKILL)
            killed.append(time.perf_counter())

        threading.Timer(0.05, kill).start()
        try:
            session.run()
        except dv.HostFailed:
            return time.perf_counter() - killed[0]
    raise AssertionError("it lived")


def main() -> None:
    """Measure everything in turns and print a table."""
    begin = time.perf_counter()
    starts(1)
    first = time.perf_counter() - begin
    rows: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        rows.setdefault("limit: a byte there and back", []).append(ping_pong())
        rows.setdefault("a window here", []).append(stepping(None))
        rows.setdefault("a window in a host", []).append(stepping({"*": dv.LocalHost()}))
        rows.setdefault("a host is started", []).append(starts(1))
        rows.setdefault("100 hosts are started", []).append(starts(100))
        rows.setdefault("a crash is seen", []).append(crash())
    print(f"{'the first host, with its fork server':40} {1e3 * first:10.3f} ms")
    for what, seconds in rows.items():
        found, bar = 1e3 * statistics.median(seconds), BARS.get(what)
        end = "" if bar is None else f"   {against(bar, 'ms', found <= bar)}"
        print(f"{what:40} {found:10.3f} ms{end}")
    native_windows()


if __name__ == "__main__":
    main()
