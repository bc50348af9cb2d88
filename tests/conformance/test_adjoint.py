"""FMI 3: adjoint derivatives, used where they take fewer calls or are all there is."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from conformance.fleet import handle, is_clean
from conformance.test_linearization import live as stepping
from conformance.test_linearization import step
from conformance.test_model_exchange import live as solvable

from dovetail.core.signals import Signals

KINDS = {
    "both": {},
    "directional": {"adjoint_derivatives": False},
    "adjoint": {"directional_derivatives": False},
}


def calls(model):
    """Directional and adjoint derivatives that were asked for so far."""
    count = handle(model).dovetail_count
    count.restype = ctypes.c_long
    return np.array([count(b"directional derivatives"), count(b"adjoint derivatives")])


@pytest.mark.parametrize(
    ("kind", "wanted"), [("both", [0, 3]), ("directional", [4, 0]), ("adjoint", [0, 3])]
)
def test_a_part_with_more_inputs_than_outputs_is_linearized_by_rows(fmu, kind, wanted):
    model = fmu("spring", 3, strict=True, **KINDS[kind])  # 2 states, 2 inputs, 1 output
    with stepping(model, (1.0, 0.5)) as part:
        step(part, 0.0, 0.1, 1.0, 0.5)
        before = calls(model)
        found = part.linearize()
        assert (calls(model) - before).tolist() == wanted
    assert pytest.approx(np.array([[0, 1], [-0.2, -0.1]])) == found.A
    assert pytest.approx(np.array([[0, 0], [0.1, 0]])) == found.B
    assert pytest.approx(np.array([[-1000.0, 0]])) == found.C
    assert pytest.approx(np.array([[1000.0, 0]])) == found.D
    assert is_clean(model)


@pytest.mark.parametrize(("kind", "wanted"), [("both", [3, 0]), ("adjoint", [0, 4])])
def test_a_part_with_fewer_inputs_is_linearized_by_columns_if_it_can(fmu, kind, wanted):
    model = fmu("body", 3, strict=True, **KINDS[kind])  # 2 states, 1 input, 2 outputs
    with stepping(model, (0.0,)) as part:
        step(part, 0.0, 0.1, 50.0)
        before = calls(model)
        found = part.linearize()
        assert (calls(model) - before).tolist() == wanted
    assert pytest.approx(np.array([[0, 1], [-0.1, -0.1]])) == found.A
    assert pytest.approx(np.array([[0], [-1e-4]])) == found.B
    assert found.C.tolist() == np.eye(2).tolist()
    assert is_clean(model)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_lie_flat_either_way(fmu, kind):
    model = fmu("arrays", 3, load={"structural": {"n": 2}}, **KINDS[kind])
    with stepping(model, (1.0, 2.0)) as part:
        step(part, 0.0, 0.5, 1.0, 2.0)
        found = part.linearize()
    assert found.B.tolist() == np.eye(2).tolist()
    assert found.C.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0], [0, 0], [0, 1]]
    assert found.D.tolist() == [[1, 0], [0, 2], [1, 0], [0, 0], [0, 2], [0, 0]]


def test_all_ways_give_the_same_jacobian_of_a_model_exchange_fmu(fmu):
    """The heat exchanger: three entries in every row and column, so three colours or a few."""
    jacobians, linear, counted = [], [], []
    for options in (*KINDS.values(), {**KINDS["adjoint"], "adjoint_derivatives": False}):
        model = fmu("exchanger", 3, co_simulation=False, **options)
        part = solvable(model)
        u = Signals(np.array([323.15, 288.15]))
        part._settle()
        x = 293.15 + np.arange(part.state().size)
        before = calls(model)
        jacobians.append(part.jacobian(0.0, x, u).toarray())
        counted.append((calls(model) - before).tolist())
        part.u = u
        linear.append(part.linearize())
        part.close()
    both, directional, adjoint, differences = jacobians
    assert np.array_equal(both, directional)
    assert np.array_equal(adjoint, directional)
    assert differences == pytest.approx(directional, rel=1e-6, abs=1e-5)
    for name in "ABCD":
        first, second, third, fourth = (getattr(found, name) for found in linear)
        assert np.array_equal(first, second)
        assert np.array_equal(third, second)
        assert fourth == pytest.approx(second, rel=1e-5, abs=1e-5)
    assert counted[1][0] <= 5
    assert counted[1][1] == 0
    assert counted[2][0] == 0
    assert counted[2][1] <= 5
    assert sum(counted[0]) == min(counted[1][0], counted[2][1])
    assert counted[3] == [0, 0]


def test_rows_are_taken_where_they_have_fewer_colours(fmu):
    """All rates depend on one state: one row per state has one colour, columns need many."""
    from scipy.sparse import csc_array

    model = fmu("exchanger", 3, co_simulation=False)
    part = solvable(model)
    n = part.state().size
    full_row = np.eye(n, dtype=bool)
    full_row[0] = True  # the first rate depends on all states: columns have a row in common
    part._jacobian.__dict__["pattern"] = csc_array(full_row)
    assert len(part._jacobian.groups) == 2
    assert part._jacobian._adjoint
    part._jacobian.__dict__.pop("groups")
    part._jacobian.__dict__["_full"] = csc_array(full_row.T)
    part._jacobian.__dict__.pop("_owners")
    assert len(part._jacobian.groups) == 2
    assert not part._jacobian._adjoint
    part.close()
