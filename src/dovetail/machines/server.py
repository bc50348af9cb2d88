"""Who listens: takes connections and greets them; a part server gives each a host of its own."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from ..core.errors import OptionError
from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.placement import HostOptions
from .access import Access, refusal_of
from .address import Address
from .attending import Offers, attend
from .greeting import Hello, Refused, welcome
from .meeting import Beside
from .tickets import Tickets, read_ticket, shows_ticket
from .unreachable import said
from .wire import GREETING, FrameLink, drain, reason

_WAITING = 256  # connections that were not greeted yet


@dataclass(frozen=True)
class ServerOptions:
    """How a server behaves: how many use it at once, and what holds for their hosts."""

    most: int = 64
    host: HostOptions = HostOptions()
    log: Callable[[str], None] = lambda line: None
    idle: float | None = None  # seconds without a connection after which it ends
    meets: bool = True  # whether its parts may step beside those of other machines


class Listener:
    """Takes connections at an address, and greets those who may come in, until it is closed."""

    role: ClassVar[str] = "server"
    expects: ClassVar[str] = "user"

    def __init__(
        self, address: Address, access: Access, options: ServerOptions, *, insecure: bool
    ) -> None:
        access.check_dialled(address, insecure=insecure)
        self._token, self._tls = access.secret, access.dialled()
        self._tickets = Tickets() if self.expects == "user" and options.meets else None
        self._options = options
        self._listener = listening(address)
        self.address = Address(address.host, self._listener.getsockname()[1])
        self._listener.settimeout(None if options.idle is None else min(1.0, options.idle))
        self._last = monotonic()  # that there was a connection
        self._lock = threading.Lock()
        self._links: dict[socket.socket, bool] = {}  # and whether it was greeted
        self._threads = set[threading.Thread]()
        self._closed = threading.Event()
        self._taking = threading.Thread(target=self._take, name="dovetail-server", daemon=True)
        self._taking.start()

    def handle(self, wire: FrameLink, hello: Hello) -> bool:
        """Serve one that was greeted; whether the connection is kept open."""
        raise NotImplementedError

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return not self._closed.is_set()

    def wait(self) -> None:
        """Until it is closed."""
        while not self._closed.wait(1.0):
            pass

    def close(self) -> None:
        """End it, and all uses."""
        self._closed.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._taking.join(5.0)
        with self._lock:
            links, threads = list(self._links), list(self._threads)
        for link in links:
            with suppress(OSError):
                socket.socket.shutdown(link, socket.SHUT_RDWR)
        for thread in threads:
            thread.join(5.0)

    def _take(self) -> None:
        while not self._closed.is_set():
            try:
                link, peer = self._listener.accept()
            except TimeoutError:
                if self._is_unused():
                    self._closed.set()
                    self._listener.close()
                    return
                continue
            except OSError:
                if self._closed.wait(0.05):  # closed, or too many open files
                    return
                continue
            with self._lock:
                waiting = sum(not greeted for greeted in self._links.values())
                full = waiting >= _WAITING or len(self._links) >= self._options.most + _WAITING
                if not full:
                    self._links[link] = False
            if full or self._closed.is_set():
                link.close()
                continue
            who = f"{peer[0]}:{peer[1]}"
            thread = threading.Thread(target=self._serve, args=(link, who), daemon=True)
            with self._lock:
                self._threads.add(thread)
            thread.start()

    def _is_unused(self) -> bool:
        with self._lock:
            if self._links:
                self._last = monotonic()
        idle = self._options.idle
        return idle is not None and monotonic() - self._last > idle

    def _serve(self, link: socket.socket, who: str) -> None:
        log, secured, kept = self._options.log, link, False
        try:
            late = threading.Timer(2 * GREETING, _cut, [link])  # however slowly it speaks
            late.start()
            try:
                if self._tickets is not None and shows_ticket(link, GREETING):
                    kept = self._tickets.bring(read_ticket(link), link)
                    if not kept:
                        log(f"{who} showed a ticket that nobody awaits, and was cut off")
                    return
                secured = self._wrapped(link)
                late.args = [secured]
                wire, hello = self._greeted(secured, who)
            finally:
                late.cancel()
            kept = self.handle(wire, hello)
        except Refused as refused:
            log(f"{who} was refused: {said(refused)}")
        except Garbled:
            log(f"{who} sent what is no request, and was cut off")
        except TooLate:
            log(f"{who} took too long, and was cut off")
        except ssl.SSLError as error:
            log(f"{who} was refused: {said(refusal_of(error))}")
        except (Ended, OSError) as ended:
            if str(ended) != "closed":
                log(f"{who} is gone: {said(reason(ended))}")
        except Exception as error:  # one connection, not the server
            log(f"{who} was cut off: {type(error).__name__}")
        finally:
            with self._lock:
                self._links.pop(secured, None)
                self._threads.discard(threading.current_thread())
            if not kept:
                _cut(secured)
                secured.close()

    def _wrapped(self, link: socket.socket) -> socket.socket:
        """The same with TLS around it, where there is to be some."""
        if self._tls is None:
            return link
        secured = self._tls.wrap_socket(link, server_side=True, do_handshake_on_connect=False)
        with self._lock:
            del self._links[link]
            self._links[secured] = False
        return secured

    def _greeted(self, link: socket.socket, who: str) -> tuple[FrameLink, Hello]:
        if isinstance(link, ssl.SSLSocket):
            link.settimeout(GREETING)
            try:
                link.do_handshake()
            except ssl.SSLError:
                drain(link)  # so that the alert arrives
                raise
        wire, mine = FrameLink(link, who), Hello(self.role, token=self._token is not None)
        try:
            theirs = welcome(
                wire, mine, self._token, (self.expects,), lambda: self._check_room(link)
            )
        except Refused:
            wire.finish()
            raise
        return wire, theirs

    def _check_room(self, link: socket.socket) -> None:
        with self._lock:
            if sum(self._links.values()) >= self._options.most:
                raise Refused(f"it has {self._options.most} users already")
            self._links[link] = True


class PartServer(Listener):
    """Serves parts at an address, in threads of its own, until it is closed."""

    def __init__(
        self,
        address: Address,
        access: Access,
        offers: Offers,
        options: ServerOptions = ServerOptions(),
        *,
        insecure: bool = False,
    ) -> None:
        self._offers = offers
        for offer in offers.values():
            _ = offer.fingerprint  # what is wrong with a publication is said now
        super().__init__(address, access, options, insecure=insecure)

    def handle(self, wire: FrameLink, hello: Hello) -> bool:
        """Let a user look around, and use a part."""
        log, name = self._options.log, f"{wire.user or hello.role} at {wire.peer}"
        tickets, tls = self._tickets, self._tls is not None
        beside = Beside(tickets is not None, tickets, tls)
        options = self._options.host
        attend(wire, self._offers, options, lambda line: log(f"{name} {line}"), beside=beside)
        return False

    def __enter__(self) -> PartServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def listening(address: Address) -> socket.socket:
    """A socket that listens there; OptionError if it cannot."""
    host = "" if address.host == "*" else address.host
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, address.port), family=family, backlog=_WAITING)
    except OSError as error:
        what = f"{address.place} cannot be listened at: {(error.strerror or str(error)).lower()}"
        raise OptionError(f"{what}; take another --port or --host") from None


def _cut(link: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(link, socket.SHUT_RDWR)
