"""A host as its master sees it: its parts, one process after another if it is started again."""
# Over 250 lines: one process: what is asked, posted, kept for a restart, and what becomes of it.

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ..subsystems.served import ServedMember
from .answers import value_of
from .block import SharedBlock
from .failed import HostFailed
from .frames import Garbled
from .life import Death, HostDied, HostLife, farewell, request
from .placement import HostOptions
from .tickets import Asker, Ticket
from .waiting import Waited

_LASTING = (("begin",), ("tune",))  # calls whose effect is not in a state that was dumped


class NativeSide(Protocol):
    """What asks a host through shared memory."""

    def settle(self) -> None:
        """Before anything else is asked: what is on its way is done."""


class PartsHost(Protocol):
    """What holds parts and is asked for them: a process, or a connection to another machine."""

    name: str
    failure: HostFailed | None
    waited: Waited | None  # told of answers that take long
    answers_many: bool  # whether outputs for many inputs are one question

    def ask(self, method: str, *given: Any) -> Any:
        """What it answers; HostDied if it died for good."""

    def key(self) -> int:
        """A key for a new snapshot."""

    def drop(self, number: int, key: int) -> None:
        """A snapshot is needed no more."""

    def commit(self) -> None:
        """A window is completed."""

    def farewell(self, number: int) -> dict[str, Any]:
        """Close a part; what it says afterwards."""


