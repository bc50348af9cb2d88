"""What users write about the variables of a Python model, made into a description."""

from __future__ import annotations

import dis
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from ..core.description import Capabilities, Description, Kind, Port, Variable
from ..core.errors import ModelError, did_you_mean
from ..core.values import fitted, neutral
from ..drawing.ports import check_port
from ..units import UnitError, parse

Names = Mapping[str, Any] | Sequence[str]


Feedthrough = bool | Mapping[str, Collection[str]] | None


class HasUnitsAndTypes(Protocol):
    """A Python model whose user may say of what unit and type variables are."""

    @property
    def units(self) -> Mapping[str, str]:
        """Units by name."""

    @property
    def types(self) -> Mapping[str, str]:
        """Types by name."""


def variables(
    given: Names, units: Mapping[str, str], types: Mapping[str, str], *, what: str
) -> tuple[Variable, ...]:
    """One variable per name; its kind from its start value, unless `types` says otherwise.

    Numbers are reals (also whole ones), True and False booleans, text strings, bytes binaries,
    lists and arrays real arrays. A `Variable` is taken as it is. Parameters are tunable: functions
    are given them at every call.
    """
    if isinstance(given, str):
        raise ModelError(f"{what} must be a list of names or a mapping, not the text {given!r}.")
    items = given.items() if isinstance(given, Mapping) else [(name, None) for name in given]
    found = []
    for name, start in items:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{what} holds {name!r}, which is no name.")
        made = _variable(name, start, units.get(name), types.get(name))
        if what == "parameters" and made.variability != "fixed":
            made = replace(made, variability="tunable")
        if what in ("parameters", "states") and made.start is None:
            made = _started(made, neutral(made))
        found.append(made)
    names = [v.name for v in found]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"{what} holds '{name}' twice.")
    return tuple(found)


def laid_out(model: HasUnitsAndTypes, *groups: str) -> tuple[tuple[Variable, ...], ...]:
    """The variables of a model in groups, by the names of its options."""
    given = ((getattr(model, group), group) for group in groups)
    return tuple(variables(g, model.units, model.types, what=w) for g, w in given)


def _no_variable(option: str, name: str, known: list[str]) -> str:
    hint = did_you_mean(name, known) or (f" There are {', '.join(known)}." if known else "")
    return f"{option} names '{name}', which is not a variable.{hint}"


def described(
    model: HasUnitsAndTypes,
    *,
    inputs: tuple[Variable, ...] = (),
    outputs: tuple[Variable, ...],
    parameters: tuple[Variable, ...] = (),
    feedthrough: Mapping[str, frozenset[str]] | None = None,
    ports: Mapping[str, Port] | None = None,
    published: Collection[str] | None = None,
    capabilities: Capabilities,
    states: int | None = None,
) -> Description:
    """The description of a Python model, after every check that needs no run."""
    everything = list(dict.fromkeys(v.name for v in (*inputs, *outputs, *parameters)))
    for mapping, title in ((model.units, "units"), (model.types, "types")):
        for name in mapping:
            if name not in everything:
                raise ModelError(_no_variable(title, name, everything))
    both = {v.name for v in inputs} & {v.name for v in (*outputs, *parameters)}
    if both:
        way_out = "give one of them another name"
        raise ModelError(f"'{min(both)}' cannot be an input and something else at once; {way_out}.")
    settable = [v.name for v in parameters]
    for name in settable:
        if settable.count(name) > 1:
            way_out = "a state's start value is set by its name, so the parameter needs another"
            raise ModelError(f"'{name}' cannot be a parameter and a state at once; {way_out}.")
    for v in (*inputs, *outputs, *parameters):
        if v.unit is not None:
            try:
                parse(v.unit)
            except UnitError as error:
                raise ModelError(f"'{v.name}': {error}") from error
    through = {v.name: frozenset[str]() for v in outputs} if feedthrough is None else feedthrough
    for name, port in (ports or {}).items():
        check_port(name, port, inputs, outputs)
    if published is not None:
        for name in published:
            if name not in everything:
                raise ModelError(_no_variable("published", name, everything))
        outputs = tuple(v for v in outputs if v.name in published)
        parameters = tuple(v for v in parameters if v.name in published)
    return Description(
        inputs=inputs,
        outputs=outputs,
        parameters=parameters,
        feedthrough={v.name: through[v.name] for v in outputs if v.name in through},
        ports=dict(ports or {}),
        capabilities=capabilities,
        kind=type(model).__name__,
        states=states,
    )


def feedthrough_of(
    given: Feedthrough,
    function: Callable[..., Any] | None,
    argument: int,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
) -> dict[str, frozenset[str]]:
    """Which inputs each output depends on at once.

    Given by the user, or else read off the function: one whose code never mentions its argument
    of inputs has no feed-through; any other is taken to use all of them.
    """
    every = frozenset(v.name for v in inputs)
    if isinstance(given, Mapping):
        names = [v.name for v in outputs]
        for name, used in given.items():
            if name not in names:
                hint = did_you_mean(name, names)
                raise ModelError(f"feedthrough names '{name}', which is not an output.{hint}")
            for unknown in set(used) - every:
                hint = did_you_mean(unknown, every)
                raise ModelError(f"feedthrough names '{unknown}', which is no input.{hint}")
        return {name: frozenset(given.get(name, ())) for name in names}
    if given is None:
        given = function is not None and mentions(function, argument)
    return {v.name: every if given else frozenset() for v in outputs}


def _variable(name: str, start: Any, unit: str | None, kind: str | None) -> Variable:
    if isinstance(start, Variable):
        return _started(replace(start, name=name, unit=unit or start.unit), start.start)
    shape: tuple[int, ...] = ()
    if isinstance(start, list | tuple | np.ndarray):
        shape = np.shape(start)
    if kind is None:
        kind = _kind(np.asarray(start).ravel()[0] if shape and np.size(start) else start)
    elif kind not in list(Kind):
        hint = did_you_mean(kind, list(Kind))
        raise ModelError(f"types gives '{name}' the unknown type '{kind}'.{hint}")
    return _started(Variable(name, Kind(kind), unit, None, shape), start)


def _started(variable: Variable, start: Any) -> Variable:
    if start is None:
        return variable
    try:
        return replace(variable, start=fitted(variable, start))
    except ValueError as error:
        raise ModelError(f"the start value of '{variable.name}' {error}.") from error


def _kind(start: Any) -> Kind:
    if isinstance(start, bool | np.bool_):
        return Kind.BOOLEAN
    if isinstance(start, str):
        return Kind.STRING
    return Kind.BINARY if isinstance(start, bytes) else Kind.REAL


def mentions(function: Callable[..., Any], argument: int) -> bool:
    """Whether the code of a function uses one of its arguments, as far as one can see."""
    if not isinstance(function, FunctionType):
        return True
    code = function.__code__
    if argument >= code.co_argcount:
        return True
    name = code.co_varnames[argument]
    used = (i.argval for i in dis.get_instructions(code) if i.opname != "MAKE_CELL")
    return any(name in v if isinstance(v, tuple) else name == v for v in used)  # 3.13 loads pairs
