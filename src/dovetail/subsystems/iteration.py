"""How cycles are solved in native windows, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..core.signals import Tolerance


@dataclass(frozen=True, slots=True)
class FinderOptions:
    """What a root finder goes by; which of these count depends on which it is.

    `closing`: for each input that is coupled inside a cycle whether it closes it, where parts are
    asked one after another; empty where all are unknown.
    """

    relaxation: float = 1.0
    largest: float = 0.0
    filter_limit: float = 0.0
    depth: int = 0
    reused: int = 0
    closing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Iteration:
    """How cycles are repeated, as data: until two sweeps agree, or by a root finder.

    `accept`: at the limit go on all the same, and count it.
    """

    method: Literal["sweeps", "fixed point", "newton", "aitken", "anderson", "iqn-ils"]
    limit: int
    accept: bool
    tolerance: Tolerance
    fall_back_size: float = 0.0
    finder: FinderOptions | None = None
