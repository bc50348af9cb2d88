"""All in-process FMUs of an assembly behind one native call."""
# Over 250 lines: every call into the kernel for one batch, around the pointers that they share.

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ...core.errors import CannotRollBack, PartFailed
from ...core.signals import Signals, Vector
from ...core.values import Values
from ...core.window import Window
from ...subsystems.batch import BatchProgress, Plan, WindowRange
from ...subsystems.live import Live
from ...topology.components import Structure
from ..calls.abi.types import ERROR, FATAL, OK
from ..calls.instance import Instance
from ..kernel import NativeMember, NativeQuestion, NativeStretch, data_at, kernel
from ..parts.cosimulation import CoSimulation
from .failures import facts, failure, not_finite
from .member import bind
from .programme import Programme
from .threads import worthwhile

_LOOK_UP = 0.05  # seconds in one call, then progress and Ctrl-C
_DOUBLE = np.dtype(np.float64)


def batch_up(
    members: Sequence[tuple[int, Live, bool]], structure: Structure, start: Signals
) -> FmuBatch:
    """A crew of FMUs, bound once."""
    return FmuBatch(members, structure, start)


class FmuBatch:
    """FMU instances as the kernel sees them: pointers, references, places, wires."""

    def __init__(
        self, members: Sequence[tuple[int, Live, bool]], structure: Structure, start: Signals
    ) -> None:
        self._kernel, n = kernel(), len(members)
        self._lives = [live for _, live, _ in members]
        self._parts = [cast(CoSimulation, live.subsystem) for live in self._lives]
        self.members = frozenset(i for i, _, _ in members)
        self._place = {i: k for k, (i, _, _) in enumerate(members)}
        self._structure, self._spans = structure, structure.layout.outputs.spans
        self._programme: Programme | None = None
        routing = structure.routing
        self._wires: list[Any] = [
            np.ascontiguousarray(routing.target, dtype=np.int32),
            np.ascontiguousarray(routing.source, dtype=np.int32),
            np.ascontiguousarray(routing.gain),
            np.ascontiguousarray(routing.offset),
            np.ascontiguousarray(start.reals),
        ]
        self._members = (NativeMember * n)()
        self._alive: list[Any] = []
        for k, (i, live, rollback) in enumerate(members):
            spans = structure.layout.inputs.spans[i], self._spans[i]
            self._alive += bind(self._members[k], live, spans, self._wires, rollback=rollback)
        pointers = [a.ctypes.data for a in self._wires]
        self._batch: Any = c.c_void_p(self._kernel.dt_batch_new(n, self._members, *pointers))
        self._dt_ask = self._kernel.dt_ask
        self._data_at = data_at() or 0
        self._whole = id if self._data_at else _address
        self._known: dict[tuple[int, ...], tuple[Any, NativeQuestion]] = {}
        self._asked: tuple[tuple[int, ...] | None, Any] = None, None
        self._window = Window(0.0, 0.0, 0.0)
        self._counted = [0] * n
        self._looked = False
        self._broken: PartFailed | None = None
        self._erred: Instance | None = None

    @property
    def ending(self) -> str | None:
        """A member that asks to end the simulation, if any."""
        member = -1 if self._batch is None else self._kernel.dt_ending(self._batch)
        return None if member < 0 else self._lives[member].name

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on."""
        self._wires[4][:] = start.reals

    def tune(self, part: int, values: Values) -> None:
        """Parameters of a member have these values from now on."""
        self._lives[self._place[part]].tune(values)
        self._parts[self._place[part]].hand_over()  # the kernel will not ask whether any wait

    def open(self, window: Window) -> None:
        """Start rehearsing `window`."""
        self._window = window
        self._check()
        if self._kernel.dt_open(self._batch, window.start, window.size):
            raise self._failure()

    def shorten(self, window: Window) -> None:
        """The window ends earlier; whoever has stepped goes back."""
        self.abandon()
        self._window = window
        self._kernel.dt_shorten(self._batch, window.size)

    def abandon(self) -> None:
        """Leave every member at the window's start."""
        self._check()
        if self._kernel.dt_abandon(self._batch):
            raise self._failure()
        if self._erred is not None:
            self._erred.failed, self._erred = OK, None  # going back is the way out of an error

    def ask(self, parts: Sequence[int], coefficients: Vector, outputs: Vector) -> None:
        """Ask these members with their rows of the inputs; answers go to their places."""
        question = self._asked[1] if parts is self._asked[0] else self._question(parts)[0]
        if coefficients.dtype is not _DOUBLE or not coefficients.flags.c_contiguous:
            coefficients = np.ascontiguousarray(coefficients, dtype=_DOUBLE)
        whole, columns = self._whole, coefficients.shape[1]
        failed = self._dt_ask(question, whole(coefficients), columns, whole(outputs))
        if failed:
            raise self._failure() if failed == 1 else self._not_finite(outputs)
        if not self._looked:
            self._look(sequential=False)

    def sweep(
        self, parts: Sequence[int], begin: Vector, coefficients: Vector, outputs: Vector
    ) -> None:
        """Ask one after another, each seeing what came before."""
        whole, columns = self._whole, coefficients.shape[1]
        question, given = self._question(parts)[0], whole(coefficients)
        failed = self._kernel.dt_sweep(question, whole(begin), given, columns, whole(outputs))
        if failed:
            raise self._failure() if failed == 1 else self._not_finite(outputs)

    def columns(
        self,
        parts: Sequence[int],
        places: Sequence[Any],
        moves: Sequence[Any],
        coefficients: Vector,
    ) -> Vector:
        """Changes of outputs, part by part, move by move of one input at the window's end."""
        _, asked = self._question(parts)
        counts = np.array([len(p) for p in places], dtype=np.int32)
        flat = np.concatenate(places).astype(np.int32)
        steps = np.concatenate(moves).astype(np.float64)
        sizes = [s.reals.stop - s.reals.start for s in (self._spans[i] for i in parts)]
        changes = np.zeros(int(np.dot(counts, sizes)))
        if self._kernel.dt_columns(
            self._batch,
            asked.members,
            asked.count,
            counts.ctypes.data,
            flat.ctypes.data,
            steps.ctypes.data,
            coefficients.ctypes.data,
            coefficients.shape[1],
            changes.ctypes.data,
        ):
            raise self._failure()
        return changes

    def run(self, plan: Plan, stretch: WindowRange, lines: Vector) -> BatchProgress:
        """Many windows in one call."""
        if self._programme is None or self._programme.plan is not plan:
            places = [self._place[i] for i in plan.order]
            plain = all(m.plain for m in self._members)
            follows = [live.capabilities.input_order for live in self._lives]
            self._programme = Programme(plan, places, self._structure, plain=plain, follows=follows)
        native, sequential = self._programme.native, plan.sequential
        curves = self._programme.curves
        count = stretch.count if self._looked or sequential else min(8, stretch.count)
        first = self._window = stretch.first
        path = NativeStretch(
            first.start, first.size, first.stop, stretch.origin, stretch.line, count
        )
        where = _address(lines)
        if curves is not None:
            curves.load(first.size)
        done = self._kernel.dt_run(self._batch, c.byref(native), c.byref(path), where, _LOOK_UP)
        if curves is not None:
            curves.keep()
        whole = done if done >= 0 else -1 - done
        iterations = whole if plan.iteration is None else native.iterations
        ran = BatchProgress(whole, iterations, native.doubtful, bool(native.handed_over))
        if done < 0 or (done < count and not ran.undecided and self._failed()):
            self._window = stretch.window(whole)
            error = self._not_finite(plan.outputs) if done < 0 else self._failure()
            if plan.iteration is not None:
                with suppress(PartFailed, CannotRollBack):
                    self.abandon()
            return replace(ran, failure=error)
        self._look(sequential=sequential)
        return ran

    def threads(self, count: int) -> int:
        """Step on this many threads; how many there are now."""
        self._looked = True
        return int(self._kernel.dt_threads(self._batch, count))

    def close(self) -> None:
        """Give back what is held, before the members close."""
        if self._batch is not None:
            self._count()
            for member, part in zip(self._members, self._parts, strict=True):
                if part.instance.failed == FATAL:
                    member.saved = None  # lost: nothing of it may be called
            self._kernel.dt_batch_free(self._batch)
            self._batch = None

    def _question(self, parts: Sequence[int]) -> tuple[Any, NativeQuestion]:
        """Where the kernel finds whom to ask, and what it finds; made once for each set."""
        key = parts if isinstance(parts, tuple) else tuple(parts)
        found = self._known.get(key)
        if found is None:
            places = np.array([self._place[i] for i in key], dtype=np.int32)
            self._alive.append(places)
            about = self._batch.value, places.ctypes.data, places.size, self._data_at
            question = NativeQuestion(*about)
            found = c.c_void_p(c.addressof(question)), question
            self._known[key] = found  # as C wants it: converting takes its time too
        if key is parts:
            self._asked = key, found[0]  # hashing a thousand numbers takes longer than asking
        return found

    def _look(self, *, sequential: bool) -> None:
        """Decide once how many threads are worth it, when steps have been timed."""
        if not self._looked and not sequential and (count := worthwhile(self._members)):
            self.threads(count)

    def _count(self) -> None:
        """Hand evaluations and seconds over to the parts."""
        for k, (member, live) in enumerate(zip(self._members, self._lives, strict=True)):
            live.evaluations += member.evaluations - self._counted[k]
            self._counted[k] = member.evaluations
            if member.timed:
                live.seconds = member.evaluations * member.timed_seconds / member.timed

    def counted(self) -> None:
        """Bring the parts' own counters up to date."""
        if self._batch is not None:
            self._count()

    def _failed(self) -> bool:
        return facts(self._kernel, self._batch).member >= 0

    def _failure(self) -> PartFailed | CannotRollBack:
        found = facts(self._kernel, self._batch)
        part = self._parts[found.member]
        error = failure(found, self._lives[found.member].name, part, self._window)
        if found.is_call:
            erred = part.instance if found.status == ERROR else None
            self._broken, self._erred = part.broken, erred
        return error

    def _check(self) -> None:
        """Nothing is called after Fatal."""
        if self._broken is not None:
            raise self._broken

    def _not_finite(self, outputs: Vector) -> PartFailed:
        bad = int(np.flatnonzero(~np.isfinite(outputs))[0])
        places = {i: self._spans[i].reals for i in self.members}
        index = next(i for i, s in places.items() if s.start <= bad < s.stop)
        live = self._lives[self._place[index]]
        return not_finite(live, bad - places[index].start, outputs[bad], self._window)


def _address(array: Vector) -> int:
    """Where the numbers of an array are, in the way that always works."""
    found: int = array.__array_interface__["data"][0]  # half the time of .ctypes.data
    return found
