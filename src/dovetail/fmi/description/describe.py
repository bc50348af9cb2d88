"""An FMU in plain lines: what it is, its variables, and what can be done with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import shorten

from ...core.harmless import harmless_line
from ..archive.archive import Archive
from .fmu import FmuDescription
from .interface import FmuInterface
from .terminal import Terminal
from .variable import FmuVariable

SHOWN = ("input", "output", "structuralParameter", "parameter")
_LONGEST = 40
_COUNTED = {
    "input": "input",
    "output": "output",
    "parameter": "parameter",
    "calculatedParameter": "calculated parameter",
    "structuralParameter": "structural parameter",
    "local": "local variable",
    "independent": "independent variable",
}


def lines(
    fmu: FmuDescription, archive: Archive | None = None, *, everything: bool = False
) -> list[str]:
    """The FMU, line by line. Local variables are listed only with `everything`."""
    found = [*_identity(fmu, archive), ""]
    found += _variables(fmu, everything)
    for interface in fmu.interfaces:
        found += ["", f"{interface.kind.capitalize()}:"]
        found += [f"  - {ability}" for ability in abilities(fmu, interface, archive)]
    if fmu.terminals:
        found += ["", "Terminals:", *_terminals(fmu.terminals, "  ")]
    if fmu.leniencies:
        found += ["", "Read leniently:"]
        found += [f"  - {leniency}" for leniency in fmu.leniencies]
    return [harmless_line(line) for line in found]


def abilities(
    fmu: FmuDescription, interface: FmuInterface, archive: Archive | None = None
) -> list[str]:
    """What can be done with this interface, a sentence each."""
    found = list(_running(fmu, interface, archive))
    if interface.kind == "co-simulation":
        found += _stepping(interface)
    elif interface.kind == "model exchange":
        states, events = fmu.structure.state_count, fmu.structure.event_indicator_count
        counts = f"{counted(states, 'state')}, {counted(events, 'event indicator')}"
        found.append(f"equations without a solver: {counts}")
        if interface.needs_completed_integrator_step:
            found.append("needs a call after every completed integrator step")
    else:
        found.append("runs parts of the model whenever their clocks tick")
    if interface.can_get_and_set_state:
        found.append("can roll back to an earlier state, so every algorithm can iterate over it")
        if interface.can_serialize_state:
            found.append("can serialize its state, so runs with it can be resumed")
    elif interface.kind == "co-simulation" and not interface.can_reject_steps:
        found.append("cannot roll back; algorithms that iterate need an estimator for it")
    if interface.provides_directional_derivatives:
        both = " and adjoint" if interface.provides_adjoint_derivatives else ""
        found.append(f"gives directional{both} derivatives")
    elif interface.provides_adjoint_derivatives:
        found.append("gives adjoint derivatives")
    if interface.only_once_per_process:
        found.append("can be there only once in a process")
    return found


def _running(
    fmu: FmuDescription, interface: FmuInterface, archive: Archive | None
) -> Iterator[str]:
    if interface.needs_tool:
        what = interface.tool.type if interface.tool and interface.tool.type else "another program"
        yield f"needs {what} on this machine"
    if archive is None:
        return
    binary = archive.binary(interface.model_identifier, fmu.version)
    if binary is not None:
        yield f"runs on this machine{f'; {binary.note}' if binary.note else ''}"
    elif archive.sources():
        yield "has no binary for this machine, but sources to make one from"
    else:
        yield "has no binary for this machine, and no sources"


def _stepping(interface: FmuInterface) -> Iterator[str]:
    yield (
        "takes windows of different sizes"
        if interface.can_vary_step_size
        else "wants all windows of the same size"
    )
    if interface.fixed_internal_step_size is not None:
        yield f"steps inside by {interface.fixed_internal_step_size:g} s"
    if interface.can_interpolate_inputs:
        yield "takes derivatives of its inputs"
    order = interface.max_output_derivative_order
    if order:
        yield f"gives derivatives of its outputs up to order {order}"
    if interface.can_reject_steps:
        yield "can repeat the last window"
    if interface.can_run_asynchronously:
        yield "can step in the background"
    if interface.might_return_early:
        yield "may end a window early"
    if interface.provides_intermediate_update:
        yield "gives values inside a window"
    if interface.has_event_mode:
        yield "has an event mode"


def _identity(fmu: FmuDescription, archive: Archive | None) -> Iterator[str]:
    kinds = " and ".join(interface.kind for interface in fmu.interfaces)
    yield f"{fmu.model_name}: FMI {fmu.written_version}, {kinds}"
    if fmu.description:
        yield f"  {shorten(fmu.description, 200)}"
    facts = {
        "made by": fmu.generation_tool,
        "made on": fmu.generation_time,
        "version": fmu.model_version,
        "author": fmu.author,
        "copyright": fmu.copyright,
        "license": fmu.license,
        "token": fmu.token,
        "run from": _experiment(fmu),
    }
    if archive is not None:
        facts["binaries for"] = ", ".join(archive.platforms()) or "no machine"
        facts["sources"] = f"{len(archive.sources())} files" if archive.sources() else ""
        icon = archive.icon
        facts["icon"] = "" if icon is None else icon.relative_to(archive.directory).as_posix()
    facts["notes of"] = ", ".join(name for name in fmu.annotations if name)
    for what, fact in facts.items():
        if fact:
            yield f"  {what:<13}{shorten(fact, 120)}"


def _experiment(fmu: FmuDescription) -> str:
    planned = fmu.experiment
    if planned == type(planned)():
        return ""
    start = 0.0 if planned.start is None else planned.start
    stop = "" if planned.stop is None else f" to {planned.stop:g}"
    step = "" if planned.step_size is None else f", step {planned.step_size:g} s"
    tolerance = "" if planned.tolerance is None else f", tolerance {planned.tolerance:g}"
    return f"{start:g}{stop} s{step}{tolerance}"


def _variables(fmu: FmuDescription, everything: bool) -> Iterator[str]:
    counts = Counter(v.causality for v in fmu.variables)
    listed = ", ".join(counted(count, _COUNTED[causality]) for causality, count in counts.items())
    yield counted(len(fmu.variables), "variable") + (f": {listed}" if listed else "")
    shown = [v for v in fmu.variables if everything or v.causality in SHOWN]
    if not everything:
        shown.sort(key=lambda v: SHOWN.index(v.causality))
    if shown:
        yield from _table(
            ("name", "is", "type", "start", "unit", "description"),
            [row(v) for v in shown],
        )


def row(v: FmuVariable) -> tuple[str, ...]:
    """A variable as cells: name, what it is, type, start, unit, description."""
    sizes = [d.parameter or str(d.size) for d in v.dimensions]
    return (
        v.name,
        v.causality
        if v.variability in ("continuous", "fixed")
        else f"{v.variability} {v.causality}",
        f"{v.type}[{', '.join(sizes)}]" if sizes else v.type,
        _start(v),
        v.unit or "",
        " ".join([v.description, *(f"(also '{alias.name}')" for alias in v.aliases)]).strip(),
    )


def _start(v: FmuVariable) -> str:
    if v.start is None:
        return ""
    values = v.start if isinstance(v.start, tuple) else (v.start,)
    return " ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in values[:4]) + (
        " ..." if len(values) > 4 else ""
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they need to be, within reason; the last one runs free."""
    cut = [[shorten(" ".join(c.split()) or " ", 120, placeholder="...") for c in r] for r in rows]
    widths = [
        min(_LONGEST, max(len(head), *(len(row[k]) for row in cut)))
        for k, head in enumerate(heads[:-1])
    ]
    for row in (heads, *cut):
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False))
        yield f"  {'  '.join(cells)}  {row[-1]}".rstrip()


def _terminals(terminals: Iterable[Terminal], indent: str) -> Iterator[str]:
    for terminal in terminals:
        kind = f" ({terminal.kind})" if terminal.kind else ""
        members = ", ".join(f"{m.variable} ({m.kind})" for m in terminal.members)
        yield f"{indent}{terminal.name}{kind}: {members}".rstrip(": ")
        yield from _terminals(terminal.terminals, indent + "  ")


def counted(number: int, thing: str) -> str:
    """`1 state`, `2 states`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
