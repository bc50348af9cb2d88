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
        self._part, self._follower = part, follower(integrator)
        self.effort = Effort()  # since the start
        self.next_size: float | None = None  # what to try next
        self._held: Waveform | None = None  # the inputs of the last run, if they were held

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
        before, self._held = self._held, inputs.held
        keeps = before is not None and self._held is not None and before.equals(self._held)
        try:
            arc = self._follower.run(
                problem,
                start,
                state,
                stop,
                first_size=self.next_size,
                signs=signs,
                going_on=keeps and not jumped,
            )
        except IntegrationFailed as error:
            reason = f"{error.reason}; {error.remedy}" if error.remedy else error.reason
            raise PartFailed(self._part, "integrating", error.time, reason) from error
        self.effort, self.next_size = self.effort + arc.spent, arc.next_size
        return arc

    def interrupt(self) -> None:
        """The next run starts anew, as it does after a rollback: both are the same."""
        self._held = None

    def forget(self) -> None:
        """What it has learned is gone."""
        self._held, self.next_size = None, None

    def memory(self) -> Any:
        """What the next run depends on beside the state and the size to try."""
        return self._follower.memory()

    def recall(self, memory: Any) -> None:
        """Go on as it would have with this memory."""
        self._follower.recall(memory)
