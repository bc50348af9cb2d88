"""Junctions: drawn, checked, solved, kept in files, and gone wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv
from dovetail.topology.components import Structure


def mass(kilograms: float = 1.0, **more: Any) -> dv.Dynamic:
    options: dict[str, Any] = {
        "ports": {"flange": dv.Port("translational", "F", "v", "x")},
        "solver": "rk4",
        "step": 0.01,
    }
    return dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.F / kilograms],
        **(options | more),
    )


def capacitor(capacity: float = 1e-3, leak: float = 100.0, **more: Any) -> dv.Dynamic:
    options: dict[str, Any] = {
        "ports": {"pin": dv.Port("electrical", "v", "i")},
        "solver": "rk4",
        "step": 0.01,
    }
    return dv.Dynamic(
        states={"v": 1.0},
        inputs={"i": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [(u.i - x.v / leak) / capacity],
        **(options | more),
    )


def resistor(ohms: float = 50.0) -> dv.Algebraic:
    return dv.Algebraic(
        inputs={"v": 0.0},
        outputs=["i"],
        function=lambda t, u, p: [u.v / ohms],
        ports={"pin": dv.Port("electrical", "v", "i")},
    )


def source(flow: str = "v", **units: str) -> dv.Algebraic:
    """A rigid source of flow: whatever the force, it moves as it likes."""
    return dv.Algebraic(
        inputs={"F": 0.0},
        outputs=["v"],
        function=lambda t, u, p: [1.0],
        feedthrough=False,
        ports={"flange": dv.Port("translational", "F", "v")},
        units=units,
    )


def of(*parts: tuple[str, Any]) -> dv.System:
    system = dv.System("joined")
    for name, model in parts:
        system.add(name, model)
    return system


def run(system: dv.System, stop: float = 0.2, **options: Any) -> dv.Result:
    given = {"controller": dv.FixedStep(0.01), "quiet": True, **options}
    return dv.simulate(system, stop=stop, **given)


# what a junction is -------------------------------------------------------------------------------


def test_the_case_follows_from_who_gives_the_common_variable() -> None:
    system = of(("a", capacitor()), ("b", capacitor()), ("r", resistor()), ("s", resistor()))
    assert system.join("a.pin", "r.pin").case == "wires"
    system = of(("a", capacitor()), ("b", capacitor()), ("r", resistor()), ("s", resistor()))
    assert system.join("r.pin", "s.pin").case == "common"
    assert system.join("a.pin", "b.pin").case == "conjugates"
    assert "each give the effort" in system.junctions[1].explain()


def test_one_who_gives_it_makes_plain_wires() -> None:
    joined = of(("c", capacitor()), ("r", resistor()))
    joined.join("c.pin", "r.pin")
    wired = of(("c", capacitor()), ("r", resistor()))
    wired.connect("c.v", "r.v")
    wired.connect("r.i", "c.i", gain=-1.0)
    assert [str(c) for c in joined.connections] == [str(c) for c in wired.connections]
    a, b = (run(s, algorithm=dv.GaussSeidel(20)) for s in (joined, wired))
    assert np.array_equal(a["c.v"], b["c.v"])


@pytest.mark.parametrize(
    "algorithm",
    [dv.Jacobi(50), dv.GaussSeidel(50, inputs="ramp"), dv.Newton(inputs="ramp"), dv.Iterative()],
)
def test_several_who_take_it_add_up(algorithm: Any) -> None:
    system = of(("c", capacitor()), ("r", resistor(50.0)), ("s", resistor(200.0)))
    system.join("r.pin", "c.pin", "s.pin")
    result = run(system, algorithm=algorithm, rtol=1e-9, atol=1e-12)
    exact = np.exp(-result.time / 1e-3 * (1 / 100 + 1 / 50 + 1 / 200))
    assert np.max(np.abs(result["c.v"] - exact)) < (0.2 if algorithm.order == 1 else 0.01)
    assert result["c.i"] == pytest.approx(-result["r.i"] - result["s.i"], abs=1e-8)


def test_an_algebraic_loop_through_a_sum_is_solved_at_the_start() -> None:
    battery = dv.Algebraic(
        inputs={"i": 0.0},
        outputs=["v"],
        function=lambda t, u, p: [10.0 + 5.0 * u.i],
        ports={"pin": dv.Port("electrical", "v", "i")},
    )
    system = of(("b", battery), ("r", resistor(10.0)), ("s", resistor(10.0)))
    system.join("b.pin", "r.pin", "s.pin")
    result = run(system, stop=0.02)
    assert result["b.v"] == pytest.approx(5.0, abs=1e-6)
    assert result["b.i"] == pytest.approx(-1.0, abs=1e-6)


def test_units_convert_at_the_port() -> None:
    grams = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, 1e3 * (1e3 * u.F) / 2.0],
        ports={"flange": dv.Port("translational", "F", "v", "x")},
        units={"x": "mm", "v": "mm/s", "F": "kN"},
        solver="rk4",
        step=0.01,
    )
    plain, scaled = of(("b", mass(2.0))), of(("b", grams))
    for system in (plain, scaled):
        system.add("a", mass(), x=0.1, v=3.0)
        system.join("a.flange", "b.flange")
    a, b = (run(s, algorithm=dv.Jacobi()) for s in (plain, scaled))
    assert a["b.v"][-1] > 0.9
    assert b["b.v"] == pytest.approx(1e3 * a["b.v"], rel=1e-6, abs=1e-3)
    assert b["b.F"] == pytest.approx(1e-3 * a["b.F"], rel=1e-6, abs=1e-5)


def test_parts_that_meet_twice_are_solved_as_one() -> None:
    """Three masses in a row: the middle one belongs to two junctions."""
    middle = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0, "G": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, (u.F + u.G) / 2],
        ports={
            "left": dv.Port("translational", "F", "v", "x"),
            "right": dv.Port("translational", "G", "v", "x"),
        },
        solver="rk4",
        step=0.01,
    )
    system = of(("b", middle), ("c", mass(3.0)))
    system.add("a", mass(1.0), v=6.0)
    system.join("a.flange", "b.left")
    system.join("b.right", "c.flange")
    (group,) = Structure.of(system).groups
    assert group.names == ("b.F", "c.F")
    result = run(system, stop=1.0, algorithm=dv.Jacobi())
    assert [result[f"{n}.v"][-1] for n in "abc"] == pytest.approx([1.0] * 3, abs=1e-6)
    assert result.statistics.unsolved_junctions == 0


def test_common_flow_or_effort_can_be_chosen() -> None:
    """Two inductors in series: the same current through both, by another name."""
    system = of(("a", mass()), ("b", mass()))
    assert system.join("a.flange", "b.flange", kind="flow").case == "conjugates"
    other = of(("a", mass()), ("b", mass()))
    assert other.join("a.flange", "b.flange", kind="effort").case == "common"


def test_flows_can_be_compared_instead_of_displacements() -> None:
    system = of(("b", mass(2.0)))
    system.add("a", mass(), x=0.1, v=3.0)
    system.join("a.flange", "b.flange", level="flow")
    result = run(system, stop=0.5, algorithm=dv.Jacobi())
    assert result["a.v"][-1] == pytest.approx(1.0, abs=1e-6)
    assert result["a.x"][-1] - result["b.x"][-1] > 0.05  # nobody asked for the gap to close
    assert result.verdict is not None and result.verdict.junctions[0]["index"] == [2]


# wrong use ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ports", "options", "message"),
    [
        (("a.flange",), {}, "a junction needs at least two ports"),
        (("a.flange", "b"), {}, "'b' names no port; write 'part.port'"),
        (("a.flange", "c.flange"), {}, "there is no part 'c'"),
        (("a.flange", "b.flang"), {}, "'b.flang' is not a port of 'b'. Did you mean 'flange'?"),
        (("a.flange", "b.v"), {}, "It is a variable; a port is a pair of them"),
        (("a.flange", "a.flange"), {}, "'a.flange' is named twice"),
        (("a.flange", "d.pin"), {}, "'a.flange' is translational but 'd.pin' is electrical"),
        (("a.flange", "b.flange"), {"kind": "force"}, "kind must be 'effort' or 'flow'"),
        (("a.flange", "b.flange"), {"level": "jerk"}, "level must be 'flow' or 'displacement'"),
        (("d.pin", "e.pin"), {"level": "displacement"}, "has no level of displacements"),
        (("a.flange", "b.flange"), {"coordinator": "fast"}, "such as dv.SlidingMode()"),
    ],
)
def test_what_cannot_meet_is_refused(ports: Any, options: Any, message: str) -> None:
    system = of(("a", mass()), ("b", mass()), ("d", capacitor()), ("e", capacitor()))
    with pytest.raises(dv.DrawingError) as caught:
        system.join(*ports, **options)
    assert message in str(caught.value)
    assert not system.junctions


def test_units_that_do_not_fit_the_domain_are_refused() -> None:
    system = of(("a", mass()), ("b", source(v="m")))
    with pytest.raises(dv.DrawingError, match=r"'b\.v' does not fit the translational port"):
        system.join("a.flange", "b.flange")


def test_an_input_has_one_source() -> None:
    system = of(("a", mass()), ("b", mass()), ("c", mass()), ("d", source()))
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.DrawingError, match="is fed by the junction a"):
        system.join("a.flange", "c.flange")
    with pytest.raises(dv.DrawingError, match="is fed by the junction a"):
        system.connect("d.v", "b.F", gain=2.0)


def test_two_rigid_sources_have_no_solution() -> None:
    system = of(("a", source()), ("b", source()))
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.JunctionFailed) as caught:
        run(system)
    assert "nothing it could push moves what 'a' and 'b' give" in str(caught.value)
    assert "put a part that gives way between them" in str(caught.value)
    assert any("nothing it could push" in str(p) for p in system.check().problems)


def test_an_index_above_three_is_refused_before_the_start() -> None:
    slow = dv.Dynamic(
        states={"x": 0.0, "v": 0.0, "f": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, x.f, (u.F - x.f) / 0.1],
        ports={"flange": dv.Port("translational", "F", "v", "x")},
    )
    system = of(("a", slow), ("b", slow))
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.JunctionFailed, match=r"its index is 4, and 3 is the most.*level='flow'"):
        run(system)
    other = of(("a", slow), ("b", slow))
    other.join("a.flange", "b.flange", level="flow")
    assert run(other, algorithm=dv.Jacobi()).finished


def test_a_wrong_relative_order_is_found_out() -> None:
    port = {"flange": dv.Port("translational", "F", "v", "x", relative_order=2)}
    system = of(("a", mass(ports=port)), ("b", mass()))
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.JunctionFailed) as caught:
        run(system)
    assert "it declares relative_order=2" in str(caught.value)
    assert "the first to depend on its input, but it does with 1" in str(caught.value)
    right = {"flange": dv.Port("translational", "F", "v", "x", relative_order=1)}
    system = of(("a", mass(ports=right)), ("b", mass()))
    system.join("a.flange", "b.flange")
    assert run(system).finished


def test_parts_joined_twice_over_cannot_be_told_apart() -> None:
    """Two rods between the same two masses: how they share the force is anybody's guess."""
    twice = {
        "one": dv.Port("translational", "F", "v", "x"),
        "two": dv.Port("translational", "G", "v", "x"),
    }

    def part() -> dv.Dynamic:
        return dv.Dynamic(
            states={"x": 0.0, "v": 0.0},
            inputs={"F": 0.0, "G": 0.0},
            outputs=["x", "v"],
            derivatives=lambda t, x, u, p: [x.v, u.F + u.G],
            ports=twice,
        )

    system = of(("a", part()), ("b", part()))
    system.join("a.one", "b.one")
    system.join("a.two", "b.two")
    with pytest.raises(dv.JunctionFailed, match="its unknowns cannot be distinguished"):
        run(system, algorithm=dv.Jacobi())


