"""Questions that are on their way to a host, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from .failed import HostFailed
from .life import HostDied


class Asker(Protocol):
    """Who asks: whose failure it is if there is no answer."""

    def died(self, died: HostDied) -> HostFailed:
        """The host died over this question."""

    def failed(self, error: Exception) -> Exception:
        """It failed, and nobody waited for its answer."""


@dataclass(slots=True, eq=False)
class Ticket:
    """A question whose answer is fetched later, if at all."""

    request: bytes
    asker: Asker
    counts: bool  # a failure is one, whether or not the answer is fetched
    number: int = 0
    is_answered: bool = False
    value: Any = None
    error: Exception | None = None
    seconds: float = field(default=0.0)

    def answered(self, value: Any, error: Exception | None, seconds: float) -> None:
        """The answer has come."""
        self.value, self.error, self.seconds, self.is_answered = value, error, seconds, True
