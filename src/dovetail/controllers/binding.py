"""A controller made ready for one system and one algorithm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .base import Bindable, Controller, SupportsOrder

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure


def with_order(controller: Controller, algorithm: Algorithm) -> Controller:
    """The controller with the order of the algorithm, where it wants to know."""
    if isinstance(controller, SupportsOrder) and controller.order is None:
        return replace(controller, order=algorithm.order)  # type: ignore[type-var]
    return controller


def bound(
    controller: Controller, system: System, structure: Structure, algorithm: Algorithm
) -> Controller:
    """The controller with everything it must know of a system."""
    ready = with_order(controller, algorithm)
    return ready.bind(system, structure, algorithm) if isinstance(ready, Bindable) else ready
