"""What is known of the derivatives of one part inside an export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..fmi.description import FmuVariable
from ..fmi.model import Fmu
from ..fmi.parts.linearization import can_linearize
from .compiled.model import CompiledModel
from .inner_part import InnerPart, scalars_of

Name = tuple[str, int]  # a variable of the part, and which element


@dataclass(frozen=True, slots=True)
class ContinuousState:
    """A scalar state of a part: its name outside, the variable, and its element."""

    name: str
    variable: FmuVariable
    element: int
    rate: FmuVariable | None = None  # equations have no variables for rates


@dataclass(frozen=True, slots=True)
class DerivativeVariable:
    """A variable that derivatives are asked by or for: a state, rate, input or output.

    `first` is the state it begins with; -1 where it is an input or output, which has its name.
    """

    reference: int
    count: int
    first: int = -1
    name: Name = ("", 0)


@dataclass(frozen=True, slots=True, eq=False)
class PartDerivatives:
    """States of a part, what derivatives are asked by and for, and what depends on what.

    `depends`: for each state the states and inputs that its rate depends on, for each output those
    that it depends on. States are numbers, inputs have names.
    """

    states: tuple[ContinuousState, ...]
    knowns: tuple[DerivativeVariable, ...]
    unknowns: tuple[DerivativeVariable, ...]
    depends: Mapping[int | Name, tuple[int | Name, ...]]
    is_exact: bool = True  # it can be asked for derivatives

    @staticmethod
    def of(part: InnerPart) -> PartDerivatives | None:
        """Those of a part; None if it has none, or does not say by which states."""
        model = part.model
        return _of_equations(part, model) if isinstance(model, CompiledModel) else _of_fmu(part)


def _of_equations(part: InnerPart, model: CompiledModel) -> PartDerivatives | None:
    e = model.equations
    if e.is_sampled:
        return _of_samples(model)
    by_group = [[(v, r) for v, r in model.references if v.causality == c] for c in _CAUSALITIES]
    local, inputs, outputs = ([(v, r, k) for v, r in g for k in range(v.size())] for g in by_group)
    states = tuple(
        ContinuousState(name, v, k)
        for (v, _, k), name in zip(
            local, [n for v, _ in by_group[0] for n in scalars_of(part, v)], strict=True
        )
    )
    behind = sum(v.size() for v, _ in model.references)
    knowns = [
        *(DerivativeVariable(r + k, 1, first) for first, (_, r, k) in enumerate(local)),
        *(DerivativeVariable(r + k, 1, name=(v.name, k)) for v, r, k in inputs),
    ]
    shown = {v.name for v in model.outputs}
    unknowns = [
        *(DerivativeVariable(behind + k, 1, k) for k in range(len(states))),
        *(DerivativeVariable(r + k, 1, name=(v.name, k)) for v, r, k in outputs if v.name in shown),
    ]
    titles = dict(
        zip(e.knowns, [*range(len(states)), *((v.name, k) for v, _, k in inputs)], strict=True)
    )
    rows = [*range(len(states)), *((v.name, k) for v, _, k in outputs)]
    depends = {
        row: tuple(titles[name] for name in e.depends(place))
        for row, place in zip(rows, (*e.rates, *e.outputs), strict=True)
    }
    exact = e.jacobian is not None
    return PartDerivatives(states, tuple(knowns), tuple(unknowns), depends, exact)


_CAUSALITIES = "local", "input", "output"


def _of_samples(model: CompiledModel) -> PartDerivatives:
    """Between samples nothing moves: its states are no continuous ones."""
    e = model.equations
    every = dict(model.references)
    inputs = [(v.name, k) for v in every if v.causality == "input" for k in range(v.size())]
    outputs = [(v.name, k) for v in every if v.causality == "output" for k in range(v.size())]
    named = dict(zip([name for name in e.knowns if name.startswith("u")], inputs, strict=True))
    depends: dict[int | Name, tuple[int | Name, ...]] = {
        row: tuple(named[name] for name in e.depends(place) if name in named)
        for row, place in zip(outputs, e.outputs, strict=True)
    }
    return PartDerivatives((), (), (), depends)


def _of_fmu(part: InnerPart) -> PartDerivatives | None:
    model = part.model
    assert isinstance(model, Fmu), "asked before"
    fmu, interface = model.fmu, model.interface
    able = interface.provides_directional_derivatives and interface.kind == "co-simulation"
    if not able or not can_linearize(fmu, interface):
        return None
    pairs = [(fmu.by_name[d.state or ""], fmu.by_name[d.name]) for d in fmu.structure.derivatives]
    if any(v.type != "Float64" or v.size() != r.size() for v, r in pairs):
        return None
    states, knowns, unknowns = (
        list[ContinuousState](),
        list[DerivativeVariable](),
        list[DerivativeVariable](),
    )
    for v, rate in pairs:
        knowns.append(DerivativeVariable(v.reference, v.size(), len(states)))
        unknowns.append(DerivativeVariable(rate.reference, v.size(), len(states)))
        states += [ContinuousState(name, v, k, rate) for k, name in enumerate(scalars_of(part, v))]
    for found, listed in ((knowns, model.inputs), (unknowns, model.outputs)):
        smooth = [v for v in listed if v.type == "Float64" and v.variability == "continuous"]
        found += [DerivativeVariable(v.reference, v.size(), name=(v.name, 0)) for v in smooth]
    return PartDerivatives(
        tuple(states), tuple(knowns), tuple(unknowns), _dependencies(model, states)
    )


def _dependencies(
    model: Fmu, states: list[ContinuousState]
) -> dict[int | Name, tuple[int | Name, ...]]:
    fmu, places = model.fmu, dict[str, list[int]]()
    for k, state in enumerate(states):
        places.setdefault(state.variable.name, []).append(k)
    inputs = {v.name: [(v.name, k) for k in range(v.size())] for v in model.inputs}
    found = dict[int | Name, tuple[int | Name, ...]]()
    for unknown in (*fmu.structure.outputs, *fmu.structure.derivatives):
        listed = unknown.dependencies
        names = [n for n in (*places, *inputs) if listed is None or n in listed]
        known = [one for n in names for one in (places[n] if n in places else inputs[n])]
        rows = None if unknown.state is None else places.get(unknown.state)
        for k in range(fmu.by_name[unknown.name].size()):
            found[(unknown.name, k) if rows is None else rows[k]] = tuple(known)
    for v in model.outputs:
        for k in range(v.size()):
            found.setdefault(
                (v.name, k), (*range(len(states)), *(n for i in inputs.values() for n in i))
            )
    return found
