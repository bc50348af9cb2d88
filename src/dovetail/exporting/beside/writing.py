"""A Python model as an FMU that starts a Python of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.description import Kind, Variable
from ...core.obstacle import Obstacle
from ...fmi.description import FmuVariable
from ...fmi.description.definitions import Item, TypeDefinition
from ...subsystems.foreign import runs_foreign_code
from ...units import Unit, parse
from ...units.unit import UnitError
from ..archive import write_archive
from ..definitions import ExportDefinitions
from ..description import ExportDescription
from ..fmi2 import described_2
from ..fmi3 import described_3
from ..interface import ExportedVariable, ExportInterface
from ..platforms import ExportPlatforms
from ..refusal import ExportRefused
from .environment import NeededEnvironment, environment_of, packed
from .variables import TYPES, BesideVariable, Role, is_linearized, variables_of

MARK = "beside.json"  # in the resources of such an FMU
_LONGEST = 40  # letters of a library's name


@dataclass(frozen=True, slots=True)
class BesideOptions:
    """What is said of an export beside what the model says. `prefix` goes before all names."""

    fmi: int = 2
    prefix: str = ""
    python: str | None = None
    start: float = 0.0
    stop: float = 1.0
    step: float = 0.01


def against_beside(model: Any, name: str) -> list[Obstacle]:
    """Why a model cannot run beside an importer; nothing if it can."""
    found, d = [], model.description
    for v in (*d.inputs, *d.outputs, *d.parameters):
        if v.kind not in TYPES:
            found.append(Obstacle(f"has a {v.kind} variable ('{v.name}')", name))
    if runs_foreign_code(model):
        what = "contains FMUs, which would stay where they are"
        found.append(Obstacle(what, name, "export the system that they are in"))
    return found


def write_beside(
    model: Any, path: Path, name: str, options: BesideOptions, platforms: ExportPlatforms
) -> NeededEnvironment:
    """Write the FMU; what it needs where it runs."""
    stands = against_beside(model, name)
    if stands:
        raise ExportRefused(name, stands)
    data = packed(model)
    needed = environment_of(data, options.python)
    token = _token(data, options)
    described = _described(model, path, name, options, needed, token)
    write = described_2 if options.fmi == 2 else described_3
    contents = {
        "modelDescription.xml": write(described),
        f"resources/{MARK}": needed.written(token),
        "resources/beside.py": (Path(__file__).with_name("start.py")).read_bytes(),
        "resources/model.bin": data,
        **platforms.libraries("beside", options.fmi, described.identifier),
    }
    write_archive(path, contents, {}, [])
    return needed


def _token(data: bytes, options: BesideOptions) -> str:
    name = hashlib.sha256(repr(options).encode() + data).hexdigest()
    return f"{{{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:32]}}}"


def _described(
    model: Any,
    path: Path,
    name: str,
    options: BesideOptions,
    needed: NeededEnvironment,
    token: str,
) -> ExportDescription:
    from ... import __version__

    can, d = model.description.capabilities, model.description
    listed = variables_of(model)
    shown = _interface(listed, model, options.prefix)
    identifier = re.sub(r"\W", "_", path.stem, flags=re.ASCII)[:_LONGEST] or "model"
    text = (getattr(model, "__doc__", None) if d.kind == "class" else "") or ""
    first = text.strip().partition("\n")[0]
    return ExportDescription(
        name=name,
        identifier=identifier if identifier[0].isalpha() else f"_{identifier}"[:_LONGEST],
        token=token,
        tool=f"Dovetail {__version__}",
        description=f"{first} It runs in Python beside its importer: {needed.needs}".strip(),
        interface=shown,
        definitions=_definitions(shown, listed),
        start=options.start,
        stop=options.stop,
        size=options.step,
        saves=int(can.can_restore) + int(can.can_restore and can.can_serialize),
        varies=can.can_vary_size,
        only_once=False,
        needs_tool=True,
    )


def _interface(listed: Sequence[BesideVariable], model: Any, prefix: str) -> ExportInterface:
    d = model.description
    shown = [_shown(v, prefix) for v in listed]
    names = {v.reference: s.name for v, s in zip(listed, shown, strict=True)}
    states = [v for v in listed if v.role == Role.STATE or (v.role == Role.OUTPUT and v.starts)]
    rates = [v for v in listed if v.role == Role.RATE]
    knowns = [names[v.reference] for v in states] if rates else []
    inputs = {v.name: [n.name for n in shown if _is(n, v)] for v in d.inputs}
    depends = dict[str, tuple[str, ...]]()
    for v in listed:
        if v.role == Role.OUTPUT:
            own = [
                n for u in d.inputs if u.name in d.depends(v.variable.name) for n in inputs[u.name]
            ]
            depends[names[v.reference]] = (*knowns, *own)
        elif v.role == Role.RATE:
            every = (n for found in inputs.values() for n in found)
            depends[names[v.reference]] = (*knowns, *every)
    return ExportInterface(
        tuple(shown),
        depends,
        has_jacobian=is_linearized(d) and all(v.is_real for v in (*d.inputs, *d.outputs)),
        states=tuple(knowns),
    )


def _is(shown: ExportedVariable, v: Variable) -> bool:
    return shown.causality == "input" and shown.inner is not None and shown.inner.name == v.name


def _shown(v: BesideVariable, prefix: str) -> ExportedVariable:
    one, name = v.variable, f"{prefix}{v.name}"
    changing = "continuous" if one.is_real else "discrete"
    if one.is_real and one.variability == "discrete":
        changing = "discrete"
    inner = FmuVariable(
        one.name, v.reference, v.type, unit=one.unit, minimum=one.minimum,  # type: ignore[arg-type]
        maximum=one.maximum, nominal=one.nominal, relative=one.relative,
        description=one.description,
    )  # fmt: skip
    match v.role:
        case Role.TIME:
            more: tuple[Any, ...] = "independent", "continuous", None, None, None
        case Role.INPUT:
            more = "input", changing, None, v.start, inner
        case Role.OUTPUT if v.starts:
            more = "output", changing, "exact", v.start, inner
        case Role.OUTPUT:
            more = "output", changing, "calculated", None, inner
        case Role.STATE:
            more = "local", "continuous", "exact", v.start, inner
        case Role.RATE:
            inner = replace(inner, unit=None, minimum=None, maximum=None, nominal=None)
            more = "local", "continuous", "calculated", None, replace(inner, description="")
        case Role.PARAMETER:
            kept = "tunable" if one.is_tunable else "fixed"
            more = "parameter", kept, "exact", v.start, inner
    causality, variability, initial, start, inside = more
    start = int(start) if v.type == "Enumeration" and start is not None else start
    state = f"{prefix}{v.name[4:-1]}" if v.role == Role.RATE else ""
    title = v.name if v.role == Role.TIME else name
    title = f"der({state})" if state else title
    given = title, v.reference, v.type, causality, variability, initial, start, inside
    return ExportedVariable(*given, state=state)


def _definitions(shown: ExportInterface, listed: Sequence[BesideVariable]) -> ExportDefinitions:
    found = ExportDefinitions({}, {}, {}, {}, {})
    for made, v in zip(shown.variables, listed, strict=True):
        unit = None if made.inner is None else made.inner.unit
        if unit and v.variable.kind == Kind.REAL:
            found.units.setdefault(unit, _unit(unit))
            found.unit_of[made.name] = unit
        if v.variable.kind == Kind.ENUMERATION:
            items = tuple(Item(text, k) for k, text in enumerate(v.variable.literals, 1))
            name = f"{v.variable.name} type"
            found.types[name] = TypeDefinition(name, "Enumeration", items=items)
            found.type_of[made.name] = name
    return found


def _unit(name: str) -> Unit | None:
    try:
        return parse(name)
    except UnitError:
        return None
