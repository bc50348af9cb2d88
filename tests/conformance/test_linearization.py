"""Linearizations of co-simulation FMUs, from their directional derivatives."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from conformance.fleet import is_clean
from scipy.linalg import expm

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.live import Live

VERSIONS = [2, 3]
M, K, D = 1e4, 1000.0, 1000.0


@contextmanager
def live(model, inputs=(), **values):
    """One part of its own, begun, with these inputs."""
    part = Live("part", model.instantiate("part"))
    try:
        part.initialize(0.0, values, derivatives=False)
        part.outputs(Signals(np.array(inputs, dtype=float)))
        part.begin()
        yield part
    finally:
        part.subsystem.close()


def near(matrix, wanted):
    wanted = np.array(wanted, dtype=float)
    return matrix.shape == wanted.shape and np.allclose(matrix, wanted, rtol=1e-9, atol=1e-12)


def step(part, start, size, *inputs):
    """Held inputs; or straight lines, if pairs of value and slope are given."""
    rows = np.array(inputs, dtype=float).reshape(len(inputs), -1)
    return part.advance(Window(start, size, start + size), Waveform(rows))


@pytest.mark.parametrize("version", VERSIONS)
def test_matrices_are_those_of_the_equations(fmu, version):
    body, spring = fmu("body", version, strict=True), fmu("spring", version, strict=True)
    with live(body, (0.0,)) as part:
        step(part, 0.0, 0.1, 50.0)
        found = part.linearize()
        assert near(found.A, [[0, 1], [-K / M, -D / M]])
        assert near(found.B, [[0], [-1 / M]])
        assert near(found.C, np.eye(2))
        assert near(found.D, np.zeros((2, 1)))
        assert found.dx == pytest.approx(found.A @ found.x + found.B @ found.u)
        assert found.u.tolist() == [50.0]
        assert found.y.tolist() == found.x.tolist()
    with live(spring, (1.0, 0.0)) as part:
        step(part, 0.0, 0.1, 1.0, 0.5)
        found = part.linearize()
        assert near(found.A, [[0, 1], [-2 * K / M, -D / M]])
        assert near(found.B, [[0, 0], [K / M, 0]])
        assert near(found.C, [[-K, 0]])
        assert near(found.D, [[K, 0]])
        assert found.y == pytest.approx(found.C @ found.x + found.D @ found.u)
    assert is_clean(body, spring)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_nonlinear_part_is_linearized_where_it_stands(fmu, version):
    model = fmu("prey", version, strict=True)
    with live(model, (4.0,), x=20.0) as part:
        before = part.linearize()  # also where it starts
        step(part, 0.0, 0.5, 4.0)
        after = part.linearize()
    for found, x in ((before, 20.0), (after, 20.0 * np.exp((0.1 - 0.02 * 4.0) * 0.5))):
        assert found.x == pytest.approx([x])
        assert found.u.tolist() == [4.0]
        assert near(found.A, [[0.1 - 0.02 * 4.0]])
        assert near(found.B, [[-0.02 * x]])
        assert found.dx == pytest.approx([(0.1 - 0.02 * 4.0) * x])
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_foretells_the_next_step_of_a_linear_part(fmu, version):
    with live(fmu("linear", version), (2.0,), x=3.0, a=-2.0, b=0.5, drive=1.0) as part:
        step(part, 0.0, 0.1, 2.0)
        found = part.linearize()
        reached = step(part, 0.1, 0.1, 2.0)
    f = found.dx - found.A @ found.x
    grown = expm(0.1 * np.block([[found.A, f[:, None]], [np.zeros((1, 2))]]))
    predicted = grown[:1, :1] @ found.x + grown[0, 1]
    assert reached.outputs.reals == pytest.approx(predicted, rel=1e-12)


def test_inputs_are_those_at_the_end_of_a_step(fmu):
    model = fmu("prey", 2, input_derivatives=1)
    with live(model, (4.0,), x=20.0) as part:
        step(part, 0.0, 0.5, (4.0, 6.0))  # 4 + 6 t
        found = part.linearize()
        assert found.u.tolist() == [7.0]
        assert near(found.A, [[0.1 - 0.02 * 7.0]])


@pytest.mark.parametrize("version", VERSIONS)
def test_going_back_takes_the_inputs_back(fmu, version):
    with live(fmu("prey", version), (4.0,)) as part:
        step(part, 0.0, 0.5, 4.0)
        mark, before, written = part.snapshot(), part.linearize(), part.dump()
        step(part, 0.5, 0.5, 9.0)
        assert part.linearize().u.tolist() == [9.0]
        part.restore(mark)
        assert part.linearize().u.tolist() == [4.0]
        assert part.linearize().A.tolist() == before.A.tolist()
        step(part, 0.5, 0.5, 9.0)
        part.load(0.5, written)
        assert part.linearize().u.tolist() == [4.0]
        assert part.linearize().A.tolist() == before.A.tolist()


def test_arrays_lie_flat(fmu):
    model = fmu("arrays", 3, load={"structural": {"n": 2}})
    with live(model, (1.0, 2.0)) as part:
        step(part, 0.0, 0.5, 1.0, 2.0)
        found = part.linearize()
    assert found.A.tolist() == [[0, 0], [0, 0]]
    assert near(found.B, np.eye(2))
    assert found.x.tolist() == [0.5, 1.0]
    assert found.dx.tolist() == [1.0, 2.0]
    by_state = [[0, 0], [0, 0], [0, 0], [1, 0], [0, 0], [0, 1]]  # y, then pair row by row
    by_input = [[1, 0], [0, 2], [1, 0], [0, 0], [0, 2], [0, 0]]
    assert near(found.C, by_state)
    assert near(found.D, by_input)


@pytest.mark.parametrize("version", [1, *VERSIONS])
def test_the_capability_is_honest(fmu, version):
    def able(name, **options):
        return fmu(name, version, **options).description.capabilities.can_linearize

    assert able("linear") == (version > 1)
    assert not able("linear", exposed_states=False)
    neither = {"directional_derivatives": False, "adjoint_derivatives": False}
    assert not able("linear", **neither)
    assert able("linear", directional_derivatives=False) == (version == 3)  # adjoint ones will do
    if version > 1:
        assert not able("types")


@pytest.mark.parametrize("version", VERSIONS)
def test_one_that_lied_about_it_is_named(fmu, version):
    with live(fmu("linear", version, lie="derivatives"), (0.0,)) as part:
        step(part, 0.0, 0.1, 0.0)
        with pytest.raises(dv.PartFailed, match=r"'part' failed while linearizing.*Directional"):
            part.linearize()
