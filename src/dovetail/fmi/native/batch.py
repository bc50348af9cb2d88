"""All in-process FMUs of an assembly behind one native call."""

from __future__ import annotations

import ctypes as c
import os
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
from ..calls.instance import MISSING, CallFailed, Instance
from ..kernel import NativeMember, NativeQuestion, NativeStretch, data_at, kernel
from ..parts.cosimulation import CoSimulation
from .programme import Programme

_STAGES = {4: "saving its state", 5: "rolling back"}  # all others are parts of stepping
_WORDS = {1: "Set{real}", 2: "DoStep", 3: "Get{real}", 4: "Get{state}", 5: "Set{state}"}
_WORDS |= {8: "SetRealInputDerivatives", 9: "Set{real} inside a step"}
_REPEATING, _EARLY = 6, 7
_LOOK_UP = 0.05  # seconds in one call, then progress and Ctrl-C
_DOUBLE = np.dtype(np.float64)
_TIMED = 3  # steps of each, to know what they cost
_WORTH_A_THREAD = 3e-5  # seconds of a step, below which threads cost more than they give


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
            self._bind(self._members[k], i, live, rollback, structure)
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

    def _bind(
        self, member: Any, index: int, live: Live, rollback: bool, structure: Structure
    ) -> None:
        part = cast(CoSimulation, live.subsystem)
        library, prefix = part.instance.library, part.instance.prefix
        real = "Float64" if part.instance.version == 3 else "Real"
        state = part.instance.state_word
        inputs, outputs = structure.layout.inputs.spans[index], self._spans[index]
        in_refs, out_refs = part.real_references()
        self._alive += [in_refs, out_refs]
        first, last = np.searchsorted(self._wires[0], [inputs.reals.start, inputs.reals.stop])
        gains, offsets = self._wires[2][first:last], self._wires[3][first:last]
        member.instance = part.instance.pointer
        member.version = part.instance.version
        member.rollback = int(rollback)
        member.set_real = library.address(f"{prefix}Set{real}")
        member.get_real = library.address(f"{prefix}Get{real}")
        member.do_step = library.address(f"{prefix}DoStep")
        member.get_state = library.address(f"{prefix}Get{state}")
        member.set_state = library.address(f"{prefix}Set{state}")
        member.free_state = library.address(f"{prefix}Free{state}")
        saves = rollback and part.instance.version > 1  # FMI 1 rejects its last step instead
        for word in (f"Get{state}", f"Set{state}") if saves else ():
            if not library.address(prefix + word):
                error = CallFailed(prefix + word, ERROR, (), MISSING)
                raise part.failure("saving its state", error)
        if part.description.capabilities.input_order:  # the function may be there all the same
            member.set_derivatives = library.address(f"{prefix}SetRealInputDerivatives")
        member.in_refs, member.out_refs = in_refs.ctypes.data, out_refs.ctypes.data
        member.n_in_refs, member.n_out_refs = in_refs.size, out_refs.size
        member.n_in = inputs.reals.stop - inputs.reals.start
        member.n_out = outputs.reals.stop - outputs.reals.start
        member.get_real_status = library.address(f"{prefix}GetRealStatus")
        if part.instance.version == 2:
            member.get_boolean_status = library.address("fmi2GetBooleanStatus")
        if part.follows_curves:
            member.log = part.instance.log.environment
        member.in_at, member.out_at = inputs.reals.start, outputs.reals.start
        member.first_wire, member.last_wire = int(first), int(last)
        member.plain = int(np.all(gains == 1.0) and np.all(offsets == 0.0))
        member.no_set_prior = int(not rollback)

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
        """Threads pay for long steps and hurt short ones: measure, then decide, once."""
        if self._looked or sequential:
            return
        if any(m.timed < _TIMED for m in self._members):
            return
        timed = [m.quickest for m in self._members]  # a step that was interrupted says nothing
        mean = sum(timed) / len(timed)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        worthwhile = mean > _WORTH_A_THREAD and len(timed) > 1
        self.threads(min(cores or 1, len(timed)) if worthwhile else 1)

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
        return self._facts()[0] >= 0

    def _facts(self) -> tuple[int, int, int, float]:
        numbers, reached = [c.c_int32() for _ in range(3)], c.c_double()
        self._kernel.dt_failure(self._batch, *(c.byref(v) for v in numbers), c.byref(reached))
        member, stage, status = (v.value for v in numbers)
        return member, stage, status, reached.value

    def _failure(self) -> PartFailed | CannotRollBack:
        member, stage, status, reached = self._facts()
        live = self._lives[member]
        if stage == _REPEATING:
            return CannotRollBack(live.name, self._window)
        part, time = self._parts[member], self._window.start
        doing = _STAGES.get(stage, "stepping")
        if stage == _EARLY:
            reason = part.stopped_early(reached, terminate=bool(status))
            return PartFailed(live.name, doing, time, reason)
        instance = part.instance
        instance.note_failure(status)
        real = "Float64" if instance.version == 3 else "Real"
        word = instance.prefix + _WORDS[stage].format(real=real, state=instance.state_word)
        error = part.failure(doing, CallFailed(word, status, instance.log.take()), time)
        self._broken, self._erred = part.broken, instance if status == ERROR else None
        return error

    def _check(self) -> None:
        """Nothing is called after Fatal."""
        if self._broken is not None:
            raise self._broken

    def _not_finite(self, outputs: Vector) -> PartFailed:
        bad = int(np.flatnonzero(~np.isfinite(outputs))[0])
        index = next(
            i for i in self.members if self._spans[i].reals.start <= bad < self._spans[i].reals.stop
        )
        live = self._lives[self._place[index]]
        names = [s for v in live.description.outputs if v.is_real for s in v.scalars()]
        name = names[bad - self._spans[index].reals.start]
        reason = f"it returned {outputs[bad]} for its output '{name}'"
        return PartFailed(live.name, "advancing", self._window.stop, reason)


def _address(array: Vector) -> int:
    """Where the numbers of an array are, in the way that always works."""
    found: int = array.__array_interface__["data"][0]  # half the time of .ctypes.data
    return found
