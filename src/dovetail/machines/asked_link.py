"""A connection on which one asks, and the other answers."""

from __future__ import annotations

import json
from typing import Any

from ..hosts.answers import value_of
from ..hosts.frames import Garbled
from .greeting import json_of
from .requests import FrameKind
from .wire import FrameLink


class AskedLink:
    """A connection on which one asks, and the other answers."""

    def __init__(self, wire: FrameLink, timeout: float | None) -> None:
        self.wire, self.timeout, self.count = wire, timeout, 0

    def plain(self, kind: FrameKind, given: Any) -> Any:
        """Ask in plain JSON, and be answered so; what went wrong there is raised."""
        answered, data = self.ask(kind, json.dumps(given).encode())
        if answered == FrameKind.PLAIN:
            return json_of(data)
        value_of(answered - FrameKind.ANSWER, data)
        raise Garbled

    def ask(self, kind: int, payload: bytes) -> tuple[int, bytes]:
        """One request, and its answer."""
        self.tell(kind, payload)
        return self.hear()

    def hear(self, number: int | None = None) -> tuple[int, bytes]:
        """The answer to the last request, or to one before it."""
        return self.wire.answer(self.count if number is None else number, self.timeout)

    def next(self) -> tuple[int, bytes]:
        """The answer that comes next, to whichever request it is."""
        return self.wire.answer(None, self.timeout)

    def tell(self, kind: int, payload: bytes) -> None:
        """A request whose answer is fetched later, or that has none."""
        self.count += 1
        self.wire.send(kind, self.count, payload)
