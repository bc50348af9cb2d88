"""What a server offers: `dv.parts("dovetail://lab.example:4850")`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..core.errors import OptionError
from ..core.typed import is_of
from .address import Address
from .remote_model import RemoteModel, addressed, asking, connected
from .requests import FrameKind
from .unreachable import Unreachable, said

_TEXTS = ("name", "description", "kind", "fingerprint", "model")
_COUNTS = ("inputs", "outputs", "parameters")


@dataclass(frozen=True, slots=True)
class OfferedPart:
    """A part that a server offers; `load` makes a model of it."""

    name: str
    description: str
    kind: str
    inputs: int
    outputs: int
    parameters: int
    address: str
    fingerprint: str = field(default="", repr=False)
    model: str = field(default="", repr=False)  # a hash of it, if all of it is published
    options: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def load(self) -> RemoteModel:
        """The part as a model."""
        return RemoteModel.load(self.address, **self.options)


def parts(address: str, search: str = "", **access: Any) -> list[OfferedPart]:
    """The parts that a server offers, by name.

    Args:
        address: As "dovetail://lab.example:4850".
        search: A text that the name or the description of a part contains, in any case.
        access: `ca`, `cert`, `key`, `token`, `token_file`, `timeout`, as for `dv.load`.
    """
    if not isinstance(search, str):
        raise OptionError(f"search={search!r} is no text")
    place, given, timeout = addressed(address, access, part=False)
    asked = connected(place, given, timeout)
    try:
        found = asking(asked, place, FrameKind.LIST, {})
    finally:
        asked.wire.close()
    if not isinstance(found, list):
        raise Unreachable(place.place, "answered with what is no list of parts")
    listed = sorted((_part(one, place, access) for one in found), key=lambda p: p.name)
    wanted = search.casefold()
    return [p for p in listed if wanted in f"{p.name}\n{p.description}".casefold()]


def _part(one: Any, place: Address, access: dict[str, Any]) -> OfferedPart:
    fits = isinstance(one, dict) and is_of([one.get(n, "") for n in _TEXTS], list[str])
    if not fits or not is_of([one.get(n, 0) for n in _COUNTS], list[int]) or not one.get("name"):
        raise Unreachable(place.place, "answered with what is no list of parts")
    texts = {n: said(one.get(n, "")) for n in _TEXTS} | {"name": one["name"]}
    counts = {n: one.get(n, 0) for n in _COUNTS}
    whole = Address(place.host, place.port, one["name"])
    return OfferedPart(**texts, **counts, address=str(whole), options=dict(access))
