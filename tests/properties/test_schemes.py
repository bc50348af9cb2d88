"""Laws of serial and parallel schemes, for any network and any order of its parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dv
from dovetail.algorithms.scheme import parallel, serial
from dovetail.rootfinders import Anderson, IqnIls, Newton
from dovetail.topology.components import Structure


@st.composite
def networks(draw):
    """Parts that add up multiples of each other, and of time; whether they feel themselves too."""
    n = draw(st.integers(2, 5))
    cells = st.sampled_from([0.0, 0.0, -0.6, 0.4, 0.9, -1.5])
    M = np.array(draw(st.lists(st.lists(cells, min_size=n, max_size=n), min_size=n, max_size=n)))
    order = draw(st.permutations([f"p{k}" for k in range(n)]))
    return M, tuple(order)


def drawn(M):
    """y_i = sum of M_ij y_j + (i + 1) t, one input per wire."""
    system, n = dv.System("network"), len(M)
    for i in range(n):
        feeds = [j for j in range(n) if M[i, j]]
        row = M[i, feeds]

        def function(t, u, row=row, i=i):
            return np.array([row @ u + (i + 1) * t])

        inputs = {f"u{j}": 0.0 for j in feeds}
        system.add(
            f"p{i}",
            dv.Algebraic(
                inputs=inputs,
                outputs=["y"],
                function=lambda t, u, p, f=function: f(t, u),
                vector=True,
            ),
        )
    for i in range(n):
        for j in range(n):
            if M[i, j]:
                system.connect(f"p{j}.y", f"p{i}.u{j}")
    return system


@given(networks())
def test_every_input_of_a_cycle_is_unknown_or_fresh(network):
    """In series each is exactly one of the two, and what is fresh comes from an earlier part."""
    M, order = network
    structure = Structure.of(drawn(M))
    layout = structure.layout
    for component in structure.components:
        parts = tuple(sorted(component.parts, key=lambda i: order.index(layout.names[i])))
        scheme, earlier = serial(component, parts), set()
        fresh = []
        for turn in scheme.turns:
            for source in turn.fresh.sources:
                assert layout.outputs.reals[source].split(".")[0] in earlier
            fresh += turn.fresh.targets.tolist()
            earlier |= {layout.names[i] for i in turn.parts}
        unknown = scheme.unknown.targets.tolist()
        assert sorted(unknown + fresh) == component.targets.tolist()
        assert parallel(component).unknown.targets.tolist() == component.targets.tolist()


@given(networks())
def test_feeds_are_the_wires_of_the_cycle(network):
    M, _ = network
    structure = Structure.of(drawn(M))
    outputs = np.arange(1.0, len(M) + 1)
    for component in structure.components:
        wanted = dict(zip(component.targets.tolist(), component.routed(outputs), strict=True))
        scheme = serial(component, component.parts[::-1])
        feeds = [scheme.unknown, *(turn.fresh for turn in scheme.turns)]
        for feed in feeds:
            found = dict(zip(feed.targets.tolist(), feed.values(outputs), strict=True))
            assert all(wanted[k] == v for k, v in found.items())


@given(networks(), st.sampled_from([Anderson(), IqnIls(), Newton()]))
def test_schemes_find_what_the_equations_say(network, finder):
    M, order = network
    n = len(M)
    if np.linalg.cond(np.eye(n) - M) > 1e3:
        return
    truth = np.linalg.solve(np.eye(n) - M, np.arange(1.0, n + 1))  # at t = 1
    for algorithm in (
        dv.GaussSeidel(solver=finder, order_of_parts=order),
        dv.Jacobi(solver=finder),
    ):
        result = dv.simulate(
            drawn(M),
            stop=1.0,
            algorithm=algorithm,
            controller=dv.FixedStep(0.5),
            rtol=1e-9,
            atol=1e-10,
            quiet=True,
        )
        found = [result[f"p{i}.y"][-1] for i in range(n)]
        assert found == pytest.approx(truth, rel=1e-5, abs=1e-6)
