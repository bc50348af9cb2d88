"""FMUs for model exchange inside an export: solved there by explicit integrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..core.description import Description
from ..core.obstacle import Obstacle
from ..fmi.model import Fmu
from ..fmi.native.facts import facts_of
from ..integrators import FixedSize, Rk45
from ..runplan.making import MemberFacts
from ..runplan.plan import Calls, MemberKind
from ..subsystems.batch import BatchRole

_METHODS = {"euler": 1, "semi_implicit": 2, "heun": 3, "midpoint": 4, "rk4": 5}  # of solved.c
_RK45 = 6


class ExchangeFactory:
    """What a plan must know of such FMUs: as of one for co-simulation, of FMI 2."""

    def facts(self, model: Fmu) -> MemberFacts:
        """Its inputs may follow polynomials."""
        kind = MemberKind.CO_SIMULATION
        return replace(facts_of(model), kind=kind, version=2, calls=Calls.DERIVATIVES, order=None)

    def __call__(self, members: Any, plan: Any) -> Any:
        """There is no batch of them: they are solved in exports only."""
        raise NotImplementedError


_FACTORY = ExchangeFactory()


class InnerExchange(Fmu):
    """An FMU for model exchange that is solved by what makes the windows."""

    @staticmethod
    def of(model: Fmu) -> InnerExchange:
        """The same FMU; what was read of it needs no second reading."""
        made: InnerExchange = object.__new__(InnerExchange)
        made.__dict__.update({k: v for k, v in model.__dict__.items() if k != "description"})
        return made

    @cached_property
    def description(self) -> Description:
        """Without events, which end a run of the export with a sentence."""
        found = super().description
        able = replace(
            found.capabilities, has_events=False, knows_next_event=False, can_return_early=False,
            can_serialize=False,
        )  # fmt: skip
        return replace(found, capabilities=able)

    @property
    def batch_role(self) -> BatchRole:
        """It steps as one for co-simulation does."""
        return "asked"

    @property
    def batch_factory(self) -> Any:
        """What makes plans know it."""
        return _FACTORY


def against_exchange(model: Fmu, name: str) -> list[Obstacle]:
    """What stands against solving the equations of an FMU in an export."""
    what, integrator, found = "is an FMU for model exchange", model.integrator, list[Obstacle]()
    change = "" if model.fmu.co_simulation is None else "load it with kind='co-simulation'"
    if model.fmu.version != "2.0":
        return [
            Obstacle(
                f"{what} of FMI {model.fmu.version}, and exports solve those of FMI 2", name, change
            )
        ]
    if model.fmu.structure.event_indicator_count:
        found.append(Obstacle(f"{what} with events", name, change))
    explicit = isinstance(integrator, FixedSize | Rk45)
    if not explicit or _is_odd(integrator, model.fmu.structure.state_count):
        solver = type(integrator).__name__
        cure = "load it with solver='rk45'"
        cure += f", or {change[len('load it with ') :]}" if change else ""
        found.append(Obstacle(f"{what}, solved by {solver}, which exports do not have", name, cure))
    return found


def _is_odd(integrator: Any, states: int) -> bool:
    halves = isinstance(integrator, FixedSize) and integrator.method == "semi_implicit"
    return halves and states % 2 == 1


def solvers_of(models: Sequence[Any]) -> dict[str, Any]:
    """What the shim is told of the solver of each part; zeros where there is none."""
    wholes, numbers = np.zeros((3, len(models)), dtype=np.int32), np.zeros((len(models), 5))
    for k, model in enumerate(models):
        if not isinstance(model, InnerExchange):
            continue
        integrator, interface = model.integrator, model.interface
        told = interface.needs_completed_integrator_step
        wholes[1, k] = model.fmu.structure.state_count
        wholes[2, k] = told + 2 * interface.can_get_and_set_state
        if isinstance(integrator, FixedSize):
            wholes[0, k], numbers[k, 2] = _METHODS[integrator.method], integrator.size
        elif isinstance(integrator, Rk45):
            wholes[0, k] = _RK45
            numbers[k] = (
                integrator.rtol, integrator.atol, 0.0, integrator.max_size, integrator.max_steps
            )  # fmt: skip
    return {
        "solver_method": wholes[0],
        "solver_states": wholes[1],
        "solver_told": wholes[2],
        "solver_numbers": numbers.ravel(),
    }
