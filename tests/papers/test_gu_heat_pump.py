"""The heating mode of B. Gu's air conditioner, chapter 7: three junctions, a source for the air.

The thesis says that it exists and shows no numbers, so the reference is our own: the same volumes
with the flows solved for, such that pressures which are equal stay equal (index reduction by
hand), integrated by an implicit method.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv

EXAMPLE = Path(__file__).parents[2] / "examples" / "air_conditioner"
VOLUMES = ("manifold", "indoor1", "indoor2", "outdoor", "accumulator")
STATES = [f"{n}.{s}" for n in VOLUMES for s in ("P", "gamma", "Tw", "Ts")]
ABSENT = {"manifold.gamma", "manifold.Tw", "manifold.Ts", "accumulator.Ts"}
KEPT = [s for s in STATES if s not in ABSENT]


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    sys.path.insert(0, str(EXAMPLE))
    before = {name: sys.modules.pop(name, None) for name in ("models", "heating")}
    try:
        import heating

        yield heating
    finally:
        sys.path.remove(str(EXAMPLE))
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


@cache
def result_of(example: Any, stop: float) -> dv.Result:
    return example.simulate(stop)


def gaps(result: dv.Result) -> Any:
    """How far pressures of the discharge line and of the suction line are apart."""
    high = [np.abs(result[f"indoor{k}.P"] - result["manifold.P"]) for k in "12"]
    return np.max([*high, np.abs(result["outdoor.P"] - result["accumulator.P"])], axis=0)


def test_pressures_that_start_apart_merge_at_three_junctions(example: Any) -> None:
    result = result_of(example, 5.0)
    apart, t = gaps(result), result.time
    assert apart[0] == pytest.approx(50e3)
    # e^-5, e^-10, e^-20 of it are left of a motion with a time scale of .1 s: 337, 2.3, 1e-4 Pa;
    # what is above that are steps of .01 s of changing flows
    assert apart[np.searchsorted(t, 0.5 - 1e-9)] < 400
    assert apart[np.searchsorted(t, 1.0 - 1e-9)] < 12
    assert apart[t > 2].max() < 3
    verdict = result.verdict
    assert verdict is not None
    assert sorted(len(j["index"]) for j in verdict.junctions) == [1, 2]  # suction; discharge
    assert result.statistics.unsolved_junctions == 0


def test_no_refrigerant_is_lost_and_rooms_are_heated(example: Any) -> None:
    result = result_of(example, 5.0)
    assert np.ptp(sum(result[f"{name}.mass"] for name in VOLUMES)) < 1e-5
    for k, room in enumerate(example.ROOMS):
        assert result[f"indoor{k + 1}.Tw"].min() > room + 10  # condensers are warmer than the air
    assert result["outdoor.Tw"].max() < example.OUTSIDE - 2  # which the evaporator cools


class Reference:
    """The volumes as one set of differential equations."""

    def __init__(self, example: Any) -> None:
        self.parts, self.outer = example.PARTS, example.PARTS["surroundings"].function(0.0, None)

    def split(self, x: Any) -> dict[str, Any]:
        found, at = {}, 0
        for name in VOLUMES:
            count = len(self.parts[name].states)
            found[name], at = x[at : at + count], at + count
        return found

    def rates(self, states: dict[str, Any], flows: Any) -> dict[str, Any]:
        """Derivatives of all states, with these flows through the three junctions."""
        room1, room2, outside, speed, *openings = self.outer
        low, high = states["accumulator"][0], states["manifold"][0]
        pumped, hot = self.parts["compressor"].function(0.0, [low, high, speed], None)
        units = [states["indoor1"], states["indoor2"]]
        drained = [
            self.parts["valve1"].function(0.0, [x[0], states["outdoor"][0], opening], None)[0]
            for x, opening in zip(units, openings, strict=True)
        ]
        outlets = [self.enthalpy(n, states[n]) for n in ("indoor1", "indoor2", "outdoor")]
        inputs = {
            "manifold": [-flows[0], -flows[1], pumped],
            "indoor1": [flows[0], hot, drained[0], room1],
            "indoor2": [flows[1], hot, drained[1], room2],
            "outdoor": [*drained, *outlets[:2], -flows[2], outside],
            "accumulator": [flows[2], outlets[2], pumped, outside],
        }
        return {
            name: np.array(self.parts[name].derivatives(0.0, states[name], inputs[name], None))
            for name in VOLUMES
        }

    def enthalpy(self, name: str, x: Any) -> float:
        """What leaves a tube; it does not depend on flows."""
        given = [0.02] * (len(self.parts[name].inputs) - 1) + [300.0]
        return self.parts[name].output(0.0, x, given, None)[4]

    def __call__(self, t: float, x: Any) -> Any:
        states = self.split(x)

        def apart(flows: Any) -> Any:
            found = self.rates(states, flows)
            high, low = found["manifold"][0], found["accumulator"][0]
            indoor = [found[f"indoor{k}"][0] - high for k in "12"]
            return np.array([*indoor, found["outdoor"][0] - low])

        # derivatives are linear in flows that do not turn around
        base, unit = np.full(3, 0.02), 1e-3 * np.eye(3)
        columns = [(apart(base + e) - apart(base)) / 1e-3 for e in unit]
        flows = base - np.linalg.solve(np.column_stack(columns), apart(base))
        return np.concatenate(list(self.rates(states, flows).values()))


def test_it_follows_equations_with_the_flows_solved_for(example: Any) -> None:
    result = result_of(example, 5.0)
    late = result.time > 2 - 1e-9
    start = np.array([result[name][late][0] for name in KEPT])
    reference = Reference(example)
    solved = solve_ivp(
        reference, (2.0, 5.0), start, "Radau", t_eval=result.time[late], rtol=1e-9, atol=1e-9
    )
    assert solved.success
    for name, expected in zip(KEPT, solved.y, strict=True):
        found = result[name][late]
        # parts take Euler steps of .01 s, valves see pressures of the window's start: first
        # order; .5 % of what the suction pressure moves in three seconds
        scale = max(np.ptp(expected), 1e-3 * np.abs(expected).max())
        assert np.abs(found - expected).max() < 0.01 * scale, name
