"""A drawing as blocks and links, with its cycles found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from ..core.description import Variable
from ..drawing.connection import Connection
from ..drawing.junction import Junction
from ..drawing.part import Part
from ..drawing.ports import End
from ..drawing.system import System
from ..topology.graph import strong_components
from .chart import Block, Chart, Link, Pin, PinPlace

_ALL = 6  # inputs or outputs up to which those without a link are drawn too
_LISTED = 12  # values in the details of a block


@runtime_checkable
class SystemHolder(Protocol):
    """A model that is a whole system, such as a nested or a merged one."""

    @property
    def system(self) -> System:
        """What is in it."""


@dataclass(slots=True)
class _Use:
    """What links and junctions use of a part."""

    inputs: set[str] = field(default_factory=set)
    outputs: set[str] = field(default_factory=set)
    left_ports: list[End] = field(default_factory=list)
    right_ports: list[End] = field(default_factory=list)


def chart_of(system: System, *, whole: Collection[str] = (), free_ports: bool = False) -> Chart:
    """What is to be drawn of a system.

    Of parts in `whole` every input and output; with `free_ports` power ports that meet nothing.
    """
    place = {name: k for k, name in enumerate(system.parts)}
    homes, sizes = _cycles(system, place)
    drawn = [c for c in system.connections if not c.junction]
    joined = [sorted(j.ends, key=lambda e: place[e.part]) for j in system.junctions]
    uses = _uses(system, drawn, joined)
    blocks = [
        _block(p, uses[name], homes.get(k), whole=name in whole, free_ports=free_ports)
        for k, (name, p) in enumerate(system.parts.items())
    ]
    left = [_places(b.left) for b in blocks]
    right = [_places(b.right) for b in blocks]

    def out(part: str, name: str, *, port: bool = False) -> PinPlace:
        return place[part], right[place[part]][port, name]

    def into(part: str, name: str, *, port: bool = False) -> PinPlace:
        return place[part], left[place[part]][port, name]

    links = [
        Link(
            out(c.source.part, c.source.variable.name),
            into(c.target.part, c.target.variable.name),
            label_of(c),
            _shared(homes, place[c.source.part], place[c.target.part]),
            details=str(c),
        )
        for c in drawn
    ]
    for junction, (first, *others) in zip(system.junctions, joined, strict=True):
        home = len(blocks)
        of_all = [homes.get(place[e.part]) for e in junction.ends]
        cycle = of_all[0] if len(set(of_all)) == 1 else None
        blocks.append(_junction(junction, cycle))
        ways = [(out(first.part, first.name, port=True), (home, 0))]
        ways += [((home, 0), into(e.part, e.name, port=True)) for e in others]
        links += [Link(*way, "", cycle, is_bond=True, details=junction.name) for way in ways]
    return Chart(system.sketch.title or system.name, tuple(blocks), tuple(links), sizes)


def label_of(c: Connection) -> str:
    """What happens to a value on its way, where that is not plain."""
    words = []
    source, target = c.source.variable.unit, c.target.variable.unit
    if c.table:
        words.append("table")
    if source is not None and target is not None and source != target:
        plain = (c.units.factor, c.units.offset) == (1.0, 0.0)
        if not c.convert:
            words.append(f"{source} as {target}")
        elif not plain:
            words.append(f"{source} → {target}")
    if c.gain != 1.0:
        words.append(f"× {c.gain:g}")  # noqa: RUF001
    if c.offset != 0.0:
        words.append(f"{'+' if c.offset > 0 else '−'} {abs(c.offset):g}")  # noqa: RUF001
    return "  ".join(words)


def _cycles(system: System, place: Mapping[str, int]) -> tuple[dict[int, int], tuple[int, ...]]:
    """The cycle that each part is in, if any, and how many parts each has."""
    edges = [(place[c.source.part], place[c.target.part]) for c in system.connections]
    itself = {a for a, b in edges if a == b}
    found = strong_components(len(place), edges)
    cyclic = [c for c in found if len(c) > 1 or c[0] in itself]
    homes = {part: k for k, parts in enumerate(cyclic) for part in parts}
    return homes, tuple(map(len, cyclic))


def _uses(
    system: System, drawn: Sequence[Connection], joined: Sequence[Sequence[End]]
) -> dict[str, _Use]:
    uses = {name: _Use() for name in system.parts}
    for c in drawn:
        uses[c.source.part].outputs.add(c.source.variable.name)
        uses[c.target.part].inputs.add(c.target.variable.name)
    for first, *others in joined:
        uses[first.part].right_ports.append(first)
        for end in others:
            uses[end.part].left_ports.append(end)
    return uses


def _block(part: Part, use: _Use, cycle: int | None, *, whole: bool, free_ports: bool) -> Block:
    d = part.description
    ports = (*use.left_ports, *use.right_ports)
    taken = {v.name for e in ports for v in (e.effort, e.flow, e.displacement) if v is not None}
    left = _pins(d.inputs, use.inputs, taken, part.tuned)
    right = _pins(d.outputs, use.outputs, taken, ())
    shown_left, shown_right = (left, right) if whole else (_shown(left), _shown(right))
    joined = {e.name for e in ports}
    free = [Pin(n, "power", False) for n in d.ports if n not in joined] if free_ports else []
    inner = part.model.system if isinstance(part.model, SystemHolder) else None
    kind = d.kind
    if isinstance(inner, System):
        count = len(inner.parts)
        kind = f"{type(part.model).__name__}, {count} part{'s' * (count != 1)}"
    return Block(
        part.name,
        kind,
        (*(Pin(e.name, "power") for e in use.left_ports), *shown_left),
        (*(Pin(e.name, "power") for e in use.right_ports), *free, *shown_right),
        len(left) - len(shown_left),
        len(right) - len(shown_right),
        cycle,
        is_nested=isinstance(inner, System),
        details=_details(part),
    )


def _pins(
    variables: Sequence[Variable], used: set[str], taken: set[str], tuned: Sequence[str]
) -> list[Pin]:
    """Those that are linked, and those that are free; not what belongs to a joined port."""
    return [
        Pin(v.name, "tuned" if v.name in tuned else "signal", v.name in used)
        for v in variables
        if v.name in used or v.name not in taken
    ]


def _shown(pins: Sequence[Pin]) -> list[Pin]:
    linked = [p for p in pins if p.is_linked]
    return list(pins) if len(pins) <= max(_ALL, len(linked) + 1) else linked


def _junction(junction: Junction, cycle: int | None) -> Block:
    pin = (Pin(junction.name, "power"),)
    what = f"{junction.name}\n{junction.explain()}"
    return Block(junction.name, "junction", pin, pin, cycle=cycle, is_junction=True, details=what)


def _details(part: Part) -> str:
    d = part.description
    counts = f"{len(d.inputs)} inputs, {len(d.outputs)} outputs, {len(d.parameters)} parameters"
    lines = [f"{part.name}: {d.kind}", counts]
    lines += [f"{name} = {str(value)[:60]}" for name, value in [*part.values.items()][:_LISTED]]
    if len(part.values) > _LISTED:
        lines.append(f"and {len(part.values) - _LISTED} more values")
    return "\n".join(lines)


def _places(pins: Sequence[Pin]) -> dict[tuple[bool, str], int]:
    """Where each is; a port may have the same name as a variable."""
    return {(pin.kind == "power", pin.name): k for k, pin in enumerate(pins)}


def _shared(homes: Mapping[int, int], source: int, target: int) -> int | None:
    first = homes.get(source)
    return first if first is not None and first == homes.get(target) else None
