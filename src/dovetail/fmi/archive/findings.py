"""What was found out about an FMU while it ran, kept beside the cache for the next run."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...core.errors import FileError
from ...core.harmless import harmless_line
from ...subsystems.foreign import OF
from ...xml import cache
from ..kernel import MAX_COLUMNS
from .archive import Archive

_SHELF, _ROLLBACK, _DERIVATIVES = "findings", "rollback", "input derivatives"
_TRIED, _RESET = "states tried", "reset"
IN_TRIAL = "its library"  # how what a trial finds begins
_LONGEST = 500  # characters
_HERE: dict[str, dict[str, Any]] = {}  # of this process, by folder


def against_rollback(archive: Archive) -> str:
    """What showed that it does not roll back, though it says so; empty if nothing did."""
    found = _known(archive).get(_ROLLBACK)
    return found[:_LONGEST] if isinstance(found, str) else ""


def keep_against_rollback(archive: Archive, found: str) -> None:
    """Remember it, in this process and, where the cache can be written, for later ones."""
    _keep(archive, _ROLLBACK, found[:_LONGEST])


def was_tried(archive: Archive) -> bool:
    """Whether its states were saved and set before, to see whether it survives that."""
    return _known(archive).get(_TRIED) is True


def found_in_trial(archive: Archive) -> str:
    """What was wrong then; empty if nothing was."""
    found = against_rollback(archive)
    return found if found.startswith(IN_TRIAL) else ""


def keep_tried(archive: Archive) -> None:
    """Remember it, as `keep_against_rollback` does."""
    _keep(archive, _TRIED, True)


def against_reset(archive: Archive) -> str:
    """What showed that a reset does not make it as new; empty if nothing did."""
    found = _known(archive).get(_RESET)
    return found[:_LONGEST] if isinstance(found, str) else ""


def keep_against_reset(archive: Archive, found: str) -> None:
    """Remember it, as `keep_against_rollback` does."""
    _keep(archive, _RESET, found[:_LONGEST])


def most_derivatives(archive: Archive) -> int | None:
    """The order of input derivatives above which it does not live on; None if not found out."""
    found = _known(archive).get(_DERIVATIVES)
    return found if isinstance(found, int) and 0 <= found <= MAX_COLUMNS else None


def keep_most_derivatives(archive: Archive, order: int) -> None:
    """Remember it, as `keep_against_rollback` does."""
    _keep(archive, _DERIVATIVES, order)


def all_found(archive: Archive) -> dict[str, Any]:
    """All that was found out, for a process that may not be able to read it."""
    return dict(_known(archive))


def know(archive: Archive, found: Mapping[str, Any]) -> None:
    """Go by what another process found out."""
    if found:
        _HERE.setdefault(str(archive.directory), dict(found))


def news(archive: Archive, *, rollback: str = "", derivatives: int | None = None) -> dict[str, Any]:
    """What was found out, as an error carries it to the process that planned the run."""
    return {OF: str(archive.directory), _ROLLBACK: rollback, _DERIVATIVES: derivatives}


def read_news(archive: Archive, found: Mapping[str, Any]) -> tuple[str, int | None]:
    """What speaks against rollback and against derivatives, if it is about this FMU."""
    if found.get(OF) != str(archive.directory):
        return "", None
    flaw, order = found.get(_ROLLBACK), found.get(_DERIVATIVES)
    counts = isinstance(order, int) and 0 <= order <= MAX_COLUMNS
    return harmless_line(flaw) if isinstance(flaw, str) else "", order if counts else None


def _known(archive: Archive) -> dict[str, Any]:
    here = _HERE.get(str(archive.directory))
    if here is not None:
        return here
    file = _file(archive)
    if file is None:
        return {}
    with suppress(OSError, ValueError, RecursionError):  # what cannot be read was never found
        known = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(known, dict):
            return known
    return {}


def _keep(archive: Archive, what: str, found: Any) -> None:
    known = {**_known(archive), what: found}
    _HERE[str(archive.directory)] = known
    file = _file(archive)
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=file.parent, suffix=".partial")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(known, stream)
        Path(partial).replace(file)


def _file(archive: Archive) -> Path | None:
    """Where it is kept: by the hash of the archive; nowhere for a folder that may change."""
    with suppress(FileError, OSError):
        return _file_in(cache.folder(), archive.directory)
    return None


@lru_cache(maxsize=256)
def _file_in(folder: Path, directory: Path) -> Path | None:
    shelf = folder / "fmus"
    if re.fullmatch(r"[0-9a-f]{64}", directory.name) and directory.parent == shelf.resolve():
        return folder / _SHELF / f"{directory.name}.json"
    return None
