"""OMSimulator, through its Python package."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import ClassVar

from .case import Case
from .peer import Peer, Run, importable


class OMSimulator(Peer):
    """Its master with fixed steps: what components without a solver of their own get."""

    name = "OMSimulator"
    distribution = "OMSimulator"
    versions: ClassVar[tuple[int, ...]] = (2, 3)

    def missing(self) -> str | None:
        return importable("OMSimulator", "OMSimulator")

    def release(self) -> str:
        import OMSimulator

        return re.sub(r"^OMSimulator v|-linux$", "", str(OMSimulator.version))

    def open(self, case: Case, record: str | None = None) -> Run:
        return _Model(case, record)


class _Model(Run):
    def __init__(self, case: Case, record: str | None) -> None:
        from OMSimulator import SSP, CRef

        self.folder = tempfile.TemporaryDirectory()
        self.drawing = SSP(temp_dir=self.folder.name)
        resources = {}
        for path in dict.fromkeys(case.parts.values()):
            resources[path] = f"resources/{Path(path).name}"
            self.drawing.addResource(path, new_name=resources[path])
        for name, path in case.parts.items():
            self.drawing.addComponent(CRef("default", name), resources[path])
        for a, out, b, into in case.wires:
            self.drawing.addConnection(CRef("default", a, out), CRef("default", b, into))
        self.model = self.drawing.instantiate()
        self.model.setResultFile("" if record is None else f"{record}/oms.mat")
        self.model.setFixedStepSize(case.step)
        self.model.setStopTime(1e9)
        for part, values in case.values.items():
            for parameter, value in values.items():
                self.model.setValue(CRef("default", part, parameter), value)
        self.model.initialize()
        self.names = [CRef("default", part, output) for part, output in case.watched]
        self.step, self.count = case.step, 0

    def advance(self, windows: int) -> None:
        self.count += windows
        # it takes whole steps until it is there, by times that it adds up
        self.model.stepUntil((self.count - 0.5) * self.step)

    def watched(self) -> list[float]:
        return [self.model.getValue(name) for name in self.names]

    def close(self) -> None:
        self.model.terminate()
        self.model.delete()
