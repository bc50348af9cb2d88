"""Who may come in, and what becomes of those who may not: certificates, tokens, hostile bytes."""

from __future__ import annotations

import json
import random
import resource
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hostile_frames import answer_of, frame, hostile, liar, linked, requests, veiled
from machines import (
    HERE,
    SECRET,
    certificates,
    mass,
    offered,
    oscillator,
    run,
    server_access,
    serving,
    soon,
    user_options,
)

import dovetail as dv
from dovetail.hosts.frames import TooLate
from dovetail.machines import dialling, greeting, server
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.greeting import Hello, Refused
from dovetail.machines.requests import FrameKind
from dovetail.machines.unreachable import Unreachable
from dovetail.machines.wire import FrameLink

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

TOKEN = "correct-horse-battery"


# Versions -------------------------------------------------------------------------------------


def test_who_is_too_old_is_said_on_both_sides():
    with serving(offered(mass())) as (place, said):
        for theirs, old in (((5, 7), "the one that is dialled"), ((0, 0), "the one that dials")):
            with linked(place) as link:
                link.sendall(frame(FrameKind.HELLO, replace(Hello("user"), protocol=theirs).data()))
                found = answer_of(link)
            assert f"{old} is too old, update it".encode() in found
        assert soon(lambda: sum("too old" in line for line in said) == 2), said
        near, far = socket.socketpair()
        with near, far:
            wire, other = FrameLink(near, "here"), FrameLink(far, "there")
            other.send(FrameKind.HELLO, 0, replace(Hello("server"), protocol=(9, 9)).data())
            with pytest.raises(Refused, match=r"it \(.*\) speaks 9, the other .* 1; this one is"):
                greeting.dial(wire, Hello("user"), None)


def test_what_later_versions_add_to_a_greeting_is_passed_over():
    data = json.loads(Hello("user").data()) | {"colour": "blue"}
    assert Hello.of(json.dumps(data).encode()).role == "user"


# Tokens ---------------------------------------------------------------------------------------


def test_a_token_lets_in_and_never_travels(monkeypatch):
    sent = []
    whole = FrameLink.send
    monkeypatch.setattr(
        FrameLink, "send", lambda self, *given: sent.append(given[2]) or whole(self, *given)
    )
    with serving(offered(mass()), access=Access(token=TOKEN)) as (place, said):
        assert len(dv.parts(place, token=TOKEN)) == 1
        with pytest.raises(Unreachable, match="refused: it wants a token; give token= or"):
            dv.parts(place)
        with pytest.raises(Unreachable, match="refused: the token is not the one that is expected"):
            dv.parts(place, token=TOKEN + "x")
        assert soon(lambda: any("was refused: the token" in line for line in said))
    assert len(sent) > 6 and not any(TOKEN.encode() in data for data in sent)
    with serving(offered(mass())) as (place, _), pytest.raises(Unreachable, match="wants no token"):
        dv.parts(place, token=TOKEN)


def test_what_was_overheard_lets_nobody_in():
    """A replay: all that a user has sent, once more."""
    with serving(offered(mass()), access=Access(token=TOKEN)) as (place, _):
        hello = Hello("user")
        with linked(place) as link:
            link.sendall(frame(FrameKind.HELLO, hello.data()))
            wire = FrameLink(link, "")
            theirs = Hello.of(wire.receive(10.0)[2])
            proof = greeting._proof(TOKEN, "dialler", hello, theirs)
            wire.send(FrameKind.PROOF, 0, proof)
            assert wire.receive(10.0)[0] == FrameKind.WELCOME
        with linked(place) as link:
            link.sendall(frame(FrameKind.HELLO, hello.data()) + frame(FrameKind.PROOF, proof))
            assert b"the token is not the one" in answer_of(link)


def test_a_server_that_does_not_know_the_token_is_no_friend():
    near, far = socket.socketpair()
    with near, far:
        wire, other = FrameLink(near, "here"), FrameLink(far, "there")
        other.send(FrameKind.HELLO, 0, Hello("server", token=True).data())
        other.send(FrameKind.WELCOME, 0, b"0" * 64)
        with pytest.raises(Refused, match="it does not know the token"):
            greeting.dial(wire, Hello("user"), TOKEN)


@pytest.mark.parametrize(
    "token", ["short", "has a blank in the middle", "x" * 600, "ümlautümlautümlaut"]
)
def test_what_is_no_token_is_refused(token):
    with pytest.raises(dv.OptionError, match="is no token: 16 letters and digits or more"):
        Access(token=token)


# Certificates ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    pytest.importorskip("cryptography")
    return certificates(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="module")
def strangers(tmp_path_factory):
    pytest.importorskip("cryptography")
    return certificates(tmp_path_factory.mktemp("strangers"))


