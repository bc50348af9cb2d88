"""From a file to a description, whatever version of FMI it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lxml import etree

from ...errors import FileError
from ..archive import DESCRIPTION, Archive
from . import fmi1, fmi2, fmi3
from .attributes import line_of
from .document import root_of
from .fmu import FmuDescription
from .report import Report
from .terminals import terminals

Reader = Callable[[etree._Element, str, Report], FmuDescription]
_READERS: dict[str, Reader] = {"1": fmi1.read, "2": fmi2.read, "3": fmi3.read}
_VERSION = re.compile(r"([123])(\.\d+)*(-.+)?")
_EXACT = re.compile(r"1\.0|2\.0|3\.\d+(\.\d+)?")


def read(source: Archive | Path) -> FmuDescription:
    """The description of an FMU, or in a file, or in the folder an FMU was unpacked into.

    FileError lists everything in it that would stop a run. What is against the standard but
    does not is read as it is most likely meant, and told in `deviations`.
    """
    path = source.directory if isinstance(source, Archive) else source
    folder, file = (path, path / DESCRIPTION) if path.is_dir() else (path.parent, path)
    report = Report(source.source / DESCRIPTION if isinstance(source, Archive) else file)
    for note in source.notes if isinstance(source, Archive) else ():
        report.lenient(note)
    root = root_of(file, "fmiModelDescription", report)
    written = root.get("fmiVersion", "")
    reader = _READERS[_major(report.path, written)]
    if not _EXACT.fullmatch(written):
        report.lenient(f"the FMI version is written as '{written}'", "", line_of(root))
    found = reader(root, written, report)
    report.finish()
    grouped = terminals(folder, found.by_name, report) if found.version != "1.0" else ()
    return replace(found, terminals=grouped, deviations=report.leniencies)


def _major(path: Path, written: str) -> str:
    """The version that counts; drafts of a version count as that version."""
    found = _VERSION.fullmatch(written.strip())
    if found is None:
        what = f"it is written for FMI '{written}'" if written else "it names no FMI version"
        raise FileError(path, what, "FMI 1.0, 2.0 and 3.0 can be read")
    return found[1]
