"""States of exports: Dovetail's own rollback, Newton, estimates and checkpoints on them."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import SIZE, alone, got, instance, ran, ring, started

import dovetail as dv


def export_of(archive, folder, fmi, algorithm, **options):
    """One part that nothing feeds from inside, as an export."""
    system = dv.System("chain")
    model = dv.load(str(archive("linear", fmi, **options)))
    system.add("a", model)
    system.add("b", model)
    system.connect("a.y", "b.u")
    name = f"it{fmi}-{len(list(folder.iterdir()))}.fmu"
    return system.export(folder / name, fmi=fmi, step=SIZE / 4, algorithm=algorithm)


@pytest.fixture(params=[2, 3])
def path(request, archive, tmp_path):
    return export_of(archive, tmp_path, request.param, dv.GaussSeidel(20))


def couple(path, archive):
    """An export in a loop with an FMU."""
    system = dv.System("couple")
    system.add("it", dv.load(str(path)))
    system.add("other", dv.load(str(archive("linear", 2))), x=0.5, a=-2.0)
    system.connect("it.b.y", "other.u")
    system.connect("other.y", "it.a.u")
    return system


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": dv.GaussSeidel(30, rtol=1e-9, atol=1e-9), "step": SIZE},
        {"algorithm": dv.Newton(rtol=1e-9, atol=1e-9), "step": SIZE},
        {"algorithm": dv.GaussSeidel(), "controller": dv.StepDoubling(1e-3, 1e-3, first_size=0.05)},
        {
            "algorithm": dv.Newton(rtol=1e-6, atol=1e-6),
            "step": SIZE,
            "estimators": {"it": dv.Identified()},
        },
    ],
    ids=["sweeps", "newton", "step doubling", "identified"],
)
def test_an_export_is_a_part_like_any_other(options, path, archive):
    """Against the same drawn flat, at windows so short that coupling does not matter."""
    system = couple(path, archive)
    found = dv.simulate(system, stop=2.0, quiet=True, verify=False, **options)
    flat = dv.System("flat")
    model = dv.load(str(archive("linear", 2)))
    for name in ("a", "b"):
        flat.add(name, model)
    flat.add("other", model, x=0.5, a=-2.0)
    flat.connect("a.y", "b.u")
    flat.connect("b.y", "other.u")
    flat.connect("other.y", "a.u")
    best = ran(flat, step=1e-3, algorithm=dv.GaussSeidel(30, inputs="hold"))
    # held inputs over windows of 0.1 s are off by about a twentieth of what moves in one
    assert found["it.b.y"][:][-1] == pytest.approx(best["b.y"][:][-1], rel=0.03)
    assert not dv.load(str(path)).description.capabilities.against_rollback


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_state_is_restored_with_all_that_lies_between_parts(fmi, archive, tmp_path):
    """Extrapolation remembers inputs of earlier windows."""
    model = dv.load(str(archive("linear", fmi)))
    system = ring(model, model)
    path = system.export(
        tmp_path / "it.fmu", fmi=fmi, step=SIZE, algorithm=dv.Jacobi(extrapolation=2)
    )
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        for k in range(5):
            fmu.doStep(k * SIZE, SIZE)
        state = fmu.getFMUState()

        def onward():
            found = []
            for k in range(5, 10):
                fmu.doStep(k * SIZE, SIZE)
                found += got(fmu, references["p0.y"], references["p1.y"])
            return found

        first = onward()
        fmu.setFMUState(state)
        assert onward() == first
        data = fmu.serializeFMUState(state)
        fmu.freeFMUState(state)
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        again = fmu.deSerializeFMUstate(data) if fmi == 2 else fmu.deserializeFMUState(data)
        fmu.setFMUState(again)
        assert got(fmu, references["time"]) == [0.5]
        found = []
        for k in range(5, 10):
            fmu.doStep(k * SIZE, SIZE)
            found += got(fmu, references["p0.y"], references["p1.y"])
        assert found == first
        fmu.freeFMUState(again)


def test_bytes_that_are_no_state_are_refused(archive, tmp_path):
    path = export_of(archive, tmp_path, 2, dv.GaussSeidel())
    with instance(path, tmp_path / "it") as (fmu, _):
        started(fmu)
        state = fmu.getFMUState()
        data = fmu.serializeFMUState(state)
        for wrong in (data[:-1], data + b"\0", b"", b"\xff" * len(data)):
            with pytest.raises(Exception, match="fmi2DeSerializeFMUstate"):
                fmu.deSerializeFMUstate(wrong)
        fmu.freeFMUState(state)


def test_a_checkpoint_goes_through_an_export(path, tmp_path):
    system = alone(dv.load(str(path)))
    options = {"controller": dv.FixedStep(SIZE), "algorithm": dv.Jacobi(), "quiet": True}
    with dv.Session(system, stop=2.0, **options) as session:
        whole = session.run()
    with dv.Session(system, stop=2.0, **options) as session:
        for _ in range(7):
            session.advance()
        session.checkpoint(tmp_path / "half")
    with dv.Session(system, stop=2.0, resume=tmp_path / "half", **options) as session:
        resumed = session.run()
    assert np.array_equal(whole["part.b.y"][:], resumed["part.b.y"][:])


def test_without_states_inside_there_are_none_outside(archive, tmp_path):
    path = export_of(archive, tmp_path, 2, dv.GaussSeidel(), state_saving=False)
    capable = dv.load(str(path)).description.capabilities
    assert not capable.can_restore and not capable.can_serialize
