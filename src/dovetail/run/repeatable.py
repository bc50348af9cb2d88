"""Which runs can be made many times by the same parts."""

from __future__ import annotations

from ..controllers.fixed_step import keeps_to_lines
from ..junctions.bonds import bonds_of
from ..subsystems.restart import SupportsRestart
from .terms import Terms


def against_repetition(model: object) -> str:
    """Why a model cannot take part; empty if it can."""
    if not isinstance(model, SupportsRestart):
        return "it is made anew for each run"
    return model.against_restart


def is_plain(terms: Terms) -> bool:
    """Whether whole windows are native and made once, of reals alone, by parts of this process."""
    schedule, layout = terms.native.schedule, terms.structure.layout
    if schedule is None or schedule.iteration is not None or terms.residences:
        return False
    if layout.inputs.discrete or layout.outputs.discrete or len(terms.native.members) == 0:
        return False
    if bonds_of(terms.system, layout):
        return False
    return keeps_to_lines(terms.controller) and terms.algorithm.inputs != "hermite"
