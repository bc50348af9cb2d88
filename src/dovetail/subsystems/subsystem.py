"""What a simulated part must be able to do, and what it may be able to do."""
# Over 250 lines: one contract: what a part must be able to do, and all that it may.

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..core.description import Description, Variable
from ..core.signals import Signals, Vector, Waveform
from ..core.values import Values
from ..core.window import Window


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """Where an advance ended: at the window's stop, or earlier; and whether at an event.

    `ending`: the part asks to end the simulation here. `late`: inputs that were held threw the
    switch that ended it, so that its event may have been anywhere inside.
    """

    time: float
    outputs: Signals
    event: bool = False
    ending: bool = False
    late: bool = False


class Model(Protocol):
    """A blueprint: described without running, made live as often as needed."""

    @property
    def description(self) -> Description:
        """The model seen from outside."""

    def instantiate(self, name: str) -> Subsystem:
        """A live subsystem made from this blueprint."""


@runtime_checkable
class Adaptable(Protocol):
    """A model that can take tunable parameters as inputs, so that they can be connected."""

    def tuned(self, names: Collection[str]) -> Model:
        """The same model with these parameters as inputs, behind those it has."""


class Subsystem(Protocol):
    """A simulated part. One call carries the inputs in and the outputs back.

    Life: initialize, outputs as often as needed, begin, advance ..., close. After `begin`,
    `outputs` may be asked only where the description says `can_evaluate_now`.
    """

    @property
    def description(self) -> Description:
        """The subsystem seen from outside."""

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization; with `derivatives`, answers must give them."""

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives of some order, without moving in time."""

    def begin(self) -> None:
        """Leave initialization."""

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Step over `window`, or up to an event in it."""

    def close(self) -> None:
        """Give back what is held. Never fails; may be called twice."""


@runtime_checkable
class SupportsManyOutputs(Protocol):
    """A subsystem far away: outputs for many inputs cost no more messages than for one."""

    def outputs_at(self, inputs: Sequence[Signals], order: int) -> Sequence[Signals]:
        """What `outputs` gives for each, one after another."""


@runtime_checkable
class SupportsLateOutputs(Protocol):
    """A subsystem that may know its outputs only when initialization is over."""

    def late_outputs(self) -> Signals | None:
        """Outputs right after `begin`, before anything is set; None: they are as before."""


@runtime_checkable
class Restorable(Protocol):
    """A subsystem that can roll back to where it was."""

    def snapshot(self) -> Any:
        """A handle on the present state."""

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier; the snapshot may be used again."""


@runtime_checkable
class SupportsRollbackCheck(Protocol):
    """A subsystem made by others, whose rollback is tried out before it is believed."""

    @property
    def checks_rollback(self) -> bool:
        """Whether a step is repeated now and then, to see whether the answer is the same."""

    def doubt_rollback(self, found: str) -> None:
        """It was not: `found` says in which way. From now on it counts as one that cannot."""


@runtime_checkable
class Serializable(Protocol):
    """A subsystem whose state can be serialized and read by another instance."""

    def dump(self) -> bytes:
        """The present state as bytes."""

    def load(self, state: bytes) -> None:
        """Take over a state that was dumped by an instance of the same model."""


@dataclass(frozen=True, slots=True, eq=False)
class Linearization:
    """dx = f(x, u), y = g(x, u) and their derivatives where the last step ended."""

    A: Vector
    B: Vector
    C: Vector
    D: Vector
    x: Vector
    dx: Vector
    u: Vector
    y: Vector


@runtime_checkable
class Linearizable(Protocol):
    """A subsystem that knows its directional derivatives."""

    def linearize(self) -> Linearization:
        """The linearization where the last step ended, with the inputs it ended with."""


@runtime_checkable
class Relinearizable(Protocol):
    """A linearizable subsystem that gives its state for less than its derivatives cost."""

    def relinearize(self, known: Linearization) -> Linearization:
        """Where the last step ended, with the matrices of an earlier linearization."""


@runtime_checkable
class Placeable(Protocol):
    """A subsystem that shows its continuous states, and can be put into others.

    Every subsystem that gives its `Equations` is one.
    """

    def state(self) -> Vector:
        """The continuous states where it stands."""

    def place(self, time: float, state: Vector) -> None:
        """Stand there from now on."""


@runtime_checkable
class Equations(Protocol):
    """A subsystem whose equations x' = f(t, x, u), y = g(t, x, u) can be evaluated anywhere.

    Asked between `begin` and `close`. Evaluating changes nothing that a later step depends on;
    only `place` does.
    """

    @property
    def states(self) -> tuple[Variable, ...]:
        """Its continuous states, scalar by scalar: names, units, nominal values."""

    @property
    def signs(self) -> tuple[int, ...]:
        """The side each crossing is armed on; 0 while it stands at zero."""

    @property
    def pattern(self) -> Any:
        """Which rates depend on which states, a sparse matrix of booleans; None: unknown."""

    def state(self) -> Vector:
        """The continuous states where it stands."""

    def place(
        self,
        time: float,
        state: Vector,
        signs: tuple[int, ...] = (),
        crossed: tuple[int, ...] = (),
    ) -> None:
        """Stand there from now on.

        `signs` and `crossed` are what an integrator found on the way: the side each crossing is
        on, and those that changed it there. Their event is due then, and `event` takes it.
        """

    def rates(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """f: the time derivatives of the states."""

    def values(self, time: float, state: Vector, inputs: Signals) -> Signals:
        """g: the outputs, without derivatives."""

    def crossings(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """Functions that change sign where an event is due; none for a smooth part."""

    def jacobian(self, time: float, state: Vector, inputs: Signals) -> Any:
        """df/dx, a sparse matrix (scipy.sparse.csc_array)."""

    def completed(self, time: float, state: Vector, inputs: Signals) -> bool:
        """A step of an integrator ended here; whether the part wants an event for it."""


@runtime_checkable
class SupportsEventTimes(Protocol):
    """A subsystem that knows when its next event is, whatever its inputs do."""

    def next_event(self) -> float:
        """The time of its next event; infinity if there is none."""


@runtime_checkable
class SupportsSwitching(Protocol):
    """A subsystem that inputs can throw like a switch, while time stands still."""

    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs, at the end of its last step, make it jump."""


@runtime_checkable
class EventDriven(Protocol):
    """A subsystem whose outputs may jump while time stands still."""

    def event(self, inputs: Signals) -> Signals:
        """Take the jump that is due, if any, and give the outputs right of it.

        Asked again with other inputs at the same instant, it answers for those inputs.
        """


@runtime_checkable
class Tunable(Protocol):
    """A subsystem whose parameters can be changed between windows."""

    def tune(self, values: Values) -> None:
        """Go on with these parameters. Outputs follow when they are asked next."""


@runtime_checkable
class SupportsEventUpdate(Protocol):
    """A subsystem that jumps in two strokes, as an FMU in event mode does.

    `event` answers for inputs that are tried out. When all parts agree, `update` makes the jump
    final; outputs may then change once more.
    """

    @property
    def ending(self) -> bool:
        """Whether it asked, in an update, to end the simulation."""

    def update(self) -> bool:
        """Take over the new discrete states; whether there was anything to take over."""
