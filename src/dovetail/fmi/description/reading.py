"""From a file to a description, whatever version of FMI it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from lxml import etree

from ...core.errors import FileError
from ...core.guard import guarded
from ...xml.attributes import line_of
from ...xml.document import root_of
from ...xml.report import ProblemReport
from ..archive.archive import DESCRIPTION, Archive
from . import fmi1, fmi2, fmi3
from .fmu import FmuDescription
from .terminals import PLACE as TERMINALS
from .terminals import terminals

Reader = Callable[[etree._Element, str, ProblemReport], FmuDescription]
_READERS: dict[str, Reader] = {"1": fmi1.read, "2": fmi2.read, "3": fmi3.read}
_VERSION = re.compile(r"([123])(\.\d+)*(-.+)?")
_EXACT = re.compile(r"1\.0|2\.0|3\.\d+(\.\d+)?")


def read(source: Archive | Path) -> FmuDescription:
    """The description of an FMU, or in a file, or in the folder an FMU was unpacked into.

    FileError lists everything in it that would stop a run. What is against the standard but
    does not is read as it is most likely meant, and listed in `deviations`. That of an FMU which
    was just read is not read again: some have a hundred thousand variables.
    """
    if isinstance(source, Archive):
        files = (source.directory / DESCRIPTION, source.directory / TERMINALS)
        return _read_archive(source, tuple(map(_stamp, files)))
    folder, file = (source, source / DESCRIPTION) if source.is_dir() else (source.parent, source)
    return _read(folder, file, ProblemReport(file))


@lru_cache(maxsize=4)
def _read_archive(source: Archive, stamps: object) -> FmuDescription:
    report = ProblemReport(source.source / DESCRIPTION)
    for note in source.notes:
        report.lenient(note)
    return _read(source.directory, source.directory / DESCRIPTION, report)


def _read(folder: Path, file: Path, report: ProblemReport) -> FmuDescription:
    with guarded(report.path, "this model description cannot be read"):
        return _checked(folder, file, report)


def _checked(folder: Path, file: Path, report: ProblemReport) -> FmuDescription:
    root = root_of(file, "fmiModelDescription", report)
    written = root.get("fmiVersion", "")
    reader = _READERS[_major(report.path, written)]
    if not _EXACT.fullmatch(written):
        report.lenient(f"the FMI version is written as '{written}'", "", line_of(root))
    found = reader(root, written, report)
    report.finish()
    grouped = terminals(folder, found.by_name, report) if found.version != "1.0" else ()
    return replace(found, terminals=grouped, deviations=report.leniencies)


def _stamp(file: Path) -> tuple[int, int] | None:
    """What changes with a file; None if there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _major(path: Path, written: str) -> str:
    """The version that counts; drafts of a version count as that version."""
    found = _VERSION.fullmatch(written.strip())
    if found is None:
        what = f"it is written for FMI '{written}'" if written else "it names no FMI version"
        raise FileError(path, what, "FMI 1.0, 2.0 and 3.0 can be read")
    return found[1]
