"""B. Gu's thesis, chapter 3: the invariant set of 3.2, the bound (3.4.5), figure 3.5.3 at n = 5.

All on the example of 3.5, with the parameters of the page on papers. States, s and what moves it
are formed from the equations beside the run, since Euler's method is in the parts.
"""

from __future__ import annotations

from typing import Any

import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv

STEP = 0.1
PUMP = 1.08e5


def run(stop: float, law: dv.SlidingMode, **start: float) -> dv.Result:
    return jp.simulate(jp.gu_3_5(coordinator=law, solver="euler", step=STEP, **start), STEP, stop)


def law(mu: float = 0.1, limit: float = 1000.0, moves: int = 1) -> dv.SlidingMode:
    rate: Any = "single" if moves == 1 else "multi"
    return dv.SlidingMode(mu, limit, moves, rate=rate, presolve=False)


def along(result: dv.Result, mu: float, pump: float, volume: float) -> tuple[Any, Any, Any, float]:
    """g, s, alpha of (3.2.8), and ds/dz."""
    V, Q, x, v = volume, 0.0, 0.0, 0.0
    rows = []
    for t, z in zip(result.time, result["pipe.P"], strict=True):
        turn = (-4e5 * Q + pump * np.sin(np.pi * t) - z) / 2e5
        push = (-2 * x**3 + jp.AREA * z) / 20
        g = V / jp.AREA - x, Q / jp.AREA - v, turn / jp.AREA - push
        jerk = (-4e5 * turn + pump * np.pi * np.cos(np.pi * t)) / 2e5 / jp.AREA + 6 * x**2 * v / 20
        s = g[0] + 2 * mu * g[1] + mu**2 * g[2]
        rows.append((g[0], s, STEP * (g[1] + 2 * mu * g[2] + mu**2 * jerk)))
        V, Q, x, v = V + STEP * Q, Q + STEP * turn, x + STEP * v, v + STEP * push
    gap, s, alpha = np.array(rows).T
    return gap, s, alpha, -(mu**2) * (1 / 2e5 / jp.AREA + jp.AREA / 20)


@pytest.mark.parametrize(("volume", "limit"), [(1e-4, 3000.0), (1e-3, 20000.0)])
def test_the_vicinity_of_the_manifold_is_an_invariant_set(volume: float, limit: float) -> None:
    """3.2.13, 3.2.18: with v0 above what alpha and R ask for, s is R from the first step on."""
    result = run(4.0, law(limit=limit), pump=0.0, volume=volume)
    _, s, alpha, push = along(result, 0.1, 0.0, volume)
    moved = np.diff(result["pipe.P"])
    rest = s[1:] - s[:-1] - alpha[:-1] - push * moved  # R of (3.2.9)
    largest = np.max(np.abs(rest))
    assert limit > (np.max(np.abs(alpha)) + largest) / abs(push)  # 3.2.10
    assert np.max(np.abs(moved)) < limit
    # differences along the line of states: 1e-8 of s
    assert s[1:] == pytest.approx(rest, abs=1e-8 * s[0])
    assert np.max(np.abs(s[1:])) <= largest * (1 + 1e-3) < 1e-5 * s[0]


def test_figure_3_5_3_itself_leaves_the_set_for_want_of_magnitude() -> None:
    """At n = 1 its v0 of 1000 is below (3.2.10), which asks for 1900: s is lost and found again."""
    result = run(4.0, law(), pump=0.0, volume=1e-4)
    _, s, alpha, push = along(result, 0.1, 0.0, 1e-4)
    assert np.max(np.abs(alpha)) / abs(push) == pytest.approx(1900.0, rel=1e-3)
    assert abs(s[1]) < 1e-9 * s[0] and s[2] == pytest.approx(-0.9 * s[0], rel=1e-6)
    assert np.max(np.abs(s[7:])) < 1e-7 * s[0]


def test_the_phase_portrait_goes_to_the_set_at_a_finite_rate_and_along_the_manifold_to_rest() -> (
    None
):
    """3.2.25: outside, each step takes v0 of |O|, less R; inside, g dies away with mu."""
    result = run(4.0, law(limit=15000.0), pump=0.0, volume=1e-3)
    gap, s, alpha, push = along(result, 0.1, 0.0, 1e-3)
    wish = -(s + alpha) / push
    outside = np.flatnonzero(np.abs(wish[:-1]) > 15000.0)
    assert outside.size == 1
    for k in outside:
        expected = (s[k] + alpha[k]) * (1 - 15000.0 / abs(wish[k]))
        assert s[k + 1] == pytest.approx(expected, abs=1e-6 * s[0])
    assert np.max(np.abs(s[outside[-1] + 2 :])) < 1e-5 * s[0]
    assert np.max(np.abs(gap[6:])) < 1e-5 * abs(gap[0])  # mu is a step: two steps and it is gone


def test_figure_3_5_3_at_five_moves_hardly_oscillates() -> None:
    found = {}
    for moves in (1, 5):
        result = run(2.0, law(moves=moves), pump=0.0, volume=1e-4)
        _, s, _, _ = along(result, 0.1, 0.0, 1e-4)
        found[moves] = np.abs(s[1:]) / s[0]
    assert np.max(found[1]) == pytest.approx(0.9, abs=1e-4)
    assert np.max(found[5]) < 1e-6  # none that could be seen


@pytest.mark.parametrize("mu", [0.1, 0.2])
def test_the_constraint_stays_below_the_bound_of_s(mu: float) -> None:
    """(3.4.5), for mu of at least a step; at mu of one step g is s, two steps late."""
    result = run(5.0, law(mu, moves=20))
    gap, s, _, _ = along(result, mu, PUMP, 0.0)
    assert np.max(np.abs(gap)) <= np.max(np.abs(s)) * (1 + 1e-9)
    if mu == STEP:
        assert gap[2:] == pytest.approx(s[:-2], abs=1e-9 * np.max(np.abs(s)))


def test_below_a_step_the_bound_is_broken() -> None:
    """By 6 % at mu of 0.6 steps. With a = step/mu each filter may amplify by a / (2 - a)."""
    result = run(5.0, law(0.06, moves=20))
    gap, s, _, _ = along(result, 0.06, PUMP, 0.0)
    share = np.max(np.abs(gap)) / np.max(np.abs(s))
    assert share == pytest.approx(1.064, abs=0.002)
    a = STEP / 0.06
    assert share < (a / (2 - a)) ** 2
