"""An FMU or a compiled model inside an export: its facts, its folder, its values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.description import Variable
from ..core.obstacle import Obstacle
from ..core.signals import Signals
from ..core.values import signals
from ..drawing.part import Part
from ..fmi.archive.platforms import Platform
from ..fmi.calls.binding import binary_of
from ..fmi.description import FmuVariable
from ..fmi.model import Fmu
from .compiled.model import CompiledModel
from .inner_exchange import InnerExchange, against_exchange

# Types of values as the shim knows them; see block.py.
CODES: Mapping[str, int] = {
    "Float64": 0,
    "Int32": 1,
    "Boolean": 2,
    "String": 3,
    "Int64": 4,
    "Enumeration": 4,
    "Int8": 5,
    "UInt8": 6,
    "Int16": 7,
    "UInt16": 8,
    "UInt32": 9,
    "UInt64": 10,
}
_TEXT = CODES["String"]
_SHOWN: Mapping[str, str] = {  # small integers are shown as these, which FMI 2 has as well
    **dict.fromkeys(("Int8", "UInt8", "Int16", "UInt16"), "Int32"),
    **dict.fromkeys(("UInt32", "UInt64"), "Int64"),
}


@dataclass(frozen=True, slots=True, eq=False)
class PartValue:
    """A value of a part: its elements as numbers, or as texts.

    `can_be_set`: as a parameter or start value of the export.
    """

    variable: FmuVariable
    code: int
    elements: tuple[Any, ...]
    is_given: bool
    can_be_set: bool = True

    @property
    def is_text(self) -> bool:
        """Whether it is a string."""
        return self.code == _TEXT


@dataclass(frozen=True, slots=True, eq=False)
class InnerPart:
    """An FMU inside an export. `folder` is the name of its folder below the resources."""

    part: Part
    folder: str
    values: tuple[PartValue, ...]

    @property
    def name(self) -> str:
        """The name of the part."""
        return self.part.name

    @property
    def model(self) -> Fmu | CompiledModel:
        """The FMU, or what answers as one."""
        return inside(self.part)

    @property
    def is_equations(self) -> bool:
        """Whether it is a compiled Python model."""
        return isinstance(self.model, CompiledModel)

    @property
    def is_exchange(self) -> bool:
        """Whether it is an FMU for model exchange, whose equations are solved in the export."""
        return isinstance(self.model, InnerExchange)

    @property
    def version(self) -> int:
        """Of FMI."""
        return int(self.model.fmu.version[0])

    @property
    def has_resources(self) -> bool:
        """Whether it is told where its resources are."""
        return self.version < 3 or self.model.archive.resources.is_dir()

    @property
    def saves(self) -> int:
        """1: its state can be saved; 2: and serialized."""
        found = self.model.description.capabilities
        return int(found.can_restore) + int(found.can_restore and found.can_serialize)

    @property
    def tolerance(self) -> float:
        """What its own solver is told; NaN for none."""
        return math.nan if self.model.tolerance is None else self.model.tolerance

    @property
    def only_once(self) -> bool:
        """Whether two of them in one library may get in each other's way."""
        interface = self.model.interface
        return interface.only_once_per_process or not interface.says_how_often

    def binaries(self) -> dict[str, Path]:
        """Libraries that have to lie where the shim looks for them: path in the folder, file."""
        here, model = Platform.here(), self.model
        if isinstance(model, CompiledModel):
            return {}
        usual = here.folders(model.fmu.version)
        name = f"{model.interface.model_identifier}{here.suffix}"
        lies = [f"binaries/{folder}/{name}" for folder in usual]
        if any((model.archive.directory / place).is_file() for place in lies):
            return {}
        return {lies[0]: binary_of(model)}


def shown_type(v: FmuVariable) -> str:
    """The type that it has outside."""
    return _SHOWN.get(v.type, v.type)


def scalars_of(part: InnerPart, v: FmuVariable) -> list[str]:
    """The names of its scalars outside."""
    return [f"{part.name}.{name}" for name in Variable(v.name, shape=v.shape()).scalars()]


def inside(part: Part) -> Fmu | CompiledModel:
    """The model of a part that is known to have a form without Python."""
    model = part.adapted
    assert isinstance(model, Fmu | CompiledModel), "checked before"
    return model


def values_of(part: Part, fed: Collection[str] = ()) -> tuple[PartValue, ...]:
    """All that may be set before it starts, as far as the shim knows the type, but real inputs.

    Its inputs and outputs that are no reals are among them; those `fed` by other parts are given
    by these. Equations know no values of their own: they are given all of them.
    """
    model = inside(part)
    given = isinstance(model, CompiledModel)
    described = {v.name: v for v in model.description.parameters}
    found = []
    for v in model.settable:
        if v.causality == "input" or _unknown(v):
            continue
        code, variable = CODES[v.type], described[v.name]
        made: Signals = signals([variable], part.values)
        elements = tuple(made.reals.tolist()) if variable.is_real else made.discrete
        if elements:
            found.append(PartValue(v, code, elements, given or v.name in part.values))
    known = {one.variable.name for one in found}
    described = {v.name: v for v in (*model.description.inputs, *model.description.outputs)}
    for v in (*model.inputs, *model.outputs):
        if v.name in known or described[v.name].is_real or _unknown(v):
            continue
        is_input = v.causality == "input"
        elements = signals([described[v.name]], part.values if is_input else {}).discrete
        given = is_input and v.name not in fed
        found.append(PartValue(v, CODES[v.type], elements, given, can_be_set=False))
    return tuple(found)


def against(part: Part) -> list[Obstacle]:
    """What stands against an FMU inside an export, beside what stands against native windows."""
    model, name, found = inside(part), part.name, list[Obstacle]()
    if isinstance(model, CompiledModel):
        return found
    if model.is_exchange:
        found += against_exchange(model, name)
    elif model.interface.kind != "co-simulation":
        change = "" if model.fmu.co_simulation is None else "load it with kind='co-simulation'"
        found.append(Obstacle(f"is an FMU for {model.interface.kind}", name, change))
    elif model.may_stop_early:
        what = "has events" if model.uses_event_mode else "may end its steps early"
        found.append(Obstacle(what, name, "load it with events=False"))
    if model.tunes:
        what = f"has a parameter that is connected ('{model.tunes[0]}')"
        found.append(Obstacle(what, name))
    if model.structural:
        what = "has structural parameters that were set, which an export does not hand on"
        found.append(Obstacle(what, name, "load it without structural="))
    for v in model.settable:
        if v.name in part.values and _unknown(v):
            kind = "a negated alias" if v.negated else f"of type {v.type}"
            what = f"is given a value for '{v.name}', which is {kind}"
            found.append(Obstacle(what, name, "leave that value out"))
    return found


def _unknown(v: FmuVariable) -> bool:
    return v.negated or bool(v.clocks) or v.type not in CODES
