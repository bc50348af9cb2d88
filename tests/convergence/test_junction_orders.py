"""Junctions have the order they declare: states and unknowns."""

from __future__ import annotations

from math import log2
from typing import Any

import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv


def order(algorithm: Any, solver: str, name: str) -> float:
    """From three window sizes, for two inductors in series."""
    runs = [
        jp.simulate(jp.two_inductors(solver=solver, step=step), step, 0.32, algorithm)
        for step in (0.02, 0.01, 0.005)
    ]
    coarse, middle, fine = (run.at(runs[0].time, name) for run in runs)
    return log2(np.max(np.abs(coarse - middle)) / np.max(np.abs(middle - fine)))


@pytest.mark.parametrize(
    ("algorithm", "solver", "name", "expected"),
    [
        (dv.Jacobi(), "euler", "loaded.i", 1),  # sliding mode: the parts' own order,
        (dv.Jacobi(), "rk4", "loaded.i", 2),  # at most two, since the unknown is held;
        (dv.Jacobi(), "rk4", "loaded.v", 1),  # it follows what is left of the gap
        (dv.Newton(), "euler", "loaded.i", 1),
        (dv.Newton(), "rk4", "loaded.i", 2),
        (dv.Newton(), "rk4", "loaded.v", 2),  # brought from the mean to the window's end
        (dv.Iterative(), "rk4", "loaded.v", 2),
    ],
)
def test_observed_order(algorithm: Any, solver: str, name: str, expected: int) -> None:
    assert order(algorithm, solver, name) == pytest.approx(expected, abs=0.2)
