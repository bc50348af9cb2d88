"""Units and types as an FMU defines them."""

from __future__ import annotations

from dataclasses import dataclass

from ...xml.types import Type
from .variable import Timing


@dataclass(frozen=True, slots=True)
class DisplayUnit:
    """displayed value = factor * value + offset, or factor / value if it is inverse."""

    name: str
    factor: float = 1.0
    offset: float = 0.0
    inverse: bool = False

    def __call__(self, value: float) -> float:
        """A value as it is displayed."""
        return self.factor / value if self.inverse else self.factor * value + self.offset


@dataclass(frozen=True, slots=True)
class Item:
    """One value of an enumeration."""

    name: str
    value: int
    description: str = ""


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """What variables that name this type have in common."""

    name: str
    type: Type
    quantity: str | None = None
    unit: str | None = None
    display_unit: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    relative: bool = False
    unbounded: bool = False
    items: tuple[Item, ...] = ()
    timing: Timing | None = None
    mime_type: str | None = None
    max_size: int | None = None
    description: str = ""
