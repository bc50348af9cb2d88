"""Co-simulation FMUs with events in native windows: lent to the kernel, and taken back."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from math import nan
from typing import Any, Literal, cast

import numpy as np

from ...core.errors import PartFailed
from ...core.signals import Discrete, Signals, Vector
from ...subsystems.live import Live
from ..calls.access import Channel
from ..kernel import NativeMember, kernel
from ..parts.cosimulation import CoSimulation
from ..parts.eventful import EventfulCoSimulation
from ..parts.lending import Undisturbed

Readiness = Literal["ready", "later", "never"]


class NativeLook(c.Structure):
    """Outputs that are no reals; the same order as `dt_look` in eventful.c."""

    _fields_ = (
        *((name, c.c_void_p) for name in ("get", "refs")),
        *((name, c.c_size_t) for name in ("n_refs", "n_values", "bytes")),
        *((name, c.c_void_p) for name in ("held", "found")),
    )


class NativeEvents(c.Structure):
    """A member with events; the same order as `dt_eventful` in eventful.c."""

    _fields_ = (
        ("next_event", c.c_double),
        *((name, c.c_void_p) for name in ("now", "before", "first", "looks")),
        *((name, c.c_int32) for name in ("n_looks", "has_mode")),
    )


class EventfulMembers:
    """All of them in one batch, by their places."""

    def __init__(self, members: Any, lives: Sequence[Live], outputs: Sequence[slice]) -> None:
        self.by_place = {
            k: EventfulMember(members[k], live, outputs[k])
            for k, live in enumerate(lives)
            if isinstance(live.subsystem, CoSimulation) and live.subsystem.model.may_stop_early
        }


class EventfulMember:
    """One live part whose windows may end at events. Twin in C: `native/eventful.c`.

    Python has it as long as anything happens to it. Where nothing does it is lent to native
    windows, which leave a window in which something does as if it had not been tried.
    """

    def __init__(self, member: NativeMember, live: Live, span: slice) -> None:
        self._live, self._span, self._member = live, span, member
        self.part = cast(CoSimulation, live.subsystem)
        self._native, self._arrays = NativeEvents(), dict[str, Vector]()
        self._held: tuple[Discrete, ...] = ()
        self._inputs = sum(v.size for v in live.description.inputs if v.is_real)
        for name in ("now", "before", "first"):
            array = self._arrays[name] = np.full(2 * self._inputs + 2, nan)
            setattr(self._native, name, array.ctypes.data)
        has_mode = isinstance(self.part, EventfulCoSimulation)
        self._native.has_mode, self._channels = int(has_mode), list[Channel]()
        if isinstance(self.part, EventfulCoSimulation):
            self._channels = self.part.discrete_channels
        self._looks = (NativeLook * len(self._channels))()
        self._bytes = []
        for look, channel in zip(self._looks, self._channels, strict=True):
            room = [c.create_string_buffer(max(channel.room, 1)) for _ in range(2)]
            self._bytes.append(room)
            look.get = self.part.instance.library.address(channel.getter)
            look.refs, look.n_refs = channel.references.ctypes.data, len(channel.references)
            look.n_values, look.bytes = len(channel.places), channel.room
            look.held, look.found = (c.addressof(r) for r in room)
        self._native.looks, self._native.n_looks = c.addressof(self._looks), len(self._looks)
        member.events, member.early = c.addressof(self._native), 1

    def lend(self, *, moving: bool, start: float, size: float) -> Readiness:
        """Let native windows have it, if nothing is due; `moving`: inputs follow curves there."""
        part, live = self.part, self._live
        if part.broken is not None:
            return "never"
        if live.ending or (moving and live.holds_curves(start, size)):
            return "later"
        try:
            standing = part.lend()
        except PartFailed:
            return "never"  # Python meets it as well, if it ever saves its state
        if standing is None:
            return "later"
        now, n = self._arrays["now"], self._inputs
        now[:n] = nan if standing.given is None else standing.given
        self._native.next_event, self._held = standing.next_event, standing.held
        for channel, (bytes_held, _) in zip(self._channels, self._bytes, strict=True):
            bytes_held.raw = channel.raw(self._held).ljust(len(bytes_held), b"\0")
        return "ready"

    def take_back(self, windows: int, outputs: Vector, ending: str | None) -> None:
        """Have it again, behind so many windows, with the outputs of all parts."""
        if not windows:
            return
        live, n, now = self._live, self._inputs, self._arrays["now"]
        answer = Signals(outputs[self._span].copy(), None, self._held)
        began, time = now[2 * n :].tolist()
        given, ended = now[:n].copy(), now[n : 2 * n].copy()
        wishes = self.part.take_back(Undisturbed(time, began, given, ended, answer))
        live.stand(time, answer)
        live.ending = wishes or ending == live.name


def check_layout() -> None:
    """Whether Python and the kernel mean the same structures."""
    library = kernel()
    sizes = c.sizeof(NativeEvents) + 1000 * c.sizeof(NativeLook)
    if library is not None and library.dt_eventful_layout() != sizes:
        raise ImportError("the kernel belongs to another version; reinstall Dovetail")
