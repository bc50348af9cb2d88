"""Components of an SSP on their way to becoming parts."""
# Over 250 lines: what a component may be, and what of it does not fit its model.

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as File
from typing import Any

from ...core.description import Kind, Variable
from ...core.errors import InputError, did_you_mean
from ...core.file_kinds import TABLES
from ...fmi.description.conversion import to_variable
from ...fmi.model import Fmu
from ...machines.address import is_address
from ...subsystems.subsystem import Model
from ...units import UNCHANGED, UnitError, conversion
from ..decimated_model import DecimatedModel
from ..loading import load, table_of_file
from .complaints import Complaints, Place
from .document import FMU, Component, Connector, Element
from .flattening import Path
from .types import items_of

_IMPLEMENTATIONS = {
    "ModelExchange": "model exchange",
    "CoSimulation": "co-simulation",
    "ScheduledExecution": "scheduled execution",
}
_TABLES = {  # what tools call a table
    "text/csv": ".csv",
    "application/table": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/vnd.apache.parquet": ".parquet",
}
_ALIKE = {  # kinds of connector for a causality, besides its own name
    "input": {"inout"},
    "output": {"local", "calculatedParameter", "constant"},
    "local": {"output", "parameter", "calculatedParameter", "constant"},
    "parameter": {"structuralParameter", "constant"},
    "structuralParameter": {"parameter", "constant"},
    "calculatedParameter": {"parameter", "output", "local"},
    "independent": {"output", "local"},
}


