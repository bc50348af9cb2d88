"""Junctions beside what is done without them: a stiff spring and dashpot between the parts.

For three pairs of parts: the largest error over the run, of the largest value, and how many windows
the parts were asked for. Prints a table; takes a few minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.models.compliance import compliance

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import junction_exact as je
import junction_problems as jp

# problem, its ports, domain, what the element takes, how stiff it is at first, damping for that
CASES: dict[str, tuple[tuple[str, str], str, str | None, float, float]] = {
    "two masses": (("spring.flange", "dashpot.flange"), "translational", None, 100.0, 16.0),
    "two capacitors": (("first.pin", "second.pin"), "electrical", None, 0.0, 0.01),
    "two inductors": (("fed.pin", "loaded.pin"), "electrical", "flow", 100.0, 12.0),
}
STOP = {"two masses": 3.0, "two capacitors": 1.0, "two inductors": 1.0}


def with_element(name: str, step: float, factor: float) -> dv.System:
    """The parts, with an element between them that is stiffer by this factor."""
    ports, domain, takes, stiffness, damping = CASES[name]
    system = dv.System(name)
    for part in jp.problems[name].system("rk4", step).parts.values():
        system.add(part.name, part.model)
    more = factor if stiffness == 0 else factor**0.5  # so that it stays as well damped
    system.add("give", compliance(domain, factor * stiffness, more * damping, takes=takes))
    for port, end in zip(ports, "ab", strict=True):
        system.join(port, f"give.{end}")
    return system


def measured(name: str, system: dv.System, step: float, algorithm: Any) -> tuple[float, float]:
    """The largest error, and how many windows each of the two parts was asked for."""
    try:
        with np.errstate(all="ignore"):
            result = jp.simulate(system, step, STOP[name], algorithm)
    except dv.RunError:
        return float("inf"), 0.0
    states, _ = je.solutions[name](result.time)
    asked = result.statistics.evaluations_by_part
    first = CASES[name][0][0].partition(".")[0]
    found = je.error(result, states)
    return (found if np.isfinite(found) else float("inf")), asked[first]


def stiffest(name: str, step: float, first: float) -> tuple[float, float, float]:
    """The best of ever stiffer elements: factor, error, cost."""
    best, worse = (1.0, float("inf"), 0.0), 0
    for k in range(20):
        factor = first * 2.0**k
        error, cost = measured(name, with_element(name, step, factor), step, dv.Jacobi())
        if error < best[1]:
            best, worse = (factor, error, cost), 0
        else:
            worse += 1
        if worse == 2:
            break
    return best


def rows(name: str) -> Iterator[tuple[str, float, float, float]]:
    """What was done, the window, the error, the cost."""
    step = jp.problems[name].step
    plain = jp.problems[name].system("rk4", step)
    moved = measured(name, plain, step, dv.Jacobi())
    yield "sliding mode", step, *moved
    yield "iterated", step, *measured(name, plain, step, dv.Newton(inputs="ramp"))
    factor, grows = 1.0, 4.0 if CASES[name][3] == 0 else 16.0  # what a shorter window bears
    for divided in (1, 4, 16):
        window = step / divided
        factor, error, cost = stiffest(name, window, factor)
        yield "element, best stiffness", window, error, cost
        if error < moved[0]:
            break
        factor *= grows / 2


def main() -> None:
    """Print the table."""
    print("| problem | how | window | error | windows per part |\n| --- | --- | --- | --- | --- |")
    for name in sys.argv[1:] or CASES:
        for what, window, error, cost in rows(name):
            print(f"| {name} | {what} | {window:g} s | {error:.1e} | {cost:.0f} |", flush=True)


if __name__ == "__main__":
    main()
