"""Every kind of file that Dovetail opens: the one list that readers, messages and help go by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind: what it is called, and the ends of its names."""

    title: str
    suffixes: tuple[str, ...]
    is_written: bool = False  # whether `System.save` writes it
    stop_place: str = ""  # what names a stop time in it


SYSTEMS = (
    FileKind("YAML", (".yaml", ".yml"), True, "'run: {stop: ...}'"),
    FileKind("Python", (".py",), stop_place="run = dict(stop=...)"),
    FileKind("SSP", (".ssp", ".ssd"), True, '<DefaultExperiment stopTime="...">'),
    FileKind("MasterSim", (".msim",), True, "'tEnd ...'"),
    FileKind("OSP", (".xml",), stop_place="<EndTime>...</EndTime>"),
    FileKind("Maestro", (".json",), stop_place='"endTime": ...'),
    FileKind("FMU", (".fmu",)),
)
TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".parquet")


def suffixes(kinds: Iterable[FileKind] = SYSTEMS) -> tuple[str, ...]:
    """The ends of the names of files of these kinds."""
    return tuple(suffix for kind in kinds for suffix in kind.suffixes)


def system_kind(suffix: str) -> FileKind | None:
    """The kind of system that a file with this suffix holds; None if it is none."""
    return next((kind for kind in SYSTEMS if suffix.lower() in kind.suffixes), None)


def listed(found: Iterable[str], last: str = "or") -> str:
    """`.yaml, .py or .fmu`: words as a sentence has them."""
    *words, end = found
    return f"{', '.join(words)} {last} {end}" if words else end


WRITTEN = tuple(kind for kind in SYSTEMS if kind.is_written)
