"""A merged system in motion."""

from __future__ import annotations

from functools import cached_property
from math import ulp
from typing import TYPE_CHECKING, Any

from ..assembly.assembly import Assembly
from ..assembly.consistent import Consistent
from ..core import codec
from ..core.signals import Signals, Waveform
from ..core.statistics import Effort
from ..core.values import Values, signals
from ..core.window import Window
from ..hosts.homes import Homes
from ..integrators.course import Course
from ..junctions.sliding_mode import TIMES
from ..subsystems.held_switches import masked, others, unmasked
from ..subsystems.known_events import end_of
from ..subsystems.subsystem import Reached
from .coupled_equations import CoupledEquations
from .merged_position import MergedPosition
from .outer_inputs import OuterInputsPart, with_outside

if TYPE_CHECKING:
    from .merged import Merged


class MergedPart(MergedPosition):
    """All parts of a drawing under one integrator.

    Between events the parts are only asked for their equations. At the end of each window, and
    at events, they are placed where the integrator is.
    """

    def __init__(self, name: str, model: Merged) -> None:
        super().__init__(Course(name, model.integrator))
        self.name, self.model, self.description = name, model, model.description
        inner = with_outside(model.whole.system, model.whole.exposed[0])
        self.assembly = Assembly.of(inner, homes=Homes())
        player = self.assembly.subsystems[0].subsystem
        assert isinstance(player, OuterInputsPart)
        self.player = player
        slots = self.assembly.structure.layout.outputs
        self._reals, self._discrete = list[int](), list[int]()
        for place, variable in model.whole.exposed[1].values():
            part, _, inner_name = place.partition(".")
            first = slots.place[part, inner_name]
            mine = self._reals if variable.is_real else self._discrete
            mine.extend(range(first, first + variable.size))
        self.joined: CoupledEquations | None = None

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization, everywhere."""
        self._derivatives = derivatives
        given: dict[str, dict[str, Any]] = {s.name: {} for s in self.assembly.subsystems}
        for part in self.model.system.parts.values():
            given[part.name] = dict(part.values)
        for name, value in values.items():
            part_name, _, variable = name.partition(".")
            if name not in self.model.whole.exposed[0] and part_name in given:
                given[part_name][variable] = value
        self.t, self.u = start, signals(self.description.inputs, values)
        self.assembly.initialize(start, given, derivatives=False)

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs for these inputs, or their time derivatives, without moving in time."""
        if self.joined is None:
            self.player.play(Waveform.hold(inputs), self.t)
            start = Consistent().position(self.assembly, self.t, 1.0, derivatives=False)
            return self._derived_at_start(self._shown(start.outputs), inputs, start)
        if order:
            return self._derived(inputs, order)
        if self.due or inputs.discrete != self.u.discrete:
            return self.event(inputs)
        self._hear(inputs)
        self.joined.solve(self.t, self.x)
        return self._with_derivatives(self._shown(self.joined.outputs()), inputs)

    def begin(self) -> None:
        """Leave initialization, everywhere; events at the start are due then."""
        self.player.play(Waveform.hold(self.u), self.t)
        start = Consistent().position(self.assembly, self.t, 1.0, derivatives=False)
        self.assembly.begin()
        start = Consistent().under_way(self.assembly, start, 1.0)
        self.joined = CoupledEquations(self.assembly, self.player, start.coordination)
        self.joined.know(start.outputs)
        self.due = self.assembly.next_event() <= self.t
        if not self.due:
            self._collect()

    def tune(self, values: Values) -> None:
        """Go on with these parameters of inner parts."""
        for name, value in values.items():
            part, _, variable = name.partition(".")
            self.assembly.tune(part, {variable: value})
        self._course.forget()

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Integrate over the window, or up to an event in it."""
        start, self._before = window.start, None
        self._pace(window.size)
        waiting: tuple[int, ...] = ()
        thrown = inputs.discrete != self.u.discrete  # an event, which waits for the window's end
        inputs = Waveform(inputs.coefficients, self.u.discrete) if thrown else inputs
        begin = Signals(inputs.reals(0.0), None, inputs.discrete)
        if inputs.order or self.due:
            self._take_jumps(begin)
        else:
            waiting, self.u = self._flips(begin), begin
        self.player.play(inputs, start)
        following = self.assembly.next_event()
        if following <= start + 8 * ulp(start):
            self.due, self._passed = True, 0.0
            found = self._shown(self._joined.outputs())
            return Reached(start, self._with_derivatives(found, inputs.at(0.0)), event=True)
        stop, timed = end_of(window, following)
        taken = masked(self.signs, waiting)
        arc = self._course.run(self._problem(), start, self.x, stop, inputs, taken)
        crossed, signs = others(arc.crossed, waiting), unmasked(arc.signs, self.signs, waiting)
        self._arrive(arc.time, arc.state, signs, crossed)
        end = inputs.at(arc.time - start)
        self.u, self._passed = Signals(end.reals, None, end.discrete), arc.time - start
        joined = self._joined
        switched = joined.fresh_discrete(self.t, self.x) != tuple(joined.discrete)
        self.due = bool(crossed) or arc.asked or (timed and arc.time >= stop) or switched
        late = bool(waiting or thrown) and arc.time >= window.stop
        self.due = self.due or late
        found = self._with_derivatives(self._shown(joined.outputs()), end)
        return Reached(arc.time, found, self.due, self.ending, late)

    def next_event(self) -> float:
        """The earliest event that a part knows in advance; now, if one is due at the start."""
        return self.t if self.due and self._before is None else self.assembly.next_event()

    def event(self, inputs: Signals) -> Signals:
        """Let every jump inside happen that is due, until nothing changes.

        Asked again with other inputs, it rolls back first, where all parts can.
        """
        joined = self._joined
        if self._before is None:
            if not self.due and inputs.equals(self.u):
                return self._with_derivatives(self._shown(joined.outputs()), inputs)
            known = joined.outputs()
            able = self.description.capabilities.can_restore
            self._before = self.assembly.mark() if able else None, known
        elif inputs.equals(self.u) and not self.due:
            return self._with_derivatives(self._shown(joined.outputs()), inputs)
        elif self._before[0] is not None:
            self.assembly.restore(self._before[0])
        self._jump(inputs, self._before[1])
        return self._with_derivatives(self._shown(joined.outputs()), inputs)

    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs carry a zero crossing to its other side."""
        if self.due or self.joined is None:
            return False
        return inputs.discrete != self.u.discrete or bool(self._flips(inputs))

    def close(self) -> None:
        """Give back what the parts hold."""
        self.assembly.close()

    # rollback -----------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """Where all parts stand. The integrator starts anew, as it does after a rollback."""
        self._interrupt()
        return self._position(), self.assembly.mark()

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        position, mark = snapshot
        self.assembly.restore(mark)
        self._take(position)

    def dump(self) -> bytes:
        """The present state as bytes."""
        self._interrupt()
        parts = [(s.time, s.dump()) for s in self.assembly.subsystems]
        return codec.encode((self._position(), parts))

    def load(self, state: bytes) -> None:
        """Take over a state that was dumped."""
        position, parts = codec.decode(state)
        for s, (time, part) in zip(self.assembly.subsystems, parts, strict=True):
            s.load(time, part)
        self._take(position)
        self._counts = self._joined.counts(self.t, self.x)
        self._take(position)  # counting has asked the parts

    def _interrupt(self) -> None:
        self._course.interrupt()
        if self._joined.junctions is not None:
            self._joined.junctions.forget()

    def _pace(self, size: float) -> None:
        """Where no time scale was given, drift dies away over two of the first windows."""
        junctions = self._joined.junctions
        if junctions is not None and junctions.scale is None:
            junctions.scale = TIMES * size

    def _position(self) -> tuple[Any, ...]:
        wave = self.player.wave, self.player.origin
        stands = self.t, self.x, self.u, self.signs, self.due
        junctions = self._joined.junctions
        mu = None if junctions is None else junctions.scale
        known = self._joined.outputs(), self._joined.coordination.z, mu
        return *stands, self._passed, known, *wave, self._course.memory()

    def _take(self, position: tuple[Any, ...]) -> None:
        self.t, self.x, self.u, self.signs, self.due, self._passed = position[:6]
        known, wave, origin, memory = position[6:]
        self._course.recall(memory)
        outputs, z, mu = known
        self._joined.know(outputs)
        self._joined.push(z)
        if self._joined.junctions is not None:
            self._joined.junctions.scale = mu
            self._joined.junctions.forget()
        self.player.play(wave, origin)
        self._before = None
        self._course.forget()

    # the rest -----------------------------------------------------------------------------------

    @property
    def effort(self) -> Effort:
        """What its integrator has cost since the start."""
        return self._course.effort

    @property
    def ending(self) -> bool:
        """Whether a part asks to end the simulation."""
        return any(s.subsystem.ending for s in self._may_end)

    @cached_property
    def _may_end(self) -> list[Any]:
        return [s for s in self.assembly.subsystems if s.capabilities.can_ask_to_end]
