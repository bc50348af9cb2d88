"""What a part in a host was asked before anybody waits for the answer."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..core.signals import Signals, Waveform
from ..core.window import Window
from .failed import HostFailed
from .life import HostDied
from .tickets import Ticket

if TYPE_CHECKING:
    from .proxy import Hosted


@runtime_checkable
class SupportsPosts(Protocol):
    """A host where several questions may be on their way at once."""

    @property
    def takes_posts(self) -> bool:
        """Whether they may now."""

    def post(self, asker: Any, method: str, *given: Any, counts: bool = True) -> Ticket:
        """Ask, and fetch the answer later, if at all."""

    def send(self) -> None:
        """What was posted is on its way."""

    def fetch(self, ticket: Ticket) -> Any:
        """The answer to what was posted."""

    def leave(self) -> None:
        """Nobody waits for what it is doing any more."""

    def blamed(self) -> HostFailed | None:
        """The failure of the part over whose question it died."""


@dataclass(frozen=True, slots=True)
class Question:
    """One of them, as it is told if the host fails over it."""

    part: Hosted
    doing: str
    time: float
    window: Window | None = None
    inputs: Signals | Waveform | None = None

    def died(self, died: HostDied) -> HostFailed:
        """The host died over it."""
        return self.part.failure(died, self.doing, self.time, self.window, self.inputs)

    def failed(self, error: Exception) -> Exception:
        """It failed, and nobody waited for its answer."""
        return self.part.failed(error, self.doing, self.time)


@dataclass(frozen=True, slots=True)
class PostedStep:
    """A step that is on its way, and the linearization behind it, if it is wanted."""

    window: Window
    inputs: Waveform
    ticket: Ticket
    linearized: Ticket | None

    def is_over(self, window: Window, inputs: Waveform) -> bool:
        """Whether it is this step, to the last bit."""
        a, b = self.inputs.coefficients, inputs.coefficients
        same = self.window == window and self.inputs.discrete == inputs.discrete
        return same and a.shape == b.shape and a.tobytes() == b.tobytes()


class Postings:
    """Steps of one part that are on their way, in order, and calls that change nothing."""

    def __init__(self) -> None:
        self.steps = deque[PostedStep]()
        self._calls: dict[str, tuple[tuple[Any, ...], Ticket]] = {}

    def take_step(self, window: Window, inputs: Waveform) -> PostedStep | None:
        """The next one, if it is this; if not, none of them is wanted any more."""
        self._calls.clear()
        if self.steps and self.steps[0].is_over(window, inputs):
            found = self.steps.popleft()
            if found.linearized is not None:
                self._calls["linearize"] = (), found.linearized
            return found
        self.steps.clear()
        return None

    def put_call(self, method: str, given: tuple[Any, ...], ticket: Ticket) -> None:
        """A call is on its way."""
        self._calls[method] = given, ticket

    def take_call(self, method: str, given: tuple[Any, ...]) -> Ticket | None:
        """This call, if it is on its way; if not, none is wanted any more."""
        posted = self._calls.pop(method, None)
        if posted is not None and tuple(map(id, posted[0])) == tuple(map(id, given)):
            return posted[1]
        if method not in self._pure:
            self._calls.clear()
        return None

    _pure = frozenset(("linearize", "switches", "next_event"))
