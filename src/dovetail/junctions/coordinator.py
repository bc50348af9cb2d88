"""The equations at the interfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..core.signals import Discrete, Signals, Vector
from ..subsystems.live import Live
from ..subsystems.subsystem import Linearization
from .coordination import Coordination
from .finding import Finding


class InstantView(Protocol):
    """Outputs while time stands still, or their time derivatives of some order."""

    def __call__(self, inputs: Signals, order: int, parts: Sequence[int]) -> Vector:
        """Derivatives of the outputs of these subsystems, zeros for those of the others."""

    def many(self, inputs: Sequence[Signals], order: int, parts: Sequence[int]) -> list[Vector]:
        """The same for several inputs at once."""

    @property
    def time(self) -> float:
        """The time at which all parts stand."""

    @property
    def begun(self) -> bool:
        """Whether initialization is over."""

    def evaluates(self, part: int) -> bool:
        """Whether a subsystem evaluates its equations for any inputs, at no risk."""

    def lacking(self, part: int, order: int) -> str:
        """Why a subsystem cannot give derivatives of this order here; nothing if it can."""

    def linearization(self, part: int) -> Linearization | None:
        """The linearization of a subsystem where it stands, if it knows it."""

    def steps(self, part: int, inputs: Signals) -> tuple[Vector, Vector, float] | None:
        """Outputs after one and two short steps, and their size, where those are all it gives."""

    def state(self, part: int) -> Vector:
        """The continuous states of a subsystem that shows them."""

    def at(self, time: float, states: dict[int, Vector]) -> Any:
        """The same at another time, with these subsystems in other states; a context."""


class InterfaceCoordinator(Protocol):
    """Turns outputs and its own unknowns into inputs; plain wires have no unknowns.

    It holds nothing of a run: where it stands is a `Coordination`, part of the run's position.
    The unknowns are found in one of two places: inside the window, by an algorithm that iterates
    on the residual of a group of junctions, or after it, by `settle`.
    """

    @property
    def has_unknowns(self) -> bool:
        """Whether inputs are more than wired outputs: only then is there anything to settle."""

    @property
    def probe(self) -> float:
        """The share of a window that short steps may take, for parts that answer by them."""

    @property
    def warnings(self) -> Mapping[str, str]:
        """What is strange about ports, by port; known when the run has started."""

    def check(self, subsystems: Sequence[Live]) -> None:
        """Refuse parts that cannot do what it will ask of them."""

    def start(self) -> Coordination:
        """Where it stands before anything is known."""

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on; others do not count."""

    def inputs(self, outputs: Signals, coordination: Coordination) -> Signals:
        """Inputs of all subsystems."""

    def fed(self, inputs: Signals, coordination: Coordination) -> Signals:
        """These inputs, but for those that unknowns feed: what they are now."""

    def inputs_of(
        self,
        part: int,
        reals: Vector,
        derivatives: Vector | None,
        discrete: Sequence[Discrete],
        coordination: Coordination,
    ) -> Signals:
        """Inputs of one subsystem, from the outputs of all; its cost is that subsystem's own."""

    def settle(
        self,
        now: InstantView,
        outputs: Signals,
        coordination: Coordination,
        size: float,
        left: Signals | None = None,
    ) -> Coordination:
        """Where it stands after the subsystems moved by a window of this size.

        `left`: the outputs left of an event, if there was one.
        """

    def findings(self, coordination: Coordination) -> Sequence[Finding]:
        """How every group of junctions stands."""
