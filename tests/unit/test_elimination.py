"""Sparse elimination against full matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.rootfinders.elimination import Elimination, Sparse


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