@dataclass(slots=True)
class PartDraft:
    """A part as far as it is known: its model, and the values it is to start from."""

    path: Path
    name: str
    element: Element
    model: Model | None
    values: dict[str, tuple[Any, Place]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    _shown: dict[str, str] = field(default_factory=dict)
    _known: dict[str, Variable] = field(default_factory=dict)
    _aliases: dict[str, str] | None = None

    def paced(self) -> Model | None:
        """The model as it steps: in every window, or once in several."""
        every = self.element.every if isinstance(self.element, Component) else 1
        return self.model if self.model is None or every == 1 else DecimatedModel(self.model, every)

    def name_of(self, name: str) -> str | None:
        """The variable that a connector means: its name, or that of which it is an alias."""
        return name if self.causality(name) is not None else self._alias(name)

    def causality(self, name: str) -> str | None:
        """What a variable is, in terms of FMI 3."""
        if isinstance(self.model, Fmu):
            found = self.model.fmu.by_name.get(name)
            return None if found is None else found.causality
        if self.model is None:
            return None
        d = self.model.description
        for causality, variables in (
            ("input", d.inputs),
            ("output", d.outputs),
            ("parameter", d.parameters),
        ):
            if any(v.name == name for v in variables):
                return causality
        return None

    def variable(self, name: str) -> Variable | None:
        """A variable of the model."""
        own = self.name_of(name)
        if own is None or self.model is None:
            return None
        if own not in self._known:
            self._known[own] = self._described(self.model, own)
        return self._known[own]

    def unit_name(self, name: str) -> str | None:
        """The unit of a variable, as the model writes it."""
        own = self.name_of(name)
        if own is None or not isinstance(self.model, Fmu):
            return None
        return self.model.fmu.by_name[own].unit

    def items(self, name: str) -> dict[str, int] | None:
        """The items of an enumeration, as the model has them."""
        variable = self.variable(name)
        if variable is None or self.model is None:
            return None
        return dict(items_of(self.model, variable)) or None

    def give(self, name: str, value: Any, place: Place) -> None:
        """Let a variable start from a value, or an array have a size."""
        own = self.name_of(name) or name
        if self.causality(own) == "structuralParameter":
            self.options.setdefault("structural", {})[own] = value
        else:
            self.values[own] = (value, place)

    def show(self, name: str, causality: str) -> None:
        """A variable that is no output has to be one: something is fed by it."""
        self._shown[name] = causality
        internals = self.model.internals if isinstance(self.model, Fmu) else False
        if isinstance(internals, bool) and set(self._shown.values()) == {"local"}:
            self.options["internals"] = True
            return
        own = self._locals() if internals is True else internals or ()
        self.options["internals"] = list(dict.fromkeys([*own, *self._shown]))

    def _locals(self) -> list[str]:
        """All local variables that `internals=True` shows."""
        assert isinstance(self.model, Fmu)
        shown = replace(self.model, internals=True).description.outputs
        outputs = {v.name for v in replace(self.model, internals=False).description.outputs}
        return [v.name for v in shown if v.name not in outputs]

    def settle(self) -> None:
        """Give the model all options that were found since."""
        if self.options and isinstance(self.model, Fmu):
            self.model = replace(self.model, **self.options)
            self.options.clear()
            self._known.clear()

    def _described(self, model: Model, name: str) -> Variable:
        if isinstance(model, Fmu):
            return to_variable(model.fmu.by_name[name], model.fmu, model.structural)
        d = model.description
        return next(v for v in (*d.inputs, *d.outputs, *d.parameters) if v.name == name)

    def _alias(self, name: str) -> str | None:
        if self._aliases is None:
            known = self.model.fmu.variables if isinstance(self.model, Fmu) else ()
            self._aliases = {alias.name: v.name for v in known for alias in v.aliases}
        return self._aliases.get(name)


def model_of(
    component: Component, options: Mapping[str, Any], complaints: Complaints
) -> Model | None:
    """The model of a component; None where there is none, which is reported."""
    place, media_type = component.place, component.type.partition(";")[0].strip()
    if is_address(component.title):
        return _elsewhere(component, options, complaints)
    if component.source is None:
        if not component.title:
            complaints.unsupported(place, "has no source: it is only planned")
        return None
    path = component.source
    try:
        if media_type in _TABLES or (media_type != FMU and path.suffix.lower() in TABLES):
            return table_of_file(path, options)
        if media_type == FMU:
            return _fmu(component, path, dict(options))
    except InputError as error:
        complaints.problem(place, f"'{component.title}' cannot be used: {error}")
        return None
    complaints.unsupported(place, f"is of type '{media_type}', which is not supported; '{FMU}' is")
    return None


def _elsewhere(
    component: Component, options: Mapping[str, Any], complaints: Complaints
) -> Model | None:
    """A part that a server offers, with the certificates or the token that an annotation names."""
    try:
        return load(component.title, **options)
    except InputError as error:
        complaints.problem(component.place, f"'{component.title}' cannot be used: {error}")
        return None


def _fmu(component: Component, path: File, options: dict[str, Any]) -> Fmu:
    kind = _IMPLEMENTATIONS.get(component.implementation)
    if kind is not None:
        options.setdefault("kind", kind)
    return Fmu(os.path.abspath(path), **options)


def check_connectors(draft: PartDraft, complaints: Complaints) -> None:
    """Report connectors that are not what the model has."""
    if draft.model is None:
        return
    for c in draft.element.connectors.values():
        own = draft.name_of(c.name)
        if own is None:
            hint = did_you_mean(c.name, _names(draft.model))
            complaints.note(c.place, f"the model has no variable of this name.{hint}")
            continue
        causality = draft.causality(own) or ""
        if c.kind not in (causality, "unspecified", *_ALIKE.get(causality, ())):
            complaints.problem(c.place, f"is of kind {c.kind}, but the model has it as {causality}")
        variable = draft.variable(own)
        if variable is not None and c.sort is not None:
            _check_sort(draft, c, variable, complaints)


def _check_sort(draft: PartDraft, c: Connector, variable: Variable, complaints: Complaints) -> None:
    assert c.sort is not None
    whole = {Kind.INTEGER, Kind.ENUMERATION}
    if c.sort.kind != variable.kind and not {c.sort.kind, variable.kind} <= whole:
        what = f"is of type {c.sort.name}, but the model has it as {variable.kind}"
        complaints.unsupported(c.place, f"{what}, which counts")
    _check_unit(draft, c, variable, complaints)
    _check_interval(draft, c)
    if len(c.sort.shape) != len(variable.shape):
        what = f"has {len(c.sort.shape)} dimensions, but the model {len(variable.shape)}"
        complaints.problem(c.place, what)
    for declared, size in zip(c.sort.shape, variable.shape, strict=False):
        if isinstance(declared, int) and declared != size:
            complaints.note(c.place, f"has a size of {declared}, but the model {size}")


def _check_interval(draft: PartDraft, c: Connector) -> None:
    """A clock that ticks at another interval than the model says; the model may refuse that."""
    if c.sort is None or c.sort.interval is None or not isinstance(draft.model, Fmu):
        return
    own = draft.name_of(c.name) or c.name
    timing = draft.model.fmu.by_name[own].timing
    if timing is not None and timing.interval != c.sort.interval:
        intervals = draft.options.setdefault("intervals", dict(draft.model.intervals))
        intervals[own] = c.sort.interval


def _check_unit(draft: PartDraft, c: Connector, variable: Variable, complaints: Complaints) -> None:
    """The unit of the model counts; a connector that says another one is a contradiction."""
    assert c.sort is not None
    if c.sort.unit_name == draft.unit_name(c.name):
        return
    try:
        found = conversion(c.sort.unit, variable.unit) if variable.is_real else UNCHANGED
    except UnitError as error:
        complaints.unsupported(c.place, f"its unit is not that of the model: {error}")
        return
    if (found.factor, found.offset) != (1.0, 0.0):
        what = f"its unit '{c.sort.unit}' is not that of the model, '{variable.unit}', which counts"
        complaints.unsupported(c.place, what)


def _names(model: Model) -> list[str]:
    if isinstance(model, Fmu):
        return [v.name for v in model.fmu.variables]
    d = model.description
    return [v.name for v in (*d.inputs, *d.outputs, *d.parameters)]
