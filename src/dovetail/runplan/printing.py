"""A plan for people: each section with its size and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ..core.errors import InputError
from .layout import HEADER, SECTION, VERSION
from .plan import Calls, ControllerKind, MemberKind, RunPlan, SolverKind
from .reading import read, sections
from .writing import digest

_CALLS = {
    Calls.ROLLBACK: "saves and restores its state",
    Calls.DERIVATIVES: "is told derivatives of inputs",
    Calls.INSIDE: "asks for inputs inside steps",
    Calls.EVENTS: "leaves windows with events",
}


def lines(block: bytes) -> list[str]:
    """The plan in a block, line by line; InputError where it is damaged."""
    plan, bodies = read(block), sections(block)
    made = "whole windows" if plan.is_run else "windows that are asked for one by one"
    found = [
        f"Plan: version {VERSION}, {len(block)} bytes, {len(bodies)} sections, for {made}",
        f"  sha256 {digest(block)}",
        f"  header: {HEADER.size} bytes, and {SECTION.size} before each section",
    ]
    told = _Told(plan)
    for layout, body in bodies:
        if layout is None:
            found.append(f"  a section that is not known: {len(body)} bytes")
            continue
        tag = layout.tag.decode()
        found.append(f"{tag} {layout.name}: {len(body)} bytes")
        try:
            found += [f"  {line}" for line in getattr(told, layout.name)()]
        except (ValueError, IndexError) as error:  # arrays of different lengths
            raise InputError(f"section {tag} of the plan does not fit the others") from error
    return found


class _Told:
    """What the sections of a plan say, a method for each."""

    def __init__(self, plan: RunPlan) -> None:
        self._plan, names = plan, plan.names
        self._parts = [f"'{name}'" for name in names.parts]
        places = [] if plan.recorded is None else plan.recorded.places.tolist()
        self._known = dict(zip(places, names.columns, strict=False))

    def signals(self) -> Iterator[str]:
        signals = self._plan.signals
        yield f"{signals.outputs} outputs, {signals.start.size} inputs"
        if signals.start.size:
            yield f"inputs before the run: {_listed(signals.start)}"

    def members(self) -> Iterator[str]:
        m = self._plan.members
        given, made = iter(m.in_refs.tolist()), iter(m.out_refs.tolist())
        for k in range(m.kind.size):
            kind = _word(MemberKind, m.kind[k]).replace("_", "-")
            inputs = _signals("inputs", m.in_at[k], m.n_in[k], _next(given, m.n_in_refs[k]))
            outputs = _signals("outputs", m.out_at[k], m.n_out[k], _next(made, m.n_out_refs[k]))
            calls = [word for flag, word in _CALLS.items() if m.calls[k] & flag]
            order = "any order" if m.order[k] < 0 else f"order {m.order[k]}"
            more = "; ".join([inputs, outputs, f"inputs of {order}", *calls])
            yield f"{self._member(k)}: FMI {m.version[k]} {kind}; {more}"

    def wires(self) -> Iterator[str]:
        w = self._plan.wires
        for target, source, gain, offset in zip(
            w.target.tolist(), w.source.tolist(), w.gain.tolist(), w.offset.tolist(), strict=True
        ):
            scaled = "" if (gain, offset) == (1, 0) else f", times {gain!r} plus {offset!r}"
            yield f"{self._output(source)} to {self._input(target)}{scaled}"

    def grid(self) -> Iterator[str]:
        assert self._plan.grid is not None
        g = self._plan.grid
        yield f"windows of {g.size!r} s from {g.origin!r} s to {g.stop!r} s"

    def scheme(self) -> Iterator[str]:
        assert self._plan.scheme is not None
        s = self._plan.scheme
        shape = {1: "held", 2: "along straight lines"}.get(s.columns, "along cubics")
        yield f"members {'one after another' if s.sequential else 'all at once'}, inputs {shape}"
        yield f"order: {_listed(s.order)}"

    def recorded(self) -> Iterator[str]:
        assert self._plan.recorded is not None
        count = self._plan.signals.outputs
        for place in self._plan.recorded.places.tolist():
            yield self._output(place) if place < count else self._input(place - count)

    def controller(self) -> Iterator[str]:
        assert self._plan.controller is not None
        c = self._plan.controller
        yield f"windows are {_word(ControllerKind, c.kind)}"
        if c.kind != ControllerKind.FIXED:
            yield f"rtol {c.rtol:g}, atol {c.atol:g}, order {c.order}, first {c.first_size:g} s"
            yield f"from {c.min_size:g} to {c.max_size:g} s, safety {c.safety:g}"
            for flag in ("ranged", "rejects", "stops"):
                if getattr(c, flag):
                    yield flag

    def extrapolation(self) -> Iterator[str]:
        assert self._plan.extrapolation is not None
        yield f"inputs along polynomials of order {self._plan.extrapolation.order}"

    def solver(self) -> Iterator[str]:
        assert self._plan.solver is not None
        s = self._plan.solver
        way = _word(SolverKind, s.kind).replace("_", " ")
        yield f"{way}, at most {s.limit} iterations; then {'go on' if s.accept else 'stop'}"
        if s.fall_back_size:
            yield f"a single pass in windows below {s.fall_back_size!r} s"

    def convergence(self) -> Iterator[str]:
        assert self._plan.convergence is not None
        test = self._plan.convergence
        yield f"mean square within {test.rtol!r} of a value plus {test.atol!r}"

    def cycles(self) -> Iterator[str]:
        assert self._plan.cycles is not None and self._plan.scheme is not None
        c, order = self._plan.cycles, iter(self._plan.scheme.order.tolist())
        for k in range(c.n_members.size):
            members = ", ".join(self._member(m) for m in _next(order, c.n_members[k]))
            if not c.cyclic[k]:
                yield f"once: {members}"
                continue
            yield f"until it converges: {members}; {c.n_targets[k]} inputs are unknown"
            if c.n_moves[k]:
                count = c.n_factor[k] + c.n_forward[k] + c.n_backward[k]
                yield f"  Jacobian of {c.n_values[k]} values, solved in {count} operations"

    def finder(self) -> Iterator[str]:
        assert self._plan.finder is not None
        f = self._plan.finder
        yield f"first step times {f.relaxation:g}, factors up to {f.largest:g}"
        yield f"{f.depth} past points, {f.reused} past windows, {f.filter:g} of a column is new"
        if f.closing.size:
            yield f"members one after another; {int(f.closing.sum())} inputs are unknown"

    def cubics(self) -> Iterator[str]:
        assert self._plan.cubics is not None
        c = self._plan.cubics
        for k, (count, told) in enumerate(zip(c.substeps.tolist(), c.told.tolist(), strict=True)):
            steps = "one step" if count == 1 else f"{count} substeps"
            source = "it gives" if told else "by differences"
            yield f"{self._member(k)}: {steps} a window, derivatives of outputs {source}"

    def bonds(self) -> Iterator[str]:
        assert self._plan.bonds is not None
        b = self._plan.bonds
        ports = zip(b.inputs.tolist(), b.outputs.tolist(), strict=True)
        for count, power in zip(b.ports.tolist(), b.is_power.tolist(), strict=True):
            what = "power" if power else "flow"
            places = (f"{self._input(i)} with {self._output(o)}" for i, o in islice(ports, count))
            yield f"{what} of {', '.join(places)}"

    def tuned(self) -> Iterator[str]:
        assert self._plan.tuned is not None
        for k, count in enumerate(self._plan.tuned.count.tolist()):
            if count:
                yield f"{self._member(k)}: the last {count} of its inputs are parameters"

    def names(self) -> Iterator[str]:
        names = self._plan.names
        yield f"of {len(names.parts)} members and {len(names.columns)} columns"

    def _member(self, k: int) -> str:
        return f"{k} {self._parts[k]}" if k < len(self._parts) else f"{k}"

    def _output(self, place: int) -> str:
        return f"output {place}{self._named(place)}"

    def _input(self, place: int) -> str:
        return f"input {place}{self._named(self._plan.signals.outputs + place)}"

    def _named(self, place: int) -> str:
        return f" '{self._known[place]}'" if place in self._known else ""


def _word(kind: Any, number: int) -> str:
    known: dict[int, str] = {int(k): k.name.lower() for k in kind}
    return known.get(int(number), f"number {number}")


def _next(values: Iterator[int], count: int) -> list[int]:
    return list(islice(values, int(count)))


def _signals(what: str, first: int, count: int, references: Sequence[int]) -> str:
    if not count:
        return f"no {what}"
    places = f"{first}" if count == 1 else f"{first} to {first + count - 1}"
    return f"{what} {places} by reference {_listed(references)}"


def _listed(values: Any) -> str:
    return ", ".join(repr(v) for v in (values.tolist() if hasattr(values, "tolist") else values))
