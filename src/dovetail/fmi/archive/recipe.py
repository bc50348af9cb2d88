"""How the sources of an FMU are to be compiled, as it says itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ...core.errors import FileError
from ...xml.attributes import Attributes, children
from ...xml.document import root_of
from ...xml.report import ProblemReport
from ..description.fmu import FmuDescription
from ..description.interface import FmuInterface
from .archive import Archive
from .platforms import Platform

PLACE = Path("sources") / "buildDescription.xml"
_CPLUSPLUS = frozenset([".cc", ".cpp", ".cxx"])
_DEFINITION = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OPTION = re.compile(
    r"-(O\w*|std=[\w+]+|f(?!plugin)[\w=+-]+|m[\w=.+-]+|W(?![lap],)[\w=+-]*"
    r"|[DU][A-Za-z_]\w*(=[\w.+-]*)?|g\d?|pthread|pedantic)",
    re.ASCII,
)
_UNSAFE = "it may have been made to do harm; get it from a source you trust"


class SourceMissing(FileError):
    """Something is not there that the FMU would be compiled from."""


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that are compiled alike."""

    files: tuple[Path, ...]
    definitions: tuple[tuple[str, str | None], ...] = ()
    include: tuple[Path, ...] = ()
    language: str = ""
    options: tuple[str, ...] = ()

    def language_of(self, file: Path) -> str:
        """C or C++: as it is said, and otherwise as the file is named."""
        language = self.language.strip().upper()
        is_cplusplus = language.startswith("C++") if language else file.suffix.lower() in _CPLUSPLUS
        return "C++" if is_cplusplus else "C"


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that is compiled and linked, and options that are not followed."""

    sets: tuple[FileSet, ...]
    libraries: tuple[Path | str, ...] = ()
    ignored: tuple[str, ...] = ()


def recipe(archive: Archive, fmu: FmuDescription, interface: FmuInterface) -> Recipe:
    """How to make the binary of this interface; FileError where that is not given."""
    path = archive.directory / PLACE
    if path.is_file():
        return _described(archive, path, interface.model_identifier)
    if not interface.source_files:
        besides = "and the FMU does not say how to make one"
        raise archive.no_binary(interface.model_identifier, fmu.version, besides)
    files = tuple(_inside(archive, archive.source, name) for name in interface.source_files)
    return Recipe((FileSet(files),))


def _described(archive: Archive, path: Path, identifier: str) -> Recipe:
    report = ProblemReport(archive.source / PLACE)
    root = root_of(path, "fmiBuildDescription", report)
    path = report.path
    every = children(root, "BuildConfiguration", "Annotations", report=report)
    chosen = _chosen([e for e in every if e.tag == "BuildConfiguration"], identifier)
    if chosen is None:
        what = f"it does not say how to build '{identifier}' for {Platform.here()}"
        raise SourceMissing(path, what, "ask for an FMU with a binary for this machine")
    ignored: list[str] = []
    sets, libraries = [], []
    for child in children(chosen, "SourceFileSet", "Library", "Annotations", report=report):
        if child.tag == "SourceFileSet":
            sets.append(_file_set(archive, path, child, ignored, report))
        elif child.tag == "Library":
            libraries.append(_library(archive, Attributes(child, report)))
    if not any(one.files for one in sets):
        raise SourceMissing(path, "it lists no source files", "ask its supplier for a correct one")
    return Recipe(tuple(sets), tuple(libraries), tuple(ignored))


def _chosen(configurations: Sequence[etree._Element], identifier: str) -> etree._Element | None:
    """The one for this machine, else the one for any."""
    here = str(Platform.here())
    named = {c.get("modelIdentifier", identifier) for c in configurations}
    wanted = named if len(named) == 1 else {identifier}  # the only one must be meant
    mine = [c for c in configurations if c.get("modelIdentifier", identifier) in wanted]
    usable = [c for c in mine if not _foreign(c)]
    for platform in (here, None):
        for configuration in usable:
            if configuration.get("platform") == platform:
                return configuration
    return None


def _foreign(configuration: etree._Element) -> bool:
    """Whether it is written for a compiler with other options than those of gcc."""
    compilers = [s.get("compiler", "").lower() for s in configuration.iterfind("SourceFileSet")]
    return any(c.startswith(("visualc", "msvc", "cl.exe")) or c == "cl" for c in compilers)


def _file_set(
    archive: Archive, path: Path, element: etree._Element, ignored: list[str], report: ProblemReport
) -> FileSet:
    attributes = Attributes(element, report)
    options = attributes.text("compilerOptions").split()
    ignored += [option for option in options if not _OPTION.fullmatch(option)]
    files, include, definitions = [], [], []
    for child in children(
        element,
        "SourceFile",
        "PreprocessorDefinition",
        "IncludeDirectory",
        "Annotations",
        report=report,
    ):
        inner = Attributes(child, report)
        name = inner.text("name")
        if child.tag == "SourceFile":
            files.append(_inside(archive, path, name))
        elif child.tag == "IncludeDirectory":
            include.append(_inside(archive, path, name))
        elif child.tag == "PreprocessorDefinition" and not inner.flag("optional"):
            if not _DEFINITION.fullmatch(name):
                raise FileError(path, f"'{name}' cannot be defined for the compiler", _UNSAFE)
            definitions.append((name, inner.optional("value")))
    return FileSet(
        tuple(files),
        tuple(definitions),
        tuple(include),
        attributes.text("language"),
        tuple(option for option in options if _OPTION.fullmatch(option)),
    )


def _library(archive: Archive, attributes: Attributes) -> Path | str:
    """A library to link: one of the machine by its name, or one that lies with the binaries."""
    name = attributes.text("name")
    if not re.fullmatch(r"[\w.+-]+", name) or name.startswith("-"):
        raise FileError(archive.source, f"'{name}' is not a library name", _UNSAFE)
    if attributes.flag("external"):
        return name
    here = Platform.here()
    for folder in here.folders("3.0"):
        for candidate in (name, f"lib{name}.a", f"{name}.a", f"lib{name}.so", f"{name}.lib"):
            found = archive.directory / "binaries" / folder / candidate
            if found.is_file():
                return found
    what = f"the library '{name}' that it needs is not there for {here}"
    raise SourceMissing(archive.source, what, "ask for an FMU with a binary for this machine")


def _inside(archive: Archive, told_by: Path, name: str) -> Path:
    """A file or folder among the sources."""
    sources = archive.directory / "sources"
    found = sources.joinpath(*_parts(name)).resolve()
    if not found.is_relative_to(archive.directory):
        raise FileError(told_by, f"the path '{name}' in it leads outside", _UNSAFE)
    if not os.path.exists(found):  # nor does what no file can be called
        what = f"it lists the source '{name}', which is not there"
        raise SourceMissing(told_by, what, "export the FMU again")
    return found


def _parts(name: str) -> Iterable[str]:
    plain = name.replace("\\", "/")
    return ["/", *plain.split("/")] if plain.startswith("/") else plain.split("/")
