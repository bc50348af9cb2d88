"""An FMU that says it can roll back is tried out before it is believed."""

from __future__ import annotations

import pytest

import dovetail as dv

from .fleet import ALGORITHMS, CONTROLLERS, alone, is_clean, ring, run, same

ITERATED = [name for name, made in ALGORITHMS.items() if made.repeats]
DOES_NOT = r"^'p0' says that it can roll back, and does not: its step from .* gave .* for 'y' inst"


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", ITERATED)
def test_one_that_does_not_come_back_is_found_out(fmu, way, version, name):
    with pytest.raises(dv.CannotRollBack, match=DOES_NOT):
        run(ring(fmu("linear", version, flaw="restore")), algorithm=ALGORITHMS[name])


@pytest.mark.parametrize("version", [2, 3])
def test_one_that_does_not_come_back_is_found_out_by_step_doubling(fmu, way, version):
    model = fmu("linear", version, flaw="restore")
    with pytest.raises(dv.CannotRollBack, match="'part' says that it can roll back"):
        run(alone(model, x=1.0, drive=0.0), controller=CONTROLLERS["doubling"])


NEXT = r"says that it can roll back, and does not: .* was followed by one that gave .* for 'y' inst"


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", ITERATED)
def test_one_whose_next_step_is_wrong_is_found_out(fmu, way, version, name):
    """It repeats a step well, and has lost by then what the one after it needs."""
    with pytest.raises(dv.CannotRollBack, match=NEXT):
        run(ring(fmu("linear", version, flaw="restore_next")), algorithm=ALGORITHMS[name])


@pytest.mark.parametrize("version", [2, 3])
def test_one_whose_next_step_is_wrong_is_found_out_by_step_doubling(fmu, way, version):
    model = fmu("linear", version, flaw="restore_next")
    with pytest.raises(dv.CannotRollBack, match=NEXT):
        run(alone(model, x=1.0, drive=0.0), controller=CONTROLLERS["doubling"])


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", ITERATED)
def test_iterations_do_not_go_back_before_their_window(fmu, way, version, name):
    """An FMU that is told so unduly begins all its steps where the first one began."""
    honest, not_so = (ring(fmu("linear", version, flaw=flaw)) for flaw in (None, "flag"))
    algorithm = ALGORITHMS[name]
    assert same(run(honest, algorithm=algorithm), run(not_so, algorithm=algorithm))


@pytest.mark.parametrize("version", [2, 3])
def test_step_doubling_says_when_it_may_go_back_before_a_step(fmu, way, version):
    """A strict one keeps to what it is promised: else the run would end in an error."""
    model = fmu("linear", version, strict=True)
    run(alone(model), controller=CONTROLLERS["doubling"])
    assert is_clean(model)


@pytest.mark.parametrize("flaw", ["restore", "restore_next"])
def test_both_ways_say_the_same(fmu, both, flaw):
    def said() -> str:
        with pytest.raises(dv.CannotRollBack) as caught:
            run(ring(fmu("linear", 2, flaw=flaw)), algorithm=dv.GaussSeidel(5))
        return str(caught.value)

    native, python = both(said)
    assert native == python


@pytest.mark.parametrize("version", [2, 3])
def test_nothing_is_asked_of_one_that_need_not_roll_back(fmu, way, version):
    honest, not_so = (ring(fmu("linear", version, flaw=flaw)) for flaw in (None, "restore"))
    assert same(run(honest), run(not_so))


def test_one_that_does_not_come_back_can_be_estimated(fmu, way):
    system = ring(fmu("linear", 2, flaw="restore"))
    estimators = {name: dv.Identified() for name in system.parts}
    run(system, algorithm=dv.GaussSeidel(5), estimators=estimators)


def test_it_is_looked_at_again_later(fmu, way):
    """A state that is kept well at first: the thousandth rollback is tried out as well."""
    model = fmu("linear", 2, flaw="restore_later")
    windows = dv.StepDoubling(10.0, 10.0, first_size=0.02, max_size=0.02)
    with pytest.raises(dv.CannotRollBack, match="'part' says that it can roll back") as caught:
        run(alone(model, x=1.0, a=0.01), stop=50.0, controller=windows)
    assert caught.value.window.start > 10.0
