"""A model in a drawing."""

from __future__ import annotations

from collections.abc import Collection
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
    forced: frozenset[str] = frozenset()  # values that may lie beyond what the model declares
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

    def with_values(self, values: Values, forced: Collection[str]) -> Part:
        """The same part with other values, some of them forced."""
        return replace(self, values=PartValues(self.name, values), forced=frozenset(forced))

    def bare(self, name: str | None = None) -> Part:
        """The same part, or by another name, without what connections make of it."""
        return Part(name or self.name, self.model, dict(self.values), forced=self.forced)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.name, self.model, dict(self.values), self.tuned, self.forced)


def _rebuilt(
    name: str, model: Model, values: Values, tuned: tuple[str, ...], forced: frozenset[str]
) -> Part:
    return Part(name, model, values, forced=forced).tuning(*tuned)


def name_fits(name: Any) -> bool:
    """Whether a part may have this name."""
    return isinstance(name, str) and bool(name) and "." not in name and name == name.strip()
