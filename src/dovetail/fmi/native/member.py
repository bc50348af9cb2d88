"""What is bound to a member of a plan: an instance, its functions and its log."""

from __future__ import annotations

from typing import Any

from ..calls.abi.types import ERROR
from ..calls.instance import MISSING, CallFailed
from ..parts.cosimulation import CoSimulation
from ..parts.modelexchange import ModelExchange
from .answering import AnswersAsFmu


def bind(member: Any, part: CoSimulation | ModelExchange | AnswersAsFmu, *, rollback: bool) -> None:
    """Fill in what no plan can know; `rollback`: it may have to save its state."""
    if isinstance(part, AnswersAsFmu):
        part.bind(member)
        return
    member.instance = part.instance.pointer
    if isinstance(part, ModelExchange) or (rollback and not part.model.may_stop_early):
        part.try_state()  # one with events may stand where no state can be saved
    if isinstance(part, ModelExchange):
        _bind_access(member, part, saves=part.saves)
        return
    if part.follows_curves:
        member.log = part.instance.log.environment
    if part.tuned_memory is not None:
        member.known = part.tuned_memory.ctypes.data
    _bind_functions(member, part, rollback=rollback)


def _bind_access(member: Any, part: CoSimulation | ModelExchange, *, saves: bool) -> None:
    library, prefix = part.instance.library, part.instance.prefix
    real = "Float64" if part.instance.version == 3 else "Real"
    state = part.instance.state_word
    member.set_real = library.address(f"{prefix}Set{real}")
    member.get_real = library.address(f"{prefix}Get{real}")
    if saves:
        member.get_state = library.address(f"{prefix}Get{state}")
        member.set_state = library.address(f"{prefix}Set{state}")
        member.free_state = library.address(f"{prefix}Free{state}")


def _bind_functions(member: Any, part: CoSimulation, *, rollback: bool) -> None:
    library, prefix = part.instance.library, part.instance.prefix
    state = part.instance.state_word
    _bind_access(member, part, saves=True)
    member.do_step = library.address(f"{prefix}DoStep")
    saves = rollback and part.instance.version > 1  # FMI 1 rejects its last step instead
    for word in (f"Get{state}", f"Set{state}") if saves else ():
        if not library.address(prefix + word):
            error = CallFailed(prefix + word, ERROR, (), MISSING)
            raise part.failure("saving its state", error)
    if part.description.capabilities.can_tell_derivatives:
        word = "OutputDerivatives" if part.instance.version == 3 else "RealOutputDerivatives"
        member.get_slopes = library.address(f"{prefix}Get{word}")
    member.set_derivatives = library.address(f"{prefix}SetRealInputDerivatives")
    member.get_real_status = library.address(f"{prefix}GetRealStatus")
    if part.instance.version == 2:
        member.get_boolean_status = library.address("fmi2GetBooleanStatus")
