"""All in-process FMUs of an assembly behind one native call."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...core.errors import CannotRollBack, PartFailed, RunError
from ...core.signals import Signals, Vector
from ...core.window import Window
from ...runplan.plan import RunPlan
from ...subsystems.batch import BatchProgress, WindowRange
from ...subsystems.control import Control, ControlProgress
from ...subsystems.live import Live
from ...subsystems.restart import Restart
from ...subsystems.run_memory import RunMemory
from ...subsystems.whole_runs import RunOutline, WholeRuns
from ..kernel import NativeStretch
from .asked_batch import AskedBatch, Failure
from .controlled import FAILED, INTERRUPTED, NO_NUMBER, controlled
from .counters import Counters
from .kernel_batch import batch_of
from .learned import LearnedExchange
from .memory import BoundMemory
from .questions import Questions, address_of
from .whole_runs import whole_runs

_LOOK_UP = 0.05  # seconds in one call, then progress and Ctrl-C


class FmuBatch(AskedBatch):
    """The same, and whole windows, many in one native call."""

    def __init__(self, members: Sequence[Live], plan: RunPlan) -> None:
        super().__init__(members, plan)
        self._bound_once = bytes(self._members)  # as plan and instances have left them

    def renew(self, start: Signals) -> None:
        """As it was made, for another run from these start values; nothing of the last one stays.

        The members are the same instances, where their outputs are known and no step was made.
        """
        lent = self._lent.places
        self._kernel.dt_batch_free(self._batch)
        c.memmove(self._members, self._bound_once, len(self._bound_once))
        self._batch = batch_of(self._kernel, self._block, self._members)
        self.hold(start)
        for native, live in zip(self._members, self._lives, strict=True):
            if live.last is not None:
                c.memmove(native.outputs, live.last.reals.ctypes.data, 8 * native.n_out)
        if self._memory is not None:
            self._memory.renew(LearnedExchange(self._kernel, self._batch))
        self._questions = Questions(self._batch, self._place, self._data_at)
        self._counters = Counters(self._members, self._lives, lent)
        self._window = Window(0.0, 0.0, 0.0)
        self._looked &= self._threads == 1  # how many are worth it stays, where it is none
        self._broken = self._erred = None

    def whole_runs(self, outline: RunOutline, restarts: Sequence[Restart]) -> WholeRuns | None:
        """Runs of its members in one call each; None where that is not for native code."""
        plan = self.plan
        if plan.scheme is None or plan.solver is not None or plan.cubics is not None:
            return None
        if self._lent.places or self._hosted.by_place or self._threads > 1:
            return None
        if plan.members.part.tolist() != list(range(len(restarts))):
            return None
        return whole_runs(self, outline, restarts, self._bound(outline.memory).native)

    @property
    def kernel(self) -> Any:
        """The library that it is in."""
        return self._kernel

    @property
    def handle(self) -> int:
        """What the kernel knows it by."""
        return int(self._batch.value)

    @property
    def bound(self) -> bytes:
        """Its members, as the kernel has them now."""
        return bytes(self._members)

    def note_failure(self) -> None:
        """The parts take note of what has failed last, if anything did."""
        if self._failed():
            self._failure()

    @property
    def has_refused(self) -> bool:
        """Whether a member refused derivatives of its inputs in this run."""
        return any(member.refused for member in self._members)

    def run(self, memory: RunMemory, stretch: WindowRange, lines: Vector) -> BatchProgress:
        """Many windows in one call."""
        bound, scheme = self._bound(memory), self.plan.scheme
        assert scheme is not None
        native, sequential = bound.native, bool(scheme.sequential)
        moving = scheme.columns > 1 or self.plan.extrapolation is not None
        first = self._window = stretch.first
        self._marks.run()
        lent = self._lent.lend(moving=moving, start=first.start, size=first.size)
        if lent != "ready":
            return BatchProgress(0, undecided=True, passing=lent == "later")
        count = stretch.count if self._looked or sequential else min(8, stretch.count)
        ends, width = (first.start, first.size, first.stop), lines.strides[0] // lines.itemsize
        path = NativeStretch(*ends, stretch.line, count, width)
        where = address_of(lines)
        with bound.followed():
            done = self._kernel.dt_run(self._batch, c.byref(native), c.byref(path), where, _LOOK_UP)
        whole, iterates = done if done >= 0 else -1 - done, self.plan.solver is not None
        iterations = native.iterations if iterates else whole
        left, lends = bool(native.handed_over), bool(self._lent.places)
        ran = BatchProgress(whole, iterations, native.doubtful, left, passing=left and lends)
        self._lent.take_back(whole, memory.outputs, self.ending if whole else None)
        if done < 0 or (done < count and not ran.undecided and self._failed()):
            self._window = stretch.window(whole)
            error = self._not_finite(memory.outputs) if done < 0 else self._failure()
            if not iterates and not sequential:
                iterations += 1  # the one in which it failed: all had been asked
            return replace(ran, iterations=iterations, failure=self._final(error))
        self._look(sequential=sequential)
        return ran

    def control(self, memory: RunMemory, control: Control, lines: Vector) -> ControlProgress:
        """Windows that a controller sizes, in one call."""
        bound, scheme = self._bound(memory), self.plan.scheme
        assert scheme is not None
        self._marks.run()
        moving = scheme.columns > 1 or self.plan.extrapolation is not None
        lent = self._lent.lend(moving=moving, start=control.time, size=control.grid.size)
        if lent != "ready":
            nothing = {"windows": 0}
            return ControlProgress(0, nothing, undecided=True, passing=lent == "later")
        with bound.followed():
            given = self._batch, bound.native, control, lines, _LOOK_UP
            ended = controlled(self._kernel, *given)
        self._window = ended.window
        whole, lends = ended.progress.counts["windows"], bool(self._lent.places)
        if lends:
            ended = replace(
                ended, progress=replace(ended.progress, passing=ended.progress.undecided)
            )
            self._lent.take_back(whole, memory.outputs, self.ending if whole else None)
        if ended.why in (NO_NUMBER, FAILED):
            bad = ended.why == NO_NUMBER
            failure = self._not_finite(memory.outputs) if bad else self._failure()
            return replace(ended.progress, failure=self._final(failure))
        if ended.why == INTERRUPTED:
            return replace(ended.progress, failure=KeyboardInterrupt())
        self._look(sequential=bool(scheme.sequential))
        return ended.progress

    def _bound(self, memory: RunMemory) -> BoundMemory:
        """The memory as the kernel wants it; bound once."""
        if self._memory is None or self._memory.memory is not memory:
            self._memory = BoundMemory(memory, LearnedExchange(self._kernel, self._batch))
        return self._memory

    def _final(self, error: Failure) -> Failure:
        """A failure that ends the run; members that can go back to where the window began."""
        if self.plan.solver is not None and isinstance(error, RunError):
            with suppress(PartFailed, CannotRollBack):
                self.abandon()
        return error
