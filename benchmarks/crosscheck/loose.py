"""FMUs that lie anywhere in checkouts of repositories, without references: FMPy is the measure."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from .files import KINDS, Case, Rows

WINDOWS = 1000  # of a run, at the most
_PARTS = {"cs": ("CoSimulation", "Implementation"), "me": ("ModelExchange",)}


@dataclass(frozen=True)
class LooseCase(Case):
    """One FMU and kind; `release` is the folder in the checkout, which `tool` names."""

    told: dict[str, float] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What settings are found under."""
        return f"{self.tool}/{self.release}/{self.name}/{self.version}/{self.kind}"

    @property
    def is_current(self) -> bool:
        """There are no rules for them."""
        return True

    @property
    def options(self) -> dict[str, float]:  # type: ignore[override]
        """The default experiment."""
        return self.told

    @property
    def reference(self) -> Rows | None:  # type: ignore[override]
        """There is none."""
        return None

    @property
    def inputs(self) -> Rows | None:  # type: ignore[override]
        """All keep their start values."""
        return None

    @property
    def stop(self) -> float:
        """No more windows than what a table needs."""
        return min(Case.stop.fget(self), self.start + WINDOWS * self.step)

    @property
    def step(self) -> float:
        """The one told, else a 500th."""
        size = self.told.get("StepSize", 0.0) if self.kind == "cs" else 0.0
        return size or (Case.stop.fget(self) - self.start) / 500


def loose(checkouts: list[Path]) -> Iterator[LooseCase]:
    """Each FMU and kind once, though repositories have copies of each other's."""
    seen = set[bytes]()
    for checkout in checkouts:
        for path in sorted(checkout.rglob("*.fmu")):
            if not path.is_file():
                continue
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest in seen:
                continue
            seen.add(digest)
            yield from _cases(path, checkout)


def _cases(path: Path, checkout: Path) -> Iterator[LooseCase]:
    folder = str(path.parent.relative_to(checkout))
    try:
        with zipfile.ZipFile(path) as archive:
            root = etree.fromstring(archive.read("modelDescription.xml"))
    except (OSError, KeyError, zipfile.BadZipFile, etree.XMLSyntaxError):
        yield LooseCase(path, "?", "cs", checkout.name, folder)
        return
    version = root.get("fmiVersion", "?")
    offered = {str(etree.QName(e).localname) for e in root.iterchildren(etree.Element)}
    kinds = [kind for kind in KINDS if offered.intersection(_PARTS[kind])]
    if version == "1.0" and not kinds:
        kinds = ["me"]
    if not kinds and "ScheduledExecution" in offered:
        return  # FMPy has no such master
    told = _experiment(root)
    for kind in kinds or ["cs"]:
        yield LooseCase(path, version, kind, checkout.name, folder, told)


def _experiment(root: etree._Element) -> dict[str, float]:
    found = {}
    for element in root.iterfind("{*}DefaultExperiment"):
        for name in ("startTime", "stopTime", "stepSize"):
            try:
                found[name[0].upper() + name[1:]] = float(element.get(name, ""))
            except ValueError:
                continue
    if found.get("StopTime", 1.0) <= found.get("StartTime", 0.0):
        found.pop("StopTime", None)
    return found
