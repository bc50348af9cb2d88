"""What a model description contains, the same for all versions of FMI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ...units import Unit
from ...xml.report import Leniency
from .definitions import DisplayUnit, TypeDefinition
from .interface import FmuInterface
from .terminal import Terminal
from .variable import Causality, FmuVariable

Version = Literal["1.0", "2.0", "3.0"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """How the FMU is meant to be run, as far as it says."""

    start: float | None = None
    stop: float | None = None
    tolerance: float | None = None
    step_size: float | None = None

    @property
    def span(self) -> float | None:
        """How long that is, if it says when it stops."""
        span = (self.stop or 0.0) - (self.start or 0.0)
        return span if span > 0 else None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A variable the FMU computes, and those it computes it from.

    No dependencies (None) means that they are not listed: it may depend on all. `state` is the
    state whose derivative it is.
    """

    name: str
    dependencies: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    state: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ModelStructure:
    """What depends on what, in the order in which the FMU counts its unknowns.

    The counts are of scalars at the start values of structural parameters; FMI 1 gives nothing
    else of states, and FMI 1 and 2 nothing else of event indicators.
    """

    outputs: tuple[Unknown, ...] = ()
    derivatives: tuple[Unknown, ...] = ()
    clocked_states: tuple[Unknown, ...] = ()
    initial_unknowns: tuple[Unknown, ...] = ()
    event_indicators: tuple[Unknown, ...] = ()
    state_count: int = 0
    event_indicator_count: int = 0


@dataclass(frozen=True)
class FmuDescription:
    """An FMU as in its model description.

    `units` holds None for a unit that cannot be read, and `annotations` the XML text
    of what tools have added, by name. `deviations` is what was put up with.
    """

    version: Version
    written_version: str
    model_name: str
    token: str
    generation_tool: str = ""
    generation_time: str = ""
    description: str = ""
    author: str = ""
    model_version: str = ""
    copyright: str = ""
    license: str = ""
    variable_naming: Literal["flat", "structured"] = "flat"
    experiment: Experiment = Experiment()
    co_simulation: FmuInterface | None = None
    model_exchange: FmuInterface | None = None
    scheduled_execution: FmuInterface | None = None
    units: Mapping[str, Unit | None] = field(default_factory=dict)
    display_units: Mapping[str, Mapping[str, DisplayUnit]] = field(default_factory=dict)
    types: Mapping[str, TypeDefinition] = field(default_factory=dict)
    variables: tuple[FmuVariable, ...] = ()
    structure: ModelStructure = ModelStructure()
    log_categories: Mapping[str, str] = field(default_factory=dict)
    terminals: tuple[Terminal, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)
    deviations: tuple[Leniency, ...] = ()

    @property
    def leniencies(self) -> tuple[str, ...]:
        """What was put up with in reading it, a sentence each."""
        return tuple(map(str, self.deviations))

    @property
    def interfaces(self) -> tuple[FmuInterface, ...]:
        """The kinds of interface it has."""
        kinds = (self.co_simulation, self.model_exchange, self.scheduled_execution)
        return tuple(kind for kind in kinds if kind is not None)

    @cached_property
    def by_name(self) -> Mapping[str, FmuVariable]:
        """Its variables by name, and by the other names they have."""
        found = {alias.name: v for v in self.variables for alias in v.aliases}
        found.update((v.name, v) for v in self.variables)
        return found

    @property
    def states(self) -> tuple[str | None, ...]:
        """The continuous states, in the order of their derivatives; None if not listed."""
        return tuple(unknown.state for unknown in self.structure.derivatives)

    def of(self, *causalities: Causality) -> Iterator[FmuVariable]:
        """The variables with one of these causalities."""
        return (v for v in self.variables if v.causality in causalities)
