"""A system of FMUs as a plain loop over FMPy: what Jacobi with held inputs is, without Dovetail.

The drawing is ours; instances, initialization and steps are FMPy's. FMUs for co-simulation only,
and the functions that a configuration has between them.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.drawing.system import System
from dovetail.fmi.model import Fmu
from dovetail.formats.decimated_model import DecimatedModel
from dovetail.hosts.process import die_with_parent
from dovetail.models import Algebraic

from ..files import Rows

_PASSES = 10  # over the start values, so that they agree
_GET = {"Real": "getReal", "Integer": "getInteger", "Boolean": "getBoolean", "String": "getString"}
_WHOLE = tuple(f"{sign}Int{size}" for sign in ("", "U") for size in (8, 16, 32, 64))
_SAME = ("Float64", "Float32", "Boolean", "String", *_WHOLE)  # FMI 3: each has a call of its own


class NoLoop(Exception):
    """Why there is no plain loop of a system."""


def run_apart(system: System, start: float, size: float, windows: int) -> Rows:
    """As `run`, in a process of its own: what FMUs keep from run to run is not shared.

    Before anything of them is loaded here.
    """
    context, here = multiprocessing.get_context("fork"), os.getpid()
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_told, args=(here, theirs, system, start, size, windows))
    child.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = NoLoop("the process of the plain loop died")
    child.kill()  # some FMUs do not survive their own clean-up
    if isinstance(found, Exception):
        raise found
    return Rows(*found)


def _told(parent: int, pipe: Any, *asked: Any) -> None:
    die_with_parent(parent)  # which is killed where this takes too long
    try:
        made = run(*asked)
        pipe.send((made.time, made.columns))
    except NoLoop as error:
        pipe.send(error)
    except Exception as error:
        pipe.send(NoLoop(f"the plain loop fails: {type(error).__name__}: {error}"))
    pipe.close()
    os._exit(0)


def run(system: System, start: float, size: float, windows: int) -> Rows:
    """Its outputs after each window; NoLoop where it is more than such FMUs and wires."""
    live: dict[str, Any] = {name: _made(name, part) for name, part in system.parts.items()}
    wires = [(str(c.source), str(c.target), c) for c in system.connections]
    if system.junctions:
        raise NoLoop("it has junctions")
    for one in live.values():
        one.begin(start, start + size * windows)
    for _ in range(_PASSES):
        _exchange(wires, live)
    for one in live.values():
        one.start()
    recorded: list[dict[str, float]] = [_outputs(live)]
    for k in range(windows):
        _exchange(wires, live)
        for one in live.values():
            one.step(k, start, size)
        recorded.append(_outputs(live))
    times = start + size * np.arange(windows + 1)
    return Rows(times, {n: np.array([r[n] for r in recorded]) for n in recorded[0]})


def _made(name: str, part: Any) -> _Function | _Instance:
    if isinstance(part.model, Algebraic) and part.model.vector:
        return _Function(part)
    return _Instance(name, part)


class _Function:
    """A sum: what it gives in a window is what it is for the inputs at its start."""

    def __init__(self, part: Any) -> None:
        self._model, self.outputs = part.model, [v.name for v in part.description.outputs]
        self._given = {v.name: 0.0 for v in part.description.inputs}
        self._shown: list[float] | None = None

    def begin(self, start: float, stop: float) -> None:
        pass

    def start(self) -> None:
        self._shown = self._now()

    def step(self, k: int, start: float, size: float) -> None:
        self._shown = self._now()

    def get(self, name: str) -> Any:
        values = self._now() if self._shown is None else self._shown
        return values[self.outputs.index(name)]

    def set(self, name: str, value: Any) -> None:
        self._given[name] = float(value)

    def _now(self) -> list[float]:
        return list(self._model.function(0.0, list(self._given.values()), {}))


class _Instance:
    """One FMU, made by FMPy."""

    def __init__(self, name: str, part: Any) -> None:
        from fmpy import extract, read_model_description
        from fmpy.fmi1 import FMU1Slave
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        model, self.every = part.model, 1
        if isinstance(model, DecimatedModel):
            model, self.every = model.model, model.every
        if not isinstance(model, Fmu):
            raise NoLoop(f"'{name}' is no FMU")
        known = read_model_description(model.path, validate=False)
        if known.coSimulation is None:
            raise NoLoop(f"'{name}' is for model exchange")
        self.part, self.variables = part, {v.name: v for v in known.modelVariables}
        identifier = known.coSimulation.modelIdentifier
        self.version = int(model.fmu.version[0])
        self.is_first = self.version == 1
        try:
            unpacked = extract(model.path)
            own = Path(
                unpacked,
                "binaries",
                "x86_64-linux" if self.version == 3 else "linux64",
                f"{identifier}.so",
            )
            compiled = None if own.exists() else str(model.library.loaded.origin)  # from sources
            self.fmu = {1: FMU1Slave, 2: FMU2Slave, 3: FMU3Slave}[self.version](
                guid=known.guid,
                unzipDirectory=unpacked,
                modelIdentifier=identifier,
                instanceName=name,
                libraryPath=compiled,
                requireFunctions=False,  # of those that it does without
            )
            self.fmu.instantiate()
        except Exception as error:
            raise NoLoop(f"FMPy does not load '{name}'") from error
        self.shown: dict[str, Any] | None = None  # while its own step goes on

    def begin(self, start: float, stop: float) -> None:
        if self.version == 2:
            self.fmu.setupExperiment(startTime=start, stopTime=stop)
        for name, value in self.part.values.items():
            self.set(name, value)
        if self.is_first:
            self.fmu.initialize(tStart=start, stopTime=stop)
        elif self.version == 2:
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=start, stopTime=stop)

    def start(self) -> None:
        if not self.is_first:
            self.fmu.exitInitializationMode()

    def step(self, k: int, start: float, size: float) -> None:
        """Its own steps may be several windows long; what they give is seen where they end."""
        if k % self.every == 0:
            held = {name: self.get(name) for name in self.outputs}
            self.fmu.doStep(start + k * size, self.every * size)
            self.shown = held
        if (k + 1) % self.every == 0:
            self.shown = None

    @property
    def outputs(self) -> list[str]:
        listed = self.part.description.outputs
        return [v.name for v in listed if not v.shape and v.name in self.variables]

    def get(self, name: str) -> Any:
        if self.shown is not None and name in self.shown:
            return self.shown[name]
        v = self.variables[name]
        return getattr(self.fmu, self._call("get", v))([v.valueReference])[0]

    def set(self, name: str, value: Any) -> None:
        v = self.variables[name]
        real = v.type in ("Real", "Float64", "Float32")
        value = float(value) if real else value if v.type == "String" else int(value)
        getattr(self.fmu, self._call("set", v))([v.valueReference], [value])

    def _call(self, word: str, v: Any) -> str:
        if self.version == 3:
            return word + (v.type if v.type in _SAME else "Int64")
        return word + _GET.get(v.type, "getInteger").removeprefix("get")


def _exchange(wires: Any, live: dict[str, Any]) -> None:
    moved = []
    for source, target, c in wires:
        part, _, name = source.partition(".")
        value = live[part].get(name)
        value = dict(c.table).get(value, value)
        factor, offset = c.total
        if isinstance(value, float) or (factor, offset) != (1.0, 0.0):
            value = factor * value + offset
        moved.append((target, value))
    for target, value in moved:
        part, _, name = target.partition(".")
        live[part].set(name, value)


def _outputs(live: dict[str, Any]) -> dict[str, float]:
    found = {}
    for part, one in live.items():
        for name in one.outputs:
            with contextlib.suppress(TypeError, ValueError):
                found[f"{part}.{name}"] = float(one.get(name))
    return found
