"""Parts on other machines that step side by side, with no master in between."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time

import numpy as np
import pytest
from machines import (
    certificates,
    mass,
    offered,
    oscillator,
    server_access,
    serving,
    soon,
    spring,
    user_options,
)
from machines import run as run_any

import dovetail as dv
from dovetail.hosts.placement import HostOptions
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.outbound import OutboundPart
from dovetail.machines.publication import Shown
from dovetail.machines.tickets import MARK

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

ALGORITHMS = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(inputs="ramp"),
    dv.Jacobi(extrapolation=1),
    dv.GaussSeidel(extrapolation=2),
    dv.GaussSeidel(order_of_parts=("spring", "mass")),
]


def run(system, **more):
    return run_any(system, **{"algorithm": dv.GaussSeidel(), **more})


def same(here, there):
    """Every signal to the bit, the verdict, and what was counted."""
    assert list(here.names) == list(there.names)
    assert all(np.array_equal(here[name], there[name]) for name in here.names)
    assert here.verdict == there.verdict
    counts = [
        (s.windows, s.iterations, s.evaluations_by_part)
        for s in (here.statistics, there.statistics)
    ]
    assert counts[0] == counts[1]


def requests_of(said, name):
    """How many requests the uses of a part took, one use after another."""
    return [int(line.split()[-2]) for line in said if f"has used '{name}'" in line]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_parts_on_two_servers_give_the_same_bits_with_few_requests(algorithm):
    with serving(offered(mass(), "m")) as (one, said), serving(offered(spring(), "s")) as (two, _):
        there = oscillator(dv.load(f"{one}/m"), dv.load(f"{two}/s"))
        same(
            run(oscillator(mass()), algorithm=algorithm, step=0.002),
            run(there, algorithm=algorithm, step=0.002),
        )
        assert soon(lambda: requests_of(said, "m"))
        assert requests_of(said, "m")[0] < 60, "and not some for each of 500 windows"


def chain(models):
    """Parts in a ring, the last of which feeds the first, each with a gain on its wire."""
    system = dv.System("ring")
    for k, model in enumerate(models):
        system.add(f"p{k}", model)
    for k in range(len(models)):
        system.connect(f"p{k}.x", f"p{(k + 1) % len(models)}.force", gain=-0.5 - 0.1 * k)
        system.connect(f"p{k}.v", f"p{k}.wind", gain=-0.3)
    return system


@pytest.mark.parametrize("algorithm", [*ALGORITHMS[:3], dv.Jacobi(extrapolation=3)], ids=str)
def test_a_ring_of_parts_with_wires_to_themselves_and_a_last_window_that_is_short(
    algorithm, archive
):
    kinds = [mass(), mass(), mass()]
    given = {"algorithm": algorithm, "stop": 0.333}
    with serving(*(offered(k, f"p{i}") for i, k in enumerate(kinds))) as (place, _):
        there = chain([dv.load(f"{place}/p{i}") for i in range(3)])
        same(run(chain(kinds), **given), run(there, **given))


def test_over_tls_parts_show_each_other_certificates_of_the_run(tmp_path):
    lab = certificates(tmp_path)
    more = user_options(lab)
    with (
        serving(offered(mass(), "m"), access=server_access(lab)) as (one, said),
        serving(offered(spring(), "s"), access=server_access(lab)) as (two, _),
    ):
        there = oscillator(dv.load(f"{one}/m", **more), dv.load(f"{two}/s", **more))
        same(run(oscillator(mass()), step=0.005), run(there, step=0.005))
        assert soon(lambda: requests_of(said, "m"))
        assert requests_of(said, "m")[0] < 60


def test_what_is_not_published_has_its_own_value_and_goes_nowhere():
    shown = {
        "inputs": (("pull", Shown("force")),),
        "outputs": (("x", Shown("x")),),
        "values": {"wind": 1.5},
    }
    with serving(offered(mass(), "m", **shown), offered(spring(), "s")) as (place, _):
        system = dv.System("oscillator")
        system.add("mass", dv.load(f"{place}/m"))
        system.add("spring", dv.load(f"{place}/s"))
        system.connect("mass.x", "spring.x")
        system.connect("spring.force", "mass.pull")
        there = run(system)
    here = oscillator(mass())
    here.set("mass.wind", 1.5)
    assert np.array_equal(run(here)["mass.x"], there["mass.x"])


def test_a_part_that_dials_out_steps_beside_one_that_is_served():
    from dovetail.machines.lobby import Lobby

    with serving(offered(spring(), "s")) as (place, _):
        lobby = Lobby.at(Address("127.0.0.1", 0), Access())
        Lobby._open[Address("127.0.0.1", lobby.address.port)] = lobby
        said: list[str] = []
        part = OutboundPart(
            offered(mass(), "m"), lobby.address, Access(), HostOptions(), said.append
        )
        thread = threading.Thread(target=part.serve, daemon=True)
        thread.start()
        try:
            body = dv.load(f"{lobby.address.place}/m", listen=True)
            there = oscillator(body, dv.load(f"{place}/s"))
            same(run(oscillator(mass()), step=0.005), run(there, step=0.005))
            assert soon(lambda: requests_of(said, "m"))
        finally:
            part.end()
            lobby.close()
            thread.join(5)


def failing(when, trouble):
    def rates(t, x, u, p):
        if t > when:
            trouble()
        return [x.v, u.force / 2.0]

    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"], derivatives=rates
    )


def lift():
    raise ValueError("too heavy")


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (lift, "ValueError: too heavy"),
        (lambda: os._exit(7), "its process left with exit code 7"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "segmentation fault"),
    ],
)
def test_a_part_that_fails_is_named_and_results_up_to_a_look_are_kept(trouble, says):
    body = failing(0.5, trouble)
    with (
        serving(offered(body, "m")) as (one, _),
        serving(offered(spring(), "s")) as (two, _),
        pytest.raises(dv.PartFailed) as caught,
    ):
        run(oscillator(dv.load(f"{one}/m"), dv.load(f"{two}/s")), algorithm=dv.Jacobi())
    error = caught.value
    assert error.part == "mass" and says in str(error) and "spring" not in str(error)
    rows = len(error.result.time)
    assert 1 < rows <= 12, "windows of the last stretch that all of them completed, or before it"
    assert error.result.time[-1] <= 0.5


def test_a_number_that_is_none_is_the_failure_of_who_gave_it():
    def output(t, u, p):
        return [float("nan") if t > 0.5 else -8.0 * u.x]

    force = dv.Algebraic(inputs=["x"], outputs=["force"], function=output)
    with pytest.raises(dv.PartFailed) as here:
        run(oscillator(mass(), force))
    with (
        serving(offered(mass(), "m"), offered(force, "s")) as (place, _),
        pytest.raises(dv.PartFailed) as there,
    ):
        run(oscillator(dv.load(f"{place}/m"), dv.load(f"{place}/s")))
    assert str(here.value) == str(there.value)
    assert np.array_equal(here.value.result["mass.x"], there.value.result["mass.x"])


def test_a_part_that_hangs_is_named_by_who_waits_for_it():
    body = failing(0.5, lambda: time.sleep(30))
    with serving(offered(body, "m")) as (one, _), serving(offered(spring(), "s")) as (two, _):
        system = oscillator(dv.load(f"{one}/m", timeout=1), dv.load(f"{two}/s", timeout=1))
        begin = time.monotonic()
        with pytest.raises(dv.PartFailed, match="part 'mass' failed while advancing") as caught:
            run(system)
        assert time.monotonic() - begin < 12
    assert "did not answer" in str(caught.value)


def test_ctrl_c_keeps_what_was_done():
    slow = failing(0.02, lambda: time.sleep(0.002))
    with serving(offered(slow, "m"), offered(spring(), "s")) as (place, _):
        system = oscillator(dv.load(f"{place}/m"), dv.load(f"{place}/s"))
        session = dv.Session(
            system, stop=1000.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.01), quiet=True
        )
        timer = threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with pytest.raises(dv.Interrupted) as caught:
            session.run()
    assert len(caught.value.result.time) > 20


def test_changes_by_hand_checkpoints_and_single_windows_between_stretches(tmp_path):
    with serving(offered(mass(), "m", state=True), offered(spring(), "s", state=True)) as (
        place,
        _,
    ):
        given = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.01), "quiet": True}

        def through(body, force, folder):
            with dv.Session(oscillator(body, force), stop=0.5, **given) as session:
                while session.time < 0.2:
                    session.proceed() if session.time < 0.1 else session.advance()
                session.set("mass.wind", 3.0)
                session.run(checkpoint=folder)
                return session.result

        here = through(mass(), spring(), tmp_path / "here")
        there = dv.load(f"{place}/m"), dv.load(f"{place}/s")
        # windows that were looked at together need not end where those of the other run did
        found = through(*there, tmp_path / "there")
        assert found.time[-1] == 0.5 and np.isfinite(found["mass.x"]).all()
        more = {"step": 0.01, "quiet": True, "algorithm": dv.GaussSeidel(), "verify": False}
        onward = dv.simulate(oscillator(*there), stop=0.7, resume=tmp_path / "there", **more)
        assert onward.time[-1] == pytest.approx(0.7)
        del here


def test_the_past_of_inputs_is_remembered_across_a_checkpoint(tmp_path):
    slow = dv.Algebraic(
        inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x], input_order=0
    )
    given = {"algorithm": dv.GaussSeidel(extrapolation=2), "controller": dv.FixedStep(0.01)}

    def through(body, force, folder):
        with dv.Session(oscillator(body, force), stop=0.2, quiet=True, **given) as session:
            first = session.run(checkpoint=folder)
        more = {"stop": 0.4, "resume": folder, "quiet": True, "verify": False}
        return first, dv.simulate(oscillator(body, force), **more, **given)

    with serving(offered(mass(), "m", state=True), offered(slow, "s", state=True)) as (place, said):
        there = through(dv.load(f"{place}/m"), dv.load(f"{place}/s"), tmp_path / "there")
        assert soon(lambda: len(requests_of(said, "m")) == 2)
        assert max(requests_of(said, "m")) < 20, "and not some for each of 20 windows"
    for here, found in zip(through(mass(), slow, tmp_path / "here"), there, strict=True):
        assert all(np.array_equal(here[name], found[name]) for name in here.names)


def test_what_stands_against_it_is_said():
    with serving(offered(mass(), "m"), offered(spring(), "s")) as (place, _):
        there = oscillator(dv.load(f"{place}/m"), dv.load(f"{place}/s"))
        between = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
        with dv.Session(there, algorithm=dv.Jacobi(), **between) as session:
            assert str(session.native) == "runs between the machines of its parts"
            assert session.native.level == "hosts"
        with dv.Session(there, algorithm=dv.GaussSeidel(max_iterations=5), **between) as session:
            assert "windows are iterated, and all must agree on each" in str(session.native)


def test_parts_that_do_not_reach_each_other_are_asked_from_here(monkeypatch):
    from dovetail.machines import tickets

    def nobody(address, ticket):
        raise dv.OptionError(f"{address.place} cannot be dialled: no route to host")

    monkeypatch.setattr("dovetail.machines.meeting.dialled_with", nobody)
    monkeypatch.setattr(tickets, "GREETING", 0.3)
    with serving(offered(mass(), "m"), offered(spring(), "s")) as (place, _):
        there = oscillator(dv.load(f"{place}/m"), dv.load(f"{place}/s"))
        with pytest.warns(UserWarning, match="asked one by one from here: part 'mass' cannot meet"):
            found = run(there)
    same(run(oscillator(mass())), found)


def test_a_ticket_that_nobody_awaits_is_cut_off():
    with serving(offered(mass(), "m")) as (place, said):
        with socket.create_connection(("127.0.0.1", Address.parse(place).port), 5) as link:
            link.sendall(MARK + b"0" * 64)
            assert link.recv(10) == b""
        assert soon(lambda: any("a ticket that nobody awaits" in line for line in said))
        assert dv.parts(place)[0].name == "m"
