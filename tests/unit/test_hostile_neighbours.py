"""A neighbour side by side may send what it likes: it ends the run in a word, and no more."""

from __future__ import annotations

import random
import socket
import ssl
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from hostile_frames import frame, linked, requests, veiled
from hostile_neighbours import HEAD, PATIENCE, WINDOWS, met, pair, plan, strange, whole, wrong
from machines import SECRET, serving

import dovetail as dv
from dovetail.core import codec
from dovetail.core.window import Window
from dovetail.hosts.answers import value_of
from dovetail.hosts.frames import TooLate
from dovetail.hosts.peer_link import PeerLink
from dovetail.machines.greeting import Hello
from dovetail.machines.lock_step_frames import stepped_of, stretch_bytes
from dovetail.machines.requests import FrameKind
from dovetail.machines.tickets import MARK, run_certificate
from dovetail.machines.wire import FrameLink
from dovetail.subsystems.batch import WindowRange

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")


@pytest.mark.parametrize("early", [True, False])
def test_a_neighbour_that_keeps_to_what_was_agreed_is_believed(early):
    found = met(b"".join(whole()), early=early)
    assert (found.done, found.why, found.failed) == (WINDOWS, "", None)


def test_whatever_a_neighbour_sends_ends_in_a_word():
    chance = random.Random(7)
    for k in range(400):
        data = strange(chance)
        found = met(data, early=k % 2 == 0)
        assert not wrong(found), data


def test_numbers_out_of_order_and_out_of_number_are_nonsense():
    late = HEAD.pack(1, 1, 0) + bytes(8)
    many = HEAD.pack(0, 2**32 - 1, 0) + bytes(80)
    for data in (late, many, b"\xff" * 64):
        assert met(data, early=True).why in ("nonsense", "stopped")
    assert met(b"", early=True).why == "closed"


def test_a_neighbour_that_drips_is_not_waited_for_any_longer():
    here, there = pair()
    link, done = PeerLink(here, 1, PATIENCE), threading.Event()

    def drip():
        with suppress(OSError):
            while not done.wait(0.1):
                there.sendall(b"\0")

    thread = threading.Thread(target=drip)
    thread.start()
    begin = time.monotonic()
    with pytest.raises(TooLate):
        link.receive(0)
    assert time.monotonic() - begin < 2 * PATIENCE + 1.0  # its 24 bytes take 2.4 s
    done.set()
    thread.join()
    here.close()
    there.close()


@pytest.mark.parametrize("data", [b"", b"\x16\x03\x01\x02\x00\x01\xff", b"GET / HTTP/1.1\r\n" * 9])
def test_what_is_no_tls_is_no_neighbour(data):
    certificate, key = run_certificate()
    given = plan(certificate, (certificate, key), early=True)
    with pytest.raises((ssl.SSLError, OSError)):
        met(data, early=True, given=given)


def test_what_a_neighbour_sends_to_a_served_part_harms_no_other_use():
    chance, hello = random.Random(3), frame(FrameKind.HELLO, Hello("user").data())
    ready = [requests()[k] for k in (1, 3, 4)]  # open, start, begin
    invite = frame(FrameKind.INVITE, codec.encode({"tickets": 1}), 9)
    three = WindowRange(Window.between(0.0, 0.1), 0.0, 0, WINDOWS)
    asked = frame(FrameKind.WINDOWS, stretch_bytes(three, 0.1, np.zeros(1), np.zeros(1)), 11)
    with serving(veiled()) as (place, said):
        for _ in range(2):
            with linked(place) as link, linked(place) as beside:
                wire = FrameLink(link, "")
                link.sendall(hello)
                answers = [wire.receive(20.0) for _ in range(2)]
                wire.most = 2**20
                link.sendall(b"".join([*ready, invite]))
                answers += [wire.receive(20.0) for _ in range(4)]
                ticket = value_of(answers[-1][0] - FrameKind.ANSWER, answers[-1][2])["tickets"][0]
                beside.sendall(MARK + ticket.encode())
                link.sendall(frame(FrameKind.MEET, codec.encode(told(ticket)), 10) + asked)
                beside.sendall(strange(chance))
                beside.shutdown(socket.SHUT_WR)
                answers += [wire.receive(20.0) for _ in range(2)]
                found = stepped_of(answers[-1][2], WINDOWS, 1)
                assert found.done == WINDOWS or found.why or found.error is not None
                assert SECRET not in str(answers)
        assert SECRET not in "".join(said)
        assert dv.parts(place)[0].name == "part"


def told(ticket):
    """MEET: one number is read of a neighbour that dials, and one goes there."""
    one, none = np.zeros(1, dtype=int), np.zeros(0, dtype=int)
    beside = {"dial": "", "ticket": ticket, "certificate": "", "reads": one, "gives": one}
    wires = {"target": one, "source": one, "gain": np.ones(1), "offset": np.zeros(1)}
    more = {"own": (none, none), "plain": [True, True], "known": 1, "shape": "hold"}
    return wires | more | {"patience": 1.0, "neighbours": [beside | {"early": True}]}
