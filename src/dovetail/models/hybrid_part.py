"""Zero crossings of a Dynamic, and the jumps that they cause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.signals import Signals, Vector
from ..integrators.course import Course
from ..subsystems.held_switches import Signs
from .functions import CheckedFunction
from .model_functions import ModelFunctions

if TYPE_CHECKING:
    from .dynamic import Dynamic

_MOVE = 2.0**-26  # by which a value is moved to see the effect of its rounding
_ROUNDINGS = 2.0**-49  # a few times the rounding of a sum


class HybridPart(ModelFunctions):
    """Where a part stands, with the side each of its zero crossings is armed on."""

    signs: tuple[int, ...] = ()

    def __init__(self, name: str, model: Dynamic) -> None:
        super().__init__(name, model)
        self._on_event = None
        if (on_event := model.on_event) is not None:
            self._on_event = CheckedFunction(
                name, "on_event", lambda t, which, *a: on_event(which, t, *a)
            )
        self.t = 0.0
        self.x: Vector = np.zeros(0)
        self.u = Signals(np.zeros(0))
        self._course = Course(name, model.integrator)
        self.signs = ()
        # what an event starts from: the crossings that are due, x and signs before their jumps
        self.due: tuple[tuple[int, ...], Vector, tuple[int, ...]] = (), self.x, ()

    def state(self) -> Vector:
        """The states where it stands."""
        return self.x

    def place(self, time: float, state: Vector, signs: Signs = (), crossed: Signs = ()) -> None:
        """Stand there from now on."""
        self.t, self.x, self._course.next_size = time, np.array(state, dtype=float), None
        self.signs = signs or self.signs
        self.due = crossed, self.x, self.signs

    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs carry a zero crossing to its other side."""
        if self._crossings is None or self.due[0]:
            return False
        return bool(flipped(self.signs, self._signs(self.x, inputs)))

    def jumped(
        self, which: int, time: float, state: Vector, inputs: Signals
    ) -> tuple[Vector, list[int]]:
        """Where the states would be after the event of one crossing, and which it names."""
        if self._on_event is None:
            return state, []
        make_x, make_u, _ = self._names
        u = make_u(inputs.reals, inputs.discrete)
        jumps = self._on_event(time, which, make_x(state, ()), u, self.p)
        after = self._with(state, jumps)
        if jumps is None:
            return after, []
        if not isinstance(jumps, Mapping):
            return after, np.flatnonzero(after != state).tolist()
        places = self._places()
        return after, [k for name in jumps for k in range(places[name].start, places[name].stop)]

    def _places(self) -> dict[str, slice]:
        """Where each state lies in the vector of all."""
        k, places = 0, {}
        for v in self._variables[0]:
            places[v.name] = slice(k, k + v.size)
            k += v.size
        return places

    def _signs(self, x: Vector, u: Signals) -> tuple[int, ...]:
        if self._crossings is None:
            return ()
        return tuple(int(s) for s in np.sign(self.crossings(self.t, x, u)))

    def _arrived(self) -> tuple[int, ...]:
        """Crossings that stand at zero now, but for rounding, and are still armed.

        A window that is cut at an event is solved again, and may end a rounding before it. Were
        that not the event, the next one would be found so near that no clock could reach it.
        """
        if not any(self.signs):
            return ()

        def found(t: float, x: Vector, u: Vector) -> Vector:
            return self.crossings(t, x, Signals(u, None, self.u.discrete))

        z = found(self.t, self.x, self.u.reals)
        rounding = abs(found(self.t * (1 + _MOVE), self.x, self.u.reals) - z)
        for at, vector in ((0, self.x), (1, self.u.reals)):
            for k, value in enumerate(vector):
                moved = [self.x, self.u.reals]
                moved[at] = vector.copy()
                moved[at][k] = value * (1 + _MOVE)
                rounding += abs(found(self.t, *moved) - z)
        near = np.abs(z) <= _ROUNDINGS / _MOVE * rounding
        return tuple(k for k, sign in enumerate(self.signs) if sign and near[k])

    def _take_jumps(self, inputs: Signals) -> None:
        """Crossings that the inputs made by jumping, while time stood still."""
        crossed = flipped(self.signs, self._signs(self.x, inputs))
        if crossed:
            self._jump(crossed, self.x, self.signs, inputs)

    def _jump(
        self, crossed: tuple[int, ...], x: Vector, signs: tuple[int, ...], inputs: Signals
    ) -> None:
        """Call `on_event` for each crossing, and for those that the jump itself crosses.

        A crossing fires once at an instant, and is not armed again before it has left zero.
        """
        make_x, make_u, _ = self._names
        u, fired = make_u(inputs.reals, inputs.discrete), set[int]()
        while crossed:
            fired.update(crossed)
            for which in crossed if self._on_event is not None else ():
                assert self._on_event is not None
                x = self._with(x, self._on_event(self.t, which, make_x(x, ()), u, self.p))
            after = self._signs(x, inputs)
            crossed = tuple(k for k in flipped(signs, after) if k not in fired)
        self.x, self._course.next_size = x, None
        self.signs = tuple(0 if k in fired else s for k, s in enumerate(after))

    def _with(self, x: Vector, jumps: Any) -> Vector:
        assert self._on_event is not None
        if jumps is None:
            return x
        if not isinstance(jumps, Mapping):
            vector = np.asarray(jumps, dtype=float)
            if self.model.vector and vector.shape == x.shape:
                return vector.copy()
            what = "it must return the states that jump, by name"
            raise self._on_event.failed(self.t, what)
        x, places = x.copy(), self._places()
        for name, value in jumps.items():
            if name not in places:
                raise self._on_event.failed(self.t, f"it moves '{name}', which is no state")
            x[places[name]] = np.ravel(value)
        return x


def flipped(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    """Which of these signs changed to their opposite."""
    pairs = enumerate(zip(before, after, strict=False))
    return tuple(k for k, (old, new) in pairs if old * new < 0)
