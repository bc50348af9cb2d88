"""A host as its master sees it: its parts, one process after another if it is started again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from ..subsystems.served import ServedMember
from .block import SharedBlock
from .failed import HostFailed
from .life import Death, HostDied, HostLife, request
from .placement import HostOptions

_LASTING = (("begin",), ("tune",))  # calls whose effect is not in a state that was dumped


class NativeSide(Protocol):
    """What asks a host through shared memory."""

    def settle(self) -> None:
        """Before anything else is asked: what is on its way is done."""


class PartsHost(Protocol):
    """What holds parts and is asked for them: a process, or a connection to another machine."""

    name: str
    failure: HostFailed | None
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
        self._life: HostLife | None = None
        self._count = self._keys = self._open = 0
        self._dropped: list[tuple[int, int]] = []
        self._born: list[bytes] = []  # requests that made the parts and started them
        self._states: list[bytes] = []  # and those that bring them to the last commit
        self._since: list[bytes] = []  # and what was asked since

    def start(self) -> None:
        """Start the process, if there is none."""
        if self._life is None:
            self._life = HostLife(self.options, self._folders)

    def make(self, name: str, model: bytes) -> tuple[int, list[str]]:
        """Make a part live: its number, and what it can do."""
        self.start()
        number = self._count
        self._count, self._open = number + 1, self._open + 1
        return number, self.ask("make", number, name, model)

    def ask(self, method: str, *given: Any) -> Any:
        """What the host answers; HostDied if it died for good."""
        if self.native is not None:
            self.native.settle()
        dropped, self._dropped = self._dropped, []
        asked = request(dropped, method, *given)
        if not self.options.restart:
            return self._alive().ask(asked)
        try:
            return self._alive().ask(asked)
        except HostDied as died:
            return self._again(died, asked)
        finally:
            self._since.append(asked)
            if method in ("make", "start") or given[1:2] in _LASTING:
                self._born.append(asked)

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
        states = [(n, self.ask("call", n, "dump")) for n in range(self._count)]
        self._states = [request([], "call", n, "load", state) for n, state in states]
        self._since = []

    def farewell(self, number: int) -> dict[str, Any]:
        """Close a part; what it says afterwards: nothing, if its process is gone."""
        found: dict[str, Any] = {}
        if self._life is not None and self._life.death is None:
            try:
                found = self._life.ask(request([], "close", number))
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

    def _again(self, died: HostDied, asked: bytes) -> Any:
        """A new process, brought to where the old one was, and the question once more."""
        while self.restarts < self.options.restart:
            self.restarts += 1
            try:
                self._life = HostLife(self.options, self._folders)
                for earlier in (*self._born, *self._states) if self._states else ():
                    self._life.ask(earlier)
                for earlier in self._since:
                    _once_more(self._life, earlier)
                return self._life.ask(asked)
            except HostDied as again:
                died = again
        raise died


def _once_more(life: HostLife, earlier: bytes) -> None:
    """What was asked before, with the same outcome: if it failed then, it fails."""
    try:
        life.ask(earlier)
    except HostDied:
        raise
    except Exception:
        pass
