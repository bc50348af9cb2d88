"""Where a master waits for parts that dial in: from behind firewalls, or written in C."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from time import monotonic
from typing import ClassVar

from ..core.errors import OptionError
from ..hosts.frames import Ended, Garbled, TooLate
from .access import Access
from .address import Address
from .asked_link import AskedLink
from .greeting import Hello
from .requests import FrameKind
from .server import Listener, ServerOptions
from .unreachable import Unreachable, said
from .wire import FrameLink

WAIT = 60.0  # seconds for a part to dial in
_SILENT = 1.0  # seconds after which it is said for whom one waits


class Lobby(Listener):
    """Connections of parts that have dialled in and are not in use, by the names of parts."""

    role = "server"
    expects = "host"
    _open: ClassVar[dict[Address, Lobby]] = {}
    _opening: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, address: Address, access: Access) -> None:
        self._access, self._came = access, threading.Condition()
        self._there: dict[str, deque[FrameLink]] = {}
        self._awaited: list[str] = []
        super().__init__(
            address, access, ServerOptions(), insecure=access.is_plain and address.is_loopback
        )

    @classmethod
    def at(cls, address: Address, access: Access) -> Lobby:
        """The one at an address, opened if it is not; it stays as long as this process."""
        place = Address(address.host, address.port)
        with cls._opening:
            found = cls._open.get(place)
            if found is not None and not found.is_open:
                found = None
            if found is None:
                found = cls._open[place] = cls(place, access)
            elif found._access != access:
                what = f"{place.place} is listened at already, with other certificates or tokens"
                raise OptionError(f"{what}; give all parts there the same")
            return found

    def handle(self, wire: FrameLink, hello: Hello) -> bool:
        """Keep one that has dialled in, until its part is wanted."""
        if not hello.parts:
            raise Garbled
        with self._came:
            self._there.setdefault(hello.parts[0], deque(maxlen=64)).append(wire)
            self._came.notify_all()
        return True

    def take(self, part: str, wait: float, timeout: float | None) -> AskedLink:
        """The connection of a part, waited for; Unreachable if it does not dial in in time."""
        begin, told = monotonic(), False
        with self._came:
            self._awaited.append(part)
        try:
            while True:
                with self._came:
                    waiting = self._there.get(part)
                    wire = waiting.popleft() if waiting else None
                    if wire is None:
                        left = wait - (monotonic() - begin)
                        if left <= 0:
                            raise self._nobody(part, wait)
                        told = told or self._tell(monotonic() - begin)
                        self._came.wait(min(left, 0.25))
                        continue
                asked = AskedLink(wire, timeout)
                if _lives(asked):
                    return asked
        finally:
            with self._came:
                self._awaited.remove(part)

    def give_back(self, part: str, asked: AskedLink) -> None:
        """It was looked at only, and may be used."""
        with self._came:
            self._there.setdefault(part, deque(maxlen=64)).appendleft(asked.wire)
            self._came.notify_all()

    def close(self) -> None:
        """End it, and what waits in it."""
        super().close()
        for wires in self._there.values():
            for wire in wires:
                wire.close()
        self._there.clear()

    def _tell(self, waited: float) -> bool:
        if waited < _SILENT:
            return False
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(self._awaited))
        warnings.warn(f"waiting at {self.address.place} for {names} to dial in", stacklevel=2)
        return True

    def _nobody(self, part: str, wait: float) -> Unreachable:
        there = ", ".join(f"'{said(name)}'" for name, wires in self._there.items() if wires)
        what = f"'{part}' has not dialled in within {wait:g} s"
        what += f"; {there} have" if there else ""
        remedy = f"start it with 'dovetail host --connect {self.address.place} --part FILE'"
        return Unreachable(self.address.place, what, remedy)


def _lives(asked: AskedLink) -> bool:
    """Whether it still answers."""
    patience, asked.timeout = asked.timeout, 5.0
    try:
        asked.plain(FrameKind.LIST, {})
    except (Ended, Garbled, TooLate):
        asked.wire.close()
        return False
    asked.timeout = patience
    return True
