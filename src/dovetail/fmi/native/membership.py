"""How an FMU takes part in a batch: what a model says of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from ...core.obstacle import Obstacle
from ...integrators import Auto
from ...subsystems.batch import BatchFactory, BatchRole
from .obstacles import cubic_obstacles, kernel_obstacle, own_obstacles

if TYPE_CHECKING:
    from ..model import Fmu


class BatchMembership:
    """What an FMU as a model says to those that decide how a run is made."""

    @property
    def batch_obstacles(self) -> tuple[Obstacle, ...]:
        """What stands against stepping it in native code, beside others in one call."""
        missing = kernel_obstacle()
        return self._own_obstacles if missing is None else (*self._own_obstacles, missing)

    @cached_property
    def _own_obstacles(self) -> tuple[Obstacle, ...]:
        return own_obstacles(cast("Fmu", self))

    def cubic_obstacles(self, substeps: int) -> tuple[Obstacle, ...]:
        """What stands against inputs along cubics, with its steps cut into so many."""
        return cubic_obstacles(cast("Fmu", self), substeps)

    @property
    def batch_factory(self) -> BatchFactory:
        """What makes a batch of FMUs."""
        from .factory import batch_up

        return batch_up

    @property
    def batch_role(self) -> BatchRole:
        """It is lent to whole windows where its equations are solved here, or it has events.

        A window is left at events, such as another value of a connected parameter, and where
        equations turn stiff.
        """
        model = cast("Fmu", self)
        if not model.is_exchange:
            return "lent, rolls back" if model.may_stop_early else "asked"
        early = model.description.capabilities.can_return_early or bool(model.tunes)
        return "lent, may leave" if early or isinstance(model.integrator, Auto) else "lent"
