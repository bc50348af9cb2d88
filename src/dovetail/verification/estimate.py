"""The error of a result, as far as a companion shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .distance import Distance

ACCEPTED = 0.02  # of a signal's range: an estimated error above is doubtful
AIMED = 1.5e-3  # with nothing said: what an error of 1e-3, the aim, is usually taken for


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
    evaluations: int = 0  # what the companion took
    same_method: bool = False  # only its windows or tolerances were others

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


def from_difference(
    found: Distance, way: str, share: float = 1.0, evaluations: int = 0
) -> ErrorEstimate:
    """What lies between a run and its companion, where that is such a share of the error."""
    errors = {name: d / share for name, d in found.shares.items()}
    return ErrorEstimate(way, errors, found.times, found.events, evaluations, share < 1)
