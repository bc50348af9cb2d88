"""Windows per second over a network: algorithms against latency, and a model that says them before.

    python benchmarks/network.py [--quick] [--parts N]

Rings of parts that sleep in each step, so that two cores do for 64 of them. Each part has a process
of its own behind a server; all that goes there passes a forwarder (forwarder.py) with a delay,
also what parts send each other. Times are of windows behind the first six. The model is what
a window takes without a delay, and the delay as often as messages wait for one another in it; the
last column is what was measured over what it says. At the end with jitter, and with stalls.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from forwarder import forwarding

import dovetail as dv
from dovetail.core.description import Capabilities, Description, Variable
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.offer import PartOffer
from dovetail.machines.publication import Publication
from dovetail.machines.sealed import Seal
from dovetail.machines.server import PartServer, ServerOptions
from dovetail.subsystems.subsystem import Linearization, Reached

STEP = 0.002  # seconds that a part sleeps
WINDOW = 0.05
SIZES = (2, 8, 64)
DELAYS = (0.002, 0.01, 0.05)  # seconds, one way
UNEVEN = ({}, {"jitter": 0.01}, {"stall": 0.01})  # of 5 ms, for the ring of the middle size
TIME, FIRST, LEAST = 2.5, 6, 12  # seconds of a run, about; windows before, and in it at least


class Sleeper:
    """x' = -x + 0.6 u, y = x; exact for inputs that are held, with a nap in each step."""

    description = Description(
        inputs=(Variable("u"),),
        outputs=(Variable("y"),),
        feedthrough={"y": frozenset()},
        capabilities=Capabilities(can_restore=True, can_linearize=True),
    )

    def __init__(self, nap: float) -> None:
        self.nap, self.x, self.u = nap, np.ones(1), np.zeros(1)

    def instantiate(self, name: str) -> Sleeper:
        return Sleeper(self.nap)

    def initialize(self, start: float, values: Any, *, derivatives: bool = False) -> None:
        pass

    def begin(self) -> None:
        pass

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        return Signals(self.x)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        time.sleep(self.nap)
        decay, self.u = np.exp(-window.size), inputs.coefficients[:, 0].copy()
        self.x = decay * self.x + (1 - decay) * 0.6 * self.u
        return Reached(window.stop, Signals(self.x))

    def linearize(self) -> Linearization:
        A, B, C, D = (np.array([[v]]) for v in (-1.0, 0.6, 1.0, 0.0))
        return Linearization(A, B, C, D, self.x, -self.x + 0.6 * self.u, self.u, self.x)

    def snapshot(self) -> Any:
        return self.x, self.u

    def restore(self, snapshot: Any) -> None:
        self.x, self.u = snapshot

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Way:
    """A way to run a ring; `messages`: how many wait for one another in a window.

    Given the number of parts, and how often each was asked.
    """

    name: str
    algorithm: Any
    messages: Any
    estimators: Any = None


# a message is one way; asking and hearing are two, and those of parts asked at once count once
WAYS = (
    Way("Jacobi", dv.Jacobi(), lambda n, k: 1),
    Way("Gauss-Seidel", dv.GaussSeidel(), lambda n, k: n),
    Way("iterated", dv.Jacobi(max_iterations=60), lambda n, k: 2 * k),
    Way(
        "COSTARICA",
        dv.Newton(),
        lambda n, k: 2,
        lambda n: {f"p{i}": dv.Costarica() for i in range(n)},
    ),
)


def ring(n: int, place: str) -> dv.System:
    """Parts in a ring, each of which feeds the next."""
    system = dv.System("ring")
    for k in range(n):
        system.add(f"p{k}", dv.load(f"{place}/p{k}"))
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")
    return system


def seconds(system: dv.System, way: Way, guess: float) -> tuple[float, float]:
    """Seconds of a window behind the first ones, and how often a part was asked in each."""
    n, count = len(system.parts), max(int(TIME / guess), LEAST) + FIRST
    more = {} if way.estimators is None else {"estimators": way.estimators(n)}
    more |= {"algorithm": way.algorithm, "controller": dv.FixedStep(WINDOW), "quiet": True}
    with dv.Session(system, stop=count * WINDOW, **more) as session:
        while session.counts.windows < FIRST:
            session.proceed()
        begin, windows = time.perf_counter(), session.counts.windows
        session.run()
        took = time.perf_counter() - begin
        counts = session.result.statistics
        asked = counts.evaluations_by_part["p0"] / counts.windows
        return took / (counts.windows - windows), asked


@contextmanager
def served(n: int, nap: float) -> Any:
    """A server with so many parts, in a process of its own; its port."""
    command = [sys.executable, __file__, "--serve", str(n), str(nap)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(20)


def serve(n: int, nap: float) -> None:
    """That process."""
    offers = {}
    for k in range(n):
        publication = Publication(f"p{k}", linearization=True)
        offers[f"p{k}"] = PartOffer(Sleeper(nap), publication, Seal(None))
    here = Address("127.0.0.1", 0)
    with PartServer(here, Access(), offers, ServerOptions(most=4 * n), insecure=True) as server:
        print(server.address.port, flush=True)
        sys.stdin.read()


def measured(n: int, way: Way, port: int, guess: float, **late: float) -> tuple[float, float]:
    """Seconds of a window where all that passes is late."""
    with forwarding(port, **late) as front:
        return seconds(ring(n, f"dovetail://127.0.0.1:{front}"), way, guess)


def main() -> None:
    """Measure, and compare with the model."""
    quick = "--quick" in sys.argv
    sizes, delays = (SIZES[:2], DELAYS[:2]) if quick else (SIZES, DELAYS)
    if "--parts" in sys.argv:
        sizes = (int(sys.argv[sys.argv.index("--parts") + 1]),)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("parts  one way  algorithm     asked  windows/s  the model says  measured/model")
    off = []
    for n in sizes:
        with served(n, STEP) as port:
            for way in WAYS:
                usual, k = measured(n, way, port, STEP * way.messages(n, 4))
                print(f"{n:5d}     0 ms  {way.name:12s}  {k:5.1f}  {1 / usual:9.1f}", flush=True)
                for delay in delays:
                    says = usual + way.messages(n, k) * delay
                    took, asked = measured(n, way, port, says, delay=delay)
                    off.append(took / says)
                    row = f"{n:5d}  {1e3 * delay:4.0f} ms  {way.name:12s}  {asked:5.1f}"
                    row = f"{row}  {1 / took:9.1f}  {1 / says:14.1f}  {took / says:14.2f}"
                    print(row, flush=True)
    within = sum(1 / 1.2 <= r <= 1.2 for r in off)
    print(f"within 20 %: {within} of {len(off)}, median {statistics.median(off):.2f}")
    n = SIZES[1]
    with served(n, STEP) as port:
        for uneven in UNEVEN:
            what = ", ".join(f"{name} {value:g}" for name, value in uneven.items()) or "even"
            for way in WAYS:
                took, _ = measured(n, way, port, 0.1, delay=0.005, **uneven)
                print(f"{n} parts, 5 ms, {what}: {way.name} {1 / took:.1f} windows/s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]), float(sys.argv[3]))
    else:
        main()
