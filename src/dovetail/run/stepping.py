"""One window after another: the loop that every run goes through."""
# Over 250 lines: a window from its plan to its place among those that stand.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ulp
from typing import assert_never

from ..algorithms.base import Algorithm
from ..assembly.assembly import Assembly, Mark
from ..assembly.attempt import Attempt
from ..assembly.segment import Position, Segment
from ..assembly.standstill import Jump, Standstill
from ..assembly.trial import Trial
from ..controllers.base import Accept, Controller, Decision, GiveUp, Retry, SupportsWatching
from ..core.errors import EndlessEvents, PartFailed, StepFailed
from ..core.signals import Signals
from ..core.statistics import Statistics
from ..core.window import Grid, Window
from ..junctions.coordination import Coordination
from .failing import WAY_OUT, dropped, failed

_STANDING = 100  # events in a row before a window can start
_CROWD = 5  # events in a row, each so near to the last that the clock can hardly resolve them


class Stepper:
    """Drives an assembly along a grid of windows. Its place in time is a frozen `Position`."""

    def __init__(
        self,
        assembly: Assembly,
        algorithm: Algorithm,
        controller: Controller,
        grid: Grid,
        position: Position,
    ) -> None:
        self.assembly, self.algorithm, self.controller = assembly, algorithm, controller
        self.grid, self.position = grid, position
        self.statistics = Statistics()
        self.improved: Signals | None = None  # outputs of the last window, to be recorded
        self._crowd = 0

    def open(self) -> Signals | None:
        """Let the events happen that are due at the start; outputs right of them, if any."""
        position = self.position
        if self.assembly.next_event() > position.time:
            return None
        jump = self._jump(position.time, position.outputs, position.coordination)
        outputs = jump.outputs
        changed = jump.ticks is not None or not outputs.equals(position.outputs)
        self.position = replace(position, outputs=outputs)
        self.statistics.events += changed
        return (jump.ticks or outputs) if changed else None

    def disturbed(self) -> Signals:
        """A value was changed while time stands still: an event; outputs right of it."""
        before = self.position
        jump = self._jump(before.time, before.outputs, before.coordination)
        outputs, now = self.assembly.settle(
            jump.outputs, before.coordination, self.grid.size, before.outputs
        )
        self.position = replace(before, outputs=outputs, coordination=now, state=None)
        self.statistics.events += 1
        return jump.ticks or outputs

    def calm(self) -> None:
        """Windows went by elsewhere, without an event."""
        self._crowd = 0

    @property
    def is_watched(self) -> bool:
        """Whether the controller must see the next window."""
        controller, state = self.controller, self.position.control
        return isinstance(controller, SupportsWatching) and controller.watches(state)

    def advance(self) -> Sequence[Segment]:
        """Complete one window; the segments that led through it."""
        window = self._next()
        mark = self.assembly.mark() if self.controller.rejects else None
        tried: Trial | None = None
        while True:
            branches, window = self._run(window, mark, tried)
            match decision := self._judged(window, branches):
                case Accept(size, state, outputs, doubtful):
                    self.improved = outputs
                    self.statistics.beyond_tolerance += doubtful
                    self._keep(branches[-1], size, state)
                    return branches[-1]
                case Retry(size, because, state):
                    if state is not None:
                        self.position = replace(self.position, control=state)
                    if because == "error":
                        self.statistics.rejected_by_error += 1
                    else:
                        self.statistics.rejected_by_convergence += 1
                    tried = _covering(branches)
                    window = Window(window.start, size, window.start + size)
                    if mark is not None:
                        self.assembly.restore(mark)
                case GiveUp(reason, remedy):
                    last = branches[-1][-1]
                    if last.trial.cause is not None:
                        raise last.trial.cause
                    where = last.window if last.trial.failure else window
                    raise StepFailed(where, reason, remedy or WAY_OUT)
                case _:
                    assert_never(decision)

    def _judged(self, window: Window, branches: Sequence[Sequence[Segment]]) -> Decision:
        """The verdict of the controller; it cannot compare what lies on either side of an event."""
        if window.is_instant:
            segments = [segment for branch in branches for segment in branch]
            events = any(segment.event or segment.opening is not None for segment in segments)
            alone = self.controller.rejects and len(branches) == 1  # nothing to compare it with
            if (events or alone) and not segments[-1].trial.failure:
                return Accept(None, self.position.control)
        return self.controller.judge(window, branches, self.position.control)

    def _next(self) -> Window:
        """The window to the next line of the grid, or to an event that is known in advance."""
        window, event = self.grid.after(self.position.time), self.assembly.next_event()
        if not window.stop > window.start:
            what = "the clock cannot resolve so small a window here"
            raise StepFailed(window, what, "use larger windows, or a start nearer to zero")
        if event < window.stop - 1e-9 * window.size:
            return Window.between(window.start, event)
        return window

    def _run(
        self, window: Window, mark: Mark | None, tried: Trial | None
    ) -> tuple[list[list[Segment]], Window]:
        """Run every branch of a window from the same start; the window, if an event cut it.

        `tried`: what a longer window from here has found.
        """
        while True:
            if mark is not None and window.is_instant:  # its halves would have no size
                return [[self._segment(window, self.position)]], window
            branches: list[list[Segment]] = []
            cut = self._branches(window, mark, branches, tried)
            if cut is None:
                return branches, window
            if mark is None:
                return branches, cut
            self.assembly.restore(mark)
            window = cut  # plan again, over the window that ends at the event

    def _branches(
        self,
        window: Window,
        mark: Mark | None,
        branches: list[list[Segment]],
        tried: Trial | None,
    ) -> Window | None:
        """Fill in the segments of every branch; the shorter window, if an event cut one of them.

        One that a part finds where a half step ends cuts as well: no other branch has it there. One
        that held inputs throw late does not: how late is what branches are compared for.
        """
        for branch in self.controller.plan(window, self.position.control):
            if branches and mark is not None:
                self.assembly.restore(mark)
            tried = _covering(branches) or tried
            segments, position = list[Segment](), self.position
            branches.append(segments)
            for planned in branch:
                known = tried and tried.restarted(planned.start - window.start)
                segments.append(self._segment(planned, position, known))
                position = segments[-1].after
                if segments[-1].trial.failure:
                    return None
                reached = segments[-1].window.stop
                inside = mark is not None and planned is not branch[-1]
                met = segments[-1].found_by and not segments[-1].late
                if reached < planned.stop or (inside and met):
                    return Window.between(window.start, reached)
        return None

    def _segment(self, planned: Window, before: Position, known: Trial | None = None) -> Segment:
        """Try one window and, if the algorithm is content, commit it."""
        opening: Jump | None = None
        for _ in range(_STANDING):
            given = before.outputs, before.coordination
            attempt = self.assembly.attempt(planned, *given, known)
            segment = self._tried(attempt, before)
            if segment is not None:
                seen = None if opening is None else opening.ticks or opening.outputs
                return segment if seen is None else replace(segment, opening=seen)
            attempt.abandon()
            jump = self._jump(planned.start, before.outputs, before.coordination)
            if jump.ticks is not None or not jump.outputs.equals(before.outputs):
                opening = jump
            before = replace(before, outputs=jump.outputs, state=None)
        raise EndlessEvents(planned.start, [attempt.standing], _STANDING)

    def _tried(self, attempt: Attempt, before: Position) -> Segment | None:
        """What came of one window; None where a part has an event before it can start."""
        assembly = self.assembly
        try:
            trial = self._trial(attempt, before)
            if trial.failure and not attempt.standing:
                return dropped(attempt, before, trial)
            proposed = attempt.window
            left = attempt.commit(trial.inputs)
            given = assembly.forecasts.given(trial.inputs)
        except PartFailed as error:
            return failed(attempt, before, error)
        if attempt.standing:
            return None
        if given is not trial.inputs:
            trial = replace(trial, inputs=given)
        window, now = attempt.window, trial.coordination or before.coordination
        outputs, state, ticks = left, trial.state, None
        thrown = not attempt.event and assembly.switches(left, now)
        event = attempt.event or thrown
        if event:
            jump = self._jump(window.stop, left, now)
            outputs, ticks = jump.outputs, jump.ticks
        if event or window is not proposed:
            state = None
        settled, now = assembly.settle(outputs, now, window.size, left if event else None)
        if not event:
            left = settled
        outputs = settled
        after = Position(window.stop, outputs, now, state, before.control)
        late = event and (attempt.late or (thrown and trial.inputs.order == 0))
        found_by = attempt.found_by
        made = Segment(
            window, before, after, left, trial, event, ticks, found_by=found_by, late=late
        )
        if not assembly.forecasts.predicted:
            return made
        return replace(made, assessments=assembly.forecasts.assessments())

    def _jump(self, time: float, outputs: Signals, now: Coordination) -> Jump:
        return Standstill().event(self.assembly, time, outputs, now)

    def _trial(self, attempt: Attempt, before: Position) -> Trial:
        while True:  # again when a part stopped early: step over what is left
            planned = attempt.window
            attempt.begin_anew()
            trial = self.algorithm.step(attempt, before.state)
            if attempt.standing:
                return trial
            self.statistics.iterations += trial.iterations
            if attempt.window is planned:
                return trial

    def _keep(self, segments: Sequence[Segment], size: float | None, state: object) -> None:
        for segment in segments:
            self.statistics.events += segment.event + (segment.opening is not None)
            if segment.trial.doubtful:
                self.statistics.iteration_limit_reached += 1
            self.statistics.count_floor(segment.trial.floor)
            self.statistics.unsolved_junctions += segment.after.coordination.unsolved
            self._guard(segment)
        after = segments[-1].after
        now = after.coordination
        self.position = Position(after.time, after.outputs, now, after.state, state)
        self.statistics.windows += 1
        if size is not None:
            self.grid = Grid(self.position.time, size, self.grid.stop)

    def _guard(self, segment: Segment) -> None:
        """Stop where events crowd together without end."""
        size, resolution = segment.window.size, ulp(segment.window.stop)
        crowded = size < 1e-6 * self.grid.size and size < 2**20 * resolution
        self._crowd = self._crowd + 1 if crowded else 0
        if self._crowd > _CROWD:
            culprits = segment.found_by or self.assembly.early_parts
            raise EndlessEvents(segment.window.stop, culprits, self._crowd)


def _covering(branches: Sequence[Sequence[Segment]]) -> Trial | None:
    """What the first branch found for all of its window, if it did."""
    if not branches or len(branches[0]) > 1:
        return None
    (long,) = branches[0]
    return None if long.trial.failure else long.trial