def test_a_push_that_stops_working_is_told_at_the_step_it_happens() -> None:
    """From t = .1 on neither mass feels its force any more."""

    def dead(drive: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"x": 0.0, "v": 0.0},
            inputs={"F": 0.0},
            outputs=["x", "v"],
            derivatives=lambda t, x, u, p: [x.v, (u.F if t < 0.095 else 0.0) + drive],
            ports={"flange": dv.Port("translational", "F", "v", "x")},
        )

    system = of(("a", dead(1.0)), ("b", dead(0.0)))
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.JunctionFailed, match=r"'b\.F' moves nothing") as caught:
        run(system, algorithm=dv.Jacobi())
    assert caught.value.time == pytest.approx(0.1)
    assert caught.value.result is not None
    assert caught.value.result.time[-1] == pytest.approx(0.09)


def test_a_flow_that_is_counted_outward_is_noticed(capfd: pytest.CaptureFixture[str]) -> None:
    outward = dv.Dynamic(
        states={"v": 1.0},
        inputs={"i": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [-u.i / 3e-3],
        ports={"pin": dv.Port("electrical", "v", "i")},
    )
    system = of(("a", capacitor()), ("b", outward))
    system.join("a.pin", "b.pin")
    assert "'b.pin' gives way against the push" in str(system.check())
    dv.simulate(system, stop=0.01, controller=dv.FixedStep(0.01))
    assert "'b.pin' gives way against the push" in capfd.readouterr().err


def test_signs_that_cancel_are_told_as_such() -> None:
    """One of two equal masses counts its force the other way: whatever pushes, they go together."""
    turned = mass(-1.0)
    system = of(("a", turned), ("b", mass()))
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.JunctionFailed, match=r"'a\.flange' gives way against the push"):
        run(system)


