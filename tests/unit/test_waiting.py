"""Waiting is never silent: who is waited for is said after a second."""

from __future__ import annotations

import sys
import time
from unittest import mock

import pytest
from machines import mass, offered, oscillator, serving

import dovetail as dv
from dovetail.hosts import waiting
from dovetail.hosts.waiting import Waiting
from dovetail.observe.progress import Progress

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """The first note after 0.15 s instead of a second, the next after ten times that."""
    monkeypatch.setattr(waiting, "FIRST", 0.15)


def slow(seconds):
    def force(t, u, p):
        if 0.12 < t < 0.18:  # one window of the run below
            time.sleep(seconds)
        return [-8.0 * u.x]

    return dv.Algebraic(inputs=["x"], outputs=["force"], function=force)


def run(system, **more):
    ways = {"stop": 0.3, "step": 0.05, "algorithm": dv.GaussSeidel(), "verify": False}
    return dv.simulate(system, **ways, **more)


def heard(capsys):
    lines = capsys.readouterr().err.splitlines()
    return [line for line in lines if "waiting for" in line]


def test_a_part_in_a_host_that_takes_long_is_named(capsys):
    run(oscillator(mass(), slow(0.3)), placement={"spring": dv.LocalHost("springs")})
    (line,) = heard(capsys)
    assert line == "dovetail: waiting for 'spring' at host 'springs', for 0.15 s so far"
    run(oscillator(mass(), slow(0.3)), placement={"spring": dv.LocalHost("spring")}, quiet=True)
    assert not heard(capsys)


def test_a_part_on_another_machine_that_takes_long_is_named(capsys):
    with serving(offered(slow(0.3), "spring")) as (place, _):
        run(oscillator(mass(), dv.load(f"{place}/spring")))
    (line,) = heard(capsys)
    assert line.startswith("dovetail: waiting for 'spring' at dovetail://127.0.0.1:")
    assert line.endswith(", for 0.15 s so far")


def test_of_parts_beside_each_other_one_that_has_not_answered_is_named(capsys):
    with serving(offered(mass(), "mass"), offered(slow(0.3), "spring")) as (place, _):
        run(oscillator(dv.load(f"{place}/mass"), dv.load(f"{place}/spring")))
    (line,) = heard(capsys)  # each waits for the other, and who began is not known here
    assert "waiting for 'mass' at dovetail://" in line or "'spring' at dovetail://" in line


def test_a_wait_is_told_at_one_ten_and_a_hundred_times_the_first():
    told, now = [], [0.0]
    watch = Waiting(25.0, told.append)
    watch._began = 0.0
    for now[0] in (0.1, 0.2, 1.4, 1.6, 14.0, 15.1, 24.0):
        assert not over_at(watch, now[0])
    assert told == [0.15, 1.5, 15.0]
    assert over_at(watch, 25.0)
    assert Waiting(None).left is None


def over_at(watch, now):
    with mock.patch.object(waiting, "monotonic", lambda: now):
        return watch.is_over()


def test_a_bar_says_it_until_the_run_goes_on():
    bar = Progress(0.0, 1.0, "title", shown=True)
    assert bar.waits("waiting for 'pump'")
    assert bar._bar.tasks[0].description == "title: waiting for 'pump'"
    bar._next = 0.0
    bar.moved(0.5, 3)
    assert bar._bar.tasks[0].description == "title"
    bar.close()
    assert not Progress(0.0, 1.0, "title", shown=False).waits("nothing")


def test_nobody_waits_longer_than_the_timeout():
    began = time.monotonic()
    with pytest.raises(dv.HostFailed, match=r"did not answer within 0\.4 s"):
        run(
            oscillator(mass(), slow(30.0)),
            placement={"spring": dv.LocalHost("spring", timeout=0.4)},
            quiet=True,
        )
    assert time.monotonic() - began < 20.0
