"""When the time-based clocks of an FMU tick."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, ulp
from typing import Any

from ..calls.abi.fmi3 import CHANGED, NOT_YET_KNOWN
from ..calls.abi.types import OK
from ..calls.fmi3 import Fmi3
from ..calls.instance import CallFailed
from ..description import FmuVariable

_PERIODIC = ("constant", "fixed", "tunable")
TRIGGERED = "triggered"


@dataclass(frozen=True, slots=True)
class ClockHand:
    """One clock: ticks at `origin + count * interval`, or once at `origin` if aperiodic."""

    origin: float = inf
    interval: float = 0.0
    count: int = 0
    exact: tuple[int, int] | None = None  # the interval as a fraction, where it is known as one

    @property
    def time(self) -> float:
        """The next tick. Computed, not accumulated."""
        if self.exact is None:
            return self.origin + self.count * self.interval if self.count else self.origin
        counter, resolution = self.exact
        return self.origin + self.count * counter / resolution


class Clockwork:
    """The time-based input clocks of one instance, on one schedule.

    Periodic ones tick from their shift on, each interval; a tunable one counts anew where its
    interval changes. `changing` ones give the next interval at each tick, `countdown` ones at
    any event.
    """

    def __init__(
        self, instance: Fmi3, clocks: Iterable[FmuVariable], given: Mapping[str, float]
    ) -> None:
        self._instance, self._given = instance, given
        self._clocks = {v.name: v for v in clocks}
        self.hands: dict[str, ClockHand] = {}

    @property
    def next(self) -> float:
        """The next tick of any clock."""
        return min((h.time for h in self.hands.values()), default=inf)

    def due(self, time: float) -> list[str]:
        """The clocks that tick now."""
        slack = 4 * ulp(time)
        return [name for name, hand in self.hands.items() if hand.time <= time + slack]

    def start(self, time: float) -> None:
        """Ask for the intervals, at the end of initialization."""
        for name, v in self._clocks.items():
            if self._timing(name).interval_variability in _PERIODIC:
                self.hands[name] = self._periodic(v, time)
            else:
                interval, qualifier = self._instance.interval(v.reference)
                known = qualifier != NOT_YET_KNOWN
                self.hands[name] = self._once(name, time, interval) if known else ClockHand()

    def ticked(self, names: Sequence[str]) -> None:
        """These clocks have ticked. Aperiodic ones have no next time until they give it."""
        for name in names:
            hand = self.hands.get(name)
            if hand is not None:
                periodic = self._timing(name).interval_variability in _PERIODIC
                next_tick = ClockHand(hand.origin, hand.interval, hand.count + 1, hand.exact)
                self.hands[name] = next_tick if periodic else ClockHand()

    def renew(self, ticked: Sequence[str], time: float) -> None:
        """Ask the clocks that may have changed their mind at an event."""
        for name in self.hands:
            if self._asks(name, ticked):
                interval, qualifier = self._instance.interval(self._clocks[name].reference)
                if qualifier == CHANGED or self._goes_on(name, qualifier):
                    self.hands[name] = self._changed(name, time, interval)

    def snapshot(self) -> Any:
        """Where the hands stand."""
        return {n: (h.origin, h.interval, h.count, h.exact) for n, h in self.hands.items()}

    def restore(self, hands: Any) -> None:
        """Turn the hands back."""
        self.hands = {name: ClockHand(*hand) for name, hand in hands.items()}

    def _asks(self, name: str, ticked: Sequence[str]) -> bool:
        match self._timing(name).interval_variability:
            case "countdown":
                return True
            case "changing":
                return name in ticked
            case "tunable":
                return self._timing(name).interval is None
        return False

    def _goes_on(self, name: str, qualifier: int) -> bool:
        """Whether a clock that has just ticked does so again after the same interval."""
        kind = self._timing(name).interval_variability
        return kind == "changing" and qualifier != NOT_YET_KNOWN

    def _changed(self, name: str, time: float, interval: float) -> ClockHand:
        if self._timing(name).interval_variability == "tunable":
            return ClockHand(time + self._sound(name, interval), interval)
        return self._once(name, time, interval)

    def _once(self, name: str, time: float, interval: float) -> ClockHand:
        return ClockHand(time + self._sound(name, interval, least=0.0))

    def _periodic(self, v: FmuVariable, time: float) -> ClockHand:
        timing, instance, chosen = self._timing(v.name), self._instance, self._given.get(v.name)
        shift = timing.shift
        if timing.shift_counter and timing.resolution:
            shift = timing.shift_counter / timing.resolution
        exact: tuple[int, int] | None = None
        if chosen is not None:
            instance.set_interval(v.reference, chosen)
            interval = chosen
        elif timing.interval_counter and timing.resolution:
            exact = timing.interval_counter, timing.resolution
            interval = exact[0] / exact[1]
        elif timing.interval is not None:
            interval = timing.interval
        elif timing.supports_fraction and instance.library.fmi3GetIntervalFraction is not None:
            counter, resolution = exact = instance.fraction(v.reference)
            interval = counter / resolution if resolution else nan
            first, parts = instance.shift_fraction(v.reference)
            shift = first / parts if parts else 0.0
        else:
            interval, shift = instance.interval(v.reference)[0], instance.shift(v.reference)
        return ClockHand(time + shift, self._sound(v.name, interval), 0, exact)

    def _sound(self, name: str, interval: float, least: float | None = None) -> float:
        """An interval that a clock can have: above zero, or from `least` on."""
        if isfinite(interval) and (interval > 0 or interval == least):
            return interval
        what = f"says that the interval of its clock '{name}' is {interval:g} s"
        raise CallFailed("fmi3GetInterval", OK, (), what)

    def _timing(self, name: str) -> Any:
        return self._clocks[name].timing
