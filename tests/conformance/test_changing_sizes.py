"""FMI 3, model exchange: sizes that structural parameters decide, and what events may change."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, run
from conformance.test_model_exchange import ONLY, live

import dovetail as dv


def ball(model):
    system = dv.System("ball")
    system.add("ball", model)
    return system


@pytest.mark.parametrize("n", [1, 2, 3])
def test_structural_parameters_decide_how_many_states_there_are(fmu, way, n):
    """x' = u, an array of n."""
    model = fmu(
        "arrays", 3, strict=True, model_exchange=True, load={"structural": {"n": n}}, **ONLY
    )
    part = live(model)
    assert len(part.states) == part.evaluation.states == n
    part.close()
    system = dv.System("arrays")
    system.add("part", model, u=np.arange(1.0, n + 1))
    result = run(system)
    names = [name for name in result.names if ".pair" in name]
    assert len(names) == 2 * n
    for k in range(n):  # pair holds u gain and x
        integral = (k + 1) * result.time[-1]
        assert any(result.final[name] == pytest.approx(integral, rel=1e-6) for name in names)
    assert is_clean(model)


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        ("states", "fmi3GetNumberOfContinuousStates says that there are 3 of them now.* 2 before"),
        ("indicators", "fmi3GetNumberOfEventIndicators says that there are 2 of them.* 1 before"),
    ],
)
def test_an_event_that_changes_a_size_ends_the_run_there(fmu, lie, message):
    model = fmu("ball", 3, lie=lie, **ONLY)
    with pytest.raises(dv.PartFailed, match=rf"'ball'.*{message}") as found:
        run(ball(model))
    assert found.value.result.time[-1] > 0.3  # up to the first bounce


def test_nominal_values_may_change_at_events(fmu):
    model = fmu("ball", 3, new_nominals=True, **ONLY)
    with dv.Session(ball(model), stop=3.0, controller=dv.FixedStep(0.1), quiet=True) as session:
        part = session.assembly.subsystems[0].subsystem
        assert part.nominal is None
        while session.counts.events == 0:
            session.advance()
        assert part.nominal.tolist() == [1000.0, 1000.0]
        result = session.run()
    plain = run(ball(fmu("ball", 3, **ONLY)), stop=3.0)
    heights = np.interp(plain.time, result.time, result["ball.h"])
    assert heights == pytest.approx(plain["ball.h"], abs=1e-4)  # atol is 1000 times larger
