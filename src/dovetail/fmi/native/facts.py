"""What a plan says of an FMU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...runplan.making import MemberFacts
from ...runplan.plan import Calls, MemberKind

if TYPE_CHECKING:
    from ..model import Fmu


def facts_of(model: Fmu) -> MemberFacts:
    """Of one that nothing stands against; outputs that are no reals are for Python."""
    calls, order = Calls(0), model.description.capabilities.input_order
    if model.follows_curves:
        calls |= Calls.INSIDE
    elif order:  # the function may be there all the same
        calls |= Calls.DERIVATIVES
    if model.may_stop_early and not model.is_exchange:
        calls |= Calls.EVENTS | Calls.ROLLBACK
    tuned = [v for v in model.inputs if v.causality != "input"]  # behind all others
    return MemberFacts(
        MemberKind.MODEL_EXCHANGE if model.is_exchange else MemberKind.CO_SIMULATION,
        int(model.fmu.version[0]),
        calls,
        order,
        tuple(v.reference for v in model.inputs if v.is_float),
        tuple(v.reference for v in model.outputs if v.type == "Float64"),
        tells_slopes=model.description.capabilities.can_tell_derivatives,
        tuned=(sum(model.size_of(v) for v in tuned), len(tuned)),
    )
