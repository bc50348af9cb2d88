"""Windows per second over a network: algorithms against latency, and a model that says them before.

    python benchmarks/network.py [--quick]

Rings of parts that sleep in each step, so that two cores do for 64 of them. Each part has a process
of its own behind a server; all that goes there passes a forwarder (forwarder.py) with a delay,
also what parts send each other. Times are slopes between a short and a long run. The model knows
only what a step takes, the latency, what a window costs where there is none, and how often
the algorithm has asked; the last column is what was measured over what it says.
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
DELAYS = (0.0, 0.001, 0.005, 0.025)  # seconds, one way
TIMES = (0.6, 2.4)  # seconds of a short and a long run, about


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
    """A way to run a ring, and what the model says of it: steps and messages one after another.

    `steps`, `messages`: of one window, with n parts that were asked k times each.
    """

    name: str
    algorithm: Any
    steps: Any
    messages: Any
    estimators: Any = None


# a message is one way; asking and hearing are two, and those of parts asked at once count once
WAYS = (
    Way("Jacobi", dv.Jacobi(), lambda n, k: 1, lambda n, k: 1),
    Way("Gauss-Seidel", dv.GaussSeidel(), lambda n, k: n, lambda n, k: n),
    Way("iterated", dv.Jacobi(max_iterations=60), lambda n, k: k, lambda n, k: 2 * k),
    Way(
        "COSTARICA",
        dv.Newton(),
        lambda n, k: 1,
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


def seconds(system: dv.System, way: Way, count: int) -> tuple[float, float]:
    """Seconds of so many windows, and how often a part was asked in each."""
    n = len(system.parts)
    more = {} if way.estimators is None else {"estimators": way.estimators(n)}
    more |= {"algorithm": way.algorithm, "controller": dv.FixedStep(WINDOW), "quiet": True}
    with dv.Session(system, stop=count * WINDOW, **more) as session:
        session.proceed()
        begin, windows = time.perf_counter(), session.counts.windows
        session.run()
        took = time.perf_counter() - begin
        counts = session.result.statistics
        asked = counts.evaluations_by_part["p0"] / counts.windows
        return took / max(counts.windows - windows, 1) * count, asked


def slope(system: dv.System, way: Way, guess: float) -> tuple[float, float]:
    """Seconds of a window, without what a run costs once; and how often parts were asked."""
    short, long = (max(int(t / guess), 3 + k) for k, t in enumerate(TIMES))
    one, _ = seconds(system, way, short)
    two, asked = seconds(system, way, long)
    return max((two - one) / (long - short), 1e-9), asked


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


def measured(n: int, delay: float, way: Way, port: int, guess: float) -> tuple[float, float]:
    """Seconds of a window, with this delay on every message."""
    with forwarding(port, delay=delay) as front:
        return slope(ring(n, f"dovetail://127.0.0.1:{front}"), way, guess)


def main() -> None:
    """Measure, and compare with the model."""
    quick = "--quick" in sys.argv
    sizes, delays = (SIZES[:2], DELAYS[1:3]) if quick else (SIZES, DELAYS)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("parts  one way  algorithm     asked  windows/s  the model says  measured/model")
    off = []
    for n in sizes:
        with served(n, 0.0) as port:
            usual = {way.name: measured(n, 0.0, way, port, 0.005 * n) for way in WAYS}
        with served(n, STEP) as port:
            for delay in delays:
                for way in WAYS:
                    own, k = usual[way.name]
                    says = own + way.steps(n, k) * STEP + way.messages(n, k) * delay
                    took, asked = measured(n, delay, way, port, says)
                    off.append(took / says)
                    row = f"{n:5d}  {1e3 * delay:4.0f} ms  {way.name:12s}  {asked:5.1f}"
                    print(
                        f"{row}  {1 / took:9.1f}  {1 / says:14.1f}  {took / says:14.2f}", flush=True
                    )
    within = sum(1 / 1.2 <= r <= 1.2 for r in off)
    print(f"within 20 %: {within} of {len(off)}, median {statistics.median(off):.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]), float(sys.argv[3]))
    else:
        main()