def test_wires_with_the_wrong_sign_are_noticed() -> None:
    system = of(("c", capacitor()), ("r", resistor()))
    system.connect("c.v", "r.v")
    system.connect("r.i", "c.i")
    assert "have signs by which both take power at once" in str(system.check())


def test_junctions_that_share_a_part_agree_on_their_coordinator() -> None:
    system = of(("a", resistor()), ("b", capacitor()), ("c", capacitor()))
    middle = dv.Dynamic(
        states={"v": 0.0},
        inputs={"i": 0.0, "j": 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u.i + u.j],
        ports={"one": dv.Port("electrical", "v", "i"), "two": dv.Port("electrical", "v", "j")},
    )
    system.add("m", middle)
    system.join("b.pin", "m.one", coordinator=dv.SlidingMode())
    system.join("c.pin", "m.two", coordinator=dv.IteratedJunction())
    with pytest.raises(dv.DrawingError, match="share a part and are solved as one"):
        run(system)


@pytest.mark.parametrize(
    "options",
    [
        {"time_scale": 0.0},
        {"limit": -1.0},
        {"moves": 0},
        {"moves": 2.5},
        {"rate": "fast"},
        {"rate": "single", "moves": 3},
        {"probe": 0.0},
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(dv.OptionError):
        dv.SlidingMode(**options)


# how it is served ---------------------------------------------------------------------------------


def pair(**options: Any) -> dv.System:
    system = of(("a", capacitor(1e-3)), ("b", capacitor(2e-3, 200.0)))
    system.join("a.pin", "b.pin", **options)
    return system


def test_the_choice_is_made_and_said(capfd: pytest.CaptureFixture[str]) -> None:
    dv.simulate(pair(), stop=0.02, controller=dv.FixedStep(0.01))
    told = capfd.readouterr().err
    assert "no algorithm given: Newton(" in told
    assert "is solved inside each window, because all its parts can answer" in told
    dv.simulate(pair(), stop=0.02, controller=dv.FixedStep(0.01), algorithm=dv.GaussSeidel())
    told = capfd.readouterr().err
    assert "is served by sliding mode after each window, because the algorithm does not" in told


def test_iteration_is_refused_where_the_algorithm_does_not_solve() -> None:
    with pytest.raises(dv.CapabilityError, match="which Jacobi cannot solve"):
        run(pair(coordinator=dv.IteratedJunction()), algorithm=dv.Jacobi())


def test_check_explains_each_junction() -> None:
    text = str(pair().check())
    assert "'a.pin' and 'b.pin' each give the effort: their flows are unknown" in text
    assert "index 2" in text
    assert "asks for a.v and b.v, and its derivative as a function of its inputs" in text
    assert "is solved inside each window" in text


def test_a_time_scale_too_short_for_the_windows_is_told() -> None:
    system = pair(coordinator=dv.SlidingMode(time_scale=0.001))
    report = system.check(dv.Jacobi(), dv.FixedStep(0.01))
    assert "windows of 0.01 s are too long for time_scale=0.001 s" in str(report)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()])
