"""Parts that dial out: a master waits for them and says for whom; one is written in plain C."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import threading
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from machines import certificates, mass, offered, oscillator, run, soon, spring

import dovetail as dv
from dovetail.core.signals import Signals
from dovetail.hosts.placement import HostOptions
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.lobby import Lobby
from dovetail.machines.outbound import OutboundPart
from dovetail.machines.unreachable import Unreachable
from dovetail.subsystems.subsystem import Reached

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place():
    """An address at which nobody listens yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        found = Address("127.0.0.1", free.getsockname()[1])
    yield found.place
    for lobby in list(Lobby._open.values()):
        lobby.close()
    Lobby._open.clear()


@contextmanager
def dialling(place, *offers, access=Access(), **limits):
    said = []
    options = HostOptions(**limits)
    parts = [OutboundPart(o, Address.parse(place), access, options, said.append) for o in offers]
    threads = [threading.Thread(target=part.serve) for part in parts]
    for thread in threads:
        thread.start()
    try:
        yield said
    finally:
        for part in parts:
            part.end()
        for thread in threads:
            thread.join(20.0)
        assert not any(thread.is_alive() for thread in threads)


def test_parts_that_dial_in_give_the_same_bits_run_after_run(place):
    body = mass()
    with dialling(place, offered(body), offered(spring(), "spring")) as said:
        there = oscillator(
            dv.load(f"{place}/part", listen=True), dv.load(f"{place}/spring", listen=True)
        )
        for algorithm in (dv.Jacobi(), dv.GaussSeidel(5)):
            here = run(oscillator(body), stop=0.3, algorithm=algorithm)
            found = run(there, stop=0.3, algorithm=algorithm)
            assert np.array_equal(here["mass.x"], found["mass.x"])
        assert soon(lambda: sum("has used" in line for line in said) == 4), said


def test_the_master_says_for_whom_it_waits(place):
    told = pytest.warns(UserWarning, match=re.escape(f"waiting at {place} for 'part' to dial in"))
    with told, pytest.raises(Unreachable) as caught:
        dv.load(f"{place}/part", listen=True, wait=1.5)
    why = "'part' has not dialled in within 1.5 s; start it with 'dovetail host"
    assert why in str(caught.value)
    with dialling(place, offered(spring(), "spring")) as said:
        assert soon(lambda: any("waits" in line for line in said))
        with pytest.raises(Unreachable, match=r"within 0\.5 s; 'spring' have; start"):
            dv.load(f"{place}/part", listen=True, wait=0.5)


def test_it_comes_with_a_certificate_or_not_at_all(place, tmp_path):
    pytest.importorskip("cryptography")
    lab = certificates(tmp_path / "lab")
    mine = {"cert": str(lab / "server.pem"), "key": str(lab / "server-key.pem")}
    theirs = {"cert": str(lab / "client.pem"), "key": str(lab / "client-key.pem")}
    ca, body = {"ca": str(lab / "ca.pem")}, mass()
    with dialling(place, offered(body), access=Access(**ca, **theirs)):
        there = oscillator(dv.load(f"{place}/part", listen=True, **ca, **mine))
        here, found = (run(s, stop=0.3) for s in (oscillator(body), there))
        assert np.array_equal(here["mass.x"], found["mass.x"])
    with dialling(place, offered(body), access=Access(**ca)) as said:
        assert soon(lambda: any("it wants a certificate" in line for line in said)), said


def test_everybody_is_kept_out_of_a_master_that_is_open_to_all():
    with pytest.raises(dv.OptionError, match="others are served over TLS"):
        dv.load("dovetail://0.0.0.0:0/part", listen=True, wait=0.1)


def test_a_part_that_is_gone_while_it_waits_is_not_taken(place):
    with dialling(place, offered(mass())):
        model = dv.load(f"{place}/part", listen=True)
    with pytest.raises(Unreachable, match="has not dialled in"):
        dv.load(f"{place}/part", listen=True, wait=0.3)
    with dialling(place, offered(mass())):
        assert run(oscillator(model)).time[-1] == 1.0  # it has dialled in again


def test_the_command_dials_and_ends_with_its_master(place, tmp_path):
    (tmp_path / "models.py").write_text("""
import dovetail as dv
spring = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
""")
    (tmp_path / "publish.yaml").write_text("models.py:spring: {name: leaf spring}")
    command = [sys.executable, "-m", "dovetail", "host", "--connect", place, "--once"]
    command += ["--part", str(tmp_path / "models.py:spring")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it takes a moment
            model = dv.load(f"{place}/leaf%20spring", listen=True, wait=60.0)
        body = mass()
        here, found = (run(oscillator(body, force), stop=0.3) for force in (None, model))
        assert np.array_equal(here["mass.x"], found["mass.x"])
        _, errors = process.communicate(timeout=60.0)
        assert process.returncode == 0 and "has used 'leaf spring'" in errors
    finally:
        process.kill()
        process.communicate()


# A part in plain C ----------------------------------------------------------------------------


class Pushed:
    """What examples/part_in_c/mass.c does, in Python."""

    def __init__(self, description):
        self.description = description

    def instantiate(self, name):
        return Pushed(self.description)

    def initialize(self, start, values, *, derivatives=False):
        self.m, self.x, self.v = values.get("m", 2.0), values.get("x0", 1.0), 0.0

    def outputs(self, inputs, order=0):
        return Signals(np.array([self.x, self.v]))

    def begin(self):
        pass

    def advance(self, window, inputs):
        h, a = window.size, inputs.coefficients[0, 0] / self.m
        self.x += h * self.v + h * h * a / 2.0
        self.v += h * a
        return Reached(window.stop, self.outputs(None))

    def snapshot(self):
        return self.x, self.v

    def restore(self, snapshot):
        self.x, self.v = snapshot

    def close(self):
        pass


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
def test_a_part_in_plain_c_joins_by_the_protocol(place, tmp_path):
    program, port = tmp_path / "mass", str(Address.parse(place).port)
    source = ROOT / "examples" / "part_in_c" / "mass.c"
    warn = ["-std=gnu11", "-Wall", "-Wextra", "-Wno-implicit-fallthrough", "-Werror", "-O1"]
    subprocess.run(["gcc", *warn, "-fsanitize=undefined", "-o", program, source], check=True)
    process = subprocess.Popen([program, "127.0.0.1", port])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it takes a moment
            model = dv.load(f"{place}/mass", listen=True)
        d = model.description
        assert d.kind == "part in C" and d.inputs[0].unit == "N" and d.capabilities.can_restore
        for way in ({"algorithm": dv.Jacobi()}, {"algorithm": dv.GaussSeidel(5)}):
            found, known = (oscillator(m) for m in (model, Pushed(d)))
            for system in (found, known):
                system.set("mass.x0", 0.5)
            found, known = (run(s, stop=0.3, **way) for s in (found, known))
            assert np.array_equal(found["mass.x"], known["mass.x"]), way
        doubling = {"controller": dv.StepDoubling(rtol=1e-3), "step": None}
        assert run(oscillator(model), **doubling).time[-1] == 1.0
        lost = pytest.raises(dv.HostFailed, match="the connection to it was lost, at 127")
        given = {"stop": 1.0, "controller": dv.FixedStep(0.05), "quiet": True}
        with lost, dv.Session(oscillator(model), **given) as session:
            session.advance()
            process.kill()
            process.wait()
            session.run()
    finally:
        process.kill()
        process.wait()
