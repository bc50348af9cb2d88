"""What of an assembly rests on no value: one for all runs that differ in nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..drawing.system import System
from ..estimators.base import Estimator
from ..estimators.choice import Needs, choose_estimators
from ..junctions.service import choose_services, structure_for
from ..junctions.settlement import JunctionLaw
from ..topology.components import Structure
from .live_parts import Batches, batches_of
from .native_decision import asked_natively, native_members


@dataclass(frozen=True, slots=True, eq=False)
class Blueprint:
    """How the parts of a drawing are put together; nothing in it lives."""

    structure: Structure
    services: tuple[JunctionLaw, ...]
    estimators: tuple[Estimator, ...]
    batches: Batches  # parts to be asked in one call

    @staticmethod
    def of(
        system: System,
        estimators: Mapping[str, Estimator] | None = None,
        needs: Needs = Needs(),
        structure: Structure | None = None,
        members: Sequence[int] | None = None,
    ) -> Blueprint:
        """That of a drawing; `needs` says what will be asked of its parts.

        `members`: those that native code steps, where that is decided already.
        """
        parts = system.parts
        structure = structure or Structure.of(system)
        chosen = choose_estimators(system, estimators, needs, structure)
        if members is None:
            found, _ = native_members(system, structure, chosen, needs.shape)
            members = asked_natively(system, found, needs.shape)
        solves = needs.solves_junctions
        services = tuple(s for _, s, _ in choose_services(system, chosen, solves=solves))
        given = tuple(chosen[name].estimator for name in parts)
        batches = batches_of(parts.values(), members, given)
        return Blueprint(
            structure_for(system, structure, chosen, solves=solves), services, given, batches
        )
