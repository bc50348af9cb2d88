"""Noticing that a run will hardly come to its end."""

from __future__ import annotations

from ..controllers.base import SupportsLimits, chooses
from ..core.seconds import Seconds
from .stepping import Stepper

_EVERY = 1000  # windows between two looks
_MANY = 1e7  # windows: more than is worth waiting for


class Pace:
    """Watches windows that a controller chooses; warns once if they are hopelessly small."""

    def __init__(self, stepper: Stepper, stop: float, clock: Seconds = Seconds()) -> None:
        self._stepper, self._stop, self._clock = stepper, stop, clock
        self._watched = chooses(stepper.controller)
        self._windows, self._time = stepper.statistics.windows, stepper.position.time

    def message(self) -> str:
        """What there is to say after this window: mostly nothing."""
        if not self._watched:
            return ""
        windows, position = self._stepper.statistics.windows, self._stepper.position
        if windows - self._windows < _EVERY:
            return ""
        mean = (position.time - self._time) / (windows - self._windows)
        self._windows, self._time = windows, position.time
        left = (self._stop - position.time) / mean
        if left < _MANY:
            return ""
        self._watched = False
        controller = self._stepper.controller
        why = controller.limit(position.control) if isinstance(controller, SupportsLimits) else ""
        because = f", because of {why}" if why else ""
        return (
            f"the last {_EVERY} windows were {mean:.2g} s long on average, at "
            f"{self._clock.at(position.time)}{because}; {left:.0e} more would lead to the end: ask "
            "for less (rtol, atol), or set min_size"
        )
