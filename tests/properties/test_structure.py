"""Strong components and their order, against brute force."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.topology.components import Structure
from dovetail.topology.graph import one_cycle, strong_components


@st.composite
def graphs(draw):
    nodes = draw(st.integers(0, 8))
    if nodes == 0:
        return 0, []
    node = st.integers(0, nodes - 1)
    return nodes, draw(st.lists(st.tuples(node, node), max_size=20))


def reachable(nodes, edges):
    """Who can be reached from whom, by multiplying out."""
    found = np.eye(nodes, dtype=bool)
    for a, b in edges:
        found[a, b] = True
    for k in range(nodes):
        found |= np.outer(found[:, k], found[k, :])
    return found


@given(graphs())
def test_strong_components_are_those_of_brute_force(graph):
    nodes, edges = graph
    reach = reachable(nodes, edges)
    found = strong_components(nodes, edges)
    assert sorted(n for c in found for n in c) == list(range(nodes))
    home = {n: k for k, c in enumerate(found) for n in c}
    for a in range(nodes):
        for b in range(nodes):
            assert (home[a] == home[b]) == (reach[a, b] and reach[b, a])


@given(graphs())
def test_whoever_feeds_another_comes_first(graph):
    nodes, edges = graph
    home = {n: k for k, c in enumerate(strong_components(nodes, edges)) for n in c}
    assert all(home[a] <= home[b] for a, b in edges)


@given(graphs())
def test_inside_a_component_the_order_is_that_of_the_drawing(graph):
    for component in strong_components(*graph):
        assert list(component) == sorted(component)


@given(st.integers(0, 30))
def test_parts_that_do_not_depend_on_each_other_keep_their_order(nodes):
    assert strong_components(nodes, []) == [(k,) for k in range(nodes)]


@given(graphs())
def test_a_cycle_that_is_named_is_one(graph):
    nodes, edges = graph
    for component in strong_components(nodes, edges):
        if len(component) == 1:
            continue
        cycle = one_cycle(component, edges)
        assert cycle[0] == component[0]
        assert len(set(cycle)) == len(cycle)
        assert all((a, b) in edges for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@settings(max_examples=50)
@given(graphs(), st.lists(st.booleans(), min_size=8, max_size=8))
def test_an_algebraic_loop_needs_feedthrough_all_the_way(graph, through):
    """One input and one output per part; a part may answer at once or only with time."""
    nodes, edges = graph
    edges = [(a, b) for b, a in {b: a for a, b in edges}.items()]  # an input takes one source
    system = dv.System("random")
    for k in range(nodes):
        used = {"y": ["u"]} if through[k] else {"y": []}
        part = dv.Algebraic(
            inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u], feedthrough=used
        )
        system.add(f"p{k}", part)
    for a, b in edges:
        system.connect(f"p{a}.y", f"p{b}.u")
    structure = Structure.of(system)
    at_once = reachable(nodes, [(a, b) for a, b in edges if through[a] and through[b]])
    looped = {b for a, b in edges if through[a] and through[b] and at_once[b, a]}
    named = {int(n[1:].split(".")[0]) for loop in structure.loops for n in loop}
    assert named == looped
    cyclic = {i for c in structure.components if c.cyclic for i in c.parts}
    reach = reachable(nodes, edges)
    assert cyclic == {b for a, b in edges if reach[b, a]} | {a for a, b in edges if reach[b, a]}
