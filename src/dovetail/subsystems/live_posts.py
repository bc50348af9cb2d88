"""Parts in other processes are asked before anybody waits for their answers."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ..core.signals import Waveform
from ..core.window import Window
from .live_derivatives import LiveDerivatives
from .repeated_events import RepeatedEvents
from .subsystem import Subsystem


@runtime_checkable
class SupportsPosting(Protocol):
    """A subsystem in another process: it can be asked before anybody waits for its answer.

    What is asked afterwards, in whatever way, is done behind what was posted.
    """

    seconds: float | None  # that the last step took there, if it was posted

    @property
    def takes_posts(self) -> bool:
        """Whether that is possible now."""

    def post_step(self, window: Window, inputs: Waveform, *, linearize: bool) -> None:
        """Ask for this step, and with `linearize` for a linearization where it lacks derivatives.

        The next step that is asked for is this one, or none of those that were posted is wanted.
        """

    def post_call(self, method: str, *given: Any) -> None:
        """Ask something that changes nothing; the same call, with the same objects, is answered."""

    def send(self) -> None:
        """What was posted is on its way."""

    def forget_steps(self) -> None:
        """No step that was posted is wanted."""

    def leave(self) -> None:
        """Nobody waits for what it is doing any more."""


class LivePosts(LiveDerivatives):
    """What a live subsystem is asked ahead, if it lives in another process."""

    estimated: bool
    repeated: RepeatedEvents

    def __init__(self, subsystem: Subsystem) -> None:
        self._there = subsystem if isinstance(subsystem, SupportsPosting) else None

    @property
    def takes_posts(self) -> bool:
        """Whether it can be asked before anybody waits for its answer."""
        return self._there is not None and self.substeps == 1 and self._there.takes_posts

    def post(self, window: Window, inputs: Waveform) -> None:
        """Ask for the step that `advance` will make; its inputs must be these."""
        assert self._there is not None
        if inputs.order and self._tunes:
            inputs = inputs.flattened(self._tunable)
        linearize = self.derivatives and self.capabilities.can_linearize and not self.estimated
        inputs = self.repeated.curves(window, inputs)
        self._there.post_step(window, inputs, linearize=linearize)

    def post_call(self, method: str, *given: Any) -> None:
        """Ask something that changes nothing, as it will be asked."""
        if self._there is not None and self._there.takes_posts:
            self._there.post_call(method, *given)

    def send(self) -> None:
        """What was posted is on its way."""
        if self._there is not None:
            self._there.send()

    def forget_posts(self) -> None:
        """No step that was posted is wanted."""
        if self._there is not None:
            self._there.forget_steps()

    def leave_posts(self) -> None:
        """Ctrl-C came: it has a moment to come to the end of what it does."""
        if self._there is not None:
            self._there.leave()

    def took(self, waited: float) -> float:
        """The seconds of its last step, where it was made; as long as was waited here, else."""
        there = None if self._there is None else self._there.seconds
        return waited if there is None else there
