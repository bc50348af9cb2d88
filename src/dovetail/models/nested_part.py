"""A nested system in motion."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.consistent import Consistent
from ..assembly.segment import Position
from ..assembly.standstill import Standstill
from ..check.checking import resolved
from ..controllers import bound
from ..core import codec
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Grid, Window
from ..estimators.choice import Needs
from ..run.stepping import Stepper
from ..subsystems.intermediate import IntermediateReport, gathered, log_messages_of
from ..subsystems.notes import remarks_of
from ..subsystems.subsystem import Reached
from .outer_inputs import OuterInputsPart, with_outside

if TYPE_CHECKING:
    from .nested import Nested


class NestedPart:
    """The inner system in motion."""

    def __init__(self, model: Nested) -> None:
        self.model, self.description = model, model.description
        inner = with_outside(model.system, model.exposed[0])
        self.algorithm = resolved(model.algorithm, model.controller, model.rtol, model.atol)
        needs = Needs.of(self.algorithm, model._inner_controller(1.0))
        self.assembly = Assembly.of(inner, needs=needs)
        self.system = inner
        player = self.assembly.subsystems[0].subsystem
        assert isinstance(player, OuterInputsPart)
        self.player = player
        slots = self.assembly.structure.layout.outputs
        self.reals, self.discrete = list[int](), list[int]()
        for name, variable in model.exposed[1].values():
            part, _, inner_name = name.partition(".")
            first = slots.place[part, inner_name]
            (self.reals if variable.is_real else self.discrete).extend(
                range(first, first + variable.size)
            )
        self.stepper: Stepper | None = None
        self.start, self._late = 0.0, False
        self.derivatives = self.algorithm.inputs == "hermite"  # inside; then it gives them as well

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values, given to inner parts as `part.variable`."""
        given: dict[str, dict[str, Any]] = {n: dict(p.values) for n, p in self.system.parts.items()}
        for name, value in values.items():
            part, _, variable = name.partition(".")
            if name in self.model.exposed[0] or part not in given:
                continue
            given[part][variable] = value
        self.start = start
        self.assembly.initialize(start, given, derivatives=self.derivatives)

    def tune(self, values: Values) -> None:
        """Go on with these parameters of inner parts."""
        for name, value in values.items():
            part, _, variable = name.partition(".")
            self.assembly.tune(part, {variable: value})

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, the inner parts agreed among themselves."""
        if order:
            raise NotImplementedError("a nested system gives no derivatives of its outputs")
        if self.stepper is None:
            self.player.play(_moving(inputs), self.start)
            return self._shown(self._position().outputs)
        self.player.play(_moving(inputs), self.player.t)
        stepper = self.stepper
        position = stepper.position
        jump = Standstill().event(
            self.assembly, position.time, position.outputs, position.coordination
        )
        stepper.position = replace(position, outputs=jump.outputs)
        return self._shown(jump.outputs)

    def begin(self) -> None:
        """Leave initialization; the inner run stands at its start."""
        position = self._position()
        self.assembly.begin()
        left = Consistent().left(self.assembly, position)
        self._late, position = left is not position, left
        size = 1.0 if self.model.controller is None else self.model.controller.first_size
        inner = self.model._inner_controller(size)
        controller = bound(inner, self.system, self.assembly.structure, self.algorithm)
        grid = Grid(self.start, size, self.start)
        self.stepper = Stepper(self.assembly, self.algorithm, controller, grid, position)
        self.stepper.open()
        self.stepper.position = Consistent().under_way(self.assembly, self.stepper.position, size)

    def late_outputs(self) -> Signals | None:
        """Outputs, where those of an inner part changed after initialization."""
        assert self.stepper is not None
        return self._shown(self.stepper.position.outputs) if self._late else None

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Run inner windows to the end of the outer one, or to a shared event."""
        stepper = self.stepper
        assert stepper is not None
        self.player.play(inputs, window.start)
        self._see_inputs()
        size = window.size if self.model.controller is None else stepper.grid.size
        stepper.grid = Grid(window.start, size, window.stop)
        while stepper.position.time < window.stop:
            segments = stepper.advance()
            if segments[-1].event and self.model.share_events:
                return Reached(segments[-1].window.stop, self._shown(segments[-1].outputs), True)
        return Reached(window.stop, self._shown(stepper.position.outputs))

    @property
    def reports(self) -> dict[str, IntermediateReport]:
        """What parts inside showed of the inside of their windows."""
        return gathered(self.assembly.subsystems)

    @property
    def log_messages(self) -> list[tuple[str, str]]:
        """What parts inside have to say at the end."""
        return log_messages_of(self.assembly.subsystems)

    @property
    def remarks(self) -> list[str]:
        """What is to be said about how parts inside ran."""
        return [f"has inside: {line}" for line in remarks_of(self.assembly.subsystems)]

    def next_event(self) -> float:
        """When something is due inside."""
        return self.assembly.next_event()

    def event(self, inputs: Signals) -> Signals:
        """Let the inner parts agree after an event outside."""
        return self.outputs(inputs)

    def close(self) -> None:
        """Close the inner parts."""
        self.assembly.close()

    def snapshot(self) -> Any:
        """Where the inner run and all its parts stand."""
        assert self.stepper is not None
        s = self.stepper
        return s.position, s.grid, self.assembly.mark(), self.player.wave, self.player.origin

    def restore(self, snapshot: Any) -> None:
        """Back to where it stood."""
        assert self.stepper is not None
        position, grid, mark, wave, origin = snapshot
        self.stepper.position, self.stepper.grid = position, grid
        self.assembly.restore(mark)
        self.player.play(wave, origin)

    def dump(self) -> bytes:
        """All of the inner run, as bytes."""
        assert self.stepper is not None
        s = self.stepper
        parts = [(p.time, p.dump(), r.dump()) for p, r in self._pairs()]
        return codec.encode((s.position, s.grid, parts, self.player.wave, self.player.origin))

    def load(self, state: bytes) -> None:
        """Go on from a dump."""
        assert self.stepper is not None
        position, grid, parts, wave, origin = codec.decode(state)
        self.stepper.position, self.stepper.grid = position, grid
        for (p, r), (time, part, learned) in zip(self._pairs(), parts, strict=True):
            p.load(time, part)
            r.load(learned)
        self.player.play(wave, origin)

    def _pairs(self) -> list[tuple[Any, Any]]:
        return list(zip(self.assembly.subsystems, self.assembly.rehearsals, strict=True))

    def _position(self) -> Position:
        size = 1.0 if self.model.controller is None else self.model.controller.first_size
        return Consistent().position(self.assembly, self.start, size, derivatives=self.derivatives)

    def _see_inputs(self) -> None:
        """The inner run's idea of the outside at the window's start, before anything moves."""
        assert self.stepper is not None
        position = self.stepper.position
        span = self.assembly.outputs_of[0]
        seen = self.player.outputs(Signals(np.zeros(0)))
        reals, discrete = position.outputs.reals.copy(), list(position.outputs.discrete)
        reals[span.reals], discrete[span.discrete] = seen.reals, seen.discrete
        derivatives = position.outputs.derivatives
        if derivatives is not None:
            derivatives = derivatives.copy()
            derivatives[span.reals] = seen.derivatives
        outputs = Signals(reals, derivatives, tuple(discrete))
        self.stepper.position = replace(position, outputs=outputs)

    def _shown(self, outputs: Signals) -> Signals:
        discrete = tuple(outputs.discrete[k] for k in self.discrete)
        derivatives = None if outputs.derivatives is None else outputs.derivatives[self.reals]
        return Signals(outputs.reals[self.reals], derivatives, discrete)


def _moving(inputs: Signals) -> Waveform:
    """Inputs at an instant, with the derivatives they have there if these are known."""
    if inputs.derivatives is None or np.isnan(inputs.derivatives).any():
        return Waveform.hold(inputs)
    return Waveform(np.column_stack([inputs.reals, inputs.derivatives]), inputs.discrete)