class Host:
    """Parts that live in one process, by number.

    With restarts it keeps what was asked since its parts stood where a window was completed: their
    states there, as bytes, and these requests bring a new process to where the old one was.
    """

    answers_many = True

    def __init__(self, name: str, options: HostOptions, folders: tuple[Path, ...] = ()) -> None:
        self.name, self.options, self.restarts = name, options, 0
        self._folders = folders  # what a sandbox reads besides
        self.failure: HostFailed | None = None  # what ended it for good
        self.native: NativeSide | None = None  # while its parts are asked through shared memory
        self.waited: Waited | None = None
        self._names: list[str] = []  # of its parts
        self._life: HostLife | None = None
        self._count = self._keys = self._open = 0
        self._dropped: list[tuple[int, int]] = []
        self._born: list[bytes] = []  # requests that made the parts and started them
        self._states: list[bytes] = []  # and those that bring them to the last commit
        self._since: list[Ticket | bytes] = []  # and what was asked since
        self._tickets: dict[int, Ticket] = {}  # on their way, the first one first

    def start(self) -> None:
        """Start the process, if there is none."""
        if self._life is None:
            self._life = HostLife(self.options, self._folders, self.late)

    def late(self, seconds: float) -> None:
        """It has not answered for so long."""
        if self.waited is not None:
            where = "" if self._names == [self.name] else f"host '{self.name}'"
            self.waited(" or ".join(f"'{n}'" for n in self._names[:3]), where, seconds)

    def make(self, name: str, model: bytes) -> tuple[int, list[str]]:
        """Make a part live: its number, and what it can do."""
        self.start()
        number = self._count
        self._count, self._open = number + 1, self._open + 1
        self._names.append(name)
        return number, self.ask("make", number, name, model)

    def ask(self, method: str, *given: Any) -> Any:
        """What the host answers; HostDied if it died for good."""
        if self.native is not None:
            self.native.settle()
        asked, keeps = self._request(method, *given), self.options.restart > 0
        try:
            found = self._alive().ask(asked)
        except HostDied as died:
            if not keeps:
                raise
            found = self._again(died, asked)
        except Exception:
            self._sort()  # what was asked before failed before
            raise
        finally:
            if keeps:
                self._since.append(asked)
                if method in ("make", "start") or given[1:2] in _LASTING:
                    self._born.append(asked)
        self._sort()
        return found

    @property
    def takes_posts(self) -> bool:
        """Whether questions may be on their way here. Native code asks one at a time."""
        return self.native is None

    def post(self, asker: Asker, method: str, *given: Any, counts: bool = True) -> Ticket:
        """Ask, and fetch the answer later, if at all.

        `counts`: if it fails that is told at the next question, should nobody fetch it.
        """
        ticket = Ticket(self._request(method, *given), asker, counts)
        ticket.number = self._alive().tell(ticket.request, later=True)
        self._tickets[ticket.number] = ticket
        if self.options.restart:
            self._since.append(ticket)
        return ticket

    def send(self) -> None:
        """What was posted is on its way."""
        if self._life is not None:
            with suppress(HostDied):  # whoever fetches an answer is told
                self._life.send()

    def leave(self) -> None:
        """Nobody waits for what it is doing any more: it has a moment to come to its end."""
        if self._life is not None and self._life.death is None:
            self._life.leave()

    def fetch(self, ticket: Ticket) -> Any:
        """The answer to what was posted; HostDied if it died for good."""
        if not ticket.is_answered:
            self._await(ticket)
            self._sort()
        if ticket.error is not None:
            raise ticket.error
        return ticket.value

    def _await(self, ticket: Ticket) -> None:
        life = self._alive()
        try:
            ticket.answered(life.answer(ticket.number), None, life.seconds)
        except HostDied as died:
            if not self.options.restart:
                raise
            self._again(died, None)
        except Exception as error:
            ticket.answered(None, error, life.seconds)
        self._tickets.pop(ticket.number, None)

    def blamed(self) -> HostFailed | None:
        """Its failure, if it died over a question that was posted."""
        if self._life is None or self._life.death is None:
            return None
        ticket = self._tickets.get(self._life.first)
        return None if ticket is None else ticket.asker.died(HostDied(self._life.death))

    @property
    def life(self) -> HostLife:
        """Its process."""
        return self._alive()

    def attach(
        self, members: Sequence[ServedMember], block: SharedBlock, files: list[int]
    ) -> list[int]:
        """Step these members through a block; the highest order of derivatives each takes."""
        asked = request(self._dropped, "attach", list(members), block.size)
        self._dropped = []
        found: list[int] = self._alive().hand(asked, files)
        return found

    def hand(self, files: list[int], method: str, *given: Any) -> Any:
        """Ask something that takes open files along."""
        asked, self._dropped = request(self._dropped, method, *given), []
        return self._alive().hand(asked, files)

    def key(self) -> int:
        """A key for a new snapshot."""
        self._keys += 1
        return self._keys

    def drop(self, number: int, key: int) -> None:
        """A snapshot is needed no more."""
        self._dropped.append((number, key))

    def commit(self) -> None:
        """A window is completed: a new process would start from here."""
        if not self.options.restart:
            return
        states = self.ask("dumps")
        self._states = [request([], "call", n, "load", state) for n, state in enumerate(states)]
        self._since = []

    def farewell(self, number: int) -> dict[str, Any]:
        """Close a part; what it says afterwards: nothing, if its process is gone."""
        found: dict[str, Any] = {}
        if self._life is not None and self._life.death is None:
            try:
                if any(not t.counts for t in self._tickets.values()):
                    self._life.leave()
                found = farewell(self._life, number)
            except (
                Exception,
                KeyboardInterrupt,
            ):  # closing never fails; what there is to say was said
                found = {}
        self._open -= 1
        if self._open == 0 and self._life is not None:
            self._life.close()
        return found

    def close(self) -> None:
        """End it, whatever lives there."""
        if self._life is not None:
            self._life.close()

    def _alive(self) -> HostLife:
        if self._life is None:
            raise HostDied(Death("its process was ended"))
        return self._life

    def _request(self, method: str, *given: Any) -> bytes:
        dropped, self._dropped = self._dropped, []
        return request(dropped, method, *given)

    def _sort(self) -> None:
        """What was posted and is answered by now; the failure of one that counts is raised."""
        failed: Ticket | None = None
        while self._tickets and self._life is not None:
            number, ticket = next(iter(self._tickets.items()))
            found = self._life.found(number)
            if found is None:
                break
            del self._tickets[number]
            kind, data, seconds = found
            try:
                ticket.answered(value_of(kind, data), None, seconds)
            except Garbled as error:
                ticket.answered(None, self._life.lost(error), seconds)
            except Exception as error:
                ticket.answered(None, error, seconds)
            if ticket.error is not None and ticket.counts and failed is None:
                failed = ticket
        if failed is not None and failed.error is not None:
            raise failed.asker.failed(failed.error)

    def _again(self, died: HostDied, asked: bytes | None) -> Any:
        """A new process, brought to where the old one was, and the question once more."""
        while self.restarts < self.options.restart:
            self.restarts += 1
            try:
                self._life = HostLife(self.options, self._folders, self.late)
                for earlier in (*self._born, *self._states) if self._states else ():
                    self._life.ask(earlier)
                for once in self._since:
                    _once_more(self._life, once)
                self._tickets.clear()
                return None if asked is None else self._life.ask(asked)
            except HostDied as again:
                died = again
        raise died


def _once_more(life: HostLife, earlier: Ticket | bytes) -> None:
    """What was asked before, with the same outcome: if it failed then, it fails."""
    value, error = None, None
    try:
        value = life.ask(earlier if isinstance(earlier, bytes) else earlier.request)
    except HostDied:
        raise
    except Exception as found:
        error = found
    if isinstance(earlier, Ticket) and not earlier.is_answered:
        earlier.answered(value, error, life.seconds)
