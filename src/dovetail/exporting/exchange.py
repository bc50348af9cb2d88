"""Equations that are all there is in an export: their states and derivatives are shown as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..core.description import Variable
from ..tracing.tape import Operand
from .compiled.model import CompiledModel
from .inner_part import InnerPart
from .interface import RATE, ExportedVariable, ExportInterface


def with_equations(made: ExportInterface, part: InnerPart) -> ExportInterface:
    """The same with derivatives of states, and with exact dependencies.

    Without them where a state has no variable of its own, since an output has its name.
    """
    assert isinstance(part.model, CompiledModel), "asked before"
    found = part.model.equations
    by_value = {(v.value, v.element): v.name for v in made.variables if v.value >= 0}
    numbers = {
        v.variable.name: k for k, v in enumerate(part.values) if v.variable.causality == "local"
    }
    states = [by_value.get((numbers.get(v.name, -1), k)) for v in found.x for k in range(v.size)]
    inputs = [v.name for v in made.variables if v.causality == "input"]
    if None in states:
        return made
    listed = [name for name in states if name is not None]
    known = dict(zip(found.knowns, [*listed, *inputs], strict=True))
    first = len(made.variables)
    rates = tuple(
        ExportedVariable(
            f"der({name})", first + k, "Float64", "local", "continuous", "calculated",
            role=RATE, place=k, state=name,
        )
        for k, name in enumerate(listed)
    )  # fmt: skip
    places = dict(_named(found.y, found.outputs, part.name))
    depends = {v.name: tuple(known[k] for k in found.depends(places[v.name])) for v in made.outputs}
    for rate, place in zip(rates, found.rates, strict=True):
        depends[rate.name] = tuple(known[k] for k in found.depends(place))
    has_jacobian = found.jacobian is not None
    return replace(
        made, variables=(*made.variables, *rates), depends=depends, has_jacobian=has_jacobian
    )


def is_alone(parts: tuple[InnerPart, ...], wires: int) -> bool:
    """Whether equations are all there is."""
    if len(parts) != 1 or wires:
        return False
    return isinstance(parts[0].model, CompiledModel)


def _named(
    variables: tuple[Variable, ...], places: tuple[Operand, ...], part: str
) -> Iterator[tuple[str, Operand]]:
    names = [f"{part}.{scalar}" for v in variables for scalar in v.scalars()]
    yield from zip(names, places, strict=True)
