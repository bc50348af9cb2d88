"""Values that an FMU is given before a run: taken, or an error by name."""

from __future__ import annotations

from typing import Any

import pytest

import dovetail as dv

from .fleet import alone, run


def _end(model: Any, **values: Any) -> float:
    return float(run(alone(model, **values), stop=1.0)["part.y"][-1])


@pytest.mark.parametrize("kind", ["co-simulation", "model exchange"])
def test_an_fmu_that_forgets_values_when_it_is_set_up_has_them_all_the_same(fmu, kind):
    options: dict[str, Any] = {"load": {"kind": kind}, "model_exchange": True}
    plain, forgetful = (fmu("linear", 2, flaw=flaw, **options) for flaw in (None, "setup"))
    assert _end(forgetful, drive=3.0, x=0.5) == _end(plain, drive=3.0, x=0.5)
    assert _end(forgetful, drive=3.0, x=0.5) != _end(forgetful)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_parameter_that_is_not_taken_is_an_error_by_name(fmu, version):
    model = fmu("linear", version, flaw="deaf")
    words = r"'part' failed while starting.* it ignores 'drive': set to 7, it is still 1 after"
    with pytest.raises(dv.PartFailed, match=words):
        run(alone(model, drive=7.0))
    run(alone(model, drive=1.0))  # what it has anyway


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_parameter_that_the_fmu_limits_is_noted(fmu, version):
    model = fmu("linear", version, flaw="limits")
    result = run(alone(model, drive=7.0))
    assert "'part' has 1.5 for 'drive', though 7 was set" in result.facts["messages"]
    assert not [m for m in run(alone(model, drive=1.25)).facts["messages"] if "drive" in m]
