"""Systems in a checkout of a repository, and the results that lie beside them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..files import Rows

_OTHERS = ("win32", "win64", "darwin64", "win", "mac")  # folders for other platforms
_KINDS = {".ssp": "SSP", ".ssd": "SSP", ".msim": "MasterSim", ".xml": "OSP", ".json": "Maestro"}
_BUILT = {  # where Maestro's build copies its test data, and where that is from
    "target/test-classes/": "src/test/resources/",
    "target/online-cache/": "src/test/resources/",
    "src/test/watertankexample/resources/": "src/test/resources/",
    "/": "",
}
_UNIT = re.compile(r"\s*(.*?)\s*\[[^\]]*\]\s*")
_WORDS = {"true": 1.0, "false": 0.0}
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "ms": 1e-3}


@dataclass(frozen=True)
class SystemFile:
    """One file, and the checkout that it is from."""

    path: Path
    checkout: Path
    kind: str

    @property
    def name(self) -> str:
        """Where it stands: the checkout, and the path in it."""
        return f"{self.checkout.name}/{self.path.relative_to(self.checkout)}"

    @property
    def reference(self) -> tuple[Rows, str] | None:
        """Results that lie beside it, by our names of variables, and who made them."""
        if self.kind == "MasterSim":
            path = self.path.with_suffix(".gcc_linux") / "results" / "values.csv"
            return (_mastersim(path), "MasterSim") if path.is_file() else None
        path = self.path.with_name("expectedoutputs.csv")
        if self.kind == "Maestro" and path.is_file():
            return _maestro(path), "Maestro"
        return None


def found(checkouts: list[Path]) -> Iterator[SystemFile]:
    """Every system for this platform, in the order of their paths."""
    for checkout in checkouts:
        for path in sorted(checkout.rglob("*")):
            kind = _KINDS.get(path.suffix.lower())
            steps = path.relative_to(checkout).parts
            if kind is None or not path.is_file() or any(step in _OTHERS for step in steps):
                continue
            if kind == "OSP" and not _holds(path, b"<OspSystemStructure"):
                continue
            if kind == "Maestro" and "fmus" not in _json(path):
                continue
            yield SystemFile(path, checkout, kind)


def merged(file: SystemFile) -> dict[str, Any] | None:
    """A test of Maestro as one multi-model: FMUs where its build puts them, and other files."""
    if file.kind != "Maestro":
        return None
    data = _json(file.path)
    for key, address in data["fmus"].items():
        for built, source in _BUILT.items():
            if address.startswith(built):
                data["fmus"][key] = source + address.removeprefix(built)
    others = [file.path.with_name(n) for n in ("config.json", "jacobianconfig.json")]
    if file.path.name != "env.json" or not all(other.is_file() for other in others):
        return data
    config, steps = map(_json, others)
    data["parameters"] = config.get("parameters", {})
    data["algorithm"] = steps.get("stepAlgorithm", data.get("algorithm"))
    data["stabalizationEnabled"] = steps.get("stabilisation", False)
    data["global_relative_tolerance"] = steps.get("relativeTolerance", 0.01)
    data["global_absolute_tolerance"] = steps.get("absoluteTolerance", 0.0)
    return data


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, OSError):
        return {}
    return data if isinstance(data, dict) else {}


def _holds(path: Path, what: bytes) -> bool:
    with path.open("rb") as file:
        return what in file.read(1 << 16)


def _mastersim(path: Path) -> Rows:
    """Tabs, `name [unit]`, time in a unit of its own."""
    lines = path.read_text().splitlines()
    heads = [cell.strip() for cell in lines[0].split("\t")]
    body = np.array([[float(x) for x in line.split("\t")] for line in lines[1:] if line.strip()])
    unit = heads[0].rpartition("[")[2].strip("] ")
    names = [m[1] if (m := _UNIT.fullmatch(head)) else head for head in heads[1:]]
    columns = {name: body[:, k] for k, name in enumerate(names, 1)}
    return Rows(body[:, 0] * _SECONDS.get(unit, 1.0), columns)


def _maestro(path: Path) -> Rows:
    """`{fmu}.instance.variable`, of which our names are the last two."""
    heads, *lines = [row for row in csv.reader(path.open()) if row]
    body = np.array([[_number(cell) for cell in row] for row in lines])
    names = [head.strip().partition(".")[2] for head in heads[1:]]
    return Rows(body[:, 0], {name: body[:, k] for k, name in enumerate(names, 1)})


def _number(cell: str) -> float:
    text = cell.strip()
    return _WORDS[text] if text in _WORDS else float(text)
