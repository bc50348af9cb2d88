"""A part that dials out to a master, and serves it: again and again, until it is ended."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field

from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.placement import HostOptions
from .access import Access
from .address import Address
from .attending import Log, attend
from .dialling import dialled
from .greeting import Hello
from .meeting import Beside
from .offer import PartOffer
from .unreachable import Unreachable, said
from .wire import FrameLink

_AGAIN = (0.1, 10.0)  # seconds until the next try: at first, and at most


@dataclass
class OutboundPart:
    """One part that is offered to one master, on one connection after another."""

    offer: PartOffer
    master: Address
    access: Access
    options: HostOptions
    log: Log
    ended: threading.Event = field(default_factory=threading.Event)
    _wire: FrameLink | None = None

    def serve(self, *, once: bool = False) -> None:
        """Dial, and be used, until it is ended; or until it was used once."""
        pause, told = _AGAIN[0], ""
        while not self.ended.is_set():
            try:
                used = self._serve()
                pause, told = _AGAIN[0], ""
                if once and used:
                    return
            except Unreachable as error:
                if told != str(error):
                    self.log(f"'{self.offer.name}' tries again: {error}")
                told = str(error)
                self.ended.wait(pause)
                pause = min(2 * pause, _AGAIN[1])

    def end(self) -> None:
        """No more."""
        self.ended.set()
        if self._wire is not None:
            self._wire.close()

    def _serve(self) -> bool:
        """One connection; whether the part was used."""
        name, used = self.offer.name, False

        def note(line: str) -> None:
            nonlocal used
            used = True
            self.log(f"{self.master.place} {line}")

        wire = dialled(self.master, self.access, Hello("host", (name,)))
        self.log(f"'{name}' waits at {self.master.place}")
        self._wire = wire
        if self.ended.is_set():  # while it was dialling
            wire.close()
            return False
        try:
            beside = Beside(meets=True, tls=not self.access.is_plain)
            attend(wire, {name: self.offer}, self.options, note, None, beside)
        except (Ended, TooLate, Garbled) as error:
            if str(error) not in ("", "closed") and not self.ended.is_set():
                self.log(f"'{name}' lost its master: {said(error)}")
        finally:
            with suppress(OSError):
                wire.close()
        return used
