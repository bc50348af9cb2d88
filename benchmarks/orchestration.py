"""What orchestration costs per part and window, with parts that do next to nothing.

    python benchmarks/orchestration.py

A ring of n trivial Python parts, each adding a little to what it is fed. Costs are process
time, as the slope between a short and a long run, so that set-up does not count. The last
column is the cost per part at n over that at 10: 1 means growth is linear.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.core.description import Capabilities, Description, Variable
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.subsystem import Reached

SIZES = (2, 10, 100, 1000)


class Trivial:
    """y <- 0.5 u + 1; the cheapest part that moves."""

    description = Description(
        inputs=(Variable("u"),),
        outputs=(Variable("y"),),
        feedthrough={"y": frozenset()},
        capabilities=Capabilities(can_restore=True, can_evaluate_now=True, input_order=None),
    )

    def instantiate(self, name: str) -> Trivial:
        return Trivial()

    def __init__(self) -> None:
        self.y = np.ones(1)

    def initialize(self, start: float, values: Any, *, derivatives: bool = False) -> None:
        pass

    def begin(self) -> None:
        pass

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        return Signals(self.y)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        self.y = 0.5 * inputs.coefficients[:, 0] + 1.0
        return Reached(window.stop, Signals(self.y))

    def snapshot(self) -> Any:
        return self.y

    def restore(self, snapshot: Any) -> None:
        self.y = snapshot

    def close(self) -> None:
        pass


def algebraic() -> dv.Algebraic:
    return dv.Algebraic(
        inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.5 * u.u + 1.0], feedthrough=False
    )


def ring(n: int, make: Callable[[], Any]) -> dv.System:
    system, model = dv.System("ring"), make()
    for k in range(n):
        system.add(f"part{k}", model)
    for k in range(n):
        system.connect(f"part{k}.y", f"part{(k + 1) % n}.u")
    return system


def microseconds(system: dv.System, algorithm: Any, windows: int) -> float:
    """Process time per part and window."""

    def run(count: int) -> float:
        with dv.Session(
            system,
            stop=0.01 * count,
            algorithm=algorithm,
            controller=dv.FixedStep(0.01),
            record="part0.y",
        ) as session:
            begin = time.process_time()
            session.run()
            return time.process_time() - begin

    short, long = run(windows), run(3 * windows)
    return 1e6 * (long - short) / (2 * windows * len(system.parts))


def main() -> None:
    algorithms = {
        "Jacobi": dv.Jacobi(),
        "Gauss-Seidel": dv.GaussSeidel(),
        "iterated Gauss-Seidel (2 sweeps)": dv.GaussSeidel(2, on_limit="accept"),
    }
    print(f"{'parts':>6}  {'algorithm':34} {'kind':>9} {'us/part/window':>15} {'vs n = 10':>10}")
    for kind, make in (("bare", Trivial), ("Algebraic", algebraic)):
        for title, algorithm in algorithms.items():
            at_ten = 0.0
            for n in SIZES:
                cost = microseconds(ring(n, make), algorithm, max(3000 // n, 20))
                at_ten = cost if n == 10 else at_ten
                ratio = f"{cost / at_ten:10.2f}" if at_ten else f"{'':>10}"
                print(f"{n:6d}  {title:34} {kind:>9} {cost:15.2f} {ratio}")


if __name__ == "__main__":
    main()
