"""What a fused run costs grows with the number of parts, and not faster."""

from __future__ import annotations

import time

import pytest

import dovetail as dv
from dovetail.fmi.native.batch import FmuBatch

FEW, MANY, STEPS = 40, 320, 320_000  # eight times as many, and as many steps of parts in all
FUSED = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(inputs="ramp"),
    dv.Jacobi(extrapolation=2),
    dv.GaussSeidel(extrapolation=2),
    dv.GaussSeidel(2, on_limit="accept", rtol=1e-14, atol=1e-14),
]


def seconds(model, n, algorithm, monkeypatch):
    """Process time of one part's step inside the kernel; the least of three."""
    system = dv.System("ring")
    for k in range(n):
        system.add(f"part{k}", model)
    for k in range(n):
        system.connect(f"part{k}.y", f"part{(k + 1) % n}.u")
    windows, found, kernel_run = STEPS // n, [], FmuBatch.run
    calls = []

    def timed(self, *arguments):
        begin = time.process_time()
        ran = kernel_run(self, *arguments)
        calls.append((time.process_time() - begin, ran.windows))
        return ran

    monkeypatch.setattr(FmuBatch, "run", timed)
    options = {"stop": 0.01 * windows, "controller": dv.FixedStep(0.01), "record": "part0.y"}
    for _ in range(3):
        calls.clear()
        with dv.Session(system, algorithm=algorithm, quiet=True, **options) as session:
            session.run()
        found.append(sum(s for s, _ in calls) / (n * sum(w for _, w in calls)))
    monkeypatch.undo()
    return min(found)


@pytest.mark.parametrize("algorithm", FUSED, ids=repr)
def test_a_part_costs_the_same_among_few_and_among_many(fmu, monkeypatch, algorithm):
    model = fmu("linear", 2, input_derivatives=3)
    few, many = (seconds(model, n, algorithm, monkeypatch) for n in (FEW, MANY))
    assert many < 3 * few  # a step of all that looks at all parts for each would be near 8


def test_looking_for_inputs_inside_a_step_costs_the_same_too(fmu, monkeypatch):
    """An FMU of FMI 3 asks where it is in the step; who asks is found without a search."""
    model = fmu("derivatives", 3)
    algorithm = dv.Jacobi(extrapolation=1)
    few, many = (seconds(model, n, algorithm, monkeypatch) for n in (FEW, MANY))
    assert many < 3 * few
