"""What the owner of a model shows of it: which names, and what else may leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.description import Description, Port, Variable
from ..core.errors import OptionError, did_you_mean
from ..core.values import fitted


class NotPublished(OptionError):
    """Something was asked that is not offered; says no more than what was asked."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One variable under the name it is shown by; text and default as of the model if None."""

    variable: str
    text: str | None = None
    default: Any = None


Names = tuple[tuple[str, Shown], ...]  # name that is shown, and what it means


@dataclass(frozen=True, slots=True)
class Publication:
    """What is shown of a model. None of `inputs`, `outputs`, `parameters`: all of them.

    `values` are given to variables that need not be shown. Time derivatives of outputs, the
    matrices of a linearization, the state (encrypted) and what the model says when it fails leave
    only where that is said.
    """

    name: str
    text: str = ""
    inputs: Names | None = None
    outputs: Names | None = None
    parameters: Names | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    derivatives: bool = True
    linearization: bool = False
    state: bool = False
    messages: bool = True


@dataclass(frozen=True, slots=True)
class PublishedNames:
    """The names of a part, there and here, and its description as it is shown."""

    description: Description
    inputs: tuple[str, ...]  # inner names, in the order in which they are shown
    outputs: tuple[str, ...]
    inner_names: Mapping[str, str]  # of inputs and parameters: shown -> inner
    given: Mapping[str, Any]  # values by inner names, that nobody else gives
    is_whole: bool  # nothing is hidden or renamed


def published(d: Description, what: Publication) -> PublishedNames:
    """What is shown of a description; OptionError if it names what is not there."""
    inputs = _shown(d.inputs, what.inputs, "inputs")
    outputs = _shown(d.outputs, what.outputs, "outputs")
    parameters = _shown(d.parameters, what.parameters, "parameters")
    settable = [*inputs, *parameters]
    taken = {name: v.name for name, v in settable}
    clash = len(taken) < len(settable)
    if clash or any(taken.get(name, v.name) != v.name for name, v in outputs):
        raise OptionError("two variables are published under one name; give one another name")
    outer_of = {v.name: name for name, v in (*inputs, *outputs)}
    back = {n: v.name for n, v in (*inputs, *parameters)}
    groups: dict[str, Any] = {
        g: tuple(_as_shown(n, v, wanted) for n, v in found)
        for g, found, wanted in (
            ("inputs", inputs, what.inputs),
            ("outputs", outputs, what.outputs),
            ("parameters", parameters, what.parameters),
        )
    }
    felt = {
        name: frozenset(outer_of[i] for i in d.feedthrough[v.name] if i in outer_of)
        for name, v in outputs
        if v.name in d.feedthrough
    }
    whole = all(names is None for names in (what.inputs, what.outputs, what.parameters))
    can = d.capabilities
    can = replace(
        can,
        can_linearize=can.can_linearize and what.linearization,
        can_serialize=can.can_serialize and what.state,
        can_tell_derivatives=can.can_tell_derivatives and what.derivatives,
        against_rollback=can.against_rollback if what.messages else "",
    )
    structural = frozenset(n for n, v in parameters if v.name in d.structural)
    shown = Description(
        **groups,
        feedthrough=felt,
        ports={n: found for n, p in d.ports.items() if (found := _port(p, outer_of)) is not None},
        capabilities=can,
        kind=d.kind,
        structural=structural,
        states=d.states if whole or what.linearization else None,
    )
    ins, outs = (tuple(v.name for _, v in found) for found in (inputs, outputs))
    return PublishedNames(shown, ins, outs, back, _given(d, what), whole)


def _shown(
    variables: Iterable[Variable], wanted: Names | None, group: str
) -> list[tuple[str, Variable]]:
    by_name = {v.name: v for v in variables}
    if wanted is None:
        return list(by_name.items())
    for _, shown in wanted:
        if shown.variable not in by_name:
            hint = did_you_mean(shown.variable, by_name)
            raise OptionError(f"{group}: there is no '{shown.variable}' among them.{hint}")
    names = [name for name, _ in wanted]
    inner = [shown.variable for _, shown in wanted]
    for twice in (names, inner):
        if len(set(twice)) < len(twice):
            raise OptionError(f"{group}: '{max(twice, key=twice.count)}' stands twice")
    # in the order of the model: that is what decides on rounding where values are added
    place = {name: k for k, name in enumerate(by_name)}
    ordered = sorted(wanted, key=lambda one: place[one[1].variable])
    return [(name, by_name[shown.variable]) for name, shown in ordered]


def _as_shown(name: str, v: Variable, wanted: Names | None) -> Variable:
    shown = dict(wanted or ()).get(name, Shown(v.name))
    start = v.start if shown.default is None else _fitted(v, shown.default)
    text = v.description if shown.text is None else shown.text
    return replace(v, name=name, description=text, start=start)


def _given(d: Description, what: Publication) -> dict[str, Any]:
    """Values by inner names: defaults that the publisher chose, and those of hidden variables."""
    known = {v.name: v for v in (*d.inputs, *d.parameters)}
    groups = (what.inputs or (), what.parameters or ())
    chosen = {s.variable: s.default for names in groups for _, s in names if s.default is not None}
    for name in what.values:
        if name not in known:
            raise OptionError(f"values: there is no '{name}'.{did_you_mean(name, known)}")
    return {name: _fitted(known[name], v) for name, v in {**what.values, **chosen}.items()}


def _fitted(v: Variable, given: Any) -> Any:
    try:
        return fitted(v, given)
    except ValueError as error:
        raise OptionError(f"the value of '{v.name}' {error}") from None


def _port(port: Port, outer_of: Mapping[str, str]) -> Port | None:
    """A power port, if all of its variables are shown."""
    if port.effort not in outer_of or port.flow not in outer_of:
        return None
    way = None if port.displacement is None else outer_of.get(port.displacement)
    return replace(port, effort=outer_of[port.effort], flow=outer_of[port.flow], displacement=way)
