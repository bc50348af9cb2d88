"""Asking FMUs together from Python: whatever arrays come, the answers are the same."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, ring

import dovetail as dv
from dovetail.assembly.assembly import Assembly
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.fmi.native import asked_batch
from dovetail.subsystems.batch import SupportsBatch

WINDOW = Window(0.0, 0.1, 0.1)
INPUTS = np.array([[1.0], [2.0], [3.0]])
SHAPES = {
    "whole": INPUTS,
    "strided": np.repeat(INPUTS, 3, axis=1)[:, 1:2],
    "backwards": INPUTS[::-1].copy()[::-1],
    "integers": INPUTS.astype(np.int64),
    "single": INPUTS.astype(np.float32),
    "swapped": INPUTS.astype(">f8"),
}


def answers(model, inputs):
    assembly = Assembly.of(ring(model))
    try:
        assembly.initialize(0.0, {}, derivatives=False)
        for live in assembly.subsystems:
            live.outputs(Signals(np.ones(1)))
        assembly.begin()
        attempt = assembly.attempt(WINDOW, Signals(np.ones(3)), assembly.coordinator.start())
        return attempt.outputs(Waveform(inputs)).reals
    finally:
        assembly.close()


@pytest.mark.parametrize("version", [2, 3])
def test_fmus_in_one_process_are_asked_in_one_call(fmu, version):
    """Otherwise everything below would be slow, and nobody would see it."""
    system = ring(fmu("linear", version))
    assert all(isinstance(part.model, SupportsBatch) for part in system.parts.values())
    assert not any(part.model.batch_obstacles for part in system.parts.values())
    assembly = Assembly.of(system)
    try:
        assembly.initialize(0.0, {}, derivatives=False)
        for live in assembly.subsystems:
            live.outputs(Signals(np.ones(1)))
        assembly.begin()
        assert assembly.batch is not None and assembly.batch.members == {0, 1, 2}
    finally:
        assembly.close()


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_inputs_may_lie_in_memory_as_they_like(fmu, both, version, shape):
    model = fmu("linear", version)
    native, plain = both(lambda: answers(model, SHAPES[shape]))
    assert np.array_equal(native, plain)
    assert np.array_equal(native, answers(model, INPUTS))


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(3, on_limit="accept")])
def test_arrays_that_keep_their_address_elsewhere_are_asked_for_it(fmu, monkeypatch, algorithm):
    model = fmu("linear", 2)
    wanted, options = answers(model, INPUTS), {"algorithm": algorithm, "stop": 1.0}
    controller = dv.StepDoubling(1e-3, 1e-3, first_size=0.05, max_size=0.5)
    run = dv.simulate(ring(model), controller=controller, quiet=True, **options)
    monkeypatch.setattr(asked_batch, "data_at", lambda: None)
    assert np.array_equal(answers(model, INPUTS), wanted)
    again = dv.simulate(ring(model), controller=controller, quiet=True, **options)
    assert np.array_equal(again["p0.y"], run["p0.y"])
    assert is_clean(model)
