"""A search that runs away is stopped, and one that passes from unit to unit is not."""

import numpy as np
import pytest

from dovetail.core.signals import Tolerance
from dovetail.rootfinders import FixedPoint

TIGHT = Tolerance(1e-6, 1e-9)


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8])
def test_a_residual_in_newtons_is_no_growth_of_one_in_metres(stiffness):
    """A micrometre in one sweep, its force in the next: then all is found."""

    def residual(z):
        x, f = z
        return np.array([1e-6 - x, stiffness * x - f])

    found = FixedPoint(50).solve(residual, np.zeros(2), TIGHT)
    assert found.converged and found.evaluations == 3
    assert found.value == pytest.approx([1e-6, stiffness * 1e-6])


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_a_search_that_grows_from_lap_to_lap_is_stopped_early(count):
    """Thirtyfold each time: a thousandfold after the first lap, which has up to eight."""
    found = FixedPoint(50).solve(lambda z: -31.0 * z, np.full(count, 1e-3), TIGHT)
    assert not found.converged
    assert min(count, 8) < found.evaluations <= min(count, 8) + 4


def test_what_is_no_number_ends_a_search_at_once():
    found = FixedPoint(50).solve(lambda z: z * np.nan, np.ones(3), TIGHT)
    assert not found.converged and found.evaluations == 1
