"""Systems that are exported, and FMUs stepped by hand."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

import dovetail as dv

STOP, SIZE = 2.0, 0.1


def ring(*models: Any, **values: Any) -> dv.System:
    """Linear parts in a circle, with gains and an offset on the way."""
    system = dv.System("ring")
    for k, model in enumerate(models):
        given = {"x": 1.0 + 0.3 * k, "a": -1.0 - 0.1 * k, "b": 0.5, "drive": 1.0, **values}
        system.add(f"p{k}", model, **given)
    for k in range(len(models)):
        target = f"p{(k + 1) % len(models)}.u"
        system.connect(f"p{k}.y", target, gain=1.5 if k else 1.0, offset=0.25 if k == 1 else 0.0)
    return system


def alone(model: Any, **values: Any) -> dv.System:
    system = dv.System("alone")
    system.add("part", model, **values)
    return system


def ran(system: Any, step: float = SIZE, stop: float = STOP, **options: Any) -> dv.Result:
    return dv.simulate(system, stop=stop, step=step, quiet=True, verify=False, **options)


def imported(path: Path, step: float = SIZE, stop: float = STOP, **values: Any) -> dv.Result:
    """The export, run in Dovetail as any FMU; its outputs are `it.p0.y`."""
    system = dv.System("around")
    system.add("it", dv.load(str(path)), values)
    return ran(system, step, stop, algorithm=dv.Jacobi())


def same(exported: dv.Result, drawn: dv.Result, names: list[str], every: int = 1) -> bool:
    """To the last bit, at the times that both have."""
    for name in names:
        a, b = np.asarray(exported[f"it.{name}"][:]), np.asarray(drawn[name][:])[::every]
        assert np.array_equal(a, b), name
    return True


@contextmanager
def instance(path: Path, folder: Path, name: str = "it", **more: Any):
    """An instance by FMPy, with its variables by name."""
    found = fmpy.read_model_description(str(path))
    if not folder.exists():
        fmpy.extract(str(path), str(folder))
    kind = FMU2Slave if found.fmiVersion == "2.0" else FMU3Slave
    identifier = found.coSimulation.modelIdentifier
    fmu = kind(
        guid=found.guid if kind is FMU2Slave else found.instantiationToken,
        unzipDirectory=str(folder),
        modelIdentifier=identifier,
        instanceName=name,
    )
    fmu.instantiate(**more)
    references = {v.name: v.valueReference for v in found.modelVariables}
    try:
        yield fmu, references
    finally:
        fmu.freeInstance()


def started(fmu: Any, start: float = 0.0) -> None:
    if isinstance(fmu, FMU2Slave):
        fmu.setupExperiment(startTime=start)
        fmu.enterInitializationMode()
    else:
        fmu.enterInitializationMode(startTime=start)
    fmu.exitInitializationMode()


def put(fmu: Any, reference: int, value: float) -> None:
    (fmu.setReal if isinstance(fmu, FMU2Slave) else fmu.setFloat64)([reference], [value])


def got(fmu: Any, *references: int) -> list[float]:
    get = fmu.getReal if isinstance(fmu, FMU2Slave) else fmu.getFloat64
    return list(get(list(references)))


def moved(path: Path, folder: Path) -> Path:
    """Unpacked elsewhere."""
    fmpy.extract(str(path), str(folder / "first"))
    return Path(shutil.move(folder / "first", folder / "second"))
