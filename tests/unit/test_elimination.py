"""Sparse elimination against full matrices."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dv
from dovetail.algorithms.interface import Interface
from dovetail.core.signals import Signals, Tolerance
from dovetail.core.window import Window
from dovetail.rootfinders.elimination import Elimination, Sparse
from dovetail.topology.component import Component


def sparse(J):
    """A matrix by its pattern, with a full diagonal."""
    rows, columns = np.nonzero(J)
    found = Elimination.of(len(J), rows.tolist(), columns.tolist())
    return None if found is None else Sparse(found, J[found.rows, found.columns])


def ring(n, gain, diagonal=-1.0):
    J = diagonal * np.eye(n)
    for k in range(n):
        J[k, k - 1] += gain
    return J


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("gain", [0.5, -0.99, 3.0])
def test_a_ring_is_solved(n, gain):
    J, r = ring(n, gain), np.arange(1.0, n + 1)
    found = sparse(J)
    assert np.array_equal(found.full(), J)
    assert found.solve(r) == pytest.approx(np.linalg.solve(J, r), rel=1e-9)


def test_a_ring_takes_a_few_operations_per_unknown():
    rows, columns = np.nonzero(ring(1000, 0.5))
    found = Elimination.of(1000, rows.tolist(), columns.tolist())
    assert len(found.factor) + len(found.forward) + len(found.backward) < 8 * 1000


@given(st.integers(1, 7), st.integers(0, 2**32), st.floats(0.02, 1.0))
def test_any_matrix_is_solved_as_the_full_one(n, seed, share):
    random = np.random.default_rng(seed)
    J = -np.eye(n) + np.where(random.random((n, n)) < share, random.uniform(-2, 2, (n, n)), 0.0)
    if np.linalg.cond(J) > 1e8:
        return
    r = random.uniform(-1, 1, n)
    assert J @ sparse(J).solve(r) == pytest.approx(r, abs=1e-5)


@pytest.mark.parametrize("diagonal", [0.0, 1e-30])
def test_a_vanishing_pivot_leads_to_the_full_matrix(diagonal):
    J, r = ring(3, 2.0, diagonal), np.array([1.0, 2.0, 3.0])
    found = Elimination.of(3, *(list(k) for k in np.nonzero(ring(3, 2.0))))
    assert Sparse(found, J[found.rows, found.columns]).solve(r) == pytest.approx(
        np.linalg.solve(J, r)
    )


def test_a_singular_matrix_has_no_solution():
    with pytest.raises(np.linalg.LinAlgError):
        sparse(np.array([[-1.0, 1.0], [1.0, -1.0]])).solve(np.array([1.0, 2.0]))


def test_a_full_pattern_is_left_to_lapack():
    n = 40
    rows, columns = np.nonzero(np.ones((n, n)))
    assert Elimination.of(n, rows.tolist(), columns.tolist()) is None


# As interfaces use it -------------------------------------------------------------------------


def lags(n, gain=0.8):
    """A ring of lags, each of which leaps ahead with a part of its input."""
    system = dv.System("ring")
    for k in range(n):
        part = problems.Linear(
            ("u",), ("y",), A=[[-1 - k]], B=[[gain]], C=[[1]], D=0.1 * gain, c=[1.0], x=(k / n,)
        )
        system.add(f"p{k}", part)
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")
    return system


CUBICS = {
    "missiles": (dv.Missiles(), dv.Costarica()),
    "newton": (dv.Newton(inputs="hermite", rtol=1e-12, atol=1e-12), None),
}


@pytest.mark.parametrize("name", CUBICS)
def test_cubics_around_a_ring_are_the_same_with_a_full_matrix(name, monkeypatch):
    algorithm, estimator = CUBICS[name]
    system, asked = lags(30), []
    plain = Component.elimination_with_derivatives.func

    def final():
        result = dv.simulate(
            system,
            stop=0.5,
            algorithm=algorithm,
            controller=dv.FixedStep(0.1),
            estimators=dict.fromkeys(system.parts, estimator) if estimator else "auto",
            quiet=True,
        )
        return [result.final[f"p{k}.y"] for k in range(30)]

    watched = property(lambda c: asked.append(c) or plain(c))
    monkeypatch.setattr(Component, "elimination_with_derivatives", watched)
    sparse_one = final()
    monkeypatch.setattr(Component, "elimination_with_derivatives", property(lambda c: None))
    full_one = final()
    assert len(asked) > 0
    assert all(plain(c) is not None for c in asked)
    assert sparse_one == pytest.approx(full_one, rel=1e-11)


@pytest.mark.parametrize("missing", [False, True], ids=["slopes known", "one not known"])
def test_the_jacobian_of_cubics_is_what_differences_give(missing):
    """Of values and slopes, with one input whose slope at the start nobody knows."""
    system = lags(4)
    algorithm, tolerance = dv.Newton(inputs="hermite", rtol=1e-6, atol=1e-6), Tolerance(1e-6, 1e-6)
    with dv.Session(
        system, stop=1.0, algorithm=algorithm, controller=dv.FixedStep(0.1), quiet=True
    ) as session:
        assembly, position = session.assembly, session._stepper.position
        attempt = assembly.attempt(
            Window.between(0.0, 0.1), position.outputs, position.coordination
        )
        (component,) = assembly.structure.components
        begin = attempt.inputs(attempt.before)
        if missing:
            derivatives = begin.derivatives.copy()
            derivatives[2] = np.nan
            begin = Signals(begin.reals, derivatives, begin.discrete)
        draft, proposal = attempt.draft(), attempt.proposal(begin, "hermite")
        interface = Interface(attempt, component, begin, draft, proposal, "hermite")
        interface._see_outside()
        v = np.linspace(0.5, 1.5, 2 * component.targets.size)
        J = interface.jacobian(v, tolerance)
        J = J.full() if isinstance(J, Sparse) else J
        here = interface.residual(v)
        steps = 1e-3 * np.eye(v.size)
        found = np.column_stack([(interface.residual(v + s) - here) / 1e-3 for s in steps])
    assert found == pytest.approx(J, rel=1e-6, abs=1e-7)
