"""A model-exchange FMU as a subsystem: its equations, with an integrator of ours inside."""

from __future__ import annotations

from math import ulp
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import codec
from ...core.errors import PartFailed
from ...core.signals import Signals, Waveform
from ...core.statistics import Effort
from ...core.values import Values, signals
from ...core.window import Window
from ...integrators.course import Course
from ...subsystems.held_switches import masked, others, unmasked
from ...subsystems.known_events import end_of
from ...subsystems.subsystem import Reached
from .evaluation import Evaluation
from .jacobian import Jacobian
from .part import named
from .window_equations import WindowEquations

if TYPE_CHECKING:
    from ..model import Fmu

_SLACK = 1e-9  # of a window: an event nearer than this is at its end


class ModelExchange(WindowEquations):
    """One live model-exchange FMU.

    Between events it is in continuous-time mode, and only continuous inputs are set. Whatever
    else changes is an event: discrete inputs, indicators that change sign, times that the FMU
    knows in advance, steps after which it asks for one. `event` tries inputs out in event mode,
    `update` takes over what comes of them.
    """

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model)
        self._course = Course(name, model.integrator)

    @property
    def effort(self) -> Effort:
        """What its integrator has cost since the start."""
        return self._course.effort

    @named("starting")
    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Instantiate, set what was given, enter initialization."""
        self._derivatives = derivatives
        self._begin_life(start, values)
        self.t, self.u = start, signals(self.description.inputs, values)
        structure = self.model.fmu.structure
        count = structure.state_count, structure.event_indicator_count
        once = not self.description.capabilities.can_restore
        self.evaluation = Evaluation(self.instance, *count, no_way_back=once)  # type: ignore[arg-type]
        self._jacobian = Jacobian(self.model, self.evaluation)
        self.x = np.zeros(self.evaluation.states)

    @named("giving its outputs")
    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs for these inputs, or their time derivatives, without moving in time."""
        if self.mode == "continuous" and not self._jumps(inputs):
            self.u = inputs
            self._stand()
            if order:
                return self._derived(inputs, order)
            return self._with_derivatives(self._got(), inputs.derivatives)
        if order:
            raise NotImplementedError("an FMU gives no derivatives of outputs during an event")
        return self._with_derivatives(self._tried(inputs), None)

    @named("starting")
    def begin(self) -> None:
        """Leave initialization. The FMU is in event mode then, and has its first event."""
        self._leave_initialization()
        self._begin_events()

    @named("integrating")
    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Integrate over the window, or up to an event in it."""
        start, self._time = window.start, window.start
        self._settle()
        slack = _SLACK * window.size
        if self.next_time <= start + min(slack, 8 * ulp(start)):
            self.due = True
            return Reached(start, self.outputs(self.u), event=True)
        begin = self.u
        if self._in_sizes != (0, 0):
            begin = Signals(inputs.reals(0.0), None, inputs.discrete)
        waiting: tuple[int, ...] = ()
        thrown = self._jumps(begin)
        if thrown:  # what may change at an event only waits for the one at the window's end
            begin = self._without_jumps(begin)
        if inputs.order == 0 and not self.due:
            waiting = self._flipped(begin)
            jumped, self.u = False, begin
        else:
            jumped = self._take_jumps(begin)
        stop, timed = end_of(window, self.next_time)
        self._forget_wishes()
        problem, taken = self._problem(inputs, start), masked(self.signs, waiting)
        arc = self._course.run(problem, start, self.x, stop, inputs, taken, jumped=jumped)
        self._hear_wishes()
        self.armed, self.ending = self.signs, self.ending or self.evaluation.ending
        self.t, self.x = arc.time, arc.state
        self.signs = unmasked(arc.signs, self.armed, waiting)
        if self._in_sizes != (0, 0):
            end = np.array(inputs.reals(arc.time - start))
            end[self._held_reals] = begin.reals[self._held_reals]  # they have not moved
            self.u = Signals(end, None, begin.discrete)
        self._time = arc.time
        self.fired = others(arc.crossed, waiting) or self._arrived(window.size)
        self.due = bool(self.fired) or arc.asked or (timed and arc.time >= stop)
        late = bool(waiting or thrown) and arc.time >= window.stop
        if late:
            self.fired, self.due = (*self.fired, *others(waiting, self.fired)), True
        self._stand()
        self._size = window.size
        rates = inputs.at(arc.time - start).derivatives if self._derivatives else None
        return Reached(
            arc.time, self._with_derivatives(self._got(), rates), self.due, self.ending, late
        )

    @named("handling an event")
    def event(self, inputs: Signals) -> Signals:
        """Try these inputs out where it stands; `update` makes what comes of them final."""
        if self.mode == "continuous" and not self.due and self._equal(inputs):
            self._stand()
            return self._with_derivatives(self._got(), inputs.derivatives)
        return self._with_derivatives(self._tried(inputs), None)

    @named("changing its parameters")
    def tune(self, values: Values) -> None:
        """Set these parameters, in event mode."""
        if self.mode == "continuous":
            self._enter()
        self.give_parameters(values)
        self.stirred = True

    @named("handling an event")
    def update(self) -> bool:
        """Take over new discrete states, if inputs or the FMU itself call for it."""
        return self._updated()

    @named("looking for events")
    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs are an event: discrete ones that change, indicators that flip."""
        if self.mode != "continuous" or self.due:
            return False
        return self._jumps(inputs) or bool(self._flipped(inputs))

    def next_event(self) -> float:
        """The time that the FMU gave; now, as long as it is in event mode."""
        return self.t if self.mode == "event" else self.next_time

    # rollback -----------------------------------------------------------------------------------

    @named("saving its state")
    def snapshot(self) -> Any:
        """Where it stands, with the FMU's own state if it can be saved."""
        saves = self.saves
        self._course.interrupt()
        self.try_state()
        if saves and self.mode == "continuous":
            self._stand()  # what was only tried out is no part of it
        return self._position(), self.instance.snapshot() if saves else None, self._memory()

    @named("rolling back")
    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        position, saved, memory = snapshot
        if saved is not None:
            self.instance.restore(saved)
        self._take(position, anew=saved is None)
        self._remember(memory)

    @named("writing its state")
    def dump(self) -> bytes:
        """The present state as bytes."""
        saves = self.saves
        self._course.interrupt()
        state = self.instance.dump() if saves else b""
        return codec.encode((self._position(), state, self._memory()))

    @named("reading its state")
    def load(self, state: bytes) -> None:
        """Take over a state that was dumped."""
        position, saved, memory = codec.decode(state)
        if np.shape(position[1]) != self.x.shape:  # the FMU is given an address and a count
            raise ValueError(
                f"{np.size(position[1])} states were written, and it has {self.x.size}"
            )
        self._settle()
        if saved:
            self.instance.load(saved)
        else:
            self.events = position[-1]
        self._take(position, anew=not saved)
        self._remember(memory)

    def _position(self) -> tuple[Any, ...]:
        stands = self.t, self.x, self.u, self.mode, self.stirred, self.due, self.fired, self.signs
        more = self.next_time, self._course.next_size, self.ending, self.evaluation.floor
        kept = self.zeros, self.armed, self._course.memory(), self.nominal, self.events
        return *stands, *more, *kept

    def _take(self, position: tuple[Any, ...], *, anew: bool) -> None:
        mode, events = position[3], position[-1]
        if anew and (events != self.events or mode != self.mode):
            what = "it had an event since, and the FMU cannot save what that changed"
            raise PartFailed(self.name, "rolling back", position[0], what)
        self._course.interrupt()
        self.t, self.x, self.u, self.mode, self.stirred, self.due = position[:6]
        self.fired, self.signs, self.next_time, self._course.next_size, self.ending = position[6:11]
        self.evaluation.floor, self.zeros, self.armed = position[11:14]
        self._course.recall(position[14])
        self._weigh(position[15])
        self.events, self._time = events, self.t

    # the rest -----------------------------------------------------------------------------------

    def _arrived(self, size: float) -> tuple[int, ...]:
        """Armed indicators that are at zero now, but for rounding.

        A window that is cut at an event is solved again, and may end a rounding before it.
        """
        if not any(self.signs):
            return ()
        self._offer(self.u)
        ahead = 1e-6 * size
        derivative = self.evaluation.rates(self.t, self.x).copy()
        z = self.evaluation.crossings(self.t, self.x).copy()
        with np.errstate(all="ignore"):
            later = self.evaluation.crossings(self.t + ahead, self.x + ahead * derivative)
            near = np.abs(z) <= 8 * ulp(self.t) * np.abs(later - z) / ahead
        still = [k for k in self.zeros if z[k] == 0]
        self.zeros = tuple(still)
        return tuple(k for k, s in enumerate(self.signs) if s and near[k] and k not in still)
