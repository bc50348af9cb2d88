"""Connections between parts of two machines: who is awaited is known by a ticket.

A ticket is a number that cannot be guessed, drawn by the one that is dialled, for one connection.
The masters hand it to the one that dials, which shows it first of all.
"""

from __future__ import annotations

import secrets
import select
import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic

from ..hosts.frames import Garbled, TooLate
from .address import Address
from .publication import NotPublished
from .wire import GREETING, keep_alive

MARK = b"dvp1"
_LETTERS = 64  # of a ticket
_DAYS = 30  # that a certificate of a run is good for, and as many before: clocks differ


class Tickets:
    """Those of one server: each is good for one connection, and ends with the use it is of."""

    def __init__(self) -> None:
        self._came = threading.Condition()
        self._links: dict[str, socket.socket | None] = {}

    def draw(self) -> str:
        """A new one."""
        ticket = secrets.token_hex(_LETTERS // 2)
        with self._came:
            self._links[ticket] = None
        return ticket

    def bring(self, ticket: str, link: socket.socket) -> bool:
        """A connection that shows one; False if nobody awaits it."""
        with self._came:
            if self._links.get(ticket, link) is not None:
                return False
            self._links[ticket] = link
            self._came.notify_all()
        return True

    def take(self, ticket: str) -> socket.socket:
        """The connection that shows this one; TooLate if there is none in time."""
        until = monotonic() + GREETING
        with self._came:
            while self._links.get(ticket) is None:
                left = until - monotonic()
                if left <= 0 or ticket not in self._links:
                    raise TooLate
                self._came.wait(left)
            found = self._links.pop(ticket)
        assert found is not None
        return found

    def void(self, ticket: str) -> None:
        """It is good for nothing any more."""
        with self._came:
            link = self._links.pop(ticket, None)
        if link is not None:
            link.close()


def shows_ticket(link: socket.socket, patience: float) -> bool:
    """Whether a new connection begins as one between parts; nothing of it is taken."""
    until = monotonic() + patience
    link.settimeout(patience)
    ended = select.poll()
    ended.register(link, select.POLLRDHUP)
    pause = threading.Event()
    while True:
        try:
            seen = link.recv(len(MARK), socket.MSG_PEEK)
        except TimeoutError:
            raise TooLate from None
        if len(seen) == len(MARK) or seen != MARK[: len(seen)] or not seen or ended.poll(0):
            return seen == MARK
        if monotonic() > until:
            raise TooLate
        pause.wait(0.01)


def read_ticket(link: socket.socket) -> str:
    """The ticket that such a connection shows; Garbled if it is none."""
    found, until = b"", monotonic() + GREETING
    while len(found) < len(MARK) + _LETTERS:
        link.settimeout(max(until - monotonic(), 1e-3))
        try:
            more = link.recv(len(MARK) + _LETTERS - len(found))
        except TimeoutError:
            raise TooLate from None
        if not more:
            raise Garbled
        found += more
    try:
        return found[len(MARK) :].decode("ascii")
    except UnicodeDecodeError:
        raise Garbled from None


def dialled_with(address: Address, ticket: str) -> socket.socket:
    """A connection to a part on another machine; NotPublished if there is none."""
    try:
        link = socket.create_connection((address.host, address.port), GREETING)
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise NotPublished(f"{address.place} cannot be dialled: {what}") from None
    keep_alive(link)
    with suppress(OSError):  # seen when the first numbers are awaited
        link.sendall(MARK + ticket.encode())
    return link


def run_certificate() -> tuple[str, str]:
    """A certificate and its key for one run, signed by itself; empty without `cryptography`."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        return "", ""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"run {secrets.token_hex(8)}")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=_DAYS))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    secret = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)
    return made.public_bytes(encoding).decode(), secret.decode()
