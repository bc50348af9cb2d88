"""Rules about the files of an FMU."""

from __future__ import annotations

from collections.abc import Iterator

from ...archive.archive import Archive
from ...archive.platforms import Platform
from ..fmu import FmuDescription
from .rule import Violation


def findings(fmu: FmuDescription, archive: Archive) -> Iterator[Violation]:
    """Every breach of a rule about binaries and sources."""
    if not archive.platforms() and not archive.sources():
        yield Violation("error", 0, "implementation", "there are neither binaries nor sources")
    here = set(Platform.here().folders(fmu.version))
    for interface in fmu.interfaces:
        name = interface.model_identifier
        found = archive.binary(name, fmu.version)
        if found is not None and found.note:
            yield Violation("error", 0, "binaries", found.note)
        elif found is None and not here.isdisjoint(archive.platforms()):
            yield Violation("error", 0, "binaries", f"there is no library of the name '{name}'")
