"""How one gets in: certificates, tokens, and what TLS says if they are wrong."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import FileError, OptionError
from ..core.guard import check_file
from .address import Address

_LEAST, _MOST = 16, 512  # letters of a token
_ALERTS = {
    "CERTIFICATE_REQUIRED": "it wants a certificate of who dials; give cert= and key=",
    "CERTIFICATE_EXPIRED": "it says that the certificate given with cert= has expired; make a new "
    "one with 'dovetail cert'",
    "UNKNOWN_CA": "it does not know the authority of the certificate given with cert=",
    "WRONG_VERSION_NUMBER": "it does not speak TLS, or this is no server of Dovetail; one started "
    "with --insecure is used without ca=",
    "BAD_CERTIFICATE": "it does not accept the certificate given with cert=",
    "DECRYPT_ERROR": "it does not accept the certificate given with cert=",
    "UNSUPPORTED_CERTIFICATE": "it does not accept the certificate given with cert=, which is not "
    "one of a client",
}


@dataclass(frozen=True, slots=True)
class Access:
    """What one side shows, and whom it believes; paths of PEM files.

    Without a `ca`, `cert` and `key` there is no TLS, which is for this machine only.
    """

    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    token_file: str | None = None
    token: str | None = field(default=None, repr=False, compare=False)
    ca_text: str | None = None  # the certificate itself, in place of a file

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None):
            raise OptionError("cert= and key= belong together; give both, or none")
        if self.token is not None and self.token_file is not None:
            raise OptionError("give token= or token_file=, not both")
        if self.token is not None:
            check_token(self.token, "token=")

    @property
    def secret(self) -> str | None:
        """The token, from where it is."""
        return self.token if self.token_file is None else read_token(self.token_file)

    @property
    def is_plain(self) -> bool:
        """Whether there is no TLS."""
        return self.ca is None and self.cert is None and self.ca_text is None

    def dialling(self, address: Address) -> ssl.SSLContext | None:
        """TLS for who dials; None for none, which is refused beyond this machine."""
        if self.is_plain and address.is_loopback:
            return None
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        if self.ca is not None or self.ca_text is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
        if self.ca_text is not None:
            context.load_verify_locations(cadata=self.ca_text)
        if self.ca is not None:
            _authority(context, self.ca)
        self._show(context)
        return context

    def dialled(self) -> ssl.SSLContext | None:
        """TLS for who is dialled; None for none. With a `ca` it wants certificates of users."""
        if self.is_plain:
            return None
        if self.cert is None:
            raise OptionError("who is dialled shows a certificate; give cert= and key= too")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        self._show(context)
        if self.ca is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            _authority(context, self.ca)
        return context

    def check_dialled(self, address: Address, *, insecure: bool) -> None:
        """OptionError where everybody could come in."""
        way_out = "'dovetail cert FOLDER' makes them"
        if insecure:
            if not address.is_loopback:
                raise OptionError(
                    f"--insecure is for this machine only, and {address.host} is not; give cert "
                    f"and key, with ca or token_file: {way_out}"
                )
            if not self.is_plain:
                raise OptionError("--insecure is without certificates; leave it or them out")
        elif self.cert is None:
            raise OptionError(
                "others are served over TLS: give cert and key, with ca or token_file: "
                f"{way_out}; on this machine alone --insecure goes without"
            )
        elif self.ca is None and self.token_file is None and self.token is None:
            raise OptionError(
                "nobody would be kept out: give ca, so that users show certificates, or token_file"
            )

    def _show(self, context: ssl.SSLContext) -> None:
        if self.cert is None or self.key is None:
            return
        for path in (self.cert, self.key):
            check_file(path)
        try:
            context.load_cert_chain(self.cert, self.key, password=_no_password)
        except (ssl.SSLError, OSError) as error:
            what = f"is no certificate that fits the key {self.key}, in PEM"
            raise FileError(self.cert, f"{what} ({reason_of(error)})") from None


def check_token(token: object, where: str) -> str:
    """The token, if it is one: of 16 letters or more that are printed, without blanks."""
    text = token if isinstance(token, str) else ""
    plain = text.isascii() and text.isprintable() and " " not in text
    if not (_LEAST <= len(text) <= _MOST and plain):
        what = f"{where} is no token: {_LEAST} letters and digits or more, without blanks"
        raise OptionError(f"{what}; 'dovetail cert FOLDER' makes one, token.txt")
    return text


def read_token(path: str | Path) -> str:
    """The token in a file, alone on its only line."""
    check_file(path)
    with open(path, "rb") as file:
        data = file.read(_MOST + 3)
    try:
        return check_token(data.decode().rstrip("\r\n"), str(path))
    except UnicodeDecodeError:
        raise OptionError(f"{path} is no token; 'dovetail cert FOLDER' makes one") from None


def sentence_of(error: BaseException) -> str:
    """What TLS complains of, in a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        found = error.verify_message
        if "expired" in found:
            return "its certificate has expired; make a new one with 'dovetail cert'"
        if "not yet valid" in found:
            return "its certificate is not valid yet; look at the clocks of both machines"
        if "match" in found:
            return f"its certificate is for another name ({found}); use the name it was made for"
        return f"its certificate is not from the authority given with ca= ({found})"
    return alert(reason_of(error))


def alert(reason: str) -> str:
    """What an alert of TLS means; what it says itself, if that is not known."""
    return next((text for part, text in _ALERTS.items() if part in reason), reason)


def reason_of(error: BaseException) -> str:
    """The reason, as the library has it."""
    if isinstance(error, ssl.SSLError) and error.reason:
        return str(error.reason)
    return str(error)


def refusal_of(error: ssl.SSLError) -> str:
    """Why one that has dialled is not let in by TLS."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate does not hold: {error.verify_message}"
    if error.reason == "PEER_DID_NOT_RETURN_A_CERTIFICATE":
        return "it showed no certificate"
    return f"there was no connection by TLS: {reason_of(error)}"


def _authority(context: ssl.SSLContext, path: str) -> None:
    check_file(path)
    try:
        context.load_verify_locations(cafile=path)
    except (ssl.SSLError, OSError) as error:
        what = f"holds no certificate of an authority, in PEM ({reason_of(error)})"
        raise FileError(path, what) from None


def _no_password() -> str:
    raise OSError("keys with a password are not read")
