"""An FMU as Dovetail sees any model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...core.description import Capabilities, Description, Kind, Variable
from ...core.values import Value, fitted
from ...units import parse
from ...xml.types import FLOATS, RANGES, Type
from .fmu import FmuDescription
from .interface import FmuInterface
from .unit_definitions import means_the_same, named
from .variable import FmuVariable

_KINDS: Mapping[Type, Kind] = {
    **dict.fromkeys(RANGES, Kind.INTEGER),
    **dict.fromkeys(FLOATS, Kind.REAL),
    "Boolean": Kind.BOOLEAN,
    "String": Kind.STRING,
    "Binary": Kind.BINARY,
    "Clock": Kind.CLOCK,
    "Enumeration": Kind.ENUMERATION,
}


def to_description(
    fmu: FmuDescription,
    interface: FmuInterface,
    *,
    capabilities: Capabilities | None = None,
    values: Mapping[str, object] | None = None,
) -> Description:
    """The FMU seen from outside.

    Parameters are all that may be set before a run and is no input, start values of states
    among them. `values` are those of structural parameters, which decide the size of arrays.
    """
    known: dict[str | None, str | None] = {}

    def described(v: FmuVariable) -> Variable:
        if v.unit not in known:
            known[v.unit] = unit_text(fmu, v.unit)
        return to_variable(v, fmu, values, unit=known[v.unit])

    inputs = tuple(map(described, fmu.of("input")))
    names = {v.name for v in inputs}
    return Description(
        inputs=inputs,
        outputs=tuple(map(described, fmu.of("output"))),
        parameters=tuple(
            described(v) for v in fmu.variables if v.is_settable and v.causality != "input"
        ),
        feedthrough={
            output.name: frozenset(names.intersection(output.dependencies))
            for output in fmu.structure.outputs
            if output.dependencies is not None
        },
        capabilities=capabilities or Capabilities(),
        kind=f"FMI {fmu.version} {interface.kind}",
        aliases={alias.name: v.name for v in fmu.variables for alias in v.aliases},
    )


def to_variable(
    v: FmuVariable,
    fmu: FmuDescription,
    values: Mapping[str, object] | None = None,
    *,
    unit: str | None = None,
) -> Variable:
    """One variable. `unit` saves reading the same unit again and again."""
    text = unit or unit_text(fmu, v.unit)
    if text is not None and v.relative:
        text = _without_offset(text)
    found = Variable(
        v.name,
        _KINDS[v.type],
        unit=text,
        shape=v.shape(values),
        minimum=v.minimum,
        maximum=v.maximum,
        nominal=v.nominal,
        literals=_literals(v, fmu),
        description=v.description,
        variability="fixed" if v.variability == "constant" else v.variability,
        relative=v.relative,
    )
    start = _start(found, v)
    return found if start is None else replace(found, start=start)


def unit_text(fmu: FmuDescription, name: str | None) -> str | None:
    """A unit as `dovetail.units` reads it: its name if that means the same, else its definition.

    Many exporters define `Hz` or `rpm` without the radian; there the name is more precise.
    """
    defined = fmu.units.get(name) if name else None
    if name is None or defined is None:
        return None
    if means_the_same(name, defined):
        return name
    text = str(defined)
    return None if named(text) is None else text


def _without_offset(text: str) -> str:
    unit = parse(text)
    return str(replace(unit, offset=0.0)) if unit.offset else text


def _literals(v: FmuVariable, fmu: FmuDescription) -> tuple[str, ...]:
    """The names of an enumeration's values, where these count from one."""
    declared = fmu.types.get(v.declared_type or "")
    if v.type != "Enumeration" or declared is None:
        return ()
    items = sorted(declared.items, key=lambda item: item.value)
    counted = [item.value for item in items] == list(range(1, len(items) + 1))
    return tuple(item.name for item in items) if counted else ()


def _start(variable: Variable, v: FmuVariable) -> Value | None:
    """The start value, where there is one that can be used in a run."""
    if v.start is None:
        return None
    start = v.start
    if isinstance(start, tuple) and len(start) == 1:
        start = start[0]
    try:
        return fitted(variable, start)
    except ValueError:  # infinite, or an array that a structural parameter has changed
        return None
