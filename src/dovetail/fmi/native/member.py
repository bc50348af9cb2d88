"""One FMU instance as the kernel sees it: functions, references, places and wires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ...core.signals import Span
from ...subsystems.live import Live
from ..calls.abi.types import ERROR
from ..calls.instance import MISSING, CallFailed
from ..parts.cosimulation import CoSimulation


def bind(
    member: Any, live: Live, spans: tuple[Span, Span], wires: Sequence[Any], *, rollback: bool
) -> tuple[Any, Any]:
    """Fill in one member; the arrays that it points to, which must stay alive.

    `spans`: its inputs and outputs among those of all. `wires`: targets, sources, gains, offsets.
    """
    part = cast(CoSimulation, live.subsystem)
    inputs, outputs = spans[0].reals, spans[1].reals
    references = in_refs, out_refs = part.real_references()
    first, last = np.searchsorted(wires[0], [inputs.start, inputs.stop])
    gains, offsets = wires[2][first:last], wires[3][first:last]
    _bind_functions(member, part, rollback=rollback)
    member.instance = part.instance.pointer
    member.version = part.instance.version
    member.rollback = int(rollback)
    member.in_refs, member.out_refs = in_refs.ctypes.data, out_refs.ctypes.data
    member.n_in_refs, member.n_out_refs = in_refs.size, out_refs.size
    member.n_in, member.n_out = inputs.stop - inputs.start, outputs.stop - outputs.start
    if part.follows_curves:
        member.log = part.instance.log.environment
    member.in_at, member.out_at = inputs.start, outputs.start
    member.first_wire, member.last_wire = int(first), int(last)
    member.plain = int(np.all(gains == 1.0) and np.all(offsets == 0.0))
    member.no_set_prior = int(not rollback)
    return references


def _bind_functions(member: Any, part: CoSimulation, *, rollback: bool) -> None:
    library, prefix = part.instance.library, part.instance.prefix
    real = "Float64" if part.instance.version == 3 else "Real"
    state = part.instance.state_word
    member.set_real = library.address(f"{prefix}Set{real}")
    member.get_real = library.address(f"{prefix}Get{real}")
    member.do_step = library.address(f"{prefix}DoStep")
    member.get_state = library.address(f"{prefix}Get{state}")
    member.set_state = library.address(f"{prefix}Set{state}")
    member.free_state = library.address(f"{prefix}Free{state}")
    saves = rollback and part.instance.version > 1  # FMI 1 rejects its last step instead
    for word in (f"Get{state}", f"Set{state}") if saves else ():
        if not library.address(prefix + word):
            error = CallFailed(prefix + word, ERROR, (), MISSING)
            raise part.failure("saving its state", error)
    if part.description.capabilities.input_order:  # the function may be there all the same
        member.set_derivatives = library.address(f"{prefix}SetRealInputDerivatives")
    member.get_real_status = library.address(f"{prefix}GetRealStatus")
    if part.instance.version == 2:
        member.get_boolean_status = library.address("fmi2GetBooleanStatus")
