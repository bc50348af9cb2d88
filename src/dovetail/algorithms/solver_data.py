"""Root finders as data, for native windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np

from ..core.obstacle import Obstacle
from ..core.signals import Shape
from ..rootfinders.aitken import Aitken
from ..rootfinders.anderson import NEW, Anderson
from ..rootfinders.base import RootFinder
from ..rootfinders.fixed_point import FixedPoint
from ..rootfinders.iqn_ils import IqnIls
from ..subsystems.iteration import FinderOptions, Iteration
from ..topology.component import Component
from ..topology.components import Structure
from .base import OnLimit, Schedule, solver_obstacle, tolerance_of
from .scheme import serial

Method = Literal["fixed point", "aitken", "anderson", "iqn-ils"]


class _Options(Protocol):
    @property
    def inputs(self) -> Shape: ...
    @property
    def on_limit(self) -> OnLimit: ...
    @property
    def rtol(self) -> float | None: ...
    @property
    def atol(self) -> float | None: ...


def solved_natively(
    options: _Options,
    solver: RootFinder,
    structure: Structure,
    *,
    limit: int = 1,
    fall_back_size: float = 0.0,
    arrange: Callable[[tuple[int, ...]], tuple[int, ...]] | None = None,
) -> Schedule | Obstacle:
    """What `solve_components` does with this root finder, as data; or why that is for Python.

    `limit`: passes over a cycle, where above 1. `arrange`: the order of the parts of a cycle, where
    they are asked one after another.
    """
    known = _known(solver)
    if known is None:
        return solver_obstacle(options, solver, options.inputs)
    method, most, finder = known
    order = tuple(
        i for c in structure.components for i in (c.parts if arrange is None else arrange(c.parts))
    )
    if arrange is not None:
        closing = [_closing(c, arrange(c.parts)) for c in structure.components]
        finder["closing"] = tuple(k for group in closing for k in group)
    iteration = Iteration(
        method,
        most if limit == 1 else min(most, limit),
        options.on_limit == "accept",
        tolerance_of(options.rtol, options.atol),
        fall_back_size,
        FinderOptions(**finder),
    )
    return Schedule(arrange is not None, order, options.inputs, iteration)


def _closing(component: Component, order: tuple[int, ...]) -> list[int]:
    unknown = serial(component, order).unknown.targets
    return [int(k) for k in np.isin(component.targets, unknown)]


def _known(solver: Any) -> tuple[Method, int, dict[str, Any]] | None:
    """Method, evaluations at the most, and options; None for one without a native twin."""
    kind = type(solver)
    if kind is FixedPoint:
        return "fixed point", solver.max_evaluations, {"relaxation": solver.relaxation}
    if kind is Aitken:
        found = {"relaxation": solver.first_relaxation, "largest": solver.largest}
        return "aitken", solver.max_evaluations, found
    if kind is Anderson:
        return "anderson", solver.max_evaluations, {"filter_limit": NEW, "depth": solver.depth}
    if kind is IqnIls:
        options = {"relaxation": solver.first_relaxation, "filter_limit": solver.filter_limit}
        return "iqn-ils", solver.max_evaluations, {**options, "reused": solver.reused_windows}
    return None
