"""One FMU run by Dovetail, as the cross-check asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dovetail as dv
from dovetail.fmi.model import Fmu

from .files import KINDS, Case, Rows
from .settings import Setting

PART = "fmu"


def run(case: Case, how: Setting, loaded: Callable[[], None]) -> Rows:
    """Its outputs over time. `loaded` is called once the binary is there."""
    step = how.step_of(case)
    wanted = list(case.reference.columns) if case.reference is not None else []
    model = Fmu(str(case.path), kind=KINDS[case.kind], **how.solving(case))
    shown = {v.name for v in model.description.outputs}
    if not shown or not shown.issuperset(wanted):
        model = replace(model, internals=True)
    _ = model.library
    loaded()
    system = dv.System(case.name)
    system.add(PART, model, values=dict(how.values))
    inputs = how.inputs_for(case)
    if inputs is not None:
        _feed(system, model, inputs)
    arrays = {v.name for v in model.description.outputs if v.shape}
    known = {v.name for v in (*model.description.outputs, *model.description.inputs)}
    names = [n for n in wanted or (v.name for v in model.description.outputs) if n in known]
    result = dv.simulate(
        system,
        start=case.start,
        stop=how.stop or case.stop,
        controller=dv.FixedStep(step),
        algorithm=dv.Jacobi(),
        record=[f"{PART}.{n}*" if n in arrays else f"{PART}.{n}" for n in names],
        quiet=True,
    )
    found = {n: result[f"{PART}.{n}"] for n in names if f"{PART}.{n}" in result}
    for n in arrays.intersection(names):
        columns = [c for c in result if c.startswith(f"{PART}.{n}[")]
        found |= {f"{n}[{k}]": result[c] for k, c in enumerate(columns)}
    return Rows(result.time, {n: v for n, v in found.items() if v.dtype.kind in "fiub"})


def _feed(system: dv.System, model: Fmu, given: Rows) -> None:
    """The table of inputs, connected: reals on straight lines, all others held.

    Tunable parameters may be among them.
    """
    known = [*model.description.inputs]
    known += [p for p in model.description.parameters if p.is_tunable]
    variables = {v.name: v for v in known if v.name in given.columns}
    if not variables:
        return
    held = {v.name for v in model.fmu.variables if v.variability != "continuous"}
    kinds: dict[str, Any] = {n: str(v.kind) for n, v in variables.items() if not v.is_real}
    table = dv.Table(
        time=given.time,
        columns={n: given.columns[n] for n in variables},
        hold=[n for n in variables if n in held and n not in kinds],
        types={n: "boolean" if kind == "boolean" else "integer" for n, kind in kinds.items()},
    )
    system.add("inputs", table)
    for name in variables:
        system.connect(f"inputs.{name}", f"{PART}.{name}")
