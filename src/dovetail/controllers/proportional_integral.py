"""How an error becomes the next size, smoothly."""

from __future__ import annotations

from dataclasses import dataclass

from .limits import clamped


@dataclass(frozen=True, slots=True)
class ProportionalIntegral:
    """factor = safety e^(-i - p) e_before^p, within limits (Gustafsson's controller).

    The gains are 0.3 and 0.4 over the power of the size with which the error falls.
    """

    power: float
    safety: float = 0.9
    low: float = 0.2
    high: float = 1.5

    def factor(self, error: float, before: float) -> float:
        """What the size is multiplied with; both errors are 1 at the tolerance."""
        i, p = 0.3 / self.power, 0.4 / self.power
        if not error > 0:
            return self.high
        before = before if before > 0 else error
        return clamped(self.safety * error ** (-i - p) * before**p, self.low, self.high)
