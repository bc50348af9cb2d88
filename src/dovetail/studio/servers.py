"""Part servers that the library shows: where they are, how one gets in, what they offer.

They are kept in a hidden file of the folder: addresses, and the names of files. A token that was
typed goes into a file of its own, which only its owner can read.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..core.errors import DovetailError, FileError, OptionError
from ..core.typed import is_of
from ..machines.address import Address
from ..machines.remote_model import FILES
from .folder import WorkFolder

KEPT = ".dovetail-servers.json"
_MOST, _MOST_PARTS = 20, 1000
_PATIENCE = 10.0  # s for the list of a server


class PartServers:
    """The part servers of a folder."""

    def __init__(self, folder: WorkFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def known(self) -> dict[str, dict[str, str]]:
        """The files that show who one is, by the address of a server."""
        place = self._folder.root / KEPT
        try:
            found = [] if place.is_symlink() else json.loads(place.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        kept = {}
        for one in found[:_MOST] if isinstance(found, list) else []:
            if is_of(one, dict[str, str]) and "address" in one:
                with suppress(DovetailError):
                    address = Address.parse(one["address"], part=False).place
                    kept[address] = {n: one[n] for n in FILES if one.get(n)}
        return kept

    def add(self, address: str, given: Mapping[str, Any]) -> str:
        """One more, or other ways into one; its address. A `token` is written to a file."""
        place = Address.parse(address, part=False)
        files = self.checked({n: v for n, v in given.items() if n != "token"})
        with self._lock:
            known = self.known()
            if place.place not in known and len(known) >= _MOST:
                raise OptionError(f"{_MOST} servers are listed already; remove one")
            if given.get("token"):
                files["token_file"] = self._token(place, given["token"])
            self._write({**known, place.place: files})
        return place.place

    def remove(self, address: str) -> None:
        """Show it no longer; files stay."""
        with self._lock:
            known = self.known()
            if known.pop(address, None) is None:
                raise OptionError(f"there is no server '{address}'"[:300])
            self._write(known)

    def checked(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Files to get in with, as names in the folder; OptionError for all else."""
        found = {}
        for name, value in given.items():
            if name not in FILES or not isinstance(value, str):
                raise OptionError(f"a part server is not used with {name!r}"[:200])
            if value:
                path = self._folder.inside(value)
                if not path.is_file():
                    raise FileError(value, "is not in the folder", "copy it into the folder")
                found[name] = self._folder.name_of(path)
        return found

    def listed(self, search: str = "") -> list[dict[str, Any]]:
        """Each with what it offers, or why it says nothing."""
        return [
            {"address": address, "access": files, **self._asked(address, files, search)}
            for address, files in self.known().items()
        ]

    def _asked(self, address: str, files: Mapping[str, str], search: str) -> dict[str, Any]:
        from ..machines.listing import parts

        ways = {name: str(self._folder.root / value) for name, value in files.items()}
        try:
            found = parts(address, search, **ways, timeout=_PATIENCE)
        except DovetailError as error:
            return {"parts": [], "problem": str(error)}
        shown = [
            {"name": p.name, "note": p.description, "kind": p.kind, "model": p.address,
             "inputs": p.inputs, "outputs": p.outputs, "parameters": p.parameters}
            for p in found[:_MOST_PARTS]
        ]  # fmt: skip
        return {"parts": shown, "problem": ""}

    def _token(self, address: Address, token: Any) -> str:
        from ..machines.access import check_token

        if not isinstance(token, str):
            raise OptionError("a token is a text")
        check_token(token, "the token")
        host = "".join(c if c.isalnum() or c in ".-" else "-" for c in address.host)
        name = f"server-{host}-{address.port}.token"
        path = self._folder.root / name
        try:
            path.unlink(missing_ok=True)  # as a link, it might lead anywhere
            door = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(door, "w", encoding="utf-8") as file:
                file.write(token + "\n")
        except OSError as error:
            raise FileError(name, f"the token cannot be kept: {error.strerror}") from error
        return name

    def _write(self, known: Mapping[str, Mapping[str, str]]) -> None:
        place = self._folder.root / KEPT
        beside = place.with_name(KEPT + ".part")
        text = json.dumps([{"address": a, **files} for a, files in known.items()], indent=1)
        try:
            beside.unlink(missing_ok=True)
            beside.write_text(text + "\n", encoding="utf-8")
            os.replace(beside, place)
        except OSError as error:
            raise FileError(KEPT, f"the list cannot be kept: {error.strerror}") from error
