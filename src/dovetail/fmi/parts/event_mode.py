"""What a model-exchange FMU does while time stands still: modes, jumps, new discrete states."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...core.errors import PartFailed
from ...core.signals import Signals, Vector
from ..calls.exchange import Exchange

if TYPE_CHECKING:
    from ...integrators.course import Course
    from .evaluation import Evaluation

Mode = Literal["initialization", "event", "continuous"]
_SLACK = 1e-9  # nearer than this, relatively, is the same time
_AHEAD = 1e-7  # a look into the future, to see where an indicator goes
_ROUNDS = 100  # updates in a row before an FMU is taken to be stuck


class EventMode:
    """Where the FMU stands, and the modes it goes through there.

    In event mode all inputs may be set and outputs read as often as wanted: that leaves no trace.
    Only an update takes something over. `stirred`: there is something to take over.
    """

    name: str
    signs: tuple[int, ...] = ()  # the side each indicator is armed on
    _smooth_inputs: list[Any]
    _inputs: list[Any]
    _held_reals: Any
    _watches_steps: bool
    evaluation: Evaluation
    _hand: Any
    _got: Any
    _course: Course
    _jacobian: Any

    def __init__(self, instance: Exchange) -> None:
        self._exchange = instance
        self.mode: Mode = "initialization"
        self.t = 0.0
        self.x: Vector = np.zeros(0)
        self.u = Signals(np.zeros(0))
        self.signs = ()
        self.fired: tuple[int, ...] = ()  # those that changed sign where it stands
        self.armed: tuple[int, ...] = ()  # the sides before they did
        self.zeros: tuple[int, ...] = ()  # those that an event has left at zero
        self.due = False  # an event is due where it stands
        self.stirred = False
        self.next_time = inf  # of its next time event
        self.nominal: Vector | None = None
        self.ending = False
        self.events = 0  # how many times it left event mode

    def _begin_events(self) -> None:
        """After initialization it stands at its first event."""
        self.mode, self.stirred = "event", True
        update = self._exchange.at_start
        if update is not None:  # FMI 1 had it in the initialization
            self._take_update(update)
            self.stirred = update.again

    def _stand(self) -> None:
        """Make the FMU stand where the part does; evaluations may have led it elsewhere."""
        if self.mode == "continuous":
            self._hand(self._smooth_inputs, self.u.reals, ())
            self.evaluation.stand(self.t, self.x)

    def _offer(self, inputs: Signals) -> None:
        """Set the continuous inputs for an evaluation."""
        self._settle()
        if self._jumps(inputs):
            what = "a discrete input can change at an event only; hand it over with event()"
            raise PartFailed(self.name, "evaluating its equations", self.t, what)
        self._hand(self._smooth_inputs, inputs.reals, ())

    def _tried(self, inputs: Signals) -> Signals:
        """Outputs for these inputs in event or initialization mode."""
        if self.mode == "continuous":
            self._enter()
        elif self.mode == "event" and not self._equal(inputs):
            self.stirred = True
        self.u = inputs
        self._hand(self._inputs, inputs.reals, inputs.discrete)
        found: Signals = self._got()
        return found

    def _enter(self) -> None:
        if self.t < self.next_time <= self.t + _SLACK * max(abs(self.t), 1.0) and self.due:
            self.evaluation.floor = self.next_time  # a clock of ours may be a rounding behind
        self._stand()
        if self._watches_steps:  # the step that leads here ends before its event begins
            self.ending = self._exchange.completed(False)[1] or self.ending
        self._exchange.enter_event_mode()
        self.mode, self.stirred, self.due = "event", True, False

    def _updated(self) -> bool:
        """One stroke; whether there was anything to take over. Ends event mode if not."""
        if self.mode != "event":
            return False
        if not self.stirred:
            self._leave()
            return False
        update = self._exchange.update()
        self.stirred = update.again
        self._take_update(update)
        return True

    def _take_update(self, update: Any) -> None:
        self.ending = self.ending or update.ending
        self.next_time = update.next_time
        if update.nominals_changed:
            self._weigh(self.evaluation.nominals())

    def _leave(self) -> None:
        """Back to continuous time, with the states that the event has left."""
        self.evaluation.check_counts()
        self._exchange.enter_continuous_mode()
        if self.events == 0:
            self._weigh(self.evaluation.nominals())
        self.mode = "continuous"
        self._course.forget()
        self.events += 1
        before, self.x = self.x, self.evaluation.present_states()
        if self.evaluation.indicators:
            self.signs = self._armed(jumped=not np.array_equal(before, self.x))
        self.fired = ()

    def _armed(self, *, jumped: bool) -> tuple[int, ...]:
        """The side each indicator is armed on, after an event; `jumped`: states did.

        One that has just changed sign arms where it leaves zero. But an FMU may not agree that
        it did: inputs that others confirm can be a rounding short of it. Then it stays armed,
        and fires again. FMI counts an exact zero to the side below; not all tools do. So any other
        fires as soon as it leaves zero, the way it is going, or upwards where it stands.
        """
        z = self.evaluation.crossings(self.t, self.x).copy()
        signs = np.sign(z).astype(int).tolist()
        self.zeros = tuple(np.flatnonzero(z == 0).tolist())
        for k in self.fired:
            stays = not jumped and k < len(self.armed) and self.armed[k] * z[k] >= 0
            signs[k] = self.armed[k] if stays else 0
        if any(k not in self.fired for k in self.zeros):
            ahead = _AHEAD * max(abs(self.t), 1.0)
            derivative = self.evaluation.rates(self.t, self.x).copy()
            later = self.evaluation.crossings(self.t + ahead, self.x + ahead * derivative)
            for k in set(self.zeros) - set(self.fired):
                signs[k] = -int(np.sign(later[k])) or -1  # FMI: an exact zero is below it
        return tuple(signs)

    def _weigh(self, nominal: Vector | None) -> None:
        """How large states are; the same array where nothing is new, as others go by that."""
        known = self.nominal
        if nominal is not None and known is not None and np.array_equal(nominal, known):
            return
        self.nominal = nominal
        self._jacobian.nominal = np.ones(self.x.size) if self.nominal is None else self.nominal

    def _settle(self) -> None:
        """End event mode here and now: no other part is asked."""
        for _ in range(_ROUNDS):
            if not self._updated():
                return
        what = f"its event does not end: it wants new discrete states after {_ROUNDS} rounds"
        raise PartFailed(self.name, "handling an event", self.t, what)

    def _take_jumps(self, inputs: Signals) -> bool:
        """The event that these inputs make by jumping, while time stood still; whether any."""
        if inputs is self.u and not self.due and not self.evaluation.indicators:
            return False
        fired = () if self._jumps(inputs) else self._flipped(inputs)
        if not fired and not self._jumps(inputs) and not self.due:
            self.u = inputs
            return False
        self.fired = (*self.fired, *fired) if self.due else fired
        self.armed = self.armed if self.due else self.signs
        self._enter()
        self._tried(inputs)
        self._settle()
        return True

    def _flipped(self, inputs: Signals) -> tuple[int, ...]:
        """Indicators that these inputs carry to their other side."""
        if not self.evaluation.indicators:
            return ()
        self._hand(self._smooth_inputs, inputs.reals, ())
        after = np.sign(self.evaluation.crossings(self.t, self.x)).tolist()
        pairs = enumerate(zip(self.signs, after, strict=True))
        return tuple(k for k, (old, new) in pairs if old * new < 0)

    def _jumps(self, inputs: Signals) -> bool:
        """Whether inputs change that may do so at an event only."""
        if inputs.discrete != self.u.discrete:
            return True
        held = self._held_reals
        return bool(held.size) and not np.array_equal(inputs.reals[held], self.u.reals[held])

    def _without_jumps(self, inputs: Signals) -> Signals:
        """These inputs, with those that may change at an event only as they are."""
        reals = np.array(inputs.reals)
        reals[self._held_reals] = self.u.reals[self._held_reals]
        return Signals(reals, None, self.u.discrete)

    def _equal(self, inputs: Signals) -> bool:
        return inputs.equals(self.u)
