"""Junctions whose unknowns an algorithm finds inside the window."""

from __future__ import annotations

from dataclasses import dataclass

from .sliding_mode import check_positive


@dataclass(frozen=True, slots=True)
class IteratedJunction:
    """z held over the window such that the ports agree at its end, found by the algorithm.

    Second order in the states. Costs several advances per window. Needs neighbours that answer
    repeatedly and an algorithm that solves interfaces, such as `dv.Newton()` or
    `dv.Iterative()`. The residual is g, or g + h g' where the index is 3. Parts that start
    apart, or are torn apart by an event, come together with `time_scale`, twice the window by
    default.

    Constraints at the end of a window: Schweizer and Lu, Predictor/corrector co-simulation
    approaches for solver coupling with algebraic constraints, ZAMM 95, 2015. How gaps close is
    that of `SlidingMode`.
    """

    time_scale: float | None = None

    serves_junctions = True
    part = ""  # the run solves it

    def __post_init__(self) -> None:
        check_positive("time_scale", self.time_scale)
