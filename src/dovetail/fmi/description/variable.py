"""A variable of an FMU, in terms of FMI 3 whatever the version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from numbers import Integral
from typing import Literal

from ...xml.types import FLOATS, Scalar, Type

Causality = Literal[
    "parameter", "calculatedParameter", "structuralParameter",
    "input", "output", "local", "independent",
]  # fmt: skip
Variability = Literal["constant", "fixed", "tunable", "discrete", "continuous"]
Initial = Literal["exact", "approx", "calculated"]

Start = Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One extent of an array: a size, which a structural parameter may change."""

    size: int
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name for the same variable."""

    name: str
    description: str = ""
    display_unit: str | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """When a clock ticks. The interval is in seconds, or a count of `1 / resolution` seconds."""

    interval_variability: str
    interval: float | None = None
    shift: float = 0.0
    supports_fraction: bool = False
    resolution: int | None = None
    interval_counter: int | None = None
    shift_counter: int = 0
    can_be_deactivated: bool = False
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class FmuVariable:
    """A variable of an FMU. Others are referred to by name.

    `start` is one value, or for an array a tuple in row-major order, which has one element if
    all are the same. Variables of FMI 1 and 2 that share a value name the first of them in
    `alias_of`; in FMI 1 the value may be `negated` there. In FMI 3 there are `aliases` instead.
    """

    name: str
    reference: int
    type: Type
    causality: Causality = "local"
    variability: Variability = "continuous"
    initial: Initial | None = None
    start: Start | None = None
    unit: str | None = None
    display_unit: str | None = None
    quantity: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    relative: bool = False  # a difference: offsets of units do not count
    unbounded: bool = False
    declared_type: str | None = None
    dimensions: tuple[Dimension, ...] = ()
    derivative_of: str | None = None
    previous: str | None = None
    clocks: tuple[str, ...] = ()
    timing: Timing | None = None
    aliases: tuple[Alias, ...] = ()
    alias_of: str | None = None
    negated: bool = False
    can_handle_multiple_set: bool = True
    intermediate_update: bool = False
    reinit: bool = False
    mime_type: str | None = None
    max_size: int | None = None
    description: str = ""
    line: int = field(default=0, compare=False)

    @property
    def is_float(self) -> bool:
        """Whether its values are floating point numbers."""
        return self.type in FLOATS

    @property
    def is_settable(self) -> bool:
        """Whether it may be given a value before a run."""
        if self.variability == "constant" or self.causality == "independent":
            return False
        if self.causality in ("input", "parameter", "structuralParameter"):
            return True
        return self.initial in ("exact", "approx")

    def shape(self, values: Mapping[str, object] | None = None) -> tuple[int, ...]:
        """Its extents, given the values of structural parameters that are not at their start."""
        return tuple(_extent(d, values or {}) for d in self.dimensions)

    def size(self, values: Mapping[str, object] | None = None) -> int:
        """How many scalars it has."""
        return prod(self.shape(values))


def _extent(dimension: Dimension, values: Mapping[str, object]) -> int:
    chosen = values.get(dimension.parameter) if dimension.parameter else None
    return int(chosen) if isinstance(chosen, Integral) else dimension.size