def test_certificates_on_both_sides_let_in(lab):
    body = mass()
    with serving(offered(body), access=server_access(lab)) as (place, said):
        there = dv.load(f"{place}/part", **user_options(lab))
        here, found = (run(oscillator(m), stop=0.3) for m in (body, there))
        assert np.array_equal(here["mass.x"], found["mass.x"])
        assert soon(lambda: any(line.startswith("client at") for line in said)), said


def test_a_certificate_and_a_token_let_in(lab):
    with serving(offered(mass()), access=server_access(lab, users=False, token=True)) as (place, _):
        assert dv.parts(place, **user_options(lab, cert=False, token=True))
        with pytest.raises(Unreachable, match="it wants a token"):
            dv.parts(place, **user_options(lab, cert=False))


def test_a_certificate_that_is_wrong_is_a_sentence(lab, strangers, tmp_path):
    from dovetail.machines.authority import make_certificates

    with serving(offered(mass()), access=server_access(lab)) as (place, told):
        with pytest.raises(Unreachable, match="it wants a certificate of who dials; give cert="):
            dv.parts(place, **user_options(lab, cert=False))
        with pytest.raises(Unreachable, match="not from the authority given with ca="):
            dv.parts(place, **user_options(strangers))
        mixed = user_options(strangers) | {"ca": str(lab / "ca.pem")}
        with pytest.raises(Unreachable, match=r"does not (know|accept)"):
            dv.parts(place, **mixed)
        with pytest.raises(Unreachable, match="give ca=, the certificate of its"):
            dv.parts(place)
        assert soon(lambda: any("was refused: it showed no certificate" in line for line in told))
        assert soon(lambda: any("its certificate does not hold: " in line for line in told))
    server_for_users = Access(
        ca=str(lab / "ca.pem"), cert=str(lab / "client.pem"), key=str(lab / "client-key.pem")
    )
    # that of a user serves nobody
    wrong = pytest.raises(Unreachable, match=r"not from the authority .*purpose")
    with serving(offered(mass()), access=server_for_users) as (place, _), wrong:
        dv.parts(place, **user_options(lab))
    make_certificates(lab, ["elsewhere.example"], [])
    make_certificates(lab, ["127.0.0.1"], ["late"], days=-1)
    elsewhere, old = (
        Access(cert=str(lab / f"server-{n}.pem"), key=str(lab / f"server-{n}-key.pem"), token=TOKEN)
        for n in ("elsewhere.example", "127.0.0.1")
    )
    only_ca = {"ca": str(lab / "ca.pem"), "token": TOKEN}
    other = pytest.raises(Unreachable, match="its certificate is for another name")
    with serving(offered(mass()), access=elsewhere) as (place, _), other:
        dv.parts(place, **only_ca)
    expired = pytest.raises(Unreachable, match="its certificate has expired; make a new one")
    with serving(offered(mass()), access=old) as (place, _), expired:
        dv.parts(place, **only_ca)
    with serving(offered(mass()), access=server_access(lab)) as (place, _):
        late = {"cert": str(lab / "late.pem"), "key": str(lab / "late-key.pem")}
        with pytest.raises(Unreachable, match="given with cert= has expired; make a new one"):
            dv.parts(place, **(user_options(lab) | late))


def test_an_authority_signs_more_and_keeps_its_keys_to_itself(lab, tmp_path):
    from dovetail.cli.main import main

    assert main(["cert", str(tmp_path / "new")]) == 0
    names = {p.name for p in (tmp_path / "new").iterdir()}
    assert names == {f"{n}{k}.pem" for n in ("ca", "server", "client") for k in ("", "-key")} | {
        "token.txt"
    }
    for path in (tmp_path / "new").iterdir():
        secret = path.name.endswith("-key.pem") or path.name == "token.txt"
        assert path.stat().st_mode & 0o777 & ~0o644 == 0
        assert not secret or path.stat().st_mode & 0o077 == 0
    assert main(["cert", str(tmp_path / "new"), "--user", "anna"]) == 0
    assert main(["cert", str(tmp_path / "new"), "--user", "anna"]) == 2
    assert main(["cert", str(tmp_path / "new"), "--user", "../anna"]) == 2


def test_nobody_is_served_without_being_kept_out():
    offers = {"part": offered(mass())}
    for address, access, insecure, said in (
        (Address("*", 0), Access(), False, "others are served over TLS"),
        (Address("*", 0), Access(), True, "--insecure is for this machine only"),
        (HERE, Access(cert="a", key="b"), True, "--insecure is without certificates"),
        (HERE, Access(cert="a", key="b"), False, "nobody would be kept out"),
    ):
        with pytest.raises(dv.OptionError, match=said):
            server.PartServer(address, access, offers, insecure=insecure)
    with pytest.raises(dv.OptionError, match="cert= and key= belong together"):
        Access(cert="a")


