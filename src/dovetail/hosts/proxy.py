"""A part that lives elsewhere: a subsystem with exactly the capabilities of the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.description import Description
from ..core.errors import PartFailed, RunError
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Window
from ..subsystems.foreign import take_findings
from ..subsystems.subsystem import Model, Reached
from .failed import HostFailed, named_inputs
from .host import PartsHost
from .life import HostDied
from .members import METHODS
from .posting import PostedStep, Postings, Question, Step, SupportsPosts
from .tickets import Ticket

_NOTHING: dict[str, Any] = {"remarks": (), "log_messages": (), "reports": {}}


class Hosted:
    """What every part in a host answers; subclasses have what else theirs does."""

    def __init__(self, name: str, model: Model, host: PartsHost, number: int) -> None:
        self.name, self.model, self.host, self.number = name, model, host, number
        self.description: Description = model.description
        self.is_tried = True  # whether its states can be saved
        self._time = 0.0
        self._inputs: Signals | Waveform | None = None
        self._said: dict[str, Any] | None = None  # at its end
        self.kept = set[int]()  # keys of its snapshots
        self._posted = Postings()
        self.seconds: float | None = None  # of a step that was posted, as its host says

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        self._time = start
        self._ask("starting", "start", self.number, start, dict(values), derivatives)

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives."""
        self._inputs = inputs
        found: Signals = self._call("giving its outputs", "outputs", inputs, order)
        return found

    def outputs_at(self, inputs: Sequence[Signals], order: int) -> Sequence[Signals]:
        """Outputs for each of these inputs, by one message."""
        if not self.host.answers_many:
            return [self.outputs(given, order) for given in inputs]
        self._inputs = inputs[-1]
        found: Sequence[Signals] = self._call(
            "giving its outputs", "outputs_at", list(inputs), order
        )
        return found

    def begin(self) -> None:
        """Leave initialization."""
        self._call("starting", "begin")

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Step over `window`, or up to an event in it."""
        self._inputs, self.seconds = inputs, None
        found: Reached
        if (step := self._posted.take_step(window, inputs)) is not None:
            found = self._fetched(step.ticket, "advancing", window)
            self.seconds = step.ticket.seconds
        else:
            found = self._ask(
                "advancing", "call", self.number, "advance", window, inputs, window=window
            )
        self._time = found.time
        return found

    @property
    def takes_posts(self) -> bool:
        """Whether it can be asked before anybody waits for the answer."""
        return isinstance(self.host, SupportsPosts) and self.host.takes_posts

    def post_step(self, window: Window, inputs: Waveform, *, linearize: bool) -> None:
        """Ask for this step, and with `linearize` for a linearization where it lacks derivatives.

        The next step that is asked for is this one, or none of those that were posted is wanted.
        """
        ticket = self._post("advancing", "call", "advance", window, inputs, step=(window, inputs))
        behind = self._post("linearizing", "linearize_lacking") if linearize else None
        self._posted.steps.append(PostedStep(window, inputs, ticket, behind))

    def post_call(self, method: str, *given: Any) -> None:
        """Ask something that changes nothing; the same call, with the same objects, is answered."""
        ticket = self._post(METHODS[method], "call", method, *given)
        self._posted.put_call(method, given, ticket)

    def send(self) -> None:
        """What was posted is on its way."""
        if isinstance(self.host, SupportsPosts):
            self.host.send()

    def forget_steps(self) -> None:
        """No step that was posted is wanted."""
        self._posted.steps.clear()

    def leave(self) -> None:
        """Nobody waits for what it is doing any more."""
        if isinstance(self.host, SupportsPosts):
            self.host.leave()

    def close(self) -> None:
        """Close the part, and the host with its last one."""
        if self._said is None:
            self._said = self.host.farewell(self.number)

    def committed(self) -> None:
        """A window was completed."""
        try:
            self.host.commit()
        except HostDied as died:
            raise self._failed("writing its state", died) from None

    def call(self, doing: str, method: str, *given: Any) -> Any:
        """Call a method of the part that is no capability."""
        return self._call(doing, method, *given)

    def demand(self, doing: str, *asked: Any) -> Any:
        """Ask the host something about its part."""
        return self._ask(doing, *asked)

    def lost(
        self,
        died: HostDied,
        doing: str,
        window: Window | None = None,
        inputs: Signals | None = None,
    ) -> HostFailed:
        """Its host died, seen by native code: because of this part, or of another one before."""
        if self.host.failure is None:
            self._inputs = self._inputs if inputs is None else inputs
            self.host.failure = self._failed(doing, died, window)
        return self.host.failure

    def failure(self, died: HostDied, doing: str, time: float, step: Step) -> HostFailed:
        """What is said of a host that died over a question."""
        death, (window, inputs) = died.death, step
        ended = {"exit_code": death.exit_code, "signal": death.signal, "lines": death.lines}
        given = named_inputs(self.description, inputs)
        more: dict[str, Any] = {"host": self.host.name, "window": window, "inputs": given, **ended}
        return HostFailed(self.name, doing, time, death.reason, **more)

    def failed(self, error: Exception, doing: str, time: float) -> Exception:
        """The failure of a question that nobody waited for."""
        if isinstance(error, HostDied):
            return self.failure(error, doing, time, (None, self._inputs))
        if isinstance(error, PartFailed):
            take_findings(self.model, error.learned)
        if isinstance(error, RunError):
            return error
        return PartFailed(self.name, doing, time, f"{type(error).__name__}: {error}")

    def _call(self, doing: str, method: str, *given: Any) -> Any:
        ticket = self._posted.take_call(method, given)
        found = None if ticket is None else self._fetched(ticket, doing)
        if found is not None:
            return found
        return self._ask(doing, "call", self.number, method, *given)

    def _ask(self, doing: str, *asked: Any, window: Window | None = None) -> Any:
        return self._answered(lambda: self.host.ask(*asked), doing, window)

    def _fetched(self, ticket: Ticket, doing: str, window: Window | None = None) -> Any:
        assert isinstance(self.host, SupportsPosts)
        fetch = self.host.fetch
        return self._answered(lambda: fetch(ticket), doing, window)

    def _answered(self, ask: Callable[[], Any], doing: str, window: Window | None) -> Any:
        if self.host.failure is not None:
            raise self.host.failure  # whichever of its parts it was
        try:
            return ask()
        except HostDied as died:
            self.host.failure = self._failed(doing, died, window)
            raise self.host.failure from None
        except PartFailed as error:
            take_findings(self.model, error.learned)
            raise

    def _post(
        self,
        doing: str,
        method: str,
        *given: Any,
        step: Step = (None, None),
        counts: bool = False,
    ) -> Ticket:
        """Ask, and fetch the answer later, if at all; if it `counts`, a failure is told anyhow."""
        assert isinstance(self.host, SupportsPosts)
        post = self.host.post
        asker = Question(self, doing, self._time, *step)

        def ask() -> Ticket:
            return post(asker, method, self.number, *given, counts=counts)

        found: Ticket = self._answered(ask, doing, step[0])
        return found

    def deed(self, doing: str, method: str, key: int) -> None:
        """Something that gives no answer: it goes along with the next question."""
        self._posted.take_call(method, ())  # nothing that was posted counts behind it
        if self.takes_posts:
            self._post(doing, method, key, counts=True)
        else:
            self._ask(doing, method, self.number, key)

    def _failed(self, doing: str, died: HostDied, window: Window | None = None) -> HostFailed:
        blamed = self.host.blamed() if isinstance(self.host, SupportsPosts) else None
        time = self._time if window is None else window.start
        return blamed or self.failure(died, doing, time, (window, self._inputs))

    def shown(self, member: str) -> Any:
        """What it has to say, now or at its end."""
        if self._said is None:
            return self._call("giving its messages", member)
        if member in self._said:
            return self._said[member]
        return _NOTHING[member] if member in _NOTHING else _effort()


def _effort() -> Any:
    from ..core.statistics import Effort

    return Effort()
