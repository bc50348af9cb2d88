"""The same run by FMPy, with the same step: is it the FMU, or is it us?"""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dovetail.fmi.model import Fmu

from .files import KINDS, Case, Rows
from .settings import Setting

SMALL = 200  # steps of explicit Euler in a window
_DTYPES = {"Real": np.float64, "Boolean": np.bool_}  # all others are integers


def run(case: Case, how: Setting, loaded: Callable[[], None]) -> Rows:
    """Its outputs over time."""
    from fmpy import extract, fmi1, read_model_description, simulate_fmu
    from fmpy.simulation import instantiate_fmu

    folder = extract(str(case.path))
    _mended(Path(folder, "modelDescription.xml"))
    known = read_model_description(folder, validate=False)
    variables = {v.name: v for v in known.modelVariables}
    wanted = list(case.reference.columns) if case.reference is not None else []
    step = how.step_of(case)
    loaded()
    kind = "CoSimulation" if KINDS[case.kind] == "co-simulation" else "ModelExchange"
    own = Path(folder, "binaries", "x86_64-linux" if case.version == "3.0" else "linux64")
    fmi1.cdll = SimpleNamespace(LoadLibrary=_Library)
    side = known.coSimulation if kind == "CoSimulation" else known.modelExchange
    if not (own / f"{side.modelIdentifier}.so").is_file():
        compiled = Fmu(str(case.path), kind=KINDS[case.kind]).library.loaded.origin
        own.mkdir(parents=True, exist_ok=True)  # from sources, which FMPy does on demand only
        shutil.copy(compiled, own / f"{side.modelIdentifier}.so")

    def simulated(starts: dict[str, Any], small: int) -> Any:
        solver: dict[str, Any] = {"step_size": step / small, "record_events": small == 1}
        solver |= {"solver": "Euler"} if small > 1 else {}
        instance = instantiate_fmu(folder, known, kind)
        found = simulate_fmu(
            folder,
            model_description=known,
            validate=False,
            fmi_type=kind,
            fmu_instance=instance,
            start_time=case.start,
            stop_time=how.stop or case.stop,
            set_stop_time=kind == "CoSimulation",  # FMPy's CVODE asks for rates behind it
            output_interval=step / small,
            relative_tolerance=how.tolerance,
            start_values=starts | dict(how.values),
            input=_signals(how.inputs_for(case), variables),
            output=[n for n in wanted if n in variables] or None,
            **solver,
        )
        return found[::small]

    return _rows(_first(simulated, _starts(case, known), kind))


def _mended(description: Path) -> None:
    """Without constant parameters, which FMI 2 does not know and FMPy refuses."""
    text = description.read_text(encoding="utf-8", errors="surrogateescape")
    words = 'causality="parameter" variability="constant"'
    if words in text:
        text = text.replace(words, words.replace("constant", "fixed"))
        description.write_text(text, encoding="utf-8", errors="surrogateescape")


class _Library(ctypes.CDLL):
    """An FMU's: FMPy loads functions, too, that FMI 2 allows to be missing, and nothing calls."""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if not name.startswith("fmi"):
                raise
            return ctypes.CFUNCTYPE(ctypes.c_int)(lambda *_: 3)


def _first(simulated: Callable[..., Any], starts: dict[str, Any], kind: str) -> Any:
    """What the first of its ways gives: its CVODE fails where it takes a nominal value of zero."""
    ways: list[tuple[dict[str, Any], int]] = [(starts, 1)]
    if kind == "ModelExchange":
        ways += [(starts, SMALL), ({}, 1), ({}, SMALL)]
    refused = []
    for given, small in ways:
        try:
            return simulated(given, small)
        except Exception as error:
            refused.append(error)
    raise refused[0]


def _rows(found: Any) -> Rows:
    """Its columns, those of arrays element by element."""
    time, *names = found.dtype.names
    columns = {}
    for name in names:
        flat = found[name].reshape(len(found), -1)
        single = found[name].ndim == 1
        columns |= {name if single else f"{name}[{k}]": flat[:, k] for k in range(flat.shape[1])}
    return Rows(found[time], columns)


def _starts(case: Case, known: Any) -> dict[str, Any]:
    """What is declared for inputs that nothing feeds; Dovetail sets it too."""
    if case.reference is not None:
        return {}
    inputs = (v for v in known.modelVariables if v.causality == "input" and not v.dimensions)
    words = {"1": "true", "0": "false"}  # of FMI, which FMPy does not know
    return {
        v.name: words.get(v.start, v.start) if v.type == "Boolean" else v.start
        for v in inputs
        if v.start is not None
    }


def _signals(given: Rows | None, variables: dict[str, Any]) -> Any:
    if given is None:
        return None
    names = [n for n in given.columns if n in variables]
    dtype: list[tuple[str, Any]] = [("time", np.float64)]
    dtype += [(n, _DTYPES.get(variables[n].type, np.int32)) for n in names]
    columns = [given.time, *(given.columns[n] for n in names)]
    return np.array(list(zip(*columns, strict=True)), dtype=dtype)
