"""How a subsystem answers 'what would come out at the end of this window?'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..core.signals import Signals, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached

if TYPE_CHECKING:
    from .forecast import Assessment
    from .response import Response


class Rehearsal(Protocol):
    """One subsystem through all windows of a run. What it learns on the way lives here.

    It learns at `commit` only, so that a window that is dropped leaves no trace.
    """

    @property
    def estimates(self) -> bool:
        """Whether `outputs` is what `response` says, as long as nothing is committed."""

    def open(self, window: Window) -> None:
        """Start rehearsing `window` from where the subsystem stands."""

    def shorten(self, window: Window) -> None:
        """The window ends earlier; a step that ended just there is kept, any other undone."""

    def outputs(self, inputs: Waveform) -> Reached:
        """Where the window would end if the inputs were these."""

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        """What moving the inputs by each direction adds to the outputs, to first order."""

    def response(self, columns: int) -> Response | None:
        """A forecast of the window for inputs with so many coefficients; None without one."""

    def commit(self, inputs: Waveform) -> Reached:
        """Make these the inputs that happened."""

    @property
    def assessment(self) -> Assessment | None:
        """How good the forecast of the last committed window was; None without one."""

    def abandon(self) -> None:
        """Leave the subsystem at the window's start."""

    def restart(self) -> None:
        """Forget what was learned before an event."""

    def dump(self) -> Any:
        """What was learned, as a value."""

    def load(self, learned: Any) -> None:
        """Take over what was learned elsewhere, or earlier."""

    def restore(self, start: Any) -> None:
        """Bring the subsystem back to this state, which was taken from outside."""


@runtime_checkable
class SupportsPreparing(Protocol):
    """A rehearsal that can have its part asked before anybody waits for the answer."""

    def prepare(self, inputs: Waveform, *, genuine: bool, may_be_cut: bool) -> None:
        """`outputs` will be asked for these inputs next, or, if it is genuine, `commit`.

        `may_be_cut`: other parts may cut the window before that.
        """

    def prepare_sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> None:
        """`sensitivity` will be asked next."""

    def recall(self) -> None:
        """What was prepared is not asked: the part stands as if it had not been."""


class Estimator(Protocol):
    """A way of answering, chosen per subsystem. Frozen; `bind` makes it live."""

    @property
    def repeatable(self) -> bool:
        """Whether one window may be evaluated more than once."""

    def bind(self, subsystem: Live) -> Rehearsal:
        """Rehearse this subsystem."""


@runtime_checkable
class SupportsForecast(Protocol):
    """An estimator that may predict windows though it answers by rolling back."""

    @property
    def predict(self) -> bool:
        """Whether it does."""


@runtime_checkable
class SupportsSubsteps(Protocol):
    """An estimator that can cut windows for inputs that its part cannot follow."""

    @property
    def substeps(self) -> int:
        """Into how many substeps."""


def predicts(estimator: Estimator) -> bool:
    """Whether a forecast of each window is asked of it beside genuine answers."""
    return isinstance(estimator, SupportsForecast) and estimator.predict


def substeps_of(estimator: Estimator) -> int:
    """Into how many substeps it cuts a window."""
    return estimator.substeps if isinstance(estimator, SupportsSubsteps) else 1
