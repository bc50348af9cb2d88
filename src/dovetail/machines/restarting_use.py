"""A part on another machine that goes on elsewhere when its machine is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..core.errors import DovetailError
from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.life import HostDied
from .asked_link import AskedLink
from .remote_use import RemoteUse
from .requests import FrameKind, call_bytes

Frame = tuple[int, bytes]


class RestartingUse(RemoteUse):
    """Keeps the state where the last window was completed, and what was asked since.

    `revive`: a connection to the same part on another machine.
    """

    def __init__(
        self,
        part: str,
        offered: str,
        asked: AskedLink,
        revive: Callable[[], AskedLink],
        restart: int,
    ) -> None:
        super().__init__(part, offered, asked)
        self.meets = False  # what it did beside others cannot be asked again
        self._offered, self._revive, self._most = offered, revive, restart
        self._born: list[Frame] = []  # requests that started it
        self._state: Frame | None = None  # and the one that brings it to the last commit
        self._since: list[Frame] = []  # and what was asked since

    def commit(self) -> None:
        """A window is completed: elsewhere it would start from here."""
        state = self._value(*call_bytes("dump", ()))
        self._state, self._since = call_bytes("load", (state,)), []

    def _placed(self, kind: FrameKind, payload: bytes) -> None:
        self._value(kind, payload)

    def _asked_ahead(self, name: str, given: list[Any]) -> Any:
        return self._value(*call_bytes(name, tuple(given)))

    def _value(self, kind: int, payload: bytes) -> Any:
        asked = int(kind), payload
        if kind == FrameKind.CLOSE:
            return super()._value(kind, payload)
        try:
            return super()._value(kind, payload)
        except HostDied as died:
            return self._again(died, asked)
        finally:
            self._since.append(asked)
            lasting = kind == FrameKind.CALL and payload.startswith(b'["tune"')
            if kind in (FrameKind.START, FrameKind.BEGIN) or lasting:
                self._born.append(asked)

    def _again(self, died: HostDied, asked: Frame) -> Any:
        """Elsewhere, brought to where it was, and the question once more."""
        while self.restarts < self._most:
            self.restarts += 1
            try:
                self._asked = self._revive()
                self._asked.wire.late = self._late
                self._death, self._owed, self._dropped = None, 0, []
                self._asked.plain(FrameKind.OPEN, {"part": self._offered})
                for earlier in (*self._born, self._state) if self._state else ():
                    super()._value(*earlier)
                for earlier in self._since:
                    with suppress(DovetailError, ArithmeticError, ValueError, RuntimeError):
                        super()._value(*earlier)  # if it failed then, it fails
                self.name = self._asked.wire.peer
                return super()._value(*asked)
            except HostDied as again:
                died = again
            except (Ended, Garbled, TooLate) as error:
                died = self._died(error)
        raise died
