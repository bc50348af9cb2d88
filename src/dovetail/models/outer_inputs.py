"""The inner part of a nested system that plays what comes from the outer one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..core import codec
from ..core.description import Description, Variable
from ..core.signals import Signals, Waveform
from ..core.values import Values, signals
from ..core.window import Window
from ..drawing.system import System
from ..subsystems.subsystem import Reached
from .algebraic import STATELESS

OUTSIDE = "outside"  # its name


@dataclass(frozen=True, eq=False)
class OuterInputs:
    """The blueprint of the inner part that plays the outer inputs."""

    variables: tuple[Variable, ...]

    @property
    def description(self) -> Description:
        """Outputs only, that follow time alone."""
        return Description(
            outputs=self.variables,
            feedthrough={v.name: frozenset() for v in self.variables},
            capabilities=STATELESS,
            kind="outside",
        )

    def instantiate(self, name: str) -> OuterInputsPart:
        """A live part."""
        return OuterInputsPart(self)


class OuterInputsPart:
    """Plays the inputs of the outer window to the inner parts."""

    def __init__(self, model: OuterInputs) -> None:
        self.description = model.description
        self.wave = Waveform.hold(signals(model.variables, {}))
        self.origin = self.t = 0.0

    def play(self, wave: Waveform, origin: float) -> None:
        """Take over the inputs of an outer window."""
        self.wave, self.origin = wave, origin

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Stand at the start."""
        self.t = self.origin = start

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """What the outer system gives now."""
        return self.wave.at(self.t - self.origin)

    def begin(self) -> None:
        """Nothing to begin."""

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Go on in the outer window."""
        self.t = window.stop
        return Reached(window.stop, self.outputs(inputs.at(0.0)))

    def close(self) -> None:
        """Nothing to close."""

    def snapshot(self) -> Any:
        """The time."""
        return self.t

    def restore(self, snapshot: Any) -> None:
        """Back to a time."""
        self.t = snapshot

    def dump(self) -> bytes:
        """The time, as bytes."""
        return codec.encode(self.t)

    def load(self, state: bytes) -> None:
        """The time of a dump."""
        self.t = codec.decode(state)


def with_outside(drawing: System, inputs: dict[str, tuple[str, Variable]]) -> System:
    """The inner drawing with one more part that feeds what nothing else feeds."""
    variables = tuple(replace(v, name=n.replace(".", "/")) for n, (_, v) in inputs.items())
    system = System(drawing.name)
    system.add(OUTSIDE, OuterInputs(variables))
    for p in drawing.parts.values():
        system.put(p.bare())
    for c in drawing.connections:
        if not c.junction:
            system.connect(
                str(c.source),
                str(c.target),
                gain=c.gain,
                offset=c.offset,
                convert=c.convert,
                table=dict(c.table),
            )
    for j in drawing.junctions:
        ports = [str(e) for e in j.ends]
        level = j.level if j.case != "wires" else None
        system.join(*ports, kind=j.common, level=level, coordinator=j.coordinator)
    for name, (inner, _) in inputs.items():
        system.connect(f"{OUTSIDE}.{name.replace('.', '/')}", inner)
    return system
