"""`dovetail describe`: a model or a system seen from outside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.file_kinds import TABLES, listed, suffixes
from .completion.completers import models
from .options import SkipUnzip, Unsupported
from .settings import setting_lines
from .streams import say

if TYPE_CHECKING:
    from ..core.description import Description, Variable
    from ..drawing.system import System

_ABILITIES = {
    "can_restore": ("can roll back", "iterated coupling and step size control"),
    "can_repeat": ("can take its last step again", "iterated coupling"),
    "can_serialize": ("can serialize its state", "checkpoints"),
    "can_linearize": ("can linearize itself", "sensitivities without differences"),
    "can_evaluate_now": ("gives outputs without a step", "algebraic loops and events"),
    "can_tell_derivatives": ("gives derivatives of its outputs", "methods that use derivatives"),
}


def describe(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model or a system: an .fmu, a model in a Python file (models.py:prey), a table "
            f"({', '.join(TABLES)}), or a {listed(suffixes())} file.",
            autocompletion=models,
        ),
    ],
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
) -> int:
    """List the variables and the capabilities of a model, or what a system is made of."""
    from ..drawing.limits import limits_lifted
    from ..fmi.archive.archive import extracted_beside
    from ..formats import load, read
    from ..formats.loading import is_fmu

    with extracted_beside(wanted=skip_unzip), limits_lifted():
        if is_fmu(Path(model)):
            _fmu(model)
        elif model.lower().endswith(suffixes()):
            _system(read(model, unsupported=unsupported))  # type: ignore[arg-type]
        else:
            found = load(model)
            _model(model, found.description)
            _data(found)
    return 0


def _fmu(path: str) -> None:
    from ..core.errors import FileError
    from ..fmi.archive.archive import Archive
    from ..fmi.description import read
    from ..fmi.description.describe import lines
    from ..formats import load

    try:
        model: Any = load(path)
        archive, why = model.archive, None
    except FileError as error:
        archive, why = Archive.open(path), error
    for line in lines(read(archive), archive):
        say(line)
    if why is not None:
        say()
        say(f"It cannot be run: {why.what}" + (f"; {why.remedy}." if why.remedy else "."))
    elif model.is_exchange:
        title = type(model.integrator).__name__.lower()
        say()
        say(f"Its equations are solved here by {title}; dv.load(..., solver=...) chooses.")


def _system(system: System) -> None:
    say(f"{system.name}: {_count(len(system.parts), 'part')}", bold=True)
    width = max(map(len, system.parts), default=0)
    for part in system.parts.values():
        d = part.description
        counts = f"{_count(len(d.inputs), 'input')}, {_count(len(d.outputs), 'output')}"
        given = ", ".join(f"{name} = {_short(value)}" for name, value in part.values.items())
        say(f"  {part.name:{width}}  {d.kind}, {counts}" + (f"; {given}" if given else ""))
    say()
    drawn = [c for c in system.connections if not c.junction]
    say(_count(len(drawn), "connection"), bold=True)
    for connection in drawn:
        factor = "" if connection.gain == 1.0 else f"  x {connection.gain:g}"
        offset = "" if connection.offset == 0.0 else f"  + {connection.offset:g}"
        table = "".join(f"  {a!r} as {b!r}" for a, b in connection.table)
        say(f"  {connection}{table}{factor}{offset}")
    if system.junctions:
        say()
        say(_count(len(system.junctions), "junction"), bold=True)
        for junction in system.junctions:
            say(f"  {junction.name}: {junction.explain()}")
    settings = system.run_settings.options()
    if settings:
        say()
        say("To be run with", bold=True)
        for line in setting_lines(settings):
            say(f"  {line}")


def _model(title: str, d: Description) -> None:
    say(f"{title}: {d.kind}", bold=True)
    for heading, variables in (
        ("inputs", d.inputs),
        ("outputs", d.outputs),
        ("parameters and start values", d.parameters),
    ):
        if variables:
            say()
            say(heading, bold=True)
            _table([_row(v) for v in variables])
    if d.ports:
        say()
        say("ports", bold=True)
        _table([[name, p.domain, f"{p.effort}, {p.flow}"] for name, p in d.ports.items()])
    say()
    say("What it can do", bold=True)
    rows = [
        ["yes" if getattr(d.capabilities, name) else "no", what, f"for {good}"]
        for name, (what, good) in _ABILITIES.items()
    ]
    _table(rows)
    feeds = {v.name: sorted(d.depends(v.name)) for v in d.outputs}
    direct = [f"{name} from {', '.join(used)}" for name, used in feeds.items() if used]
    say()
    say(f"Passed straight through: {'; '.join(direct) or 'nothing'}.")
    tunable = [v.name for v in d.parameters if v.is_tunable]
    if tunable:
        say(f"May change during a run: {', '.join(tunable)}.")
    if d.capabilities.has_events:
        say("It has events: windows end where something jumps.")


def _data(model: Any) -> None:
    """How long measured data last, and what there is to say about how they were read."""
    from ..models import Table

    if isinstance(model, Table):
        first, last = model.times[0], model.times[-1]
        say(f"Its data: {model.times.size} rows from {first:g} to {last:g} s.")
        for note in model.notes:
            say(f"It {note}.")


def _row(v: Variable) -> list[str]:
    kind = f"{v.kind}{list(v.shape)}" if v.shape else str(v.kind)
    start = "" if v.start is None else f"= {_short(v.start)}"
    return [v.name, kind, v.unit or "", start, v.description]


def _table(rows: list[list[str]]) -> None:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        cells = (f"{text:{width}}" for text, width in zip(row, widths, strict=True))
        say("  " + "  ".join(cells).rstrip())


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
