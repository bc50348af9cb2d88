"""A system of FMUs in plain data, for whoever is to run it."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "fmus"))

import build


@dataclass(frozen=True)
class Case:
    """Parts by name, wires between their variables, and what is to be looked at."""

    name: str
    parts: dict[str, str]  # the FMU of each, as a path
    wires: list[tuple[str, str, str, str]]  # part and output, part and input
    watched: list[tuple[str, str]]  # part and output
    step: float
    version: int = 2
    values: dict[str, dict[str, float]] = field(default_factory=dict)  # part, parameter

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Case:
        pairs = {key: [tuple(row) for row in data[key]] for key in ("wires", "watched")}
        return cls(**(data | pairs))


def ring(n: int, folder: Path, version: int = 2, step: float = 0.01) -> Case:
    """n near-free FMUs, each fed by the one before. Nothing decays into denormals."""
    fmu = str(build.build("linear", version, folder))
    names = [f"part{k}" for k in range(n)]
    wires = [(names[k], "y", names[(k + 1) % n], "u") for k in range(n)]
    return Case(
        f"ring{n}", dict.fromkeys(names, fmu), wires, [(k, "y") for k in names], step, version
    )


def oscillator(folder: Path, version: int = 2, step: float = 0.01) -> Case:
    """Two bodies and a spring. Its force depends on the inputs of the very same instant."""
    parts = {name: str(build.build(name, version, folder)) for name in ("body", "spring")}
    wires = [
        ("body", "position", "spring", "position"),
        ("body", "velocity", "spring", "velocity"),
        ("spring", "force", "body", "force"),
    ]
    watched = [("body", "position"), ("body", "velocity"), ("spring", "force")]
    return Case("oscillator", parts, wires, watched, step, version)


def predation(folder: Path, version: int = 2, step: float = 0.01) -> Case:
    """Predators and prey: two nonlinear parts without feed-through."""
    parts = {name: str(build.build(name, version, folder)) for name in ("prey", "predator")}
    wires = [("prey", "x", "predator", "u"), ("predator", "x", "prey", "u")]
    return Case("predation", parts, wires, [("prey", "x"), ("predator", "x")], step, version)
