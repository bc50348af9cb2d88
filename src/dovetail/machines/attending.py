"""What becomes of one connection once it was greeted: parts are listed, and one of them is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from ..core.errors import DovetailError
from ..hosts.answers import answer, failure
from ..hosts.frames import Garbled
from ..hosts.placement import HostOptions
from .greeting import json_of
from .meeting import ALONE, Beside
from .offer import PartOffer
from .publication import NotPublished
from .requests import FrameKind
from .unreachable import said
from .use import Use
from .wire import FrameLink

IDLE = 120.0  # seconds that one may be connected and use nothing
Offers = Mapping[str, PartOffer]
Log = Callable[[str], None]


def attend(
    wire: FrameLink,
    offers: Offers,
    options: HostOptions,
    log: Log,
    idle: float | None = IDLE,
    beside: Beside = ALONE,
) -> None:
    """Answer until the other side closes, or sends what is no request (Garbled)."""
    use: Use | None = None
    name, begin, count = "", monotonic(), 0
    try:
        while True:
            kind, number, data = wire.receive(idle if use is None else None)
            count += 1
            if kind == FrameKind.OPEN and use is None:
                name = _name(data)
                use, kind, found = _opened(name, offers, options, beside)
                if use is not None:
                    log(f"uses '{name}'")
            elif kind == FrameKind.CLOSE and use is not None:
                words, found = _closed(use)
                wire.send(FrameKind.ANSWER + words, number, found)
                return
            elif use is None:
                kind, found = _shown(kind, data, offers)
            else:
                answered, found = use.answer(kind, data)
                if kind == FrameKind.DROP:
                    continue
                kind = FrameKind.ANSWER + answered
            wire.send(kind, number, found)
    finally:
        if use is not None:
            use.close()
            log(f"has used '{name}' for {monotonic() - begin:.1f} s, with {count} requests")


def _opened(
    name: str, offers: Offers, options: HostOptions, beside: Beside
) -> tuple[Use | None, int, bytes]:
    use: Use | None = None
    try:
        use = Use(_offer(name, offers), options, beside)
        return use, FrameKind.PLAIN, json.dumps(use.opened()).encode()
    except DovetailError as error:
        shown = name in offers and offers[name].publication.messages
        shown = shown or isinstance(error, NotPublished)
        kind, data = failure(error if shown else NotPublished(f"'{name}' cannot be used now"))
        return use, FrameKind.ANSWER + kind, data


def _closed(use: Use) -> tuple[int, bytes]:
    try:
        return answer(use.last_words())
    except Exception:
        return answer({})


def _shown(kind: int, data: bytes, offers: Offers) -> tuple[int, bytes]:
    """The list of parts, or one of them."""
    found: Any
    try:
        if kind == FrameKind.LIST:
            found = [offer.listing() for offer in offers.values()]
        elif kind == FrameKind.DESCRIBE:
            found = _offer(_name(data), offers).described()
        else:
            raise Garbled
    except NotPublished as error:
        failed, said_ = failure(error)
        return FrameKind.ANSWER + failed, said_
    return FrameKind.PLAIN, json.dumps(found).encode()


def _name(data: bytes) -> str:
    found = json_of(data)
    if not isinstance(found, dict) or not isinstance(found.get("part"), str):
        raise Garbled
    return said(found["part"])


def _offer(name: str, offers: Offers) -> PartOffer:
    if name not in offers:
        some = ", ".join(f"'{n}'" for n in list(offers)[:6])
        raise NotPublished(f"no part '{name}' is offered here; there are {some or 'none'}")
    return offers[name]
