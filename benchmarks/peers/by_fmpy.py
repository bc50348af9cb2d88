"""FMPy: a loop of one's own over its classes, and its container FMU."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from .case import Case
from .peer import Peer, Run, importable


class Loop(Peer):
    """FMPy has no master. This is the loop that its examples show, for several FMUs."""

    name = "FMPy, a loop in Python"
    distribution = "FMPy"
    versions: ClassVar[tuple[int, ...]] = (2, 3)

    def missing(self) -> str | None:
        return importable("FMPy", "fmpy")

    def open(self, case: Case, record: str | None = None) -> Run:
        return _Looping(case, record is not None)


class _Looping(Run):
    def __init__(self, case: Case, keep: bool) -> None:
        from fmpy import extract, read_model_description
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        self.case, self.step, self.count, self.rows = case, case.step, 0, [] if keep else None
        self.folders: dict[str, str] = {}
        self.parts: dict[str, Any] = {}
        references: dict[str, dict[str, int]] = {}
        for name, path in case.parts.items():
            folder = self.folders.setdefault(path, "") or extract(path)
            self.folders[path] = folder
            known = read_model_description(path, validate=False)
            references[name] = {v.name: v.valueReference for v in known.modelVariables}
            identifier = known.coSimulation.modelIdentifier
            options = {"unzipDirectory": folder, "modelIdentifier": identifier}
            made = (FMU2Slave if case.version == 2 else FMU3Slave)(
                guid=known.guid, instanceName=name, **options
            )
            made.instantiate()
            if case.version == 2:
                made.setupExperiment(startTime=0.0)
            for parameter, value in case.values.get(name, {}).items():
                _set(made)([references[name][parameter]], [value])
            made.enterInitializationMode()
            self.parts[name] = made
        # for each part: how to set and get, and where its values lie among all
        places: dict[tuple[str, str], int] = {}
        for source, out, *_ in case.wires:
            places.setdefault((source, out), len(places))
        self.values = [0.0] * len(places)
        self.plan = []
        for name, made in self.parts.items():
            outs = [(references[name][o], k) for (p, o), k in places.items() if p == name]
            ins = [(references[name][i], places[s, o]) for s, o, p, i in case.wires if p == name]
            self.plan.append((made, *zip(*ins, strict=True), *zip(*outs, strict=True)))
        self.watching = [places[pair] for pair in case.watched]
        # twice, because a first answer may have been given for inputs that were not set yet
        for _ in range(2):
            for made, inputs, sources, outputs, targets in self.plan:
                _set(made)(inputs, [self.values[k] for k in sources])
                for k, value in zip(targets, _get(made)(outputs), strict=True):
                    self.values[k] = value
        for made in self.parts.values():
            made.exitInitializationMode()

    def advance(self, windows: int) -> None:
        values, step, rows = self.values, self.step, self.rows
        for _ in range(windows):
            now, before = self.count * step, values.copy()
            for made, inputs, sources, outputs, targets in self.plan:
                _set(made)(inputs, [before[k] for k in sources])
                made.doStep(currentCommunicationPoint=now, communicationStepSize=step)
                for k, value in zip(targets, _get(made)(outputs), strict=True):
                    values[k] = value
            self.count += 1
            if rows is not None:
                rows.append((now, *values))

    def watched(self) -> list[float]:
        return [self.values[k] for k in self.watching]

    def close(self) -> None:
        for made in self.parts.values():
            made.terminate()
            made.freeInstance()
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)


def _set(fmu: Any) -> Any:
    return fmu.setFloat64 if hasattr(fmu, "setFloat64") else fmu.setReal


def _get(fmu: Any) -> Any:
    return fmu.getFloat64 if hasattr(fmu, "getFloat64") else fmu.getReal


class Container(Peer):
    """Several FMUs in one that FMPy makes: the loop is compiled, the system fixed."""

    name = "FMPy, container FMU"
    distribution = "FMPy"
    versions: ClassVar[tuple[int, ...]] = (2, 3)

    def missing(self) -> str | None:
        return importable("FMPy", "fmpy.container_fmu.cli")

    def open(self, case: Case, record: str | None = None) -> Run:
        return _Contained(case, record is not None)


class _Contained(Run):
    def __init__(self, case: Case, keep: bool) -> None:
        from fmpy import extract, read_model_description
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        self.step, self.count, self.rows = case.step, 0, [] if keep else None
        self.folder = Path(tempfile.mkdtemp())
        target = self.folder / "system.fmu"
        contain(case, target, self.folder)
        known = read_model_description(target, validate=False)
        self.unzipped = extract(target)
        identifier = known.coSimulation.modelIdentifier
        self.fmu = (FMU2Slave if case.version == 2 else FMU3Slave)(
            guid=known.guid, unzipDirectory=self.unzipped, modelIdentifier=identifier
        )
        self.fmu.instantiate()
        if case.version == 2:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        names = {v.name: v.valueReference for v in known.modelVariables}
        self.references = [names[f"{part}_{output}"] for part, output in case.watched]

    def advance(self, windows: int) -> None:
        fmu, step, rows = self.fmu, self.step, self.rows
        for _ in range(windows):
            now = self.count * step
            fmu.doStep(currentCommunicationPoint=now, communicationStepSize=step)
            self.count += 1
            if rows is not None:
                rows.append((now, *self.watched()))

    def watched(self) -> list[float]:
        return list(_get(self.fmu)(self.references))

    def close(self) -> None:
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.unzipped, ignore_errors=True)


def contain(case: Case, target: Path, folder: Path) -> None:
    """Writes the container FMU of a case."""
    from fmpy import read_model_description
    from fmpy.container_fmu.cli import create_container_fmu
    from fmpy.container_fmu.config import Component, Configuration, Connection
    from fmpy.model_description import (
        CoSimulation,
        DefaultExperiment,
        ModelDescription,
        ModelVariable,
        Unknown,
    )

    if case.values:
        raise ValueError("parts of a container keep the parameters of their FMU")
    known = {path: read_model_description(path, validate=False) for path in case.parts.values()}
    parts = {
        name: Component(name=name, filename=Path(path), modelDescription=known[path])
        for name, path in case.parts.items()
    }

    named = {path: {v.name: v for v in one.modelVariables} for path, one in known.items()}
    for variables in named.values():
        for found in variables.values():
            if found.type == "Real":  # 0.3.32 writes FMI 2's name where only FMI 3's is understood
                found.type = "Float64"

    def variable(part: str, name: str) -> Any:
        return named[case.parts[part]][name]

    kind = "Real" if case.version == 2 else "Float64"
    outputs = {
        (part, name): ModelVariable(
            name=f"{part}_{name}",
            type=kind,
            variability="continuous",
            causality="output",
            initial="calculated",
            valueReference=0,
        )
        for part, name in case.watched
    }
    time = ModelVariable(  # a container takes its first variable for the time
        name="time", type=kind, variability="continuous", causality="independent", valueReference=0
    )
    description = ModelDescription(
        fmiVersion=f"{case.version}.0",
        modelName="system",
        instantiationToken="{system}",
        coSimulation=CoSimulation(modelIdentifier="container_fmu", fixedInternalStepSize=case.step),
        defaultExperiment=DefaultExperiment(),
        modelVariables=[time, *outputs.values()],
        outputs=[Unknown(variable=v) for v in outputs.values()],
        initialUnknowns=[Unknown(variable=v) for v in outputs.values()],
    )
    wires = [
        Connection(parts[a], [variable(a, out)], parts[b], [variable(b, into)])
        for a, out, b, into in case.wires
    ]
    mapping = {v: [(parts[p], variable(p, n))] for (p, n), v in outputs.items()}
    unzipped = folder / "container"
    unzipped.mkdir()
    configuration = Configuration(
        parallelDoStep=False,
        modelDescription=description,
        components=list(parts.values()),
        connections=wires,
        variableMappings=mapping,
    )
    create_container_fmu(configuration, unzipped, target)
