"""Inputs are routed once for each set of outputs, and are right all the same."""

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.core.signals import Signals
from dovetail.junctions import wires


@pytest.fixture
def routed(monkeypatch):
    """How often inputs of the whole system were worked out."""
    counted, plain = [], wires._Share.inputs

    def inputs(self, *given):
        if len(self.start.reals) > 1:  # of all parts, not of one
            counted.append(1)
        return plain(self, *given)

    monkeypatch.setattr(wires._Share, "inputs", inputs)
    return counted


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()], ids=["jacobi", "newton"])
def test_once_a_window(routed, algorithm):
    result = dv.simulate(
        problems.prey_predator_system(),
        stop=1.0,
        algorithm=algorithm,
        controller=dv.FixedStep(0.1),
        quiet=True,
    )
    assert len(routed) == result.statistics.windows + 1  # and once at the start


def test_branches_from_one_place_share_it(routed):
    controller = dv.StepDoubling(1e-3, 1e-3, first_size=0.1, max_size=0.1)
    result = dv.simulate(
        problems.prey_predator_system(),
        stop=1.0,
        algorithm=dv.Jacobi(),
        controller=controller,
        quiet=True,
    )
    done = result.statistics
    assert len(routed) == 2 * done.windows + done.rejected_by_error + 1


def test_nobody_writes_into_what_others_will_read():
    with dv.Session(problems.prey_predator_system(), stop=1.0, quiet=True) as session:
        position, coordinator = session._stepper.position, session.assembly.coordinator
        found = coordinator.inputs(position.outputs, position.coordination)
        assert coordinator.inputs(position.outputs, position.coordination) is found
        with pytest.raises(ValueError, match="read-only"):
            found.reals[0] = 1.0
        other = Signals(position.outputs.reals + 1.0)
        assert np.array_equal(coordinator.inputs(other, position.coordination).reals, [2.0, 2.0])


def test_an_input_that_is_changed_is_not_remembered():
    system = dv.System("one")
    integrator = dv.Dynamic(
        states={"x": 0.0}, inputs=["u"], outputs=["x"], derivatives=lambda t, x, u, p: [u.u]
    )
    system.add("one", integrator)
    with dv.Session(system, stop=1.0, controller=dv.FixedStep(0.5), quiet=True) as session:
        session.advance()
        session.set("one.u", 2.0)
        result = session.run()
    assert result["one.x"][-1] == pytest.approx(1.0)