def test_a_part_may_ask_for_a_slow_merge(algorithm: Any) -> None:
    def merged(**more: Any) -> dv.Result:
        port = {"flange": dv.Port("translational", "F", "v", "x", **more)}
        system = of(("b", mass(2.0, ports=port)))
        system.add("a", mass(ports=port), x=0.1)
        system.join("a.flange", "b.flange")
        return run(system, stop=0.2, algorithm=algorithm)

    fast, slow = merged(), merged(time_scale=0.1)
    gap = [abs(r["a.x"] - r["b.x"]) for r in (fast, slow)]
    assert gap[0][10] < 0.2 * gap[1][10]


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton(), dv.Iterative()])
def test_step_doubling_goes_through_junctions(algorithm: Any) -> None:
    result = run(
        pair(), algorithm=algorithm, controller=dv.StepDoubling(1e-4, 1e-6, first_size=1e-3)
    )
    exact = np.exp(-result.time / 3e-3 * (1 / 100 + 1 / 200))
    assert np.max(np.abs(result["a.v"] - exact)) < 3e-3
    assert result.statistics.unsolved_junctions == 0


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()])
def test_a_resumed_run_is_the_same_to_the_last_bit(algorithm: Any, tmp_path: Path) -> None:
    options = {"controller": dv.FixedStep(0.01), "algorithm": algorithm, "quiet": True}
    whole = dv.simulate(jp.two_masses(solver="rk4", step=0.01), stop=0.2, **options)
    path = tmp_path / "run.checkpoint"
    with dv.Session(jp.two_masses(solver="rk4", step=0.01), stop=0.2, **options) as session:
        for _ in range(7):
            session.advance()
        session.checkpoint(path)
    system = jp.two_masses(solver="rk4", step=0.01)
    rest = dv.simulate(system, stop=0.2, resume=path, **options)
    for name in ("spring.x", "dashpot.F"):
        assert np.array_equal(whole[name][-10:], rest[name][-10:])
    assert whole.facts["ledger"]["bonds"] == rest.facts["ledger"]["bonds"]


