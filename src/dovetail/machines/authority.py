"""A small authority for a lab: certificates of servers and users, and a token."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OptionError
from ..results.files.needs import need

_YEARS, _DAYS = 10, 825  # of the authority, and of what it signs
_LOCAL = ("localhost", "127.0.0.1", "::1")


def make_certificates(
    folder: Path, hosts: Sequence[str] = (), users: Sequence[str] = (), days: int = _DAYS
) -> list[Path]:
    """Certificates and keys in a folder; what was written.

    An authority that is there already signs more: for the names of `hosts`, and for `users`.
    """
    need("cryptography", "remote")
    for name in (*hosts, *users):
        if not name or "/" in name or name.startswith(".") or not name.isprintable():
            raise OptionError(f"'{name}' is no name of a host or a user")
    folder.mkdir(parents=True, exist_ok=True)
    is_new, written = not (folder / "ca.pem").exists(), list[Path]()
    key, ca = _new_authority(folder, written) if is_new else _authority(folder)
    first = (socket.gethostname(),) if is_new and not hosts and not users else ()
    for name in (*hosts, *first):
        stem = "server" if name in first else f"server-{name}"
        names = (name, *_LOCAL) if name in first else (name,)
        written += _signed(folder, stem, name, names, (key, ca), days)
    for name in (*users, *(("client",) if first else ())):
        written += _signed(folder, name, name, (), (key, ca), days)
    if is_new:
        token = folder / "token.txt"
        _write(token, secrets.token_urlsafe(32).encode() + b"\n")
        written.append(token)
    return written


def _new_authority(folder: Path, written: list[Path]) -> tuple[Any, Any]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = _named(f"Dovetail authority of {socket.gethostname()}")
    made = (
        _begun(name, name, key, timedelta(days=365 * _YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    written += _kept(folder, "ca", made, key)
    return key, made


def _authority(folder: Path) -> tuple[Any, Any]:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    place = folder / "ca-key.pem"
    try:
        key = load_pem_private_key(place.read_bytes(), None)
        return key, x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes())
    except (OSError, ValueError, TypeError) as error:
        what = "the authority of this folder cannot be read"
        raise FileError(place, f"{what} ({error})", "take another folder") from None


def _signed(
    folder: Path, stem: str, name: str, names: Sequence[str], by: tuple[Any, Any], days: int
) -> list[Path]:
    """A certificate of a server, for its names, or of a user, who has none."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID as Uses

    if (folder / f"{stem}.pem").exists():
        remedy = "remove it, or take another name or folder"
        raise FileError(folder / f"{stem}.pem", "is there already", remedy)
    signer, ca = by
    key = ec.generate_private_key(ec.SECP256R1())
    uses = Uses.SERVER_AUTH if names else Uses.CLIENT_AUTH
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    made = (
        _begun(_named(name), ca.subject, key, timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([uses]), critical=False)
        .add_extension(identifier, critical=False)
    )
    if names:
        made = made.add_extension(
            x509.SubjectAlternativeName([_general(n) for n in names]), critical=False
        )
    return _kept(folder, stem, made.sign(signer, hashes.SHA256()), key)


def _begun(subject: Any, issuer: Any, key: Any, lasting: timedelta) -> Any:
    from cryptography import x509

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + min(timedelta(0), lasting) - timedelta(hours=1))
        .not_valid_after(now + lasting)
    )


def _named(name: str) -> Any:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _general(name: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usage(*, signs: bool) -> Any:
    from cryptography import x509

    uses = "digital_signature content_commitment key_encipherment data_encipherment "
    uses += "key_agreement key_cert_sign crl_sign encipher_only decipher_only"
    wanted = {"key_cert_sign", "crl_sign"} if signs else {"digital_signature"}
    return x509.KeyUsage(**{use: use in wanted for use in uses.split()})


def _kept(folder: Path, stem: str, made: Any, key: Any) -> list[Path]:
    from cryptography.hazmat.primitives import serialization as s

    paths = [folder / f"{stem}.pem", folder / f"{stem}-key.pem"]
    secret = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    _write(paths[1], secret)
    _write(paths[0], made.public_bytes(s.Encoding.PEM), 0o644)
    return paths


def _write(path: Path, data: bytes, mode: int = 0o600) -> None:
    """For the owner alone, from the first byte."""
    try:
        place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        raise FileError(path, f"cannot be written: {(error.strerror or '').lower()}") from None
    with os.fdopen(place, "wb") as file:
        file.write(data)
