"""One use of a part that steps beside parts on other machines, with no master in between."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.typed import is_of
from ..core.window import Window
from ..hosts.frames import TooLate
from ..hosts.host import Host
from ..hosts.neighbours import LockStep, Neighbour
from ..hosts.proxy import Hosted
from ..subsystems.batch import WindowRange
from .address import Address
from .lock_step_frames import stretch_of
from .publication import NotPublished
from .tickets import Tickets, dialled_with, run_certificate
from .veil import Veil

_MOST = 4096  # neighbours of a part
_LONGEST = 86400.0  # seconds that one may be waited for


@dataclass(frozen=True, slots=True)
class Beside:
    """Whether parts here may step beside others, who dials in, and whether by TLS."""

    meets: bool = False
    tickets: Tickets | None = None
    tls: bool = False


ALONE = Beside()


class Meeting:
    """The neighbours of one part in use: first tickets, then connections, then windows."""

    def __init__(self, part: Hosted, veil: Veil, tickets: Tickets | None, *, tls: bool) -> None:
        self._part, self._veil, self._tickets, self._tls = part, veil, tickets, tls
        self._drawn: list[str] = []
        self._certificate = self._key = ""
        self._known = -1  # values that it hears of; -1 until it has met its neighbours

    def invite(self, given: Any) -> dict[str, Any]:
        """Tickets for those who will dial, and the certificate of this part for the run."""
        count = given.get("tickets") if isinstance(given, Mapping) else None
        if type(count) is not int or not 0 <= count <= _MOST or self._certificate or self._drawn:
            raise ValueError("no number of tickets")
        if count and self._tickets is None:
            raise NotPublished("it cannot be dialled, as it has dialled out itself")
        if self._tls:
            self._certificate, self._key = run_certificate()
            if not self._certificate:
                raise NotPublished("there is no cryptography, for a certificate of the run")
        self._drawn = [] if self._tickets is None else [self._tickets.draw() for _ in range(count)]
        return {"tickets": self._drawn, "certificate": self._certificate}

    def meet(self, given: Any) -> None:
        """Dial, or be dialled by, each neighbour; and let the host take the connections over."""
        if not isinstance(given, Mapping) or self._known >= 0:
            raise ValueError("no neighbours")
        plan, asked = self._plan(given), list(given["neighbours"])
        links: list[socket.socket] = []
        try:
            for one in asked:
                if not one["dial"]:
                    assert self._tickets is not None
                    links.append(self._awaited(one["ticket"]))
                else:
                    links.append(
                        dialled_with(Address.parse(one["dial"], part=False), one["ticket"])
                    )
            host = self._part.host
            assert isinstance(host, Host)
            handed = [link.fileno() for link in links] or [0]
            host.hand(handed, "meet", self._part.number, plan)
        finally:
            for link in links:
                link.close()  # the host has its own
        self._known = int(given["known"])

    def windows(self, data: bytes) -> Any:
        """Some windows in lock step: what the host answers."""
        if self._known < 0:
            raise ValueError("no neighbours")
        first, origin, line, count, start, known, past = stretch_of(data)
        if len(start) != len(self._veil.names.inputs) or len(known) != self._known:
            raise ValueError("not as many values as there are")
        stretch = WindowRange(Window(*first), origin, line, count)
        return self._part.demand("advancing", "lock_step", stretch, start, known, past)

    def close(self) -> None:
        """Tickets end with the use."""
        for ticket in self._drawn:
            if self._tickets is not None:
                self._tickets.void(ticket)

    def _awaited(self, ticket: str) -> socket.socket:
        assert self._tickets is not None
        if ticket not in self._drawn:
            raise ValueError("no ticket of this part")
        try:
            return self._tickets.take(ticket)
        except TooLate:
            raise NotPublished("a neighbour has not dialled in") from None

    def _plan(self, given: Mapping[str, Any]) -> LockStep:
        """What the host is told; ValueError if it is no plan."""
        names, base = self._veil.names, self._veil.base
        ins, outs = self._veil.places
        n, k, known = len(ins), len(outs), given.get("known")
        shape, asked, patience = (given.get(w) for w in ("shape", "neighbours", "patience"))
        if type(known) is not int or known < 0 or shape not in ("hold", "ramp", "curve"):
            raise ValueError("no plan")
        columns, order = (given.get(w, 1) for w in ("columns", "order"))
        if type(columns) is not int or not 1 <= columns <= 4 or type(order) is not int:
            raise ValueError("no plan")
        if not isinstance(asked, list) or len(asked) > _MOST or not is_of(patience, float):
            raise ValueError("no plan")
        if any(not v.is_real for v in (*names.description.inputs, *names.description.outputs)):
            raise NotPublished("it has discrete inputs or outputs")
        target, source = _places(given["target"], n), _places(given["source"], known)
        gain, offset = _numbers(given["gain"]), _numbers(given["offset"])
        if not len(target) == len(source) == len(gain) == len(offset):
            raise ValueError("wires without an end")
        plain = given["plain"]
        if not is_of(plain, list[bool]) or len(plain) != 2:
            raise ValueError("no plan")
        own = _places(given["own"][0], known), _places(given["own"][1], k)
        beside = tuple(self._neighbour(one, known, k) for one in asked)
        more = self._certificate, self._key, min(max(float(patience or 0.0), 0.1), _LONGEST)
        wires = target, source, gain, offset, (plain[0], plain[1]), own
        found = LockStep(shape, *wires, base.reals, ins, outs, beside, *more)
        return replace(found, columns=columns, order=order)

    def _neighbour(self, one: Any, known: int, outputs: int) -> Neighbour:
        if not isinstance(one, Mapping):
            raise ValueError("no neighbour")
        texts = [one["dial"], one["ticket"], one["certificate"]]
        if not is_of(texts, list[str]) or not isinstance(one["early"], bool):
            raise ValueError("no neighbour")
        if bool(texts[2]) != self._tls:
            raise NotPublished("one of two neighbours speaks TLS, and the other does not")
        reads, gives = _places(one["reads"], outputs), _places(one["gives"], known)
        return Neighbour(reads, gives, one["early"], bool(texts[0]), texts[2])


def _places(found: Any, below: int) -> Any:
    if not isinstance(found, np.ndarray) or found.dtype.kind != "i" or found.ndim != 1:
        raise ValueError("no places")
    if len(found) and not (found.min() >= 0 and found.max() < below):
        raise ValueError("there is no such place")
    return found


def _numbers(found: Any) -> Any:
    if not isinstance(found, np.ndarray) or found.dtype.kind != "f" or found.ndim != 1:
        raise ValueError("no numbers")
    return found.astype(float)