def test_a_junction_inside_a_nested_system() -> None:
    nested = of(("inner", dv.Nested(pair(), algorithm=dv.Newton())))
    a, b = run(nested), run(pair(), algorithm=dv.Newton())
    assert a["inner.a.v"] == pytest.approx(b["a.v"], abs=1e-9)


def test_a_junction_survives_events() -> None:
    """A ball in a box: both bounce, though only one of them meets the floor."""
    ball = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.F - 9.81],
        zero_crossings=lambda t, x, u, p: [x.x],
        on_event=lambda which, t, x, u, p: {"v": -x.v},
        ports={"flange": dv.Port("translational", "F", "v", "x")},
        rtol=1e-9,
    )
    system = of(("a", ball), ("b", ball))
    system.join("a.flange", "b.flange")
    result = run(system, stop=1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.02))
    assert result.statistics.events >= 1
    assert result.statistics.unsolved_junctions == 0
    fall = 1 - 9.81 / 2 * result.time**2
    first = np.sqrt(2 / 9.81)
    before = result.time < first
    assert result["a.x"][before] == pytest.approx(fall[before], abs=1e-6)
    energy = 9.81 * result["a.x"] + result["a.v"] ** 2 / 2
    assert energy == pytest.approx(9.81, rel=1e-6)


