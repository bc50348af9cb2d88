"""How parts of compiled models take part in native windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from ..core.description import Description
from ..core.obstacle import Obstacle
from ..integrators import Auto, FixedSize, Integrator, Rk45
from ..runplan.making import MemberFacts
from ..runplan.plan import Calls, MemberKind
from ..subsystems.batch import BatchFactory, BatchRole

if TYPE_CHECKING:
    from .compilable import Compilable


STILL = FixedSize(1e300, "euler")  # of a model without states: a window is one step of nothing


@runtime_checkable
class _Solved(Protocol):
    """A model with equations."""

    integrator: Integrator
    zero_crossings: Any


@runtime_checkable
class _Sampled(Protocol):
    """A model that lives at sample times."""

    period: float | None


class CompiledMembership:
    """What a Python model says to those that decide how a run is made."""

    compile: bool

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        raise NotImplementedError

    @property
    def batch_obstacles(self) -> tuple[Obstacle, ...]:
        """What stands against native windows for its parts."""
        if not self.compile:
            return (Obstacle("is no FMU"),)
        from ..fmi.native.obstacles import kernel_obstacle  # not for models that nobody compiles

        missing, found = kernel_obstacle(), list[Obstacle]()
        if isinstance(self, _Sampled):
            found.append(Obstacle("is sampled"))
        if isinstance(self, _Solved) and self.zero_crossings is not None:
            found.append(Obstacle("has zero crossings"))
        if not isinstance(self.native_integrator, Auto | FixedSize | Rk45):
            solver = type(self.native_integrator).__name__
            found.append(Obstacle(f"is solved by {solver}, from Python"))
        return tuple(found) if missing is None else (*found, missing)

    @property
    def batch_factory(self) -> BatchFactory:
        """What makes batches of FMUs makes those of compiled models; others are in none."""
        if not self.compile:
            raise AttributeError("batch_factory")  # asked whether they have it: nothing is imported
        from ..fmi.native.factory import batch_up

        return batch_up

    @property
    def batch_role(self) -> BatchRole:
        """How it takes part in native windows, if it does."""
        return self.native_role if self.compile else "asked"

    @property
    def native_role(self) -> BatchRole:
        """It is lent to native windows, and may leave one where its equations turn stiff."""
        return "lent, may leave" if isinstance(self.native_integrator, Auto) else "lent"

    @property
    def native_integrator(self) -> Integrator:
        """What solves its equations; one step of nothing where there are no states."""
        return self.integrator if isinstance(self, _Solved) else STILL

    @property
    def native_sizes(self) -> tuple[int, int, int, int]:
        """How many states, inputs, outputs and parameters it has, as scalars."""
        from .traced_roles import groups_of

        groups = groups_of(cast("Compilable", self))
        n_x, n_u, n_y, n_p = (sum(v.size for v in groups.get(title, ())) for title in "xuyp")
        return n_x, n_u, n_y, n_p

    @property
    def member_facts(self) -> MemberFacts:
        """As of a model-exchange FMU of FMI 2; references are places among inputs and outputs."""
        from .traced_roles import groups_of

        groups, shown = (
            groups_of(cast("Compilable", self)),
            {v.name for v in self.description.outputs},
        )
        names = [v.name for v in groups["y"] for _ in range(v.size)]
        return MemberFacts(
            MemberKind.MODEL_EXCHANGE,
            2,
            Calls(0),
            self.description.capabilities.input_order,
            tuple(range(self.native_sizes[1])),
            tuple(k for k, name in enumerate(names) if name in shown),
            tells_slopes=self.description.capabilities.can_tell_derivatives,
        )
