"""A part that lives elsewhere: a subsystem with exactly the capabilities of the real one."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..core.description import Description
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Window
from ..subsystems.foreign import SupportsDoubt
from ..subsystems.subsystem import Model, Reached
from .failed import HostFailed
from .host import Host, PartsHost
from .life import HostDied
from .members import FAREWELL, METHODS, PROPERTIES, SNAPSHOTS
from .travel import packed

_NOTHING: dict[str, Any] = {"remarks": (), "log_messages": (), "reports": {}}


class Hosted:
    """What every part in a host answers; subclasses have what else theirs does."""

    def __init__(self, name: str, model: Model, host: PartsHost, number: int) -> None:
        self.name, self.model, self.host, self.number = name, model, host, number
        self.description: Description = model.description
        self._time = 0.0
        self._inputs: Signals | Waveform | None = None
        self._said: dict[str, Any] | None = None  # at its end
        self.kept = set[int]()  # keys of its snapshots

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
        self._inputs = inputs
        found: Reached = self._call("advancing", "advance", window, inputs, window=window)
        self._time = found.time
        return found

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

    def _call(self, doing: str, method: str, *given: Any, window: Window | None = None) -> Any:
        return self._ask(doing, "call", self.number, method, *given, window=window)

    def _ask(self, doing: str, *asked: Any, window: Window | None = None) -> Any:
        if self.host.failure is not None:
            raise self.host.failure  # whichever of its parts it was
        try:
            return self.host.ask(*asked)
        except HostDied as died:
            self.host.failure = self._failed(doing, died, window)
            raise self.host.failure from None

    def _failed(self, doing: str, died: HostDied, window: Window | None = None) -> HostFailed:
        death, time = died.death, self._time if window is None else window.start
        ended = {"exit_code": death.exit_code, "signal": death.signal, "lines": death.lines}
        given = _named(self.description, self._inputs)
        more: dict[str, Any] = {"host": self.host.name, "window": window, "inputs": given, **ended}
        return HostFailed(self.name, doing, time, death.reason, **more)

    def _shown(self, member: str) -> Any:
        """What it has to say, now or at its end."""
        if self._said is None:
            return self._call("giving its messages", member)
        if member in self._said:
            return self._said[member]
        return _NOTHING[member] if member in _NOTHING else _effort()


class RemoteSnapshot:
    """A snapshot in a host, which is dropped there when nothing refers to it here."""

    def __init__(self, host: PartsHost, number: int, kept: set[int]) -> None:
        self.key = host.key()
        kept.add(self.key)
        weakref.finalize(self, _dropped, host, number, self.key, kept).atexit = False


def _dropped(host: PartsHost, number: int, key: int, kept: set[int]) -> None:
    kept.discard(key)
    host.drop(number, key)


def hosted(name: str, model: Model, host: Host) -> Hosted:
    """A part made from a model, in a host."""
    try:
        number, members = host.make(name, packed(name, model))
    except HostDied as died:
        asked = Hosted(name, model, host, 0)
        raise asked._failed("being made", died) from None
    return stand_in(name, model, host, number, members)


def stand_in(
    name: str, model: Model, host: PartsHost, number: int, members: Sequence[str]
) -> Hosted:
    """A part that is there already, with these members."""
    return _class_of(tuple(members))(name, model, host, number)


@cache
def _class_of(members: tuple[str, ...]) -> type[Hosted]:
    """A class with these members and no others: that is how capabilities are seen."""
    made: dict[str, Any] = {"__doc__": "A part in a host."}
    for member in members:
        if member in METHODS:
            made[member] = _method(member, METHODS[member])
        elif member in PROPERTIES:
            made[member] = _property(member)
        elif member in FAREWELL:
            made[member] = _saying(member)
    if all(member in members for member in SNAPSHOTS):
        made |= {"snapshot": _snapshot, "restore": _restore}
    if "doubt_rollback" in members:
        made["doubt_rollback"] = _doubt_rollback
    return type("HostedPart", (Hosted,), made)


def _method(name: str, doing: str) -> Callable[..., Any]:
    def called(self: Hosted, *given: Any) -> Any:
        return self._call(doing, name, *given)

    called.__name__ = name
    return called


def _property(name: str) -> property:
    return property(lambda self: self._call("answering", name))


def _saying(name: str) -> property:
    return property(lambda self: self._shown(name))


def _snapshot(self: Hosted) -> RemoteSnapshot:
    made = RemoteSnapshot(self.host, self.number, self.kept)
    self._ask("saving its state", "snapshot", self.number, made.key)
    return made


def _restore(self: Hosted, snapshot: RemoteSnapshot) -> None:
    self._ask("rolling back", "restore", self.number, snapshot.key)


def _doubt_rollback(self: Hosted, found: str) -> None:
    self._call("rolling back", "doubt_rollback", found)
    if isinstance(self.model, SupportsDoubt):
        self.model.doubt_rollback(found)  # the one that later runs are planned by


def _effort() -> Any:
    from ..core.statistics import Effort

    return Effort()


def _named(description: Description, inputs: Signals | Waveform | None) -> dict[str, Any]:
    """Inputs by name."""
    if inputs is None:
        return {}
    reals = inputs.reals if isinstance(inputs, Signals) else inputs.coefficients[:, 0]
    values, others = iter(reals.tolist()), iter(inputs.discrete)
    return {
        scalar: next(values if v.is_real else others)
        for v in description.inputs
        for scalar in v.scalars()
    }
