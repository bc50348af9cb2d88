"""FMUs of one process behind a plan, asked window by window."""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.errors import CannotRollBack, PartFailed
from ...core.signals import Signals, Vector
from ...core.values import Values
from ...core.window import Window
from ...runplan.plan import Calls, RunPlan
from ...runplan.writing import write
from ...subsystems.live import Live
from ..calls.abi.types import ERROR, FATAL, OK
from ..calls.instance import Instance
from ..kernel import NativeMember, data_at, kernel
from .answering import answering
from .counters import Counters
from .failures import facts, failure, not_finite, not_the_same
from .hosted import HostedMembers
from .kernel_batch import batch_of
from .lent import LentMembers
from .marks import Marks
from .member import bind
from .memory import BoundMemory
from .questions import Questions, address_of
from .threads import worthwhile

_LOOK_UP = 0.05  # seconds in one call, then progress and Ctrl-C
Failure = PartFailed | CannotRollBack | KeyboardInterrupt
_DOUBLE = np.dtype(np.float64)


class AskedBatch:
    """FMU instances behind a plan: what the kernel does with them is in its block alone."""

    def __init__(self, members: Sequence[Live], plan: RunPlan) -> None:
        self._kernel, n, self.plan = kernel(), len(members), plan
        self._lives = list(members)
        rows = plan.members
        numbers = rows.part.tolist()
        self._place = {i: k for k, i in enumerate(numbers)}
        first, count = rows.out_at.tolist(), rows.n_out.tolist()
        self._spans = [slice(a, a + k) for a, k in zip(first, count, strict=True)]
        self._memory: BoundMemory | None = None
        self._members = (NativeMember * n)()
        self._hosted = HostedMembers(self._members, self._lives)
        away: Mapping[int, Any] = self._hosted.by_place
        self._parts: list[Any] = [away.get(k) or answering(v) for k, v in enumerate(members)]
        for k, calls in enumerate(rows.calls.tolist()):
            if k not in away:
                bind(self._members[k], self._parts[k], rollback=bool(calls & Calls.ROLLBACK))
        self._lent = LentMembers(self._members, members, self._spans)
        lent = self._lent.places
        self.members = frozenset(i for k, i in enumerate(numbers) if k not in lent)
        self._hosted.bind(plan)
        self._block = write(plan)
        self._batch: Any = batch_of(self._kernel, self._block, self._members)
        for native, live, part in zip(self._members, self._lives, self._parts, strict=True):
            native.highest = part.most_derivatives
            if live.last is not None:  # where it begins
                c.memmove(native.outputs, live.last.reals.ctypes.data, 8 * native.n_out)
        self._dt_ask = self._kernel.dt_ask
        self._data_at = data_at() or 0
        self._whole = id if self._data_at else address_of
        self._questions = Questions(self._batch, self._place, self._data_at)
        self._window = Window(0.0, 0.0, 0.0)
        solved = self._lent.solved.by_place
        marked = min(range(n), key=lambda k: (k in solved, k in lent))
        self._marks = Marks(self._members, self._parts[marked].instance)
        self._counters = Counters(self._members, self._lives, lent)
        self._looked, self._threads = False, 1
        self._broken: PartFailed | None = None
        self._erred: Instance | None = None

    @property
    def ending(self) -> str | None:
        """A member that asks to end the simulation, if any."""
        member = -1 if self._batch is None else self._kernel.dt_ending(self._batch)
        return None if member < 0 else self._lives[member].name

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on."""
        reals = np.ascontiguousarray(start.reals, dtype=_DOUBLE)
        self._kernel.dt_hold(self._batch, reals.ctypes.data)

    def tune(self, part: int, values: Values) -> None:
        """Parameters of a member have these values from now on."""
        self._lives[self._place[part]].tune(values)
        self._parts[self._place[part]].hand_over()  # the kernel will not ask whether any wait

    def mark(self) -> None:
        """A mark is set: the next window opens there."""
        self._marks.mark()

    def open(self, window: Window) -> None:
        """Start rehearsing `window`."""
        self._window = window
        self._marks.open(window.start)
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

    def restore(self, part: int, mark: Any) -> None:
        """Bring a member back to where the window opened; now and then see whether it is there."""
        place, here = self._place[part], self._marks.is_at(self._window.start)
        if here and self._kernel.dt_look_ahead(self._batch, place):
            raise self._failure()
        self._lives[place].restore(mark)
        if here and self._kernel.dt_check(self._batch, place):
            raise self._failure()

    def ask(self, parts: Sequence[int], coefficients: Vector, outputs: Vector) -> None:
        """Ask these members with their rows of the inputs; answers go to their places."""
        asked = self._questions
        question = asked.last[1] if parts is asked.last[0] else asked.about(parts)[0]
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
        question, given = self._questions.about(parts)[0], whole(coefficients)
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
        _, asked = self._questions.about(parts)
        counts = np.array([len(p) for p in places], dtype=np.int32)
        flat = np.concatenate(places).astype(np.int32)
        steps = np.concatenate(moves).astype(np.float64)
        sizes = [s.stop - s.start for s in (self._spans[self._place[i]] for i in parts)]
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

    def heed_interrupts(self, heeded: bool) -> None:
        """Let Ctrl-C end what it is doing after the step that is running, or no longer."""
        self._kernel.dt_heed(self._batch if heeded else None)

    def threads(self, count: int) -> int:
        """Step on this many threads; how many there are now."""
        self._looked = True
        self._threads = int(self._kernel.dt_threads(self._batch, count))
        return self._threads

    def close(self) -> None:
        """Give back what is held, before the members close."""
        if self._batch is not None:
            self._counters.hand_over()
            for member, part in zip(self._members, self._parts, strict=True):
                if member.refused:
                    part.note_refusal(member.refused, member.refused_until)
                if part.instance.failed == FATAL:
                    member.saved = None  # lost: nothing of it may be called
            self._kernel.dt_batch_free(self._batch)
            self._batch = None
            self._hosted.close()

    def _look(self, *, sequential: bool) -> None:
        """Decide once how many threads are worth it, when steps have been timed."""
        if self._hosted.by_place:
            self._looked = True  # their hosts are the threads
        if not self._looked and not sequential and (count := worthwhile(self._members)):
            self.threads(count)

    def counted(self) -> None:
        """Bring the parts' own counters up to date."""
        if self._batch is not None:
            self._counters.hand_over()

    def _failed(self) -> bool:
        return facts(self._kernel, self._batch).member >= 0

    def _failure(self) -> Failure:
        found = facts(self._kernel, self._batch)
        if found.is_interrupted:
            return KeyboardInterrupt()
        part = self._parts[found.member]
        live, first = self._lives[found.member], self._members[found.member].outputs
        if found.is_differing:
            return not_the_same(found, live, first, self._window)
        member = self._members[found.member]
        part.refused, part.refused_until = member.refused, member.refused_until
        solved = self._lent.solved.by_place.get(found.member)
        if solved is not None and found.is_call:
            return solved.failure(found.stage, found.status, self._window)
        if found.member in self._hosted.by_place:
            failed: Failure = part.failure(found, self._window)
            if part.broken is not None:
                self._broken = part.broken
        else:
            failed = failure(found, live.name, part, self._window)
        if found.is_call:
            erred = part.instance if found.status == ERROR else None
            self._broken, self._erred = part.broken, erred
        return failed

    def _check(self) -> None:
        """Nothing is called after Fatal."""
        if self._broken is not None:
            raise self._broken

    def _not_finite(self, outputs: Vector) -> PartFailed:
        return not_finite(self._lives, self._members, outputs, self._window)
