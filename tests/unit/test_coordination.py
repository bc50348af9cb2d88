"""Where a coordinator stands is a value: it goes back, and into checkpoints, as it is."""

from dataclasses import replace

import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core import codec
from dovetail.junctions.coordination import Coordination
from dovetail.junctions.memory import JunctionMemory


def positions(algorithm, windows=6):
    """Where a run with junctions stood, window after window."""
    problem = jp.problems["two capacitors"]
    system, size = problem.system("rk4", problem.step), problem.step
    with dv.Session(
        system,
        stop=windows * size,
        algorithm=algorithm,
        controller=dv.FixedStep(size),
        quiet=True,
    ) as session:
        found = [session._stepper.position]
        while not session.finished:
            session.advance()
            found.append(session._stepper.position)
    return found


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()], ids=["settled", "iterated"])
def test_it_survives_being_written_to_the_last_bit(algorithm):
    now = positions(algorithm)[-1].coordination
    assert now.z.size == 1 and len(now.memories) == 1
    assert now.memories[0].probed and now.memories[0].jacobian is not None
    again = codec.decode(codec.encode(now))
    assert isinstance(again, Coordination) and again.equals(now)
    assert [type(m) for m in again.memories] == [JunctionMemory]


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Newton()], ids=["settled", "iterated"])
def test_an_older_one_is_what_it_was(algorithm):
    problem = jp.problems["two capacitors"]
    system, size = problem.system("rk4", problem.step), problem.step
    controller = dv.FixedStep(size)
    options = {"algorithm": algorithm, "controller": controller, "quiet": True}
    with dv.Session(system, stop=6 * size, **options) as session:
        session.advance()
        before = session._stepper.position.coordination
        written = codec.encode(before)
        session.advance()
        after = session._stepper.position.coordination
        assert codec.encode(before) == written
        assert not after.equals(before)


def test_any_difference_counts():
    now = positions(dv.Newton(), 2)[-1].coordination
    memory = now.memories[0]
    others = [
        replace(now, z=now.z + 1),
        replace(now, memories=(replace(memory, time=memory.time + 1),)),
        replace(now, memories=(replace(memory, gap=memory.gap + 1),)),
        replace(now, memories=(memory.with_jacobian(None),)),
        replace(now, memories=(replace(memory, unsolved=True),)),
        replace(now, memories=(replace(memory, inherited=replace(memory.inherited, since=9.0)),)),
    ]
    assert now.equals(replace(now))
    assert not any(now.equals(other) or other.equals(now) for other in others)
    assert [o.unsolved for o in others] == [0, 0, 0, 0, 1, 0]


def test_wires_have_nothing_to_remember():
    system = dv.System("one")
    system.add("one", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    with dv.Session(system, stop=1.0, controller=dv.FixedStep(0.5), quiet=True) as session:
        start = session._stepper.position.coordination
        session.advance()
        assert session._stepper.position.coordination is start
    assert not start.z.size and not start.memories and not start.waiting
    assert start.equals(codec.decode(codec.encode(start)))


def test_what_is_not_looked_at_yet_is_waiting():
    blank = JunctionMemory.blank(2)
    assert Coordination(np.zeros(2), (blank,)).waiting
    assert not Coordination(np.zeros(2), (replace(blank, index=np.ones(2)),)).waiting
