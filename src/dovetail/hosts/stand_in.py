"""Parts in hosts as live parts here: classes with exactly the members of the real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..subsystems.foreign import SupportsDoubt
from ..subsystems.subsystem import Model
from .host import Host, PartsHost
from .life import HostDied
from .members import FAREWELL, METHODS, PROPERTIES, SNAPSHOTS
from .proxy import Hosted
from .remote_snapshot import RemoteSnapshot
from .travel import packed
from .trial import needs_trial, try_out


def hosted(name: str, model: Model, host: Host) -> Hosted:
    """A part made from a model, in a host."""
    try:
        number, members = host.make(name, packed(name, model))
    except HostDied as died:
        asked = Hosted(name, model, host, 0)
        raise asked.lost(died, "being made") from None
    return stand_in(name, model, host, number, members)


def stand_in(
    name: str, model: Model, host: PartsHost, number: int, members: Sequence[str]
) -> Hosted:
    """A part that is there already, with these members."""
    made = _class_of(tuple(members))(name, model, host, number)
    made.is_tried = not needs_trial(model, host)
    return made


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
        return self.call(doing, name, *given)

    called.__name__ = name
    return called


def _property(name: str) -> property:
    return property(lambda self: self.call("answering", name))


def _saying(name: str) -> property:
    return property(lambda self: self.shown(name))


def _snapshot(self: Hosted) -> RemoteSnapshot:
    made = RemoteSnapshot(self.host, self.number, self.kept)
    if self.is_tried:
        self.deed("saving its state", "snapshot", made.key)
    else:
        try_out(self, "snapshot", made.key)
    return made


def _restore(self: Hosted, snapshot: RemoteSnapshot) -> None:
    self.deed("rolling back", "restore", snapshot.key)


def _doubt_rollback(self: Hosted, found: str) -> None:
    self.call("rolling back", "doubt_rollback", found)
    if isinstance(self.model, SupportsDoubt):
        self.model.doubt_rollback(found)  # the one that later runs are planned by
