"""Parts that are made of the same model: what their descriptions say is looked at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from ..core.description import Description
from ..subsystems.subsystem import Model
from .part import Part

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Likes:
    """A model as it is run, and the names of the parts that are made of it, in their order."""

    model: Model
    names: tuple[str, ...]

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        return self.model.description

    @staticmethod
    def of(parts: Iterable[Part]) -> tuple[Likes, ...]:
        """All parts, sorted by their models."""
        found: dict[int, tuple[Model, list[str]]] = {}
        for part in parts:
            model = part.adapted
            found.setdefault(id(model), (model, []))[1].append(part.name)
        return tuple(Likes(model, tuple(names)) for model, names in found.values())


def answers(models: Iterable[Model], ask: Callable[[Model], T]) -> list[T]:
    """What each of these models answers; one that comes again is not asked again."""
    known: dict[int, T] = {}
    kept = list(models)
    for model in kept:
        if id(model) not in known:
            known[id(model)] = ask(model)
    return [known[id(model)] for model in kept]
