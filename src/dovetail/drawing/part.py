"""A model in a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.description import Description
from ..core.errors import Problem, did_you_mean
from ..core.values import Value, Values, fitted
from ..subsystems.subsystem import Adaptable, Model
from .tuning import unsuitable


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model under a name, with the values it starts from."""

    name: str
    model: Model
    values: Values = field(default_factory=dict)
    tuned: tuple[str, ...] = ()  # tunable parameters that are connected: inputs then
    _adapted: Model | None = None

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        return self.adapted.description

    @property
    def adapted(self) -> Model:
        """The model as it is run: parameters that are connected are inputs of it."""
        return self._adapted or self.model

    def tuning(self, *names: str) -> Part:
        """The same part with more of its tunable parameters as inputs."""
        tuned = (*self.tuned, *names)
        if not tuned:
            return self
        assert isinstance(self.model, Adaptable), "checked before"
        return replace(self, tuned=tuned, _adapted=self.model.tuned(tuned))

    def unlike(self, model: Model) -> Problem | None:
        """Why another model cannot take its place, if it cannot."""
        for before, after, sort in (
            (self.model.description.inputs, model.description.inputs, "inputs"),
            (self.description.outputs, model.description.outputs, "outputs"),
        ):
            if {v.name for v in before} != {v.name for v in after}:
                what = f"the model for '{self.name}' has other {sort} than the one in its place."
                return Problem(self.name, what)
        for parameter in self.tuned:
            if (hint := unsuitable(model, self.name, parameter)) is not None:
                place = f"'{self.name}.{parameter}' is connected, and in the model for"
                return Problem(self.name, f"{place} '{self.name}'{hint}")
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.name, self.model, self.values, self.tuned)


def _rebuilt(name: str, model: Model, values: Values, tuned: tuple[str, ...]) -> Part:
    return Part(name, model, values).tuning(*tuned)


def fitting_values(
    name: str, d: Description, values: Mapping[str, Any]
) -> tuple[dict[str, Value], list[Problem]]:
    """Those of the values for a part that fit, and why the others do not."""
    problems: list[Problem] = []
    settable = {v.name: v for v in (*d.inputs, *d.parameters)}
    accepted: dict[str, Value] = {}
    for alias, given in values.items():
        key, where = d.aliases.get(alias, alias), f"{name}.{alias}"
        if key not in settable:
            outputs = any(v.name == key for v in d.outputs)
            why = " It is an output." if outputs else did_you_mean(key, settable)
            what = f"'{where}' is not a parameter, start value or input of '{name}'."
            problems.append(Problem(where, what + why))
            continue
        try:
            accepted[key] = fitted(settable[key], given)
        except ValueError as error:
            problems.append(Problem(where, f"'{where}' {error}."))
    return accepted, problems
