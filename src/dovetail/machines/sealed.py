"""States that leave a server: bytes that only the server can read, and that nobody can change."""

from __future__ import annotations

import hashlib
import hmac
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

from ..core.errors import OptionError

_NONCE = 12


class Seal:
    """Encrypts states with a key that never leaves this machine.

    Made from the private key of a server it is the same after a restart; else it ends with it.
    """

    def __init__(self, key_file: str | None) -> None:
        secret = os.urandom(32) if key_file is None else Path(key_file).read_bytes()
        self._marks = hashlib.sha256(b"dovetail marks" + secret).digest()
        self._make: Callable[[], object] | None = None
        if importlib.util.find_spec("cryptography") is not None:
            from cryptography.hazmat.primitives import hashes
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF

            kdf = HKDF(hashes.SHA256(), 32, None, b"dovetail states")
            self._cipher = AESGCM(kdf.derive(secret))
            self._make = lambda: self._cipher

    def mark(self, text: str) -> str:
        """A hash of a text that is of no use to those who guess the text."""
        return hmac.new(self._marks, text.encode(), "sha256").hexdigest()

    @property
    def is_there(self) -> bool:
        """Whether states can be encrypted here."""
        return self._make is not None

    def closed(self, state: bytes, part: str) -> bytes:
        """A state as it may leave."""
        nonce = os.urandom(_NONCE)
        return nonce + bytes(self._cipher.encrypt(nonce, state, part.encode()))

    def opened(self, sealed: bytes, part: str) -> bytes:
        """The state again; OptionError if it is none of this part on this server."""
        from cryptography.exceptions import InvalidTag

        try:
            return bytes(self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], part.encode()))
        except (InvalidTag, ValueError):
            raise OptionError(
                "this state is not one of this part on this server, or its key is another one now"
            ) from None


class OpenSeal(Seal):
    """Of machines that trust each other: states travel as they are, and fit anywhere."""

    def __init__(self) -> None:
        super().__init__(None)

    @property
    def is_there(self) -> bool:
        """Nothing is needed."""
        return True

    def closed(self, state: bytes, part: str) -> bytes:
        """The state itself."""
        return state

    def opened(self, sealed: bytes, part: str) -> bytes:
        """The state itself."""
        return sealed
