"""A model seen from outside: variables, capabilities, ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Literal

from .options import worded
from .values import Value

Variability = Literal["fixed", "tunable", "discrete", "continuous"]


class Kind(StrEnum):
    """What kind of value a variable holds."""

    REAL = "real"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    STRING = "string"
    ENUMERATION = "enumeration"
    BINARY = "binary"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a model. An array has a shape and lies flat among the signals.

    Its variability says when it may change: never during a run, when a tunable parameter is set,
    at events, or all the time.
    """

    name: str
    kind: Kind = Kind.REAL
    unit: str | None = None
    start: Value | None = None
    shape: tuple[int, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    literals: tuple[str, ...] = ()
    description: str = ""
    variability: Variability = "continuous"
    relative: bool = False  # a difference: offsets of units do not count

    @property
    def size(self) -> int:
        """How many scalars it has."""
        return prod(self.shape)

    @property
    def is_real(self) -> bool:
        """Whether it travels among the reals."""
        return self.kind == Kind.REAL

    @property
    def is_tunable(self) -> bool:
        """Whether it is a parameter that may change during a run."""
        return self.variability == "tunable"

    def scalars(self) -> Iterator[str]:
        """The names of its scalars: `x`, or `x[1,1]`, `x[1,2]` and so on for an array."""
        if not self.shape:
            yield self.name
            return
        for flat in range(self.size):
            index, rest = [], flat
            for extent in reversed(self.shape):
                index.append(rest % extent + 1)
                rest //= extent
            yield f"{self.name}[{','.join(map(str, reversed(index)))}]"


@dataclass(frozen=True, slots=True)
class Domain:
    """A physical domain: what its effort, flow and displacement are measured in.

    `common` names the variable that all ports of a junction share. Effort times flow is a power,
    unless the flow itself is what is conserved (`conserves`): heat, or mass.
    """

    name: str
    effort: str
    flow: str
    displacement: str | None
    common: str
    conserves: str = "J"  # the unit of what may neither appear nor vanish at a junction
    is_power: bool = True


DOMAINS: Mapping[str, Domain] = {
    d.name: d
    for d in (
        Domain("translational", "N", "m/s", "m", common="flow"),
        Domain("rotational", "N.m", "rad/s", "rad", common="flow"),
        Domain("hydraulic", "Pa", "m3/s", "m3", common="effort"),
        Domain("electrical", "V", "A", "C", common="effort"),
        Domain("thermal", "K", "W", "J", common="effort", is_power=False),
        Domain("fluid", "Pa", "kg/s", "kg", common="effort", conserves="kg", is_power=False),
    )
}


@dataclass(frozen=True, slots=True)
class Port:
    """A power port: effort times flow is the power, positive *into* the part.

    Exactly one of effort and flow is an input of the part, the other an output: that is the
    port's causality. (In the thermal and fluid domains flow is the heat or mass flow itself, and
    effort times flow is not a power; the pairing is the usual one.) `relative_order` is how often
    the output must be differentiated before it depends on the input; found by probing if not given.
    `time_scale` is the slowest decay of a disagreement that the part asks of a sliding mode.
    """

    domain: str
    effort: str
    flow: str
    displacement: str | None = None
    relative_order: int | None = None
    time_scale: float | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a subsystem can do besides stepping forward."""

    can_restore: bool = False  # snapshot, restore
    can_repeat: bool = False  # the same, but only over its last step
    can_serialize: bool = False  # dump, load: checkpoints
    can_linearize: bool = False
    can_evaluate_now: bool = False  # outputs for new inputs while time stands still
    can_derive_at_start: bool = True  # and their derivatives, before it is under way
    can_derive_now: bool = True  # and their derivatives, when it is under way
    can_return_early: bool = False  # a window may end at an event inside it
    has_events: bool = False  # takes part in event iteration
    knows_next_event: bool = False  # gives its time; windows then end there
    can_tell_derivatives: bool = False  # time derivatives of its outputs
    knows_input_slopes: bool = True  # and they count in how its inputs move
    input_order: int | None = 0  # highest power of time its inputs may follow; None: any
    can_vary_size: bool = True  # windows of different sizes
    can_ask_to_end: bool = False  # may say that the simulation should end
    against_rollback: str = ""  # what showed that it cannot restore, though it says so

    @property
    def rollback_flaw(self) -> str:
        """The same as a clause; empty where nothing was found."""
        found = self.against_rollback
        whole = not found or found.startswith("its library")
        return found if whole else f"a step made again {found}"

    @property
    def can_answer_again(self) -> bool:
        """Whether one window may be stepped over more than once."""
        return self.can_restore or self.can_repeat


@dataclass(frozen=True, slots=True)
class Description:
    """A model seen from outside.

    `parameters` are all that may be given a value before a run and is no input: parameters
    and start values of states. `feedthrough` maps an output to the inputs it depends on at
    once; an output that is missing there depends on all of them.
    """

    inputs: tuple[Variable, ...] = ()
    outputs: tuple[Variable, ...] = ()
    parameters: tuple[Variable, ...] = ()
    feedthrough: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ports: Mapping[str, Port] = field(default_factory=dict)
    capabilities: Capabilities = Capabilities()
    kind: str = "model"
    aliases: Mapping[str, str] = field(default_factory=dict)  # other names, and the first one
    structural: frozenset[str] = frozenset()  # parameters that are set where the model is loaded
    states: int | None = None  # how many continuous ones it has, where that is known

    def depends(self, output: str) -> frozenset[str]:
        """The inputs with direct feedthrough to an output."""
        found = self.feedthrough.get(output)
        return frozenset(v.name for v in self.inputs) if found is None else found


worded(Port, Variable)
