"""Ecos, through ecospy."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import ClassVar

from .case import Case
from .peer import Peer, Run, importable


class Ecos(Peer):
    """Its fixed-step algorithm: Jacobi, parts in parallel by TBB."""

    name = "Ecos"
    distribution = "ecospy"
    versions: ClassVar[tuple[int, ...]] = (2, 3)

    def missing(self) -> str | None:
        _load_tbb()
        return importable("ecospy", "ecospy")

    def open(self, case: Case, record: str | None = None) -> Run:
        return _Simulation(case, record)


def _load_tbb() -> None:
    """The wheel wants libtbb of the system; that of the package index does as well."""
    found = Path(sys.prefix) / "lib" / "libtbb.so.12"
    if found.exists():
        ctypes.CDLL(str(found), mode=ctypes.RTLD_GLOBAL)


class _Simulation(Run):
    def __init__(self, case: Case, record: str | None) -> None:
        _load_tbb()
        from ecospy import EcosLib, EcosSimulation, EcosSimulationStructure

        EcosLib.set_log_level("err")
        self.structure = EcosSimulationStructure()
        for name, path in case.parts.items():
            self.structure.add_model(name, path)
        for a, out, b, into in case.wires:
            self.structure.make_real_connection(f"{a}::{out}", f"{b}::{into}")
        given = {f"{p}::{k}": float(v) for p, vs in case.values.items() for k, v in vs.items()}
        if given:
            self.structure.add_parameter_set("given", given)
        self.simulation = EcosSimulation(structure=self.structure, step_size=case.step)
        self.names = [f"{part}::{output}" for part, output in case.watched]
        if record is not None:
            target = str(Path(record) / "ecos.csv")
            self.simulation.add_csv_writer(target, identifiers=self.names)
        assert self.simulation.init(parameter_set="given" if given else None)

    def advance(self, windows: int) -> None:
        self.simulation.step(windows)

    def watched(self) -> list[float]:
        return [self.simulation.get_real(name) for name in self.names]

    def close(self) -> None:
        self.simulation.terminate()
        self.simulation.free()
        self.structure.free()
