"""Remarks on a drawing that is not wrong."""

from __future__ import annotations

from ..core.errors import Problem
from ..drawing.alike import Likes, answers
from ..drawing.system import System
from ..subsystems.notes import SupportsNotes, SupportsSpanNotes
from ..topology.components import Structure


def doubts(system: System, structure: Structure) -> list[Problem]:
    """What may not be meant like this."""
    return [*_unconnected(system), *_loop_warnings(structure), *_blind_to_events(system)]


def _unconnected(system: System) -> list[Problem]:
    problems = []
    for part in system.parts.values():
        for v in part.description.inputs:
            if not system.is_fed(part.name, v.name):
                where = f"{part.name}.{v.name}"
                given = part.values.get(v.name, v.start)
                value = "0" if given is None else repr(given)
                what = f"'{where}' is not connected; it stays at {value}."
                problems.append(Problem(where, what, warning=True))
    return problems


def _loop_warnings(structure: Structure) -> list[Problem]:
    return [
        Problem(
            loop[0],
            f"algebraic loop: {' -> '.join((*loop, loop[0]))}; iterate, or it lags by a window.",
            warning=True,
        )
        for loop in structure.loops
    ]


def notes(system: System) -> list[Problem]:
    """What models have to say about how they will be run."""
    models = (part.model for part in system.parts.values())
    told = answers(models, lambda m: m.notes if isinstance(m, SupportsNotes) else ())
    found = [
        Problem(name, f"'{name}' {note}.", warning=True)
        for name, lines in zip(system.parts, told, strict=True)
        for note in lines
    ]
    return found + _moving_parameters(system) + _stepped_unevenly(system)


def beyond_data(system: System, start: float, stop: float) -> list[Problem]:
    """Parts that know less than the span of a run, and what is done outside of that."""
    models = (part.model for part in system.parts.values())
    told = answers(
        models, lambda m: m.span_notes(start, stop) if isinstance(m, SupportsSpanNotes) else ()
    )
    return [
        Problem(name, f"'{name}' {note}.", warning=possible)
        for name, lines in zip(system.parts, told, strict=True)
        for note, possible in lines
    ]


def _moving_parameters(system: System) -> list[Problem]:
    """Parameters that must be held over a window, fed by what moves all the time."""
    found = []
    held = {
        (name, v.name)
        for likes in Likes.of(system.parts.values())
        for v in likes.description.inputs
        if v.is_tunable
        for name in likes.names
    }
    for c in system.connections if held else ():
        source = system.parts[c.source.part].description
        stepped = source.kind == "Source" and source.capabilities.knows_next_event
        moves = c.source.variable.is_real and c.source.variable.variability == "continuous"
        if (c.target.part, c.target.variable.name) in held and moves and not stepped:
            what = (
                f"'{c.target}' is a parameter: over each window it is held, and follows "
                f"'{c.source}' at the ends of windows only, each time as an event of its part."
            )
            found.append(Problem(str(c.target), what, warning=True))
    return found


def _stepped_unevenly(system: System) -> list[Problem]:
    """Parts that take steps of one size only, beside others whose events end windows early."""
    parts = {name: p.description.capabilities for name, p in system.parts.items()}
    ending = [n for n, able in parts.items() if able.can_return_early or able.knows_next_event]
    return [
        Problem(
            name,
            f"'{name}' declares that it takes steps of one size only: where an event of '{other}' "
            "ends a window early, it is stepped over what there is of it all the same.",
            warning=True,
        )
        for name, able in parts.items()
        if not able.can_vary_size
        for other in [e for e in ending[:2] if e != name][:1]
    ]


def _blind_to_events(system: System) -> list[Problem]:
    """Parts that cannot roll back to an event which another part finds inside a window."""
    parts = {name: p.description.capabilities for name, p in system.parts.items()}
    early = [name for name, able in parts.items() if able.can_return_early]
    return [
        Problem(
            name,
            f"'{name}' cannot roll back: if '{next(e for e in early if e != name)}' finds an event "
            f"in a window that '{name}' has stepped over, it responds late (counted).",
            warning=True,
        )
        for name, able in parts.items()
        if not able.can_answer_again and any(e != name for e in early)
    ]
