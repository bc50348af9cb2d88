"""What a run is asked for, with everything decided that was left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..algorithms.base import Algorithm
from ..assembly.assembly import Assembly
from ..assembly.native_decision import NativeDecision, decide
from ..check.checking import check_order, resolved
from ..check.default_algorithm import default_algorithm
from ..check.junction_check import served
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
from ..topology.components import Structure
from .missed_speed import missed
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

    @staticmethod
    def of(system: System, asked: RunRequest, say: Say) -> Terms:
        """The terms for a run; whatever is decided here is said.

        CapabilityError with every shortfall, where parts cannot do what is asked.
        """
        system = system.copy()  # what is changed in the drawing while it runs is for other runs
        algorithm, controller, estimators = asked.algorithm, asked.controller, asked.estimators
        structure = Structure.of(system)
        if controller is None:
            controller = FixedStep(asked.span / 500 or 1.0)
            say(f"no controller given: fixed windows of {controller.size:g} s")
        if algorithm is None:
            algorithm, why = default_algorithm(system, estimators, structure)
            say(f"no algorithm given: {brief(algorithm)}, because {why}")
        for note in (*notes(system), *beyond_data(system, asked.start, asked.stop)):
            say(note.what.rstrip("."))
        wanted = f"{type(algorithm).__name__} with {type(controller).__name__}"
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
        return Terms(system, algorithm, controller, pilot, needs, estimators, structure, native)

    def assembled(self, say: Say) -> Assembly:
        """The live parts, bound as these terms need them."""
        given = self.estimators, self.needs, self.structure, self.native.members
        assembly = Assembly.of(self.system, *given)
        for name, how in served(self.system, self.needs, self.estimators).items():
            say(f"the junction {name} is {how}")
        return assembly
