"""A part that a server offers, as a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ..core.description import Description
from ..core.errors import OptionError, RunError
from ..core.model_page import ModelPage
from ..core.options import check_number
from ..drawing.fingerprint import identity
from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.proxy import Hosted
from ..hosts.stand_in import stand_in
from .access import Access
from .address import Address
from .asked_link import AskedLink
from .dialling import dialled
from .greeting import Hello
from .lobby import WAIT, Lobby
from .remote_use import RemoteUse, opened
from .requests import FrameKind
from .restarting_use import RestartingUse
from .unreachable import Unreachable, said

LONGEST = 600.0  # seconds that one call may last, if nothing else is said
FILES = ("ca", "cert", "key", "token_file")
OPTIONS = ("ca", "cert", "key", "token", "token_file", "timeout")


@dataclass(frozen=True, eq=False)
class RemoteModel(ModelPage):
    """A part on another machine: `dv.load("dovetail://lab.example:4850/pump")`.

    Its live parts are stand-ins that can do exactly what is published.
    """

    address: Address
    access: Access = Access()
    timeout: float = LONGEST
    listens: bool = False
    wait: float = WAIT
    stands_for: Any = field(default=None, repr=False)  # a model of the drawing, in a placement
    restart: int = 0  # how often it may go on elsewhere
    revive: Any = field(default=None, repr=False)  # and how it is reached there: a RemoteModel
    title: str = ""  # what messages call its place, if not by its address
    seen: Description = field(default_factory=Description, repr=False)
    mark: str = ""  # of the model there

    @staticmethod
    def load(text: str, **options: Any) -> RemoteModel:
        """The part at an address; Unreachable says what is wrong."""
        listens, wait = options.pop("listen", False), options.pop("wait", WAIT)
        if not isinstance(listens, bool):
            raise OptionError(f"listen={listens!r} must be True or False")
        check_number("wait", wait, above=0)
        address, access, timeout = addressed(text, options, part=True)
        return loaded(RemoteModel(address, access, timeout, listens, float(wait)))

    @property
    def lobby(self) -> Lobby:
        """Where it dials in."""
        return Lobby.at(self.address, self.access)

    def connected(self) -> AskedLink:
        """A connection to it: dialled, or waited for."""
        if self.listens:
            return self.lobby.take(self.address.part, self.wait, self.timeout)
        return connected(self.address, self.access, self.timeout)

    @property
    def description(self) -> Description:
        """What is published of it."""
        return self.seen

    def fingerprint(self) -> Any:
        """That of the model there, wherever it is offered; or of the one that it stands for."""
        return self.mark if self.stands_for is None else identity(self.stands_for)

    def options(self) -> dict[str, Any]:
        """What it was loaded with, but for what is so by default."""
        given = {name: getattr(self.access, name) for name in (*FILES, "token")}
        found: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        found |= {} if self.timeout == LONGEST else {"timeout": self.timeout}
        found |= {"listen": True} if self.listens else {}
        return found if self.wait == WAIT else found | {"wait": self.wait}

    def instantiate(self, name: str) -> Hosted:
        """A stand-in for a part in a host of its own, there."""
        asked = self.connected()
        asked.wire.peer = self.title or asked.wire.peer
        if self.restart:
            use = partial(RestartingUse, revive=self._elsewhere, restart=self.restart)
            return used(name, self, self.address, asked, self.mark, use)
        place = "" if self.listens else self.address.place
        return used(name, self, self.address, asked, self.mark, partial(RemoteUse, place=place))

    def _elsewhere(self) -> AskedLink:
        """A connection to the same part on another machine."""
        there: RemoteModel = self.revive()
        asked = there.connected()
        asked.wire.peer = there.title or asked.wire.peer
        return asked


def loaded(model: RemoteModel) -> RemoteModel:
    """The same with its description; Unreachable says what is wrong."""
    asked, address = model.connected(), model.address
    try:
        found = asking(asked, address, FrameKind.DESCRIBE, {"part": address.part})
        seen, mark, _ = opened(found)
    except Garbled:
        asked.wire.close()
        raise _nonsense(address) from None
    if model.listens:
        model.lobby.give_back(address.part, asked)
    else:
        asked.wire.close()
    return replace(model, seen=seen, mark=mark)


def used(
    name: str,
    model: Any,
    address: Address,
    asked: AskedLink,
    mark: str,
    make: Callable[[str, str, AskedLink], RemoteUse] = RemoteUse,
) -> Hosted:
    """A part there, in use under a name here."""
    try:
        use = make(name, address.part, asked)
        if use.fingerprint != mark:
            what = "the part is another one than when it was loaded"
            raise Unreachable(str(address), what, "load it again")
        return stand_in(name, model, use, 0, use.members)
    except BaseException as error:
        asked.wire.close()
        raise _told(error, address) from None


def asking(asked: AskedLink, address: Address, kind: FrameKind, given: Any) -> Any:
    """A plain question before a run; Unreachable if it is not answered."""
    try:
        return asked.plain(kind, given)
    except BaseException as error:
        asked.wire.close()
        raise _told(error, address) from None


def connected(address: Address, access: Access, timeout: float | None) -> AskedLink:
    """A connection for a user."""
    return AskedLink(dialled(address, access, Hello("user")), timeout)


def addressed(text: str, options: dict[str, Any], *, part: bool) -> tuple[Address, Access, float]:
    """What an address and its options mean; OptionError for those that there are not."""
    for name, value in options.items():
        if name not in OPTIONS:
            known = ", ".join((*OPTIONS, "listen", "wait"))
            raise OptionError(f"'{name}' is no option of a part elsewhere; there are {known}")
        if name != "timeout" and not (value is None or (isinstance(value, str) and value)):
            raise OptionError(f"{name}={value!r} is no text")
    given = dict(options)
    timeout = given.pop("timeout", LONGEST)
    check_number("timeout", timeout, above=0)
    return Address.parse(text, part=part), Access(**given), float(timeout)


def _told(error: BaseException, address: Address) -> BaseException:
    match error:
        case Unreachable() | KeyboardInterrupt():
            return error
        case TooLate():
            return Unreachable(address.place, "does not answer")
        case Garbled():
            return _nonsense(address)
        case Ended():
            return Unreachable(address.place, "closed the connection")
        case RunError():
            return error
    return Unreachable(str(address), said(error))


def _nonsense(address: Address) -> Unreachable:
    return Unreachable(address.place, "answered with what is no answer")
