"""A drawing as an SSP: as version 1.0 where that can hold it, else as 2.0."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from ...core.errors import DrawingError, FileError, Problem
from ...drawing.system import System
from ..run_data import run_data
from .cargo import Cargo, lay_out, pack
from .connections import annotate
from .elements import Writer
from .rules import NAMESPACES
from .types import child


def write_ssp(system: System, path: Path) -> None:
    """Write an .ssp with everything in it, or an .ssd with its files beside it."""
    packed = path.suffix.lower() == ".ssp"
    cargo = Cargo(None if packed else path.parent)
    try:
        text = _text(system, cargo)
    except ValueError as error:
        what = f"a text in it has characters that XML cannot hold: {error}"
        raise FileError(path, what, "save it as .yaml") from None
    (pack if packed else lay_out)(text, cargo, path)


def _text(system: System, cargo: Cargo) -> bytes:
    root = etree.Element(
        f"{{{NAMESPACES['ssd']}}}SystemStructureDescription",
        nsmap={prefix: NAMESPACES[prefix] for prefix in ("ssd", "ssc", "ssv")},
    )
    root.set("version", "1.0")
    root.set("name", system.name)
    writer, sketch = Writer(cargo), system.sketch
    writer.system(
        root,
        system,
        sketch.title or system.name or "root",
        outlets=sketch.outlets,
        label=sketch.labels.get(""),
    )
    if writer.problems:
        raise DrawingError([*_once(writer.problems)], system.name)
    writer.glossary.write(root)
    data = run_data(system.run_settings)
    start, stop = data.pop("start", None), data.pop("stop", None)
    if start is not None or stop is not None or data:
        made = child(
            root,
            "ssd:DefaultExperiment",
            startTime=None if start is None else float(start),
            stopTime=None if stop is None else float(stop),
        )
        annotate(made, data)
    if writer.glossary.is_new:
        root.set("version", "2.0")
    tree = etree.ElementTree(root)
    found: bytes = etree.tostring(tree, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return found


def _once(problems: list[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))
