"""What makes batches of FMUs, and says what a plan must know of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...runplan.plan import RunPlan
from ...subsystems.live import Live
from ...subsystems.served import Served, ServedMember
from .answering import TellsFacts
from .batch import FmuBatch
from .cubics import CubicBatch
from .facts import facts_of
from .serving import ServedFmus

if TYPE_CHECKING:
    from ...runplan.making import MemberFacts
    from ..model import Fmu


class FmuBatchFactory:
    """Makes batches of FMUs, and says what a plan must know of them."""

    def __call__(self, members: Sequence[Live], plan: RunPlan) -> FmuBatch:
        """These FMUs behind one door, bound once."""
        return FmuBatch(members, plan) if plan.cubics is None else CubicBatch(members, plan)

    def facts(self, model: Fmu | TellsFacts) -> MemberFacts:
        """What a plan says of an FMU, or of a part that answers as one."""
        return model.member_facts if isinstance(model, TellsFacts) else facts_of(model)

    def serve(
        self,
        parts: Sequence[Any],
        members: Sequence[ServedMember],
        block: int,
        files: Sequence[int],
    ) -> Served:
        """Serve these parts to the master of this host."""
        return ServedFmus(parts, members, block, files)


batch_up = FmuBatchFactory()
