"""Noticing that smaller windows do not help."""

from __future__ import annotations

from dataclasses import dataclass

_CUT = 1e-6  # what is left of a window's size when enough was tried
_GAIN = 0.1  # of the error; one that falls with the size at all would be far below


@dataclass(frozen=True, slots=True)
class Shrinking:
    """The first of some windows in a row that were all beyond the tolerance: size and error."""

    size: float
    error: float

    @staticmethod
    def of(before: Shrinking | None, size: float, error: float) -> Shrinking | None:
        """After one more window; None if that was within the tolerance."""
        if not error > 1:
            return None
        return Shrinking(size, error) if before is None or size > before.size else before

    def is_in_vain(self, size: float, error: float) -> bool:
        """Whether windows were cut a million times and the error is still about what it was.

        An error of first order would be a million times smaller. Some may have grown meanwhile for
        reasons of its own, but hardly as much.
        """
        return size < _CUT * self.size and error > _GAIN * self.error

    def explanation(self, error: float, size: float) -> str:
        """What was tried, for a sentence about what is off."""
        return (
            f"is off by {error:.2g} times the tolerance, and it was {self.error:.2g} times before "
            f"windows were cut from {self.size:.2g} s to {size:.2g} s: smaller ones do not help"
        )


def in_vain(shrinking: Shrinking | None, size: float, error: float, least: float) -> bool:
    """Whether to stop here: smaller windows are allowed, and do not help."""
    return shrinking is not None and size > least and shrinking.is_in_vain(size, error)


REMEDY = "set min_size, where windows are accepted and counted, or use dv.FixedStep"
