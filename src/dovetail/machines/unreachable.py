"""What is wrong with a connection, before a run."""

from __future__ import annotations

from ..core.errors import InputError
from ..core.harmless import harmless_line

_LONG = 300  # letters of what another machine says


class Unreachable(InputError):
    """A server, or a part there, that cannot be used: `address`, what is wrong, the way out."""

    def __init__(self, address: str, what: str, remedy: str = "") -> None:
        super().__init__()
        self.address, self.what, self.remedy = address, what, remedy

    def __str__(self) -> str:
        way_out = f"; {self.remedy}" if self.remedy else ""
        return f"{self.address}: {self.what}{way_out}"


def said(text: object) -> str:
    """What another machine says, as one harmless line of bearable length."""
    found = harmless_line(str(text))
    return found if len(found) <= _LONG else f"{found[:_LONG]}..."
