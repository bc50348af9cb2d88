"""Two machines with a cable between them, in network namespaces: bits, stalls, a cable that is cut.

Skipped where namespaces cannot be made: that takes root, `ip` and veth.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from machines import mass, offered, oscillator, run, soon, spring
from namespaces import plugged_in, two_machines

import dovetail as dv
from dovetail.hosts.placement import HostOptions
from dovetail.machines import wire
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.authority import make_certificates
from dovetail.machines.server import PartServer, ServerOptions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are of Linux")


@pytest.fixture(scope="module")
def cable():
    with ExitStack() as stack:
        try:
            found = stack.enter_context(two_machines())
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", "") or str(error)
            pytest.skip(f"no network namespaces here: {said.strip()}")
        yield found


@pytest.fixture(scope="module")
def lab(cable, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    make_certificates(folder, [end.address for end in cable], ["anna"])
    return folder


@contextmanager
def served(machine, lab, log=lambda line: None, **models):
    """A server with TLS on that machine; its address."""
    pem = f"server-{machine.address}"
    access = Access(cert=f"{lab / pem}.pem", key=f"{lab / pem}-key.pem", ca=f"{lab / 'ca.pem'}")
    offers = {name: offered(model, name) for name, model in models.items()}
    options = ServerOptions(8, HostOptions(), log)
    with machine.entered():
        server = PartServer(Address(machine.address, 0), access, offers, options, insecure=False)
    with server:
        yield server.address.place


def loaded(place, lab, **more):
    pem = {"ca": "ca.pem", "cert": "anna.pem", "key": "anna-key.pem"}
    return dv.load(place, **{k: str(lab / file) for k, file in pem.items()}, **more)


def slow(seconds):
    def force(t, u, p):
        time.sleep(seconds)
        return [-8.0 * u.x]

    return dv.Algebraic(inputs=["x"], outputs=["force"], function=force)


def test_parts_on_two_machines_have_the_bits_of_one_process_and_meet(cable, lab):
    here, there = cable
    with ExitStack() as stack:
        one = stack.enter_context(served(here, lab, mass=mass()))
        other = stack.enter_context(served(there, lab, spring=spring()))
        stack.enter_context(here.entered())
        body = loaded(f"{one}/mass", lab, timeout=20)
        system = oscillator(body, loaded(f"{other}/spring", lab, timeout=20))
        ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.05)}
        with dv.Session(system, stop=1.0, quiet=True, **ways) as session:
            assert str(session.native) == "runs between the machines of its parts"
            found = session.run()
    alone = run(oscillator(mass()), algorithm=dv.Jacobi())
    assert all(np.array_equal(alone[name], found[name]) for name in alone.names)


def test_a_stall_of_the_cable_costs_time_and_no_bits(cable, lab):
    here, there = cable
    with served(there, lab, spring=slow(0.02)) as place, here.entered():
        system = oscillator(mass(), loaded(f"{place}/spring", lab, timeout=20))
        out = threading.Timer(0.25, there.cable, ["down"])
        again = threading.Timer(0.75, there.cable, ["up"])
        ways = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.05)}
        with dv.Session(system, stop=1.0, quiet=True, **ways) as session:
            out.start()
            again.start()
            found = session.run()
        out.join()
        again.join()
    alone = run(oscillator(mass(), slow(0.0)), algorithm=dv.GaussSeidel())
    assert found.statistics.wall_seconds > 0.7
    assert all(np.array_equal(alone[name], found[name]) for name in alone.names)


def test_a_cable_that_is_cut_is_an_error_in_time_and_is_told_meanwhile(cable, lab, capsys):
    here, there = cable
    try:
        with served(there, lab, spring=slow(0.02)) as place, here.entered():
            system = oscillator(mass(), loaded(f"{place}/spring", lab, timeout=1.5))
            ways = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.01)}
            with dv.Session(system, stop=1.0, progress=False, **ways) as session:
                out = threading.Timer(0.25, there.cable, ["down"])
                out.start()
                begin = time.monotonic()
                with pytest.raises(dv.HostFailed, match=r"did not answer within 1\.5 s") as caught:
                    session.run()
                assert time.monotonic() - begin < 10.0
                out.join()
            assert (caught.value.part, caught.value.doing) == ("spring", "advancing")
            assert len(caught.value.result.time) > 2  # what was done before is kept
    finally:
        plugged_in(here, there)
    assert f"waiting for 'spring' at {place}" in capsys.readouterr().err


def test_a_user_that_is_gone_without_a_word_is_noticed_and_its_part_ends(cable, lab, monkeypatch):
    here, there = cable
    wanted = {"KEEPIDLE": 1, "KEEPINTVL": 1, "KEEPCNT": 2, "USER_TIMEOUT": 1500}

    def soon_enough(link):  # half a minute otherwise
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in wanted.items():
            link.setsockopt(socket.IPPROTO_TCP, vars(socket)[f"TCP_{name}"], value)

    monkeypatch.setattr(wire, "keep_alive", soon_enough)
    said = list[str]()
    try:
        with served(there, lab, said.append, spring=spring()) as place, here.entered():
            system = oscillator(mass(), loaded(f"{place}/spring", lab, timeout=20))
            ways = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.01)}
            with dv.Session(system, stop=1.0, quiet=True, **ways) as session:
                next(iter(session))
                there.cable("down")  # half open: each side believes that the other is there
                assert soon(lambda: any("anna" in line and "has used" in line for line in said))
                with pytest.raises(dv.HostFailed, match="the connection to it was lost"):
                    session.run()
    finally:
        plugged_in(here, there)


def test_nobody_there_is_a_sentence(cable, lab):
    here, there = cable
    with here.entered(), pytest.raises(dv.InputError, match="no server listens there"):
        loaded(f"dovetail://{there.address}:4999/spring", lab)
