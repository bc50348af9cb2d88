"""Several subsystems that are asked in one call."""
# Over 250 lines: one contract, with what it takes in and gives back.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from ..core.errors import RunError
from ..core.obstacle import Obstacle
from ..core.signals import Signals, Span, Vector, Waveform
from ..core.values import Values
from ..core.window import Window
from .control import Control, ControlProgress
from .live import Live
from .run_memory import RunMemory
from .subsystem import Reached

if TYPE_CHECKING:
    from ..runplan.making import MemberFacts
    from ..runplan.plan import RunPlan
    from .restart import Restart
    from .whole_runs import RunOutline, WholeRuns


class Batch(Protocol):
    """Subsystems of one sort that live behind one door, such as all in-process FMUs.

    `members` are asked by it in windows from Python as well; others are lent to it for `run`, which
    finds them as they stand and leaves them so. It holds the signals of no one: coefficients and
    outputs are those of the whole system, and members know their places. It rehearses its members
    itself: opened for a window, a member that answered the same inputs last answers from memory,
    any other rolls back first if it can. Failures come out as `PartFailed`, those of `run` as
    part of its progress.
    """

    @property
    def members(self) -> frozenset[int]:
        """The numbers, in the assembly, of those that it asks in any window."""

    def open(self, window: Window) -> None:
        """Start rehearsing `window`."""

    def shorten(self, window: Window) -> None:
        """The window ends earlier; members that have stepped roll back."""

    def mark(self) -> None:
        """A mark is set: the next window opens there."""

    def restore(self, part: int, mark: Any) -> None:
        """Bring a member back to a mark; now and then see whether it is there."""

    def abandon(self) -> None:
        """Leave every member at the window's start."""

    def ask(self, parts: Sequence[int], coefficients: Vector, outputs: Vector) -> None:
        """Ask these members with their rows of the inputs; answers go to their places."""

    def sweep(
        self, parts: Sequence[int], begin: Vector, coefficients: Vector, outputs: Vector
    ) -> None:
        """Ask one after another, each seeing what came before; inputs are written as given."""

    def columns(
        self,
        parts: Sequence[int],
        places: Sequence[Any],
        moves: Sequence[Any],
        coefficients: Vector,
    ) -> Vector:
        """Changes of outputs, part by part, move by move of one input at the window's end."""

    @property
    def plan(self) -> RunPlan:
        """What native code was told: it runs that, and nothing else."""

    def run(self, memory: RunMemory, stretch: WindowRange, lines: Vector) -> BatchProgress:
        """Many windows of its plan in one call, until time for a look at the world.

        Each fills a line: the time of its end, then what is recorded. A failure is part of what
        comes back, because the windows before it count.
        """

    def control(self, memory: RunMemory, control: Control, lines: Vector) -> ControlProgress:
        """Windows that a controller sizes, in one call, until time for a look at the world.

        Each step that stands fills a line, as in `run`.
        """

    def heed_interrupts(self, heeded: bool) -> None:
        """Let Ctrl-C end what it is doing after the step that is running, or no longer."""

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on."""

    def tune(self, part: int, values: Values) -> None:
        """Parameters of a member have these values from now on."""

    @property
    def ending(self) -> str | None:
        """A member that asks to end the simulation after this window, if any."""

    def counted(self) -> None:
        """Bring the counters of the members up to date."""

    def close(self) -> None:
        """Give back what is held, before the members close."""


@dataclass(frozen=True, slots=True)
class WindowRange:
    """Windows along a grid: the first, the line it starts at, and how many."""

    first: Window
    origin: float
    line: int
    count: int

    def window(self, k: int) -> Window:
        """One of them."""
        if k == 0:
            return self.first
        edges = [self.origin + (self.line + i) * self.first.size for i in (k, k + 1)]
        return Window(self.first.stop if k == 1 else edges[0], self.first.size, edges[1])


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """What a call did: whole windows, and iterations in them; how many ended at the limit.

    `undecided`: the next window is left as it was, for Python, which can say more; `passing`:
    because something happens in it, which says nothing of those behind it. `failure`: why
    the window after these could not be stepped over; Ctrl-C in the midst of it is one.
    """

    windows: int
    iterations: int = 0
    doubtful: int = 0
    undecided: bool = False
    failure: RunError | KeyboardInterrupt | None = None
    passing: bool = False


@runtime_checkable
class SupportsRenewal(Protocol):
    """A batch that can be as it was made, for another run of the same members."""

    def renew(self, start: Signals) -> None:
        """Nothing of the last run stays; members stand at the start, and their outputs are known.

        Inputs that nothing feeds have these values.
        """

    def whole_runs(self, outline: RunOutline, restarts: Sequence[Restart]) -> WholeRuns | None:
        """Runs of its members in one call each, now that it is renewed; None where it has none."""

    @property
    def has_refused(self) -> bool:
        """Whether a member refused something in this run, which a user should know."""


class BatchFactory(Protocol):
    """Makes a batch. A model names the one its parts belong to as its `batch_factory`."""

    def __call__(self, members: Sequence[Live], plan: RunPlan) -> Batch:
        """A batch of the members of this plan, in their order."""

    def facts(self, model: Any) -> MemberFacts:
        """What a plan says of a part of this model."""


BatchRole = Literal["asked", "lent", "lent, may leave", "lent, rolls back"]
"""Asked in any window, or lent to native ones, which some may leave in their midst.