def test_cryptography_is_asked_for_by_its_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    from dovetail.machines.authority import make_certificates

    with pytest.raises(dv.DovetailError, match=r"pip install 'dovetail\[remote\]'"):
        make_certificates(tmp_path / "x")


# Patience -------------------------------------------------------------------------------------


def test_who_says_nothing_or_half_is_cut_off(monkeypatch):
    monkeypatch.setattr(greeting, "GREETING", 0.3)
    monkeypatch.setattr(server, "GREETING", 0.5)
    with serving(offered(mass())) as (place, said):
        for words in (b"", b"dv", frame(FrameKind.HELLO, b"x" * 40)[:30]):
            with linked(place) as link:
                link.sendall(words)
                assert answer_of(link) == b""
        assert soon(lambda: len(said) == 3) and all("took too long" in line for line in said)
        assert dv.parts(place)


def test_who_does_not_read_is_cut_off():
    """A slow reader: what is sent to it has an end."""
    near, far = socket.socketpair()
    with near, far:
        wire = FrameLink(near, "there")
        with pytest.raises(TooLate):
            wire.send(FrameKind.PLAIN, 1, b"x" * 2**24, 0.3)


def test_a_user_that_asks_and_never_reads_is_cut_off_and_others_are_served(monkeypatch):
    monkeypatch.setattr(FrameLink.send, "__defaults__", (0.5,))  # 60 s otherwise
    asked = frame(FrameKind.LIST, b"{}", 1) * 50
    long = offered(mass(), text="a" * 100_000)  # so that few answers fill what the system keeps
    with serving(long) as (place, said), linked(place) as link:
        link.sendall(frame(FrameKind.HELLO, Hello("user").data()))
        link.settimeout(10.0)
        with suppress(OSError):
            while not said:
                link.sendall(asked)
                assert dv.parts(place)[0].name == "part"
        assert soon(lambda: any("took too long, and was cut off" in line for line in said))


def test_more_users_than_there_may_be_are_told_so():
    with serving(offered(mass()), most=1) as (place, _):
        wire = dialling.dialled(Address.parse(place), Access(), Hello("user"))
        with pytest.raises(Unreachable, match="refused: it has 1 users already"):
            dv.parts(place)
        wire.close()
        assert soon(lambda: _lists(place))


def _lists(place):
    with suppress(Unreachable):
        return dv.parts(place)


# Hostile bytes --------------------------------------------------------------------------------


def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_server_survives_what_is_sent_to_it():
    """Hellos, greetings and requests, whole, cut, changed, repeated: 600 connections."""
    random_ = random.Random(20)
    hello, good = frame(FrameKind.HELLO, Hello("user").data()), requests()
    heard, before = bytearray(), resident()
    with serving(veiled()) as (place, said):
        for k in range(600):
            with linked(place) as link, suppress(ConnectionError):
                if k % 3 == 0:
                    link.sendall(hostile(random_, [hello]))
                elif k % 30 == 1:  # in use already
                    link.sendall(hello + b"".join(good[1:5]))
                    link.sendall(hostile(random_, good))
                else:
                    link.sendall(hello + hostile(random_, good))
                with suppress(OSError):
                    link.shutdown(socket.SHUT_WR)
                heard += answer_of(link)
        assert dv.parts(place)
        assert soon(lambda: threading.active_count() < 10)
    assert len(heard) > 10_000
    assert SECRET.encode() not in heard and SECRET not in "".join(said)
    assert resident() - before < 100e6


def test_a_user_survives_what_a_server_answers():
    random_ = random.Random(21)
    offer = offered(mass())
    described = json.dumps(offer.described() | {"members": ["snapshot"]}).encode()
    listed = json.dumps([offer.listing()]).encode()
    good = [frame(FrameKind.PLAIN, described, 1), frame(FrameKind.PLAIN, listed, 1)]
    lies = [hostile(random_, good) for _ in range(300)]
    outcomes = {"refused": 0, "believed": 0}
    with liar(lies) as place:
        for k in range(len(lies)):
            try:
                if k % 2:
                    dv.parts(place, timeout=5.0)
                else:
                    dv.load(f"{place}/part", timeout=5.0)
                outcomes["believed"] += 1
            except dv.InputError as error:
                assert str(error).startswith(place)
                outcomes["refused"] += 1
    assert outcomes["refused"] > 200  # what is believed differs in a letter of a text


def test_brackets_without_end_are_no_answer():
    refused = pytest.raises(Unreachable, match="answered with what is no answer")
    with liar([frame(FrameKind.PLAIN, b"[" * 1_000_000, 1)]) as place, refused:
        dv.parts(place)