class Hidden:
    """A model that shows less than it could: only what `able` says."""

    def __init__(self, model: dv.Dynamic, **able: bool) -> None:
        d = model.description
        none = {"can_evaluate_now": False, "can_linearize": False, "can_restore": False}
        capabilities = replace(d.capabilities, **(none | able))
        self.model, self.description = model, replace(d, capabilities=capabilities)

    def instantiate(self, name: str) -> Any:
        part = self.model.instantiate(name)
        part.description = self.description
        return part


@pytest.mark.parametrize("able", [{"can_linearize": True}, {"can_restore": True}])
@pytest.mark.parametrize("make", [jp.two_masses, jp.two_capacitors, jp.two_inductors])
def test_parts_that_tell_less_are_joined_all_the_same(make: Any, able: dict[str, bool]) -> None:
    """By their linearization, or by short steps: for these parts both are nearly exact."""
    step = 0.005
    whole = make(solver="rk4", step=step / 100)
    hidden = dv.System("hidden")
    for name, part in whole.parts.items():
        hidden.add(name, Hidden(part.model, **able))  # type: ignore[arg-type]
    for j in whole.junctions:
        hidden.join(*map(str, j.ends))
    a, b = (run(s, algorithm=dv.Jacobi(), controller=dv.FixedStep(step)) for s in (whole, hidden))
    for name in a:
        assert b[name] == pytest.approx(a[name], abs=2e-3 * jp.spread(a[name]) + 1e-9)


def test_a_part_that_tells_nothing_is_refused_beforehand() -> None:
    system = of(("a", Hidden(capacitor())), ("b", capacitor()))
    system.join("a.pin", "b.pin")
    with pytest.raises(dv.CapabilityError, match="'a' gives no derivatives of its outputs"):
        run(system, algorithm=dv.Jacobi())


# what is told -------------------------------------------------------------------------------------


def test_the_ledger_counts_what_coupling_creates() -> None:
    loose = run(pair(), algorithm=dv.Jacobi())
    tight = run(pair(), algorithm=dv.Newton(), rtol=1e-9)
    assert loose.verdict is not None and tight.verdict is not None
    (made,), (held,) = loose.verdict.bonds, tight.verdict.bonds
    assert abs(held["created"]) < 1e-9 * held["passed"]
    assert abs(made["created"]) > 1e-4 * made["passed"]
    assert loose.ledger["a.pin = b.pin"][-1] == pytest.approx(made["created"])
    assert loose.ledger.units == {"a.pin = b.pin": "J", "rate: a.pin = b.pin": "W"}
    rates = np.abs(loose.ledger["rate: a.pin = b.pin"])
    assert np.max(rates) == pytest.approx(made["largest"])
    with pytest.raises(dv.OptionError, match="there is no ledger"):
        _ = run(of(("c", capacitor()))).ledger


def test_a_bond_of_wires_is_in_the_ledger_too() -> None:
    """Jacobi lags by a window: what the resistor takes is not what the capacitor gives."""
    system = of(("c", capacitor()), ("r", resistor()))
    system.connect("c.v", "r.v")
    system.connect("r.i", "c.i", gain=-1.0)
    created = []
    for step in (0.01, 0.005):
        result = run(system, algorithm=dv.Jacobi(), controller=dv.FixedStep(step))
        assert result.verdict is not None
        assert result.verdict.bonds[0]["name"] == "c.pin - r.pin"
        created.append(abs(result.verdict.bonds[0]["created"]))
    assert 0 < created[1] < 0.75 * created[0]


def test_the_verdict_reads_aloud() -> None:
    text = str(run(pair(), algorithm=dv.Jacobi()).verdict)
    assert "At a.pin = b.pin (index 2) the ports disagreed by at most" in text
    assert "Coupling created" in text or "Coupling lost" in text


