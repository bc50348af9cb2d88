"""Inside a host: FMUs that its master steps through shared memory."""

from __future__ import annotations

import ctypes as c
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import RunError
from ...core.signals import Vector
from ...runplan.plan import Calls
from ...subsystems.served import NativeFault, ServedMember
from ..calls.abi.types import ERROR, OK
from ..kernel import MAX_COLUMNS, NativeMember, kernel
from ..parts.cosimulation import CoSimulation
from .facts import facts_of
from .failures import FailureFacts, failure
from .member import bind


class ServedFmus:
    """Instances bound for the kernel, as in a batch, and the loop in which it answers."""

    def __init__(
        self,
        parts: Sequence[CoSimulation],
        members: Sequence[ServedMember],
        block: int,
        files: Sequence[int],
    ) -> None:
        if os.environ.pop("DOVETAIL_KERNEL", None) is not None:
            kernel.cache_clear()  # the master has it, or would not ask
        self._kernel, self._parts = kernel(), list(parts)
        if self._kernel is None:
            raise RunError("the native kernel cannot be loaded in a host")
        self._arrays: list[Any] = []
        self._members = (NativeMember * len(parts))()
        n_in = n_out = 0
        for native, part, member in zip(self._members, parts, members, strict=True):
            self._bind(native, part, member)
            native.in_at, native.out_at = n_in, n_out
            n_in, n_out = n_in + member.n_in, n_out + member.n_out
        self._files = (c.c_int32 * 3)(*files)
        sizes = len(parts), n_in, n_out
        made = self._kernel.dt_served_new(block, self._members, *sizes, self._files)
        self._served: Any = c.c_void_p(made)

    @property
    def highest(self) -> list[int]:
        """The highest order of input derivatives that each takes."""
        return [part.most_derivatives for part in self._parts]

    def wait(self) -> bool:
        """Answer until there is a request of another kind; False if there will be none."""
        return not self._kernel.dt_serve(self._served)

    def failure(self, place: int, fault: NativeFault) -> Exception:
        """The error for a call that failed; the part takes note of it."""
        part = self._parts[place]
        part.refused, part.refused_until = fault.refused, fault.refused_until
        found = FailureFacts(place, fault.stage, fault.status, fault.reached)
        return failure(found, part.name, part, fault.window)

    def recovered(self, place: int) -> None:
        """The standard's way out of an error is to go back, which it did."""
        if self._parts[place].instance.failed == ERROR:
            self._parts[place].instance.failed = OK

    def close(self) -> None:
        """Serve no longer."""
        if self._served is not None:
            self._kernel.dt_served_free(self._served)
            self._served = None

    def _bind(self, native: NativeMember, part: CoSimulation, member: ServedMember) -> None:
        facts = facts_of(part.model)
        bind(native, part, rollback=member.rollback)
        if Calls.DERIVATIVES not in facts.calls:
            native.set_derivatives = None
        if Calls.INSIDE not in facts.calls:
            native.log = None
        native.version, native.no_set_prior = facts.version, 1
        native.rollback, native.highest = int(member.rollback), part.most_derivatives
        native.n_in, native.n_out = member.n_in, member.n_out
        native.n_set = member.n_in
        native.n_in_refs, native.n_out_refs = len(facts.in_refs), len(facts.out_refs)
        native.in_refs = self._numbers(facts.in_refs)
        native.out_refs = self._numbers(facts.out_refs)
        native.inputs = self._room(member.n_in * MAX_COLUMNS)
        native.outputs = self._room(4 * member.n_out)
        native.scratch = self._room(member.n_in * (1 + MAX_COLUMNS) + member.n_out)

    def _numbers(self, references: Sequence[int]) -> int:
        array = np.array([*references, 0], dtype=np.uint32)
        self._arrays.append(array)
        return int(array.ctypes.data)

    def _room(self, size: int) -> int:
        array: Vector = np.zeros(size + 1)
        self._arrays.append(array)
        return int(array.ctypes.data)
