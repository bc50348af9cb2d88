"""Where a part is offered: `dovetail://lab.example:4850/pump`."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from ..core.errors import OptionError

SCHEME, PORT = "dovetail://", 4850
_PLACE = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._*-]+)(?::(\d{1,5}))?(?:/(.*))?")


@dataclass(frozen=True, slots=True)
class Address:
    """A host by its name or number, a port, and the name of a part, where one is meant."""

    host: str
    port: int = PORT
    part: str = ""

    @staticmethod
    def parse(text: str, *, part: bool | None = None) -> Address:
        """The address that a text is; `part`: whether it has to name one. OptionError if not."""
        way_out = "an address is dovetail://HOST:PORT, a part in it dovetail://HOST:PORT/NAME"
        found = _PLACE.fullmatch(str(text).removeprefix(SCHEME)) if is_address(text) else None
        if found is None or not 0 <= int(found[2] or PORT) < 65536:
            raise OptionError(f"'{text}' is no address; {way_out}")
        name = unquote(found[3] or "")
        if part is not None and bool(name) != part:
            what = "names no part" if part else "names a part; leave it out"
            raise OptionError(f"'{text}' {what}; {way_out}")
        return Address(found[1].strip("[]"), int(found[2] or PORT), name)

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine, by a name or number that says so."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def place(self) -> str:
        """The same without a part."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{SCHEME}{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.place}/{quote(self.part)}" if self.part else self.place


def is_address(text: object) -> bool:
    """Whether this means a part or a server elsewhere, and not a file."""
    return isinstance(text, str) and text.startswith(SCHEME)
