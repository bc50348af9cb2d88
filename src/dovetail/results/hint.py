"""A cheap warning that a run gives of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .shares import share_of

Kind = Literal[
    "mismatch", "jump", "junction", "curvature", "drift", "activity", "energy", "estimate"
]


@dataclass(frozen=True, slots=True)
class Limits:
    """Beyond which shares a run warns; docs/right.md has how often each of them is right.

    Threes are for inputs that are held, linear, and of a higher order. `drift` is a share of the
    range squared, `activity` of what moved, `energy` of what passed; the others are of a range.
    """

    mismatch: float = 0.1
    jump: float = 0.25
    junction: float = 0.1
    curvature: tuple[float, float, float] = (0.06, 0.15, 0.75)
    drift: float = 0.03
    activity: tuple[float, float, float] = (0.6, 0.6, 1.0)
    energy: float = 0.05
    estimate: float = 0.1


_DECIDING = frozenset[Kind]({"mismatch", "jump", "estimate"})  # the others are notes
_ITERATE = "iterate, or use smaller windows"
_REMEDIES: dict[Kind, str] = {"estimate": "use smaller windows", "activity": "use smaller windows"}


@dataclass(frozen=True, slots=True)
class Hint:
    """A cheap warning that a run gives of itself: a symptom, not an error.

    `signal`: a connection, a part for "estimate", an output for "activity", or ports for
    "energy"; `share`: how far it was off, of its range, which is beyond `limit`; `time`: where that
    was, `at` as the run's clock shows it.
    """

    kind: Kind
    signal: str
    share: float
    limit: float
    time: float | None = None
    at: str = ""

    @property
    def remedy(self) -> str:
        """What to try first."""
        return _REMEDIES.get(self.kind, _ITERATE)

    @property
    def decides(self) -> bool:
        """Whether it makes a result doubtful of which no error was estimated; else it is a note."""
        return self.kind in _DECIDING

    def sentence(self, decides: bool = True) -> str:
        """What was seen; whether that may decide, because no error was estimated."""
        verb = ": doubtful; " if decides and self.decides else "; "
        return f"{_WORDS[self.kind](self)}{verb}{self.remedy}."


def _where(h: Hint) -> str:
    at = h.at or ("" if h.time is None else f"t = {h.time:g} s")
    return at and f" at {at}"


def _mismatch(h: Hint) -> str:
    return (
        f"{h.signal} was off by {share_of(h.share, 'its range')}{_where(h)}: a value jumped inside "
        "a window, or windows are too long"
    )


def _jump(h: Hint) -> str:
    return (
        f"{h.signal} moved by {share_of(h.share, 'its range')} in the window that ends"
        f"{_where(h)}, and one pass sees that up to a window late"
    )


def _junction(h: Hint) -> str:
    return (
        f"{h.signal} moved by {share_of(h.share, 'its range')} in the window that ends"
        f"{_where(h)}, and was found only after it"
    )


def _curvature(h: Hint) -> str:
    return (
        f"{h.signal} bends more than its interpolation can follow, by "
        f"{share_of(h.share, 'its range')} in the window that ends{_where(h)}"
    )


def _drift(h: Hint) -> str:
    return (
        f"What {h.signal} was off by at ends of windows adds up over the run, in squares, to "
        f"{share_of(h.share, 'its range')}, and was largest{_where(h)}"
    )


def _activity(h: Hint) -> str:
    return (
        f"'{h.signal}' is faster than the windows: from one to the next its changes differ by "
        f"{share_of(h.share, 'their size')}, most{_where(h)}"
    )


def _energy(h: Hint) -> str:
    return f"Coupling created {share_of(h.share, 'what passed')} at {h.signal}"


def _estimate(h: Hint) -> str:
    return (
        f"Estimates of '{h.signal}' missed by up to {share_of(h.share, 'the range')} of an output"
    )


_WORDS = {
    "mismatch": _mismatch,
    "jump": _jump,
    "junction": _junction,
    "curvature": _curvature,
    "drift": _drift,
    "activity": _activity,
    "energy": _energy,
    "estimate": _estimate,
}
