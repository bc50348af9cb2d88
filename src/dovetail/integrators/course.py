"""An integrator in the hands of one part: what it has learned there, and what it has cost."""

from __future__ import annotations

from typing import Any

from ..core.errors import PartFailed
from ..core.signals import Vector, Waveform
from ..core.statistics import Effort
from . import follower
from .base import Arc, IntegrationFailed, Integrator, Problem


class Course:
    """The runs of one part, each from where the last one ended."""

    def __init__(self, part: str, integrator: Integrator) -> None:
        self._part = part
        self.effort = Effort()  # since the start
        self.next_size: float | None = None  # what to try next
        self.held: Waveform | None = None  # the inputs of the last run, if they were held
        self.follower = follower(integrator)
        self._left: tuple[float, float, Waveform, int] | None = None

    def run(
        self,
        problem: Problem,
        start: float,
        state: Vector,
        stop: float,
        inputs: Waveform,
        signs: tuple[int, ...],
        *,
        jumped: bool = False,
    ) -> Arc:
        """Go from `start` to `stop`, or to the first event on the way.

        The integrator goes on with its history if inputs are held and stay what they were.
        """
        before, self.held = self.held, inputs.held
        keeps = before is not None and self.held is not None and before.equals(self.held)
        left, self._left = self._left, None
        if left is not None and self._is_that(left, start, stop, inputs):
            self.follower.leave(left[3])  # type: ignore[attr-defined]
        try:
            arc = self.follower.run(
                problem,
                start,
                state,
                stop,
                first_size=self.next_size,
                signs=signs,
                going_on=keeps and not jumped,
            )
        except IntegrationFailed as error:
            raise self.failed(error) from error
        self.effort, self.next_size = self.effort + arc.spent, arc.next_size
        return arc

    def failed(self, error: IntegrationFailed) -> PartFailed:
        """An integration that could not go on, as a failure of the part."""
        reason = f"{error.reason}; {error.remedy}" if error.remedy else error.reason
        return PartFailed(self._part, "integrating", error.time, reason)

    def leave(self, start: float, stop: float, inputs: Waveform, why: int) -> None:
        """Native windows have begun this run, and leave it in its midst for this reason."""
        self._left = start, stop, inputs, why

    @property
    def is_left(self) -> bool:
        """Whether native windows have begun the next run."""
        return self._left is not None

    @staticmethod
    def _is_that(left: Any, start: float, stop: float, inputs: Waveform) -> bool:
        return left[:2] == (start, stop) and bool(left[2].equals(inputs))

    def interrupt(self) -> None:
        """The next run starts anew, as it does after a rollback: both are the same."""
        self.held = self._left = None

    def forget(self) -> None:
        """What it has learned is gone."""
        self.held = self.next_size = self._left = None

    def memory(self) -> Any:
        """What the next run depends on beside the state and the size to try."""
        return self.follower.memory()

    def recall(self, memory: Any) -> None:
        """Go on as it would have with this memory."""
        self.follower.recall(memory)
