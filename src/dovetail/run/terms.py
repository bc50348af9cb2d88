"""What a run is asked for, with everything decided that was left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import is_
from typing import Literal

from ..algorithms.base import Algorithm
from ..assembly.assembly import Assembly
from ..assembly.blueprint import Blueprint
from ..assembly.native_decision import NativeDecision, decide
from ..check.checking import check_order, resolved
from ..check.junction_check import served
from ..check.planner import Planner
from ..check.recommendation import Recommendation
from ..check.remarks import beyond_data, notes
from ..check.shortfalls import shortfalls
from ..controllers.base import Controller
from ..controllers.binding import bound, with_order
from ..controllers.fixed_step import FixedStep
from ..core.brief import brief
from ..core.errors import CapabilityError
from ..drawing.system import System
from ..estimators.base import Estimator
from ..estimators.choice import Needs, announced, choose_estimators
from ..hosts.elsewhere import moved
from ..hosts.homes import Homes, Residence, notes_of, residences, tell_waiting
from ..hosts.waiting import Waited
from ..topology.components import Structure
from .compiling import compiled
from .copies import by_one_process
from .missed_speed import missed
from .requests import check_count
from .run_request import RunRequest

Estimators = Mapping[str, Estimator] | Literal["auto"]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """How a system is to be run. `pilot` is the controller, made ready for this system."""

    system: System
    algorithm: Algorithm
    controller: Controller
    pilot: Controller
    needs: Needs
    estimators: Mapping[str, Estimator] | None  # as given; None where that is left open
    structure: Structure
    native: NativeDecision
    blueprint: Blueprint
    residences: Mapping[str, Residence]

    @staticmethod
    def of(system: System, asked: RunRequest, say: Say) -> Terms:
        """The terms for a run; whatever is decided here is said.

        CapabilityError with every shortfall, where parts cannot do what is asked.
        """
        drawn, system = system, _as_asked(system, asked, say)
        homes = residences(system.parts, system.run_settings.placement)
        for line in notes_of(homes):
            say(line)
        algorithm, controller, estimators = asked.algorithm, asked.controller, asked.estimators
        structure = _structure(system, drawn, asked)
        if algorithm is None or controller is None:
            planned = Planner(system, estimators, structure).plan(asked.span, algorithm, controller)
            say(_chosen(planned, algorithm, controller))
            algorithm = planned.algorithm
            controller = planned.controller or FixedStep(1.0)
        for note in (*notes(system), *beyond_data(system, asked.start, asked.stop)):
            say(note.what.rstrip("."))
        wanted = f"{type(algorithm).__name__} with {type(controller).__name__}"
        check_count(controller, asked.start, asked.stop)
        check_order(system, algorithm)
        controller = with_order(controller, algorithm)
        algorithm = resolved(algorithm, controller, *asked.tolerances)
        lacking = shortfalls(system, algorithm, controller, estimators, structure)
        if lacking:
            raise CapabilityError(wanted, lacking)
        needs = Needs.of(algorithm, controller)
        pilot = bound(controller, system, structure, algorithm)
        chosen = choose_estimators(system, estimators, needs, structure)
        for choice in announced(chosen):
            say(choice)
        native = decide(system, structure, algorithm, controller, chosen)
        if hint := missed(native, controller, asked.span, len(system.parts)):
            say(hint)
        blueprint = Blueprint.of(system, estimators, needs, structure, native.members)
        ways = algorithm, controller, pilot, needs, estimators
        return Terms(system, *ways, structure, native, blueprint, homes)

    def for_values_of(self, system: System, asked: RunRequest) -> Terms:
        """The same terms for the same drawing with other values."""
        system = _as_asked(system, asked, lambda _: None)
        pilot = bound(self.controller, system, self.structure, self.algorithm)
        return replace(self, system=system, pilot=pilot)

    @by_one_process
    def assembled(self, say: Say, waited: Waited | None = None) -> Assembly:
        """The live parts, bound as these terms need them; `waited` is told of slow answers."""
        assembly = Assembly.by(self.blueprint, self.system, Homes(self.residences))
        for name, how in served(self.system, self.needs, self.estimators).items():
            say(f"the junction {name} is {how}")
        tell_waiting((live.subsystem for live in assembly.subsystems), waited)
        return assembly


def _as_asked(system: System, asked: RunRequest, say: Say) -> System:
    """A copy: what is changed in the drawing while it runs is for other runs."""
    system, placement = moved(system.copy(), asked.placement)
    system.run_settings = replace(system.run_settings, placement=placement)
    return compiled(system, say) if asked.compile else system


def _structure(system: System, drawn: System, asked: RunRequest) -> Structure:
    """That of the drawing, unless stand-ins have taken the places of its parts."""
    same = all(map(is_, system.parts.values(), drawn.parts.values()))
    return asked.structure if same and asked.structure is not None else Structure.of(system)


def _chosen(
    planned: Recommendation, algorithm: Algorithm | None, controller: Controller | None
) -> str:
    """What was left open, and what was taken."""
    if controller is not None:
        return f"no algorithm given: {brief(planned.algorithm)}, because {planned.why}"
    if algorithm is not None:
        return f"no controller given: {planned.windows}, because {planned.why}"
    return f"nothing given: {planned}"
