"""An FMU as files: unpacked once, and where in it things are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import FileError
from ...xml.extraction import ArchiveMember, shown
from ...xml.unpacking import unpacked
from .platforms import Platform

DESCRIPTION = "modelDescription.xml"
_SOURCE_SUFFIXES = frozenset([".c", ".cc", ".cpp", ".cxx"])


@dataclass(frozen=True, slots=True)
class Binary:
    """A shared library, and what about it is unusual."""

    path: Path
    note: str = ""

    def __fspath__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class Archive:
    """The files of an FMU, in a folder. `source` is what the user gave, for messages.

    The folder may be shared with other processes; nothing in it is ever changed, but that an FMU
    of FMI 2 without resources gets an empty folder for them.
    """

    name: str
    directory: Path
    source: Path
    notes: tuple[str, ...] = ()

    @staticmethod
    def open(path: str | Path, *, unpacked: str | Path | None = None) -> Archive:
        """The FMU in a file, or in a folder where it is unpacked already.

        A file is unpacked into a cache, under the hash of its content, and only once.
        """
        path = Path(path)
        folder = Path(unpacked) if unpacked is not None else path if path.is_dir() else None
        folder = beside(path) if folder is None else folder
        if folder is not None:
            name = path.stem if path.suffix == ".fmu" else path.name
            return Archive(name, _checked(folder), folder)
        return _unpacked(path)

    @property
    def resources(self) -> Path:
        """The folder of resources, which need not exist."""
        return self.directory / "resources"

    @property
    def resource_path(self) -> str | None:
        """What FMI 3 wants to know: the absolute path, ending in a separator."""
        return f"{self.resources}{os.sep}" if self.resources.is_dir() else None

    def resource_uri(self, version: str) -> str:
        """What FMI 1 and 2 want to know: the address of the FMU, or of its resources.

        FMI 2 has no value for none, and FMUs refuse to be made where the folder is not there.
        """
        if version.startswith("1"):
            return self.directory.as_uri()
        with suppress(OSError):  # a folder of the user's that must not be written
            self.resources.mkdir(exist_ok=True)
        return self.resources.as_uri()

    @property
    def icon(self) -> Path | None:
        """Its picture, if it has one."""
        places = ("terminalsAndIcons/icon.svg", "terminalsAndIcons/icon.png", "model.png")
        return next((p for name in places if (p := self.directory / name).is_file()), None)

    def binary(self, identifier: str, version: str) -> Binary | None:
        """The shared library for this machine, or None.

        One that has another name than it should is accepted if there is no doubt.
        """
        here = Platform.here()
        usual, *others = here.folders(version)
        for name in (usual, *others):
            folder = self.directory / "binaries" / name
            found = _library(folder, identifier, here.suffix)
            if found is not None:
                notes = [] if name == usual else [f"it lies in '{name}' instead of '{usual}'"]
                if found.stem != identifier:
                    notes.append(f"its name is '{found.name}', not '{identifier}{here.suffix}'")
                return Binary(found, f"the binary is unusual: {', '.join(notes)}" if notes else "")
        return None

    def no_binary(self, identifier: str, version: str, besides: str) -> FileError:
        """The error for an FMU that has none for this machine; `besides`: nor a way to make one."""
        here = Platform.here()
        for name in here.folders(version):
            strangers = _libraries(self.directory / "binaries" / name, here.suffix)
            if strangers:
                found = " and ".join(f"'{p.name}'" for p in strangers[:3])
                what = f"binaries/{name} holds {found}, but not '{identifier}{here.suffix}'"
                return FileError(self.source, what, "rename the one that is meant")
        return FileError(self.source, f"{self.elsewhere()}, {besides}", f"export it for {here}")

    def elsewhere(self) -> str:
        """Where it runs, and that this machine is not among them."""
        has = ", ".join(self.platforms())
        begin = f"it has binaries for {has}, but none" if has else "it has no binary"
        return f"{begin} for this machine ({Platform.here()})"

    def platforms(self) -> tuple[str, ...]:
        """The kinds of machine it has binaries for, as its folders are named."""
        return _folders(self.directory / "binaries")

    def sources(self) -> tuple[Path, ...]:
        """Its source files, those to be compiled and those included by them."""
        found = (self.directory / "sources").rglob("*")
        return tuple(sorted(p for p in found if p.suffix.lower() in _SOURCE_SUFFIXES))


@contextmanager
def extracted_beside(*, wanted: bool = True) -> Iterator[None]:
    """FMUs opened in here are not unpacked: they are taken from the folders beside their files."""
    token = _BESIDE.set(wanted or _BESIDE.get())
    try:
        yield
    finally:
        _BESIDE.reset(token)


_BESIDE: ContextVar[bool] = ContextVar("_BESIDE", default=False)


def beside(path: Path) -> Path | None:
    """Where an FMU is to be taken from, if it is not to be unpacked.

    That is `engine/` or `fmus/engine/` beside `engine.fmu`, which itself need not be there.
    """
    if not _BESIDE.get():
        return None
    places = [path.with_suffix(""), path.parent / "fmus" / path.stem]
    for folder in places:
        if (folder / DESCRIPTION).is_file():
            return folder
    looked = " or ".join(f"'{folder}'" for folder in places)
    what = f"it is to be run from where it is extracted, but there is no {DESCRIPTION} in {looked}"
    raise FileError(path, what, "extract it there, name its folder (unpacked), or unzip it")


def _unpacked(path: Path) -> Archive:
    """The FMU in this file."""
    folder, content = unpacked(path, "fmus", lambda members: _check_description(path, members))
    return Archive(path.stem, folder, path, content.notes)


def _checked(folder: Path) -> Path:
    """The absolute path of a folder that holds an FMU."""
    if not folder.is_dir():
        raise FileError(folder, "there is no such folder", "check its name")
    if not (folder / DESCRIPTION).is_file():
        what = f"this folder holds no {DESCRIPTION}"
        raise FileError(folder, what, "give the folder an FMU was unpacked into, or the FMU")
    return folder.resolve()


def _check_description(path: Path, members: Iterable[ArchiveMember]) -> None:
    """Refuse an archive without a model description, and say where it should be."""
    places = [m.name for m in members if m.parts[-1].lower() == DESCRIPTION.lower()]
    if DESCRIPTION in places:
        return
    what = f"it holds no {DESCRIPTION}, so it is not an FMU"
    remedy = "check the file name"
    if places and "/" not in places[0]:
        what = f"it holds {shown(places[0])}, but no {DESCRIPTION}"
        remedy = f"rename it to {DESCRIPTION}, capital D included, and zip again"
    elif places:
        what = f"it holds {shown(places[0])}, but no {DESCRIPTION} at the top"
        remedy = "zip the files of the FMU, not a folder around them"
    raise FileError(path, what, remedy)


def _library(folder: Path, identifier: str, suffix: str) -> Path | None:
    """The library of this name; else one much like it; else the only one."""
    libraries = _libraries(folder, suffix)
    for fits in (
        lambda stem: stem == identifier,
        lambda stem: stem.lower() in (identifier.lower(), f"lib{identifier}".lower()),
        lambda stem: len(libraries) == 1,
    ):
        for library in libraries:
            if fits(library.stem):
                return library
    return None


def _libraries(folder: Path, suffix: str) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.suffix.lower() == suffix and p.is_file())


def _folders(parent: Path) -> tuple[str, ...]:
    if not parent.is_dir():
        return ()
    return tuple(sorted(p.name for p in parent.iterdir() if p.is_dir()))
