"""What an algorithm proposes for a window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..core.signals import Waveform
from ..junctions.coordination import Coordination


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What an algorithm proposes for a window.

    `state` goes into the next step; None means the next window starts from the genuine outputs.
    `coordination`: where the coordinator stands, from an algorithm that solves for its unknowns
    inside the window.
    `failure` is empty when all went well. A failed trial is a value and not an exception,
    because a controller may cure it with a smaller window. `doubtful`: accepted without
    convergence, because the options say so. `cause`: the error behind a failure, if one was raised;
    `diverged`: by a part that had an answer to earlier inputs of the same window.
    `floor`: the tolerance it converged to where the noise of parts forbids the one asked for.
    """

    inputs: Waveform
    state: Any = None
    iterations: int = 1
    failure: str = ""
    coordination: Coordination | None = None
    doubtful: bool = False
    cause: Exception | None = None
    diverged: bool = False
    floor: float = 0.0

    def restarted(self, time: float) -> Trial:
        """The same with the local time of its inputs counted from `time`."""
        return replace(self, inputs=self.inputs.restarted(time)) if time else self
