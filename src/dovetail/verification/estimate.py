"""The error of a result, as far as a companion shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, log2

from .distance import Distance

ACCEPTED = 0.0375  # of a signal's range: an estimated error above is doubtful
_LEAST_RATE, _MORE = 0.5, 0.75  # rates that can be believed: from this, to this above the order


@dataclass(frozen=True, slots=True)
class ErrorEstimate:
    """The estimated global error by signal, as a share of its range; `way` says how it was found.

    `events_differ`: the companion met another number of events, so that the two cannot be
    compared span by span.
    """

    way: str
    errors: Mapping[str, float]
    times: Mapping[str, float]
    events: tuple[int, int] = (0, 0)

    @property
    def worst(self) -> str | None:
        """The signal with the largest error."""
        return max(self.errors, key=lambda name: self.errors[name], default=None)

    @property
    def error(self) -> float | None:
        """The largest error of all signals; None where there is none to compare."""
        return None if self.worst is None else self.errors[self.worst]

    @property
    def events_differ(self) -> bool:
        """Whether the companion met another number of events."""
        return self.events[0] != self.events[1]


def from_difference(found: Distance, way: str) -> ErrorEstimate:
    """A companion that is much better: what lies between the two is the error of the run."""
    return ErrorEstimate(way, found.shares, found.times, found.events)


def from_rate(near: Distance, far: Distance, order: int, way: str) -> ErrorEstimate:
    """The same method at windows of twice and four times the size.

    `near` lies between the run and the one, `far` between the one and the other. A difference
    that falls as it should with the windows is the error times 2^rate - 1. A rate far above the
    order is the mark of windows that are still too long, and below a half nothing converges:
    then the difference itself is taken.
    """
    errors = {}
    for name, d in near.shares.items():
        before = far.shares.get(name, 0.0)
        rate = log2(before / d) if d > 0 and before > 0 and isfinite(before / d) else 0.0
        believed = _LEAST_RATE <= rate <= order + _MORE
        errors[name] = d / (2 ** min(order, rate) - 1) if believed else d
    return ErrorEstimate(way, errors, near.times, near.events)
