"""Advice on windows, order and iteration, from linearizations and by trying out."""

from math import exp, sqrt

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.check.advice import advice_lines, advise


def lag(rate, gain=1.0, **more):
    """y' = rate (gain u - y)."""
    return dv.Dynamic(
        states={"y": 0.0},
        inputs={"u": 0.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [rate * (gain * u.u - x.y)],
        **more,
    )


def ring(*models):
    system = dv.System("ring")
    names = "abcdefgh"[: len(models)]
    for name, model in zip(names, models, strict=True):
        system.add(name, model)
    for k, name in enumerate(names):
        source = names[k - 1]
        output = system.parts[source].description.outputs[0].name
        target = system.parts[name].description.inputs[0].name
        system.connect(f"{source}.{output}", f"{name}.{target}")
    return system


def test_the_gain_of_two_lags_is_that_of_their_step_responses():
    (found,) = advise(ring(lag(1.0, 2.0), lag(3.0, -1.5)), 0.2)
    response = 2.0 * (1 - exp(-0.2)) * 1.5 * (1 - exp(-0.6))
    assert found.parts == ("a", "b")
    assert found.gain == pytest.approx(sqrt(response), rel=1e-6)
    assert found.instant == pytest.approx(0.0, abs=1e-9)


def test_the_window_is_where_the_gain_is_one_half():
    (found,) = advise(ring(lag(1.0, 2.0), lag(1.0, 2.0)))
    assert 2 * (1 - exp(-found.window)) == pytest.approx(0.5, rel=1e-3)


class Hidden:
    """A part that can go back, and shows nothing else of itself."""

    def __init__(self, model):
        self.model = model

    @property
    def description(self):
        from dataclasses import replace

        d = self.model.description
        return replace(d, capabilities=replace(d.capabilities, can_linearize=False))

    def instantiate(self, name):
        part = self.model.instantiate(name)
        part.description = self.description
        return part


def test_parts_that_can_only_go_back_are_tried_out():
    exact, tried = (
        advise(ring(wrap(lag(1.0, 2.0, rtol=1e-10)), lag(3.0, -1.5)), 0.2)[0]
        for wrap in (lambda m: m, Hidden)
    )
    assert tried.gain == pytest.approx(exact.gain, rel=1e-5)
    assert tried.window is None  # known for one window only


def test_trying_out_leaves_no_trace_in_a_later_run():
    system = ring(lag(1.0, 2.0), lag(3.0, -1.5))
    run = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    before = dv.simulate(system, **run).final
    advise(system, 0.2)
    assert dv.simulate(system, **run).final == before


def test_a_part_that_shows_nothing_and_cannot_go_back_is_named():
    class Closed(Hidden):
        @property
        def description(self):
            from dataclasses import replace

            d = self.model.description
            able = replace(d.capabilities, can_linearize=False, can_restore=False)
            return replace(d, capabilities=able)

    (found,) = advise(ring(Closed(lag(1.0)), lag(2.0)), 0.1)
    assert found.reason.startswith("'a' can neither be linearized nor roll back")
    assert advice_lines(ring(Closed(lag(1.0)), lag(2.0)), 0.1)[1] == f"  a, b: {found.reason}"


def test_an_algebraic_loop_has_its_gain_whatever_the_window():
    gain = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.8 * u.u + 1])
    system = ring(gain, gain)
    (found,) = advise(system, 0.1)
    assert found.gain == found.instant == pytest.approx(0.8, rel=1e-6)
    assert "algebraic loop with gain 0.8" in "\n".join(advice_lines(system, 0.1))
    assert "iterating pays" in "\n".join(advice_lines(system, 0.1))


def test_a_pass_follows_the_ring_so_that_one_connection_lags():
    """Drawn against the order of the names; where it begins does not matter in a ring."""
    system = dv.System("ring")
    for name in "abc":
        system.add(name, lag(1.0))
    for source, target in ("cb", "ba", "ac"):
        system.connect(f"{source}.y", f"{target}.u")
    (found,) = advise(system, 0.1)
    assert "".join(found.order) in "cbacba"


def test_the_connection_that_makes_the_loop_is_named():
    system = dv.System("two loops")
    pair = dv.Dynamic(
        states={"x": 0.0, "y": 0.0},
        inputs={"u": 0.0, "w": 0.0},
        outputs=["x", "y"],
        derivatives=lambda t, x, u, p: [5 * u.u - x.x, 0.01 * u.w - x.y],
    )
    system.add("a", pair)
    system.add("b", pair)
    for k in ("x", "u"), ("y", "w"):
        system.connect(f"a.{k[0]}", f"b.{k[1]}")
        system.connect(f"b.{k[0]}", f"a.{k[1]}")
    (found,) = advise(system, 0.1)
    assert found.worth == ("b.x -> a.u", "a.x -> b.u")


def test_a_system_without_cycles_needs_no_advice():
    system = dv.System("line")
    system.add("a", lag(1.0))
    system.add("b", lag(1.0))
    system.connect("a.y", "b.u")
    assert advise(system, 0.1) == [] == advice_lines(system, 0.1)


def test_what_fails_to_start_is_told_and_not_raised():
    broken = dv.Dynamic(
        states={"y": 0.0},
        inputs={"u": 0.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [1 / u.u],
        output=lambda t, x, u, p: [np.nan],
    )
    (line,) = advice_lines(ring(broken, lag(1.0)), 0.1)
    assert line.startswith("No advice: part 'a' failed")


def stiff_pair(light_mass: float) -> dv.System:
    """A mass of 1 kg, and a light one behind a spring of 1e6 N/m and a damper of 1e3 N s/m."""
    system = dv.System("stiff pair")
    heavy = dv.Dynamic(
        states={"x": 0.0, "v": 1.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, u.f - 1e4 * s.x],
    )
    light = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["x1", "v1"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [
            s.v,
            (1e6 * (u.x1 - s.x) + 1e3 * (u.v1 - s.v) - 50.0 * s.v) / light_mass,
        ],
        output=lambda t, s, u, p: [1e6 * (s.x - u.x1) + 1e3 * (s.v - u.v1)],
    )
    system.add("heavy", heavy)
    system.add("light", light)
    system.connect("heavy.x", "light.x1")
    system.connect("heavy.v", "light.v1")
    system.connect("light.f", "heavy.f")
    return system


@pytest.mark.parametrize("size", [2e-3, 5e-4, 1e-4])
def test_a_stiff_loop_is_seen_whose_gain_is_small(size):
    """Single passes with held inputs are 12 to 42 % off there, at all of these windows."""
    (found,) = advise(stiff_pair(0.01), size)
    assert found.held is not None and found.held.output == "light.f"
    assert found.held.missed > 0.2
    assert found.held.time_constant == pytest.approx(9.5e-6, rel=0.05)
    text = "\n".join(found.lines())
    assert "but the loop is stiff" in text and "one pass per window is enough" not in text
    assert "iterate or extrapolate" in text


def test_windows_that_resolve_the_loop_are_not_called_stiff():
    (found,) = advise(stiff_pair(0.01), 2e-5)
    assert found.held is None


@pytest.mark.parametrize("size", [0.2, 0.05, 0.01])
def test_a_gentle_loop_is_not_called_stiff(size):
    assert all(found.held is None for found in advise(problems.two_mass_system(), size))