One that rolls back does so to where any window began, of any size.
"""


@runtime_checkable
class SupportsBatch(Protocol):
    """A model whose parts may be stepped in native code, several in one call."""

    @property
    def batch_obstacles(self) -> tuple[Obstacle, ...]:
        """What stands against it, with no part named; nothing if it is possible."""

    @property
    def batch_factory(self) -> BatchFactory:
        """What makes a batch of its parts, and of those of other models that name the same."""

    @property
    def batch_role(self) -> BatchRole:
        """How they take part in it."""


@runtime_checkable
class SupportsCubics(Protocol):
    """One whose parts may be given cubics there."""

    def cubic_obstacles(self, substeps: int) -> tuple[Obstacle, ...]:
        """What stands against that, where a step is cut into so many substeps."""


class BatchRehearsal:
    """The rehearsal of one member: all it does is to ask the batch."""

    estimates = False
    assessment = None

    def __init__(self, batch: Batch, index: int, live: Live, inputs: Span, outputs: Span) -> None:
        self._batch, self._index, self._live = batch, index, live
        self._in, self._out = inputs.reals, outputs.reals
        self._window = Window(0.0, 0.0, 0.0)

    def open(self, window: Window) -> None:
        """The batch opens the window for all its members."""
        self._window = window

    def shorten(self, window: Window) -> None:
        """The batch shortens it."""
        self._window = window

    def outputs(self, inputs: Waveform) -> Reached:
        """Where the window would end if the inputs were these."""
        coefficients = np.zeros((self._in.stop, inputs.coefficients.shape[1]))
        coefficients[self._in] = inputs.coefficients
        found = np.zeros(self._out.stop)
        self._batch.ask((self._index,), coefficients, found)
        return Reached(self._window.stop, Signals(found[self._out]))

    def commit(self, inputs: Waveform) -> Reached:
        """Make these the inputs that happened."""
        return self.outputs(inputs)

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        """Differences, one genuine step per direction."""
        base = self.outputs(inputs).outputs.reals
        moved = [self.outputs(inputs + d).outputs.reals for d in directions]
        return [Signals(m - base) for m in moved]

    def response(self, columns: int) -> None:
        """Nothing is predicted."""

    def abandon(self) -> None:
        """The batch does it."""

    def restart(self) -> None:
        """Nothing is learned."""

    def dump(self) -> None:
        """Nothing is learned."""

    def load(self, learned: None) -> None:
        """Nothing is learned."""

    def restore(self, start: Any) -> None:
        """The batch brings it there."""
        self._batch.restore(self._index, start)
