"""What can be known before running, by example."""

import problems

import dovetail as dv
from dovetail.topology.components import Structure


def gain():
    return dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u])


def lag():
    return problems.Linear(("u",), ("y",), A=[[-1]], B=[[1]], C=[[1]], D=0, x=[0.0])


def drawn(parts, wires):
    system = dv.System("drawn")
    for name, model in parts.items():
        system.add(name, model)
    for a, b in wires:
        system.connect(f"{a}.y", f"{b}.u")
    return system, Structure.of(system)


def named(structure, components):
    return [tuple(structure.layout.names[i] for i in c.parts) for c in components]


def test_parts_are_run_in_the_order_of_their_connections():
    _, s = drawn({"c": lag(), "b": lag(), "a": lag()}, [("a", "b"), ("b", "c")])
    assert named(s, s.components) == [("a",), ("b",), ("c",)]
    assert not any(c.cyclic for c in s.components)


def test_a_cycle_is_one_component_in_the_order_of_the_drawing():
    _, s = drawn({"c": lag(), "b": lag(), "a": lag()}, [("a", "b"), ("b", "c"), ("c", "a")])
    assert named(s, s.components) == [("c", "b", "a")]
    assert s.components[0].cyclic


def test_at_an_instant_only_feedthrough_counts():
    """Two lags that feed each other wait for nobody; their start is known at once."""
    _, s = drawn({"a": lag(), "b": lag()}, [("a", "b"), ("b", "a")])
    assert len(s.components) == 1
    assert named(s, s.instant) == [("a",), ("b",)]
    assert s.loops == ()


def test_a_loop_through_a_lag_is_none():
    _, s = drawn({"a": gain(), "b": lag()}, [("a", "b"), ("b", "a")])
    assert s.loops == ()
    assert named(s, s.instant) == [("b",), ("a",)]


def test_a_loop_of_gains_is_named_from_input_to_output():
    _, s = drawn({"a": gain(), "b": gain()}, [("a", "b"), ("b", "a")])
    assert s.loops == (("a.u", "a.y", "b.u", "b.y"),)
    assert s.instant[0].cyclic


def test_two_loops_are_two():
    parts = {name: gain() for name in "abcd"}
    _, s = drawn(parts, [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")])
    assert len(s.loops) == 2


def test_a_part_that_feeds_itself_is_a_cycle():
    _, s = drawn({"a": lag(), "b": lag()}, [("a", "a"), ("a", "b")])
    assert [c.cyclic for c in s.components] == [True, False]


def test_what_a_component_exchanges_with_itself():
    """Only what is fed from inside; an input from outside is none of its unknowns."""
    system = problems.sampled_masses_system()
    s = Structure.of(system)
    masses = next(c for c in s.components if len(c.parts) > 1)
    names = s.layout
    assert {names.inputs.reals[k] for k in masses.targets} == {
        "controller.y",
        "left.force",
        "left.drive",
        "right.x",
        "right.v",
    }
    assert {names.outputs.reals[k] for k in masses.outputs} == {
        "left.x",
        "left.v",
        "right.force",
        "controller.u",
    }


def test_discrete_values_hold_parts_together_too():
    flag = dv.Algebraic(inputs={"u": False}, outputs={"y": False}, function=lambda t, u, p: [u.u])
    system = dv.System("flags")
    system.add("a", flag)
    system.add("b", flag)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    component = Structure.of(system).components[0]
    assert component.cyclic
    assert component.targets.size == 0
    assert component.discrete == (0, 1)


def test_a_boolean_that_feeds_a_real_rides_along():
    system = dv.System("widened")
    switch = dv.Algebraic(inputs=["u"], outputs={"y": False}, function=lambda t, u, p: [u.u > 0])
    system.add("switch", switch)
    system.add("lag", lag())
    system.connect("switch.y", "lag.u", gain=2.0)
    system.connect("lag.y", "switch.u")
    component = Structure.of(system).components[0]
    assert component.discrete == (0,)
    assert component.targets.size == 1
