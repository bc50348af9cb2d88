"""A model in a drawing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..core.description import Description
from ..core.values import Values
from ..subsystems.subsystem import Adaptable, Model
from .part_values import PartValues


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model under a name, with the values it starts from."""

    name: str
    model: Model
    values: Values = field(default_factory=dict)
    tuned: tuple[str, ...] = ()  # tunable parameters that are connected: inputs then
    _adapted: Model | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.values, PartValues):
            object.__setattr__(self, "values", PartValues(self.name, self.values))

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

    def with_values(self, values: Values) -> Part:
        """The same part with other values."""
        return replace(self, values=PartValues(self.name, values))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.name, self.model, dict(self.values), self.tuned)


def _rebuilt(name: str, model: Model, values: Values, tuned: tuple[str, ...]) -> Part:
    return Part(name, model, values).tuning(*tuned)


def name_fits(name: Any) -> bool:
    """Whether a part may have this name."""
    return isinstance(name, str) and bool(name) and "." not in name and name == name.strip()
