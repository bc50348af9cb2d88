"""The parts that a folder offers: its FMUs, Python models and systems, as far as published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..core.errors import DovetailError, FileError, OptionError, did_you_mean
from ..core.file_kinds import TABLES, system_kind
from ..drawing.system import System
from ..formats import read
from ..formats.loading import is_fmu, is_model, load_from
from ..formats.python_files import PythonFiles, suitable
from ..machines.offer import PartOffer
from ..machines.sealed import Seal
from ..models import Nested
from ..subsystems.subsystem import Model
from .publish_file import NAME, Entry, entries_of, publication_of

_ASKED_FOR = (".json", ".xml", *TABLES)  # which may be anything: only if publish.yaml names them


def offers_in(folder: Path, seal: Seal, note: Callable[[str], None]) -> dict[str, PartOffer]:
    """What a folder offers, by name. What cannot be offered is noted, or an error if it is named.

    A Python file is executed: who serves a folder trusts it.
    """
    if not folder.is_dir():
        raise FileError(folder, "is no folder", "serve a folder with models in it")
    entries, files = entries_of(folder), PythonFiles()
    keys = list(_keys(folder, entries, files, note))
    unknown = [key for key in entries if key not in keys and entries[key] is not False]
    if unknown:
        hint = did_you_mean(unknown[0], keys)
        raise FileError(folder / NAME, f"there is no model '{unknown[0]}' beside it.{hint}")
    found: dict[str, PartOffer] = {}
    for key in keys:
        entry = entries.get(key, True)
        if entry is False:
            continue
        offer = _offer(folder, key, entry, files, seal, None if key in entries else note)
        if offer is None:
            continue
        if offer.name in found:
            remedy = f"give one of them another name in {NAME}"
            raise FileError(folder, f"two models would be offered as '{offer.name}'", remedy)
        found[offer.name] = offer
    return found


def offer_of(part: str, seal: Seal) -> PartOffer:
    """One model: `pump.fmu`, or `models.py:prey`, with what publish.yaml beside it says."""
    file, _, inner = part.rpartition(":") if ".py:" in part else (part, "", "")
    folder, name = Path(file).parent, Path(file).name
    key = f"{name}:{inner}" if inner else name
    entry = entries_of(folder).get(key, True)
    if entry is False:
        raise FileError(folder / NAME, f"'{key}' is not to be offered")
    found = _offer(folder, key, entry, PythonFiles(), seal, None)
    assert found is not None
    return found


def _keys(
    folder: Path, entries: dict[str, Entry], files: PythonFiles, note: Callable[[str], None]
) -> Iterator[str]:
    """Every model of the folder: the name of its file, and in a Python file its own."""
    for path in sorted(folder.iterdir()):
        suffix, name = path.suffix.lower(), path.name
        if name == NAME or name.startswith("."):
            continue
        if is_fmu(path):
            yield name
        elif suffix == ".py":
            if entries.get(name) is False:
                continue
            try:
                module = files.module(path)
            except DovetailError as error:
                note(f"'{name}' is not offered: {error}")
                continue
            yield from (f"{name}:{model}" for model in suitable(module, is_model))
            if isinstance(vars(module).get("system"), System):
                yield f"{name}:system"
        elif suffix in _ASKED_FOR:
            if name in entries:
                yield name
        elif system_kind(suffix) is not None and path.is_file():
            yield name


def _offer(
    folder: Path,
    key: str,
    entry: Entry,
    files: PythonFiles,
    seal: Seal,
    note: Callable[[str], None] | None,
) -> PartOffer | None:
    file, _, inner = key.partition(":")
    name = Path(file).stem if inner in ("", "system") else inner
    try:
        publication = publication_of(entry, name, folder / NAME, key)
        offer = PartOffer(_model(folder, file, inner, files), publication, seal)
        _ = offer.fingerprint
        return offer
    except OptionError as error:
        raise FileError(folder / NAME, f"'{key}': {error}") from None
    except DovetailError as error:
        if note is None:
            raise
        note(f"'{key}' is not offered: {error}")
        return None


def _model(folder: Path, file: str, inner: str, files: PythonFiles) -> Model:
    path = folder / file
    is_system = inner == "system" or (not inner and system_kind(path.suffix) and not is_fmu(path))
    if not is_system:
        return load_from(f"{file}:{inner}" if inner else file, folder, files)
    system = read(path)
    run, chosen = system.run_settings, {}
    for name in ("algorithm", "controller"):
        if getattr(run, name) is not None:
            chosen[name] = getattr(run, name)
    return Nested(system, **chosen)
