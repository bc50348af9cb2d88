"""The continuous states of a model-exchange FMU, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.description import Variable
from ..description.conversion import to_variable

if TYPE_CHECKING:
    from ..model import Fmu


def state_variables(model: Fmu, instance: Any, count: int) -> tuple[Variable, ...]:
    """Each state as a scalar variable; numbered where the FMU does not name it."""
    known, names = model.fmu.by_name, list(model.fmu.states)
    if not names:  # FMI 1: the binary gives their value references
        reals = {v.reference: v.name for v in reversed(model.fmu.variables) if v.is_float}
        found = instance.state_references(count)
        names = [] if found is None else [reals.get(int(r)) for r in found]
    scalars: list[Variable] = []
    for name in names:
        if name is None or name not in known:
            scalars.append(Variable(f"state[{len(scalars) + 1}]"))
            continue
        whole = to_variable(known[name], model.fmu, model.structural)
        scalars += [replace(whole, name=n, shape=(), start=None) for n in whole.scalars()]
    if len(scalars) != count:
        return tuple(Variable(f"state[{k + 1}]") for k in range(count))
    return tuple(scalars)
