"""Windows along curves, many in one call: the same bits as in every other way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from conformance.fleet import is_clean, run, same, walked

import dovetail as dv
from dovetail.fmi.native.batch import FmuBatch
from dovetail.subsystems.batch import BatchProgress

DEGREES = (1, 2, 3)
CURVED = [cls(extrapolation=k) for cls in (dv.Jacobi, dv.GaussSeidel) for k in DEGREES]
RAMPED = dv.GaussSeidel(inputs="ramp")


def knotted(model, other=None):
    """A loop of three with gains, a loop of two, an end behind it, and one that nothing feeds."""
    system = dv.System("knotted")
    for k, name in enumerate(("a", "b", "c", "d", "e", "end", "still")):
        used = model if other is None or k % 2 else other
        system.add(name, used, x=1.0 + 0.3 * k, a=-1.0 - 0.1 * k)
    for source, target in ("ab", "bc", "de", "ed"):
        system.connect(f"{source}.y", f"{target}.u")
    system.connect("c.y", "a.u", gain=-0.7, offset=0.3)
    system.connect("e.y", "end.u")
    return system


@pytest.mark.parametrize("algorithm", CURVED, ids=repr)
@pytest.mark.parametrize(("version", "taken"), [(1, 0), (1, 3), (2, 0), (2, 3), (3, 0)])
def test_many_windows_along_curves_are_the_same_as_one_by_one(fmu, both, version, taken, algorithm):
    model = fmu("linear", version, input_derivatives=taken)
    options = {"algorithm": algorithm, "stop": 3.04}
    native, plain = both(lambda: run(knotted(model), **options))
    assert same(native, plain)
    assert same(native, walked(knotted(model), **options))
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", CURVED, ids=repr)
def test_who_follows_curves_and_who_does_not_stand_side_by_side(fmu, both, algorithm):
    models = fmu("linear", 2, input_derivatives=3), fmu("linear", 3)
    native, plain = both(lambda: run(knotted(*models), algorithm=algorithm, record="*.u"))
    assert same(native, plain)
    assert same(native, walked(knotted(*models), algorithm=algorithm, record="*.u"))


@pytest.mark.parametrize("version", [1, 2])
def test_one_sweep_with_ramps(fmu, both, version):
    model = fmu("linear", version, input_derivatives=3)
    native, plain = both(lambda: run(knotted(model), algorithm=RAMPED, stop=2.04))
    assert same(native, plain)
    assert same(native, walked(knotted(model), algorithm=RAMPED, stop=2.04))


@pytest.mark.parametrize("algorithm", [*CURVED, RAMPED], ids=repr)
def test_curves_are_followed_inside_the_kernel(fmu, monkeypatch, algorithm):
    monkeypatch.setattr(dv.Session, "advance", lambda _: pytest.fail("one window at a time"))
    model = fmu("linear", 2, input_derivatives=3)
    assert run(knotted(model), algorithm=algorithm).finished


@pytest.mark.parametrize("algorithm", CURVED, ids=repr)
def test_the_past_is_handed_from_call_to_call(fmu, monkeypatch, algorithm):
    """Also to windows that go the usual way, and from them."""
    system, kernel_run = knotted(fmu("linear", 2, input_derivatives=3)), FmuBatch.run
    wanted, calls = run(system, algorithm=algorithm), []

    def hesitant(self, plan, stretch, lines):
        calls.append(stretch.first.start)
        if len(calls) % 3 == 0:
            return BatchProgress(0, undecided=True)
        return kernel_run(self, plan, replace(stretch, count=min(stretch.count, 2)), lines)

    monkeypatch.setattr(FmuBatch, "run", hesitant)
    assert same(run(system, algorithm=algorithm), wanted)
    assert len(calls) > 6


@pytest.mark.parametrize("algorithm", CURVED[:2] + CURVED[3:4], ids=repr)
def test_a_run_goes_on_from_a_checkpoint_along_its_curves(fmu, tmp_path, algorithm):
    system = knotted(fmu("linear", 2, input_derivatives=3))
    options = {"algorithm": algorithm, "controller": dv.FixedStep(0.1), "quiet": True}
    wanted = run(system, algorithm=algorithm, stop=3.0)
    with dv.Session(system, stop=3.0, **options) as session:
        while session.time < 1.5:
            session.advance()
        session.checkpoint(tmp_path / "half.dvc")
    with dv.Session(system, stop=3.0, resume=tmp_path / "half.dvc", **options) as session:
        assert np.array_equal(session.run()["a.y"], wanted["a.y"])


@pytest.mark.parametrize("algorithm", [dv.Jacobi(extrapolation=1), dv.GaussSeidel(extrapolation=2)])
def test_what_becomes_no_number_is_told_alike_in_every_way(fmu, both, algorithm):
    system = dv.System("bad")
    system.add("nan", fmu("nan", 2))
    system.add("good", fmu("linear", 2))
    system.connect("nan.y", "good.u")

    def failed(way):
        with pytest.raises(dv.RunError) as caught:
            way(system, algorithm=algorithm)
        return str(caught.value), caught.value.result

    native, plain = both(lambda: failed(run))
    one_by_one = failed(walked)
    assert native[0] == plain[0] == one_by_one[0]
    assert np.array_equal(native[1]["good.y"], plain[1]["good.y"])
    assert np.array_equal(native[1]["good.y"], one_by_one[1]["good.y"])


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), *CURVED[::3], RAMPED], ids=repr)
def test_an_input_that_was_changed_by_hand_stays_changed(fmu, algorithm):
    system, found = knotted(fmu("linear", 2, input_derivatives=3)), []
    for rest in (dv.Session.run, list):
        options = {"stop": 2.0, "algorithm": algorithm, "controller": dv.FixedStep(0.1)}
        with dv.Session(system, quiet=True, **options) as session:
            while session.time < 0.95:
                session.advance()
            session.set("still.u", 3.0)
            rest(session)
        found.append(session.result)
    assert same(*found)
    assert found[0].final["still.y"] > run(system, algorithm=algorithm).final["still.y"] + 0.1