def test_junctions_are_kept_in_files(tmp_path: Path) -> None:
    models = tmp_path / "models.py"
    models.write_text(
        "import dovetail as dv\n"
        "part = dv.Dynamic(states={'x': 0.0, 'v': 0.0}, inputs={'F': 0.0}, outputs=['x', 'v'],\n"
        "    derivatives=lambda t, x, u, p: [x.v, u.F],\n"
        "    ports={'flange': dv.Port('translational', 'F', 'v', 'x')})\n"
    )
    system = of(("a", dv.load(f"{models}:part")), ("b", dv.load(f"{models}:part")))
    system.join("a.flange", "b.flange", level="flow", coordinator=dv.SlidingMode(moves=5))
    system.save(tmp_path / "system.yaml")
    again = dv.open(tmp_path / "system.yaml")
    assert again.fingerprint() == system.fingerprint()
    assert again.junctions[0].coordinator == dv.SlidingMode(moves=5)
    text = (tmp_path / "system.yaml").read_text()
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(text.replace("b.flange", "b.flage"))
    with pytest.raises(dv.DrawingError, match=r"wrong.yaml:\d+: 'b.flage' is not a port of 'b'"):
        dv.open(wrong)


# other algorithms ---------------------------------------------------------------------------------

LEAVING = [
    dv.Jacobi(extrapolation=2),
    dv.GaussSeidel(extrapolation=2),
    dv.GaussSeidel(max_iterations=20, inputs="ramp"),
    dv.Newton(inputs="hermite"),
    dv.Iterative(inputs="hermite"),
    dv.Ifosmondi(),
    dv.Ifosmondi(restart=False),
    dv.Missiles(),
    dv.Missiles(inputs="ramp"),
]


@pytest.mark.parametrize("algorithm", LEAVING, ids=repr)
def test_who_does_not_solve_junctions_holds_what_sliding_mode_finds(algorithm: Any) -> None:
    def found(algorithm: Any) -> Any:
        system = jp.two_masses(solver="rk4", step=0.01)
        pace = dv.FixedStep(0.01)
        return dv.simulate(system, stop=1.0, algorithm=algorithm, controller=pace, quiet=True)

    plain, other = found(dv.Jacobi()), found(algorithm)
    for name in ("spring.x", "dashpot.v", "dashpot.F"):
        assert other[name] == pytest.approx(plain[name], rel=1e-9, abs=1e-9)
    assert any("sliding mode" in line for line in other.facts["messages"])


@pytest.mark.parametrize(
    ("algorithm", "title"),
    [
        (dv.Newton(inputs="hermite"), "Newton with hermite inputs"),
        (dv.Ifosmondi(), "Ifosmondi"),
        (dv.Missiles(), "Missiles"),
    ],
)
def test_an_iterated_junction_is_refused_by_who_cannot_solve_it(algorithm: Any, title: str) -> None:
    with pytest.raises(dv.CapabilityError) as caught:
        run(pair(coordinator=dv.IteratedJunction()), algorithm=algorithm)
    assert f"has an iterated junction, which {title} cannot solve" in str(caught.value)


def test_ports_that_only_make_wires_can_be_merged() -> None:
    def drawn() -> dv.System:
        system = dv.System("wires")
        system.add("c", capacitor(rtol=1e-10, atol=1e-12, solver="rk45", step=None))
        for name, ohms in (("r", 50.0), ("s", 25.0)):
            system.add(name, resistor(ohms))
        system.join("c.pin", "r.pin", "s.pin")
        return system

    whole = dv.System("whole")
    whole.add("all", dv.merge(drawn(), rtol=1e-10, atol=1e-12))
    result = dv.simulate(whole, stop=0.05, controller=dv.FixedStep(0.005), quiet=True)
    rate = -(1 / 100 + 1 / 50 + 1 / 25) / 1e-3
    assert result["all.c.v"] == pytest.approx(np.exp(rate * result.time), rel=1e-7)


def test_windows_sized_by_inputs_need_wires() -> None:
    system = dv.System("no wire")
    system.add("a", mass())
    system.add("b", mass(), v=1.0)
    system.join("a.flange", "b.flange")
    with pytest.raises(dv.OptionError, match="here ports meet without a wire; use"):
        dv.simulate(
            system, stop=1.0, algorithm=dv.Jacobi(), controller=dv.InputDefect(), quiet=True
        )
