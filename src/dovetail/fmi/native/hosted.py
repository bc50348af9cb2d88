"""FMUs of a batch that live in hosts: stepped there, asked through shared memory."""

from __future__ import annotations

import ctypes as c
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np

from ...core.errors import CannotRollBack, PartFailed
from ...core.signals import Signals
from ...core.window import Window
from ...hosts.block import SharedBlock
from ...hosts.failed import HostFailed
from ...hosts.frames import Ended, Garbled, TooLate
from ...hosts.host import Host
from ...hosts.life import HostDied, request
from ...hosts.proxy import Hosted
from ...hosts.trial import try_out
from ...runplan.plan import Calls, RunPlan
from ...subsystems.foreign import take_findings
from ...subsystems.live import Live
from ...subsystems.served import NativeFault, ServedMember
from ..calls.abi.types import FATAL, OK
from ..kernel import kernel
from .failures import LOST, REPEATING, FailureFacts

_ENDED, _TOO_LATE = 1, 2  # of hosted.c
_SPIN = 1e-4  # seconds before a side sleeps; waking takes about as long
_BUSY = 1.0  # seconds to come to the end of a step, after Ctrl-C


class HostMember:
    """Stands for the part in a host, where the batch knows those here."""

    def __init__(self, proxy: Hosted, members: HostMembers, place: int, native: Any) -> None:
        self.name, self._proxy, self._members = proxy.name, proxy, members
        self._place, self._native = place, native
        self.number, self.most_derivatives = proxy.number, 0
        self.broken: PartFailed | None = None
        self.refused, self.refused_until = 0, 0.0
        self._failed = OK

    @property
    def instance(self) -> HostMember:
        """What is asked of an instance is known here."""
        return self

    @property
    def states(self) -> set[int]:
        """States of it that are kept outside native code."""
        return self._proxy.kept

    @property
    def failed(self) -> int:
        """How its last call failed, if that counts for the next one."""
        return self._failed

    @failed.setter
    def failed(self, status: int) -> None:
        if status == OK and self._failed != OK:
            self._proxy.demand("rolling back", "recovered", self._place)
        self._failed = status

    def hand_over(self) -> None:
        """Parameters that wait are set at once."""
        self._proxy.call("changing its parameters", "hand_over")

    def note_refusal(self, order: int, until: float) -> None:
        """It does not take derivatives of inputs of this order, though it says so."""
        if self._proxy.host.failure is None:
            self._proxy.call("stepping", "note_refusal", order, until)

    def failure(self, found: FailureFacts, window: Window) -> PartFailed | CannotRollBack:
        """The error for what went wrong in native code, as its host tells it."""
        if found.stage == LOST:
            self.broken = self._members.lost(self._proxy, self._native, window)
            return self.broken
        if found.stage == REPEATING:
            return CannotRollBack(self.name, window)
        facts = found.stage, found.status, found.reached, window
        fault = NativeFault(*facts, self.refused, self.refused_until)
        try:
            self._proxy.demand("advancing", "fault", self._place, fault)
        except (PartFailed, CannotRollBack) as error:
            self._failed = found.status
            if isinstance(error, HostFailed) or found.status == FATAL:
                self.broken = cast(PartFailed, error)
            return error
        raise AssertionError("a host says nothing of a failure")


