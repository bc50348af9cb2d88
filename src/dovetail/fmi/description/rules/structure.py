"""Rules about what depends on what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..fmu import FmuDescription, Unknown
from .rule import Breach, Rule


def _states(fmu: FmuDescription) -> Iterator[Breach]:
    for derivative in fmu.structure.derivatives:
        state = fmu.by_name.get(derivative.state or "")
        if state is None:
            continue
        if state.variability != "continuous" or state.causality not in ("local", "output"):
            kind = f"{state.causality} and {state.variability}"
            yield state.line, f"the state '{state.name}' is {kind}, not local or output, continuous"


def _reinit(fmu: FmuDescription) -> Iterator[Breach]:
    states = set(fmu.states)
    for v in fmu.variables:
        if v.reinit and v.name not in states:
            yield v.line, f"'{v.name}' is reinitialized, but is not a state"


def _initial_unknowns(fmu: FmuDescription) -> Iterator[Breach]:
    listed = [unknown.name for unknown in fmu.structure.initial_unknowns]
    computed = {"approx", "calculated"}
    states = {*fmu.states, *(d.name for d in fmu.structure.derivatives)}
    needed = {
        v.name: v.line
        for v in fmu.variables
        if not v.clocks
        and v.type != "Clock"
        and (
            v.causality == "calculatedParameter"
            or (v.initial in computed and (v.causality == "output" or v.name in states))
        )
    }
    for name in needed.keys() - set(listed):
        yield needed[name], f"'{name}' is not among the initial unknowns"
    for unknown in fmu.structure.initial_unknowns:
        if unknown.name not in needed and not fmu.by_name[unknown.name].clocks:
            yield unknown.line, f"'{unknown.name}' is among the initial unknowns, but is none"


def _order(fmu: FmuDescription) -> Iterator[Breach]:
    place = {v.name: k for k, v in enumerate(fmu.variables)}

    def is_sorted(names: Iterable[str]) -> bool:
        places = [place[name] for name in names]
        return places == sorted(places)

    if not is_sorted(unknown.name for unknown in fmu.structure.initial_unknowns):
        first = fmu.structure.initial_unknowns[0]
        yield first.line, "the initial unknowns are not in the order of the variables"
    for unknown in _unknowns(fmu):
        if unknown.dependencies and not is_sorted(unknown.dependencies):
            yield unknown.line, f"the dependencies of '{unknown.name}' are not in order"


def _knowns(fmu: FmuDescription) -> Iterator[Breach]:
    states = set(fmu.states)
    for unknown in (*fmu.structure.outputs, *fmu.structure.derivatives):
        for name in unknown.dependencies or ():
            v = fmu.by_name[name]
            usual = ("input", "independent", "parameter", "structuralParameter")
            discrete = fmu.version == "3.0" and v.variability == "discrete"
            if v.causality not in usual and name not in states and not discrete:
                what = f"'{unknown.name}' depends on '{name}', which is neither input nor state"
                yield unknown.line, what


def _unknowns(fmu: FmuDescription) -> tuple[Unknown, ...]:
    structure = fmu.structure
    return (*structure.outputs, *structure.derivatives, *structure.initial_unknowns)


RULES = (
    Rule("states", "error", "23", _states),
    Rule("reinit", "error", "23", _reinit),
    Rule("initial unknowns", "error", "23", _initial_unknowns),
    Rule("order", "error", "2", _order),
    Rule("knowns", "warning", "23", _knowns),
)
