"""The greeting: which version of the protocol both speak, and that both know the token.

Who dials says hello first. A token never travels: each side sends a hash of it with the numbers
that both have just drawn, so that what was overheard, or asked by a stranger, is of no use later.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..core.typed import is_of
from ..hosts.frames import Garbled
from .requests import FrameKind
from .wire import GREETING, MOST, FrameLink

PROTOCOL = (1, 1)  # the oldest and the newest that is spoken here
_DEEPEST = 64  # brackets inside each other


class Refused(Exception):
    """The other side, or this one, does not want to go on; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What one side says of itself. `role`: "user", "server", or "host", one that dials out."""

    role: str
    parts: tuple[str, ...] = ()
    protocol: tuple[int, int] = PROTOCOL
    version: str = ""
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))
    token: bool = False  # whether the one that is dialled wants one

    def data(self) -> bytes:
        """As a frame holds it."""
        found: dict[str, Any] = {"protocol": self.protocol, "dovetail": self.version or _version()}
        found |= {"role": self.role, "nonce": self.nonce, "token": self.token}
        return json.dumps(found | {"parts": self.parts}).encode()

    @staticmethod
    def of(data: bytes) -> Hello:
        """What the other side said; Garbled if it is no greeting. Unknown entries are left."""
        found = json_of(data)
        if not isinstance(found, dict) or not is_of(found.get("protocol"), list[int]):
            raise Garbled
        protocol = found["protocol"]
        texts = [found.get(n, "") for n in ("role", "dovetail", "nonce")]
        parts, token = found.get("parts", []), found.get("token", False)
        fits = is_of(texts, list[str]) and is_of(parts, list[str]) and isinstance(token, bool)
        if len(protocol) != 2 or not fits or len(texts[2]) > 128 or len(texts[1]) > 40:
            raise Garbled
        first, last = protocol
        return Hello(texts[0], tuple(parts), (first, last), texts[1], texts[2], token)


def dial(wire: FrameLink, mine: Hello, token: str | None) -> Hello:
    """Greet as the one that dials; what the other says of itself. Refused says why not."""
    wire.send(FrameKind.HELLO, 0, mine.data(), GREETING)
    theirs = Hello.of(_expect(wire, FrameKind.HELLO))
    _check_versions(theirs, "it")
    if theirs.token:
        if token is None:
            raise Refused("it wants a token; give token= or token_file=")
        wire.send(FrameKind.PROOF, 0, _proof(token, "dialler", mine, theirs), GREETING)
    welcome = _expect(wire, FrameKind.WELCOME)
    if token is not None:
        if not theirs.token:
            raise Refused("it wants no token, so it is not the one that this token is for")
        if not hmac.compare_digest(welcome, _proof(token, "dialled", mine, theirs)):
            raise Refused("it does not know the token, so it is not who it says it is")
    wire.most = MOST
    return theirs


def welcome(
    wire: FrameLink,
    mine: Hello,
    token: str | None,
    roles: tuple[str, ...],
    admit: Callable[[], None] = lambda: None,
) -> Hello:
    """Greet as the one that is dialled; Refused, and the other side is told why, if not.

    `admit` may refuse who is otherwise welcome.
    """
    try:
        theirs = Hello.of(_expect(wire, FrameKind.HELLO))
        wire.send(FrameKind.HELLO, 0, mine.data(), GREETING)
        _check_versions(theirs, "the one that dials")
        if theirs.role not in roles:
            raise Refused(f"a '{theirs.role[:20]}' is not expected here, but a '{roles[0]}'")
        if token is not None:
            given = _expect(wire, FrameKind.PROOF)
            if not hmac.compare_digest(given, _proof(token, "dialler", theirs, mine)):
                raise Refused("the token is not the one that is expected here")
        admit()
    except Refused as refused:
        wire.send(FrameKind.REFUSED, 0, json.dumps({"why": str(refused)}).encode(), GREETING)
        raise
    answer = b"" if token is None else _proof(token, "dialled", theirs, mine)
    wire.send(FrameKind.WELCOME, 0, answer, GREETING)
    wire.most = MOST
    return theirs


def json_of(data: bytes) -> Any:
    """Plain JSON that came from elsewhere; Garbled if it is none."""
    try:
        text = data.decode()
        if text.count("[") + text.count("{") > _DEEPEST and _depth(text) > _DEEPEST:
            raise Garbled
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Garbled from error


def _depth(text: str) -> int:
    deep = deepest = 0
    for letter in text:
        if letter in "[{":
            deep += 1
            deepest = max(deepest, deep)
        elif letter in "]}":
            deep -= 1
    return deepest


def _expect(wire: FrameLink, wanted: FrameKind) -> bytes:
    kind, _, data = wire.receive(GREETING, GREETING)
    if kind == FrameKind.REFUSED:
        found = json_of(data)
        raise Refused(str(found.get("why", "")) if isinstance(found, dict) else "")
    if kind != wanted:
        raise Garbled
    return data


def _check_versions(theirs: Hello, who: str) -> None:
    (first, last), (oldest, newest) = theirs.protocol, PROTOCOL
    if last >= oldest and first <= newest:
        return
    old = who if last < oldest else "this one" if who == "it" else "the one that is dialled"
    said = theirs.version or "a part without Dovetail"
    raise Refused(
        f"the two do not speak the same protocol: {who} ({said}) speaks {_span(theirs.protocol)}, "
        f"the other ({_version()}) {_span(PROTOCOL)}; {old} is too old, update it"
    )


def _span(protocol: tuple[int, int]) -> str:
    first, last = protocol
    return f"{first}" if first == last else f"{first} to {last}"


def _proof(token: str, who: str, dialler: Hello, dialled: Hello) -> bytes:
    text = f"dovetail {who} {dialler.nonce} {dialled.nonce}"
    return hmac.new(token.encode(), text.encode(), "sha256").hexdigest().encode()


def _version() -> str:
    from .. import __version__

    return __version__