class HostMembers:
    """Those of one host: its block, and native code's side of it."""

    def __init__(
        self, host: Host, proxies: Sequence[Hosted], natives: Sequence[Any], spin: float
    ) -> None:
        self._kernel, self._host, n = kernel(), host, len(proxies)
        self.parts = [HostMember(p, self, k, natives[k]) for k, p in enumerate(proxies)]
        self._proxies, self._natives, self._spin, self._n = proxies, natives, spin, n
        self._native: Any = None
        self._late = c.CFUNCTYPE(None, c.c_double)(host.late)

    def bind(self, told: Sequence[ServedMember], saves: Sequence[bool]) -> None:
        """Share the block, and bind the members that are asked through it.

        `saves`: whether each can save its state.
        """
        for proxy, member in zip(self._proxies, told, strict=True):
            if member.rollback and not proxy.is_tried:
                try_out(proxy, "call", "try_state")
        n_in, n_out = sum(m.n_in for m in told), sum(m.n_out for m in told)
        block, theirs = SharedBlock.new(self._kernel.dt_hosted_size(self._n, n_in, n_out))
        life = self._host.life
        files = (c.c_int32 * 3)(*block.bells, life.process)
        sizes = block.address, self._n, n_in, n_out, files
        limit = self._host.options.timeout or 0.0
        self._native = c.c_void_p(self._kernel.dt_host_new(*sizes, limit, self._spin))
        self._kernel.dt_host_tell(self._native, self._late)
        try:
            highest = self._host.attach(told, block, theirs)
        except BaseException as error:
            self._kernel.dt_host_free(self._native)
            self._native = None
            block.close()
            if isinstance(error, HostDied):
                raise self._proxies[0].lost(error, "starting") from None
            if isinstance(error, PartFailed):
                for proxy in self._proxies:
                    take_findings(proxy.model, error.learned)
            raise
        finally:
            for file in theirs:
                os.close(file)
        self._block, n_in, n_out = block, 0, 0
        for k, (member, native) in enumerate(zip(told, self._natives, strict=True)):
            at = n_in, n_out
            self._kernel.dt_host_bind(self._native, k, c.byref(native), *at, int(saves[k]))
            n_in, n_out = n_in + member.n_in, n_out + member.n_out
        for part, order in zip(self.parts, highest, strict=True):
            part.most_derivatives = order
        self._host.native = self

    def settle(self) -> None:
        """Before something else is asked of the host: what waits for the next step is done."""
        waited = bool(self._kernel.dt_host_waits(self._native))
        stage, status = c.c_int32(), c.c_int32()
        limit = _BUSY if waited else 0.0
        where = c.byref(stage), c.byref(status)
        found = self._kernel.dt_host_flush(self._native, limit, *where)
        if found < 0:
            late = self._kernel.dt_host_dead(self._native) == _TOO_LATE
            died = self._died()
            if waited and late:
                raise KeyboardInterrupt  # that is what it was left alone for
            raise died
        if found and not waited:
            fault = NativeFault(stage.value, status.value, 0.0, Window(0.0, 0.0, 0.0))
            self._host.life.ask(request([], "fault", found - 1, fault))

    def lost(self, proxy: Hosted, native: Any, window: Window) -> PartFailed:
        """The error for a host that died while native code waited for it."""
        if self._host.failure is not None:
            return self._host.failure
        return proxy.lost(self._died(), "advancing", window, self.inputs(native))

    def inputs(self, native: Any) -> Signals:
        """What a member was given last."""
        values = np.zeros(native.n_in)
        self._kernel.dt_host_inputs(c.byref(native), values.ctypes.data)
        return Signals(values)

    def close(self) -> None:
        """Ask it through sockets from now on."""
        if self._native is None:
            return
        with suppress(Exception, KeyboardInterrupt):  # what there was to say was said
            if self._host.failure is None and self._host.life.death is None:
                self._host.ask("detach")
        self._host.native = None
        self._kernel.dt_host_free(self._native)
        self._native = None
        self._block.close()

    def _died(self) -> HostDied:
        why = self._kernel.dt_host_dead(self._native)
        error = {_ENDED: Ended, _TOO_LATE: TooLate}.get(why, Garbled)
        return self._host.life.lost(error())


class HostedMembers:
    """All of one batch that live in hosts, by their places in it."""

    def __init__(self, natives: Any, lives: Sequence[Live]) -> None:
        by_host: dict[Host, list[int]] = {}
        for k, live in enumerate(lives):
            if isinstance(live.subsystem, Hosted) and isinstance(live.subsystem.host, Host):
                by_host.setdefault(live.subsystem.host, []).append(k)
        spin = _SPIN if len(by_host) < _cores() else 0.0
        self._places, self._hosts = by_host, dict[Host, HostMembers]()
        self.by_place = dict[int, HostMember]()
        for host, places in by_host.items():
            proxies = [cast(Hosted, lives[k].subsystem) for k in places]
            members = HostMembers(host, proxies, [natives[k] for k in places], spin)
            self._hosts[host] = members
            self.by_place.update(zip(places, members.parts, strict=True))

    def bind(self, plan: RunPlan) -> None:
        """Bind all to what the plan says of them."""
        rows = plan.members
        columns = rows.n_in, rows.n_out, rows.calls, rows.version
        told = list(zip(*(column.tolist() for column in columns), strict=True))
        for host, members in self._hosts.items():
            found, saves = [], []
            for k, part in zip(self._places[host], members.parts, strict=True):
                n_in, n_out, calls, version = told[k]
                rollback = bool(calls & Calls.ROLLBACK)
                found.append(ServedMember(part.number, n_in, n_out, rollback))
                saves.append(rollback and version > 1)
            try:
                members.bind(found, saves)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Leave them to sockets."""
        for members in self._hosts.values():
            members.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
