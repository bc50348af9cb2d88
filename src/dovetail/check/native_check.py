"""Whether a system would run natively, before anything of it lives."""

from __future__ import annotations

from ..algorithms.base import Algorithm
from ..assembly.native_decision import NativeDecision, decide
from ..controllers.base import Controller
from ..controllers.binding import with_order
from ..controllers.fixed_step import FixedStep
from ..core.brief import brief
from ..drawing.system import System
from ..estimators.choice import Needs, choose_estimators
from ..topology.components import Structure


def natively(
    system: System, structure: Structure, algorithm: Algorithm, controller: Controller | None
) -> tuple[NativeDecision | None, str]:
    """How it would run, and with what; fixed windows where no controller is given."""
    if not system.parts:
        return None, ""
    pace = with_order(controller or FixedStep(1.0), algorithm)
    chosen = choose_estimators(system, None, Needs.of(algorithm, pace), structure)
    coupling = f"{brief(algorithm)} with {type(pace).__name__}"
    return decide(system, structure, algorithm, pace, chosen), coupling
