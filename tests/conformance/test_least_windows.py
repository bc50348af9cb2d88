"""No part is asked to step over a window whose ends are the same time."""

from __future__ import annotations

from itertools import pairwise
from math import nextafter

import pytest
from conformance.fleet import is_clean, ring

import dovetail as dv
from dovetail.run.stepping import Stepper


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("resolutions", [1, 2, 3, 20])
def test_a_window_of_few_resolutions_of_the_clock_has_no_halves_without_size(
    fmu, way, monkeypatch, version, resolutions
):
    """The rest of a run, or the way to an event, may be as short as the clock resolves."""
    model, tried, original = fmu("linear", version), [], Stepper._segment

    def noted(self, planned, *known):
        tried.append(planned)
        return original(self, planned, *known)

    monkeypatch.setattr(Stepper, "_segment", noted)
    stop = 1.0
    for _ in range(resolutions):
        stop = nextafter(stop, 2.0)
    controller = dv.StepDoubling(first_size=0.5, min_size=0.1)
    options = {"algorithm": dv.Jacobi(), "controller": controller, "quiet": True}
    result = dv.simulate(ring(model), start=1.0, stop=stop, **options)
    assert result.finished
    assert tried or result.statistics.native_windows
    assert all(earlier < later for earlier, later in pairwise(result.time))
    assert all(window.start < window.stop for window in tried)
    assert is_clean(model)
