"""Parts in hosts are asked before anybody waits: in one message, at once, the same bits."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
import pytest

import dovetail as dv
from dovetail.hosts import line

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")


def part(trouble=None, names=("u",)):
    """x' = u - x, until something happens."""

    def derivatives(t, x, u, p):
        if trouble is not None:
            trouble(t)
        return [sum(getattr(u, n) for n in names) - x.x]

    return dv.Dynamic(states={"x": 1.0}, inputs=list(names), outputs=["x"], derivatives=derivatives)


def ring(troubles):
    """Parts that push each other around."""
    system, names = dv.System("ring"), [f"p{k}" for k in range(len(troubles))]
    for name, trouble in zip(names, troubles, strict=True):
        system.add(name, part(trouble))
    for k, name in enumerate(names):
        system.connect(f"{names[k - 1]}.x", f"{name}.u", gain=-0.5)
    return system


def run(system, placement=None, **more):
    ways = {"stop": 1.0, "step": 0.1, "quiet": True, "verify": False, **more}
    return dv.simulate(system, placement=placement, **ways)


@pytest.mark.parametrize(
    ("algorithm", "most"),
    [(dv.Jacobi(), 2), (dv.GaussSeidel(), 8), (dv.Newton(), 9)],
    ids=["Jacobi", "Gauss-Seidel", "Newton"],
)
def test_a_window_costs_few_messages_whatever_the_number_of_parts(monkeypatch, algorithm, most):
    system, sent, usual = ring([None] * 6), [], line.send_all
    here = run(system, algorithm=algorithm)

    def send_all(to, data):
        sent.append(len(data))
        usual(to, data)

    monkeypatch.setattr(line, "send_all", send_all)
    counts = []
    for stop in (1.0, 2.0):
        sent.clear()
        there = run(system, dv.LocalHost(), algorithm=algorithm, stop=stop)
        counts.append(len(sent))
    assert (counts[1] - counts[0]) / 10 <= most
    assert np.array_equal(here["p0.x"], there["p0.x"][: here.time.size])


def test_all_hosts_are_asked_before_any_is_awaited(tmp_path):
    def meets(mine, other):
        def trouble(t):
            (tmp_path / mine).touch()
            until = time.monotonic() + 30.0
            while not (tmp_path / other).exists():
                assert time.monotonic() < until, "asked one after the other"
                time.sleep(0.001)

        return trouble

    system = ring([meets("a", "b"), meets("b", "a")])
    found = run(system, {"*": dv.Isolated()}, algorithm=dv.Jacobi())
    assert found.finished


def test_the_part_that_died_is_named_among_those_of_its_message():
    def dies(t):
        if t > 0.5:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(dv.HostFailed, match="part 'p1' failed while advancing") as caught:
        run(ring([None, dies, None]), dv.LocalHost(), algorithm=dv.Jacobi())
    error, before = caught.value, run(ring([None] * 3), algorithm=dv.Jacobi())
    assert error.window is not None and set(error.inputs) == {"u"}
    rows = error.result.time.size
    assert np.array_equal(error.result["p2.x"], before["p2.x"][:rows])


@pytest.mark.parametrize("placement", [dv.LocalHost(), {"*": dv.Isolated()}], ids=["one", "each"])
def test_what_was_asked_ahead_is_taken_back_where_another_part_fails(placement):
    """A window of half the size goes well: parts behind the one that failed begin it anew."""

    def coarse():
        seen = []

        def trouble(t):
            seen.append(t)
            if len(seen) == 40:
                raise ValueError("not so fast")

        return trouble

    found = []
    for where in (None, placement):
        system = ring([None, coarse(), None])
        ways = {"controller": dv.FixedStep(0.1, min_size=0.01), "step": None}
        found.append(run(system, where, algorithm=dv.GaussSeidel(20), **ways))
    here, there = found
    assert here.statistics.rejected_by_convergence == there.statistics.rejected_by_convergence > 0
    for name in here.names:
        assert np.array_equal(here[name], there[name])


def test_the_time_of_a_part_is_that_which_it_took():
    found = run(
        ring([None, lambda t: time.sleep(0.002), None]), dv.LocalHost(), algorithm=dv.Jacobi()
    )
    seconds = found.statistics.seconds_by_part
    assert seconds["p1"] > max(seconds["p0"], seconds["p2"])
