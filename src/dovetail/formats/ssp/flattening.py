"""Systems inside systems made flat: the source of each connector, segment by segment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ...core.errors import did_you_mean
from .complaints import Complaints
from .document import Component, Connector, Element, Group, Reference, Sort, Wire

Path = tuple[str, ...]  # names of elements, from the root system down

_GIVES = {  # which kinds of connector a kind may feed; of a system seen from inside: of elements
    "structuralParameter": {"structuralParameter", "parameter", "input", "inout"},
    "parameter": {"parameter", "input", "inout"},
    "input": {"input", "inout"},
}
_GIVEN = {  # the same for connectors of elements
    "constant": {"structuralParameter", "parameter", "input", "inout"},
    "calculatedParameter": {"parameter", "input", "inout"},
    "output": {"input", "inout"},
    "local": {"input", "inout"},
    "inout": {"input", "inout"},
}
_OUTWARD = {  # from inside a system to its own connectors
    "structuralParameter": {"calculatedParameter", "output", "local"},
    "parameter": {"calculatedParameter", "output", "local"},
    "input": {"output", "local"},
    "constant": {"constant", "calculatedParameter", "output", "local"},
    "calculatedParameter": {"calculatedParameter", "output", "local"},
    "output": {"output", "local"},
    "local": {"output", "local"},
    "inout": {"output", "local"},
}


@dataclass(frozen=True, slots=True)
class Key:
    """A connector: of the element at a path, or an entry of a dictionary defined there."""

    path: Path
    name: str
    dictionary: str = ""

    def __str__(self) -> str:
        return ".".join((*self.path[1:], self.name))


@dataclass(frozen=True, slots=True)
class Hop:
    """One connection on the way from a source to a target."""

    source: Key
    target: Key
    wire: Wire
    home: Path  # of the system it stands in


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a connection: what it is, whether it can give and take."""

    key: Key
    kind: str
    inside: bool  # a connector of the system itself, seen from inside

    @property
    def direction(self) -> bool | None:
        """Whether a value comes out here; None if that depends on the other end."""
        if self.kind in ("inout", "unspecified"):
            return None
        return self.kind in (_GIVES if self.inside else _GIVEN)


@dataclass(slots=True)
class Flat:
    """A system without levels: its components by path, and what feeds each connector."""

    components: dict[Path, Element] = field(default_factory=dict)
    groups: dict[Path, Group] = field(default_factory=dict)
    sorts: dict[Key, Sort | None] = field(default_factory=dict)
    connectors: dict[Key, Connector] = field(default_factory=dict)
    hops: dict[Key, Hop] = field(default_factory=dict)

    def way(self, target: Key) -> list[Hop]:
        """The segments to a connector from where its value begins, first to last."""
        found: list[Hop] = []
        seen = {target}
        while target in self.hops:
            hop = self.hops[target]
            found.append(hop)
            target = hop.source
            if target in seen:
                break
            seen.add(target)
            if target.path in self.components:
                break
        return found[::-1]

    def targets(self) -> Iterator[Key]:
        """The connectors of components that something feeds."""
        return (key for key in self.hops if key.path in self.components)


def collect(root: Group, is_leaf: Callable[[Element], bool]) -> Flat:
    """All elements by path; wires come later, when components are known."""
    flat = Flat()
    _walk(root, (root.name,), flat, is_leaf)
    return flat


def connect(flat: Flat, kind_of: Callable[[Path, str], str | None], complaints: Complaints) -> None:
    """Find out what feeds what. `kind_of` knows connectors of components that are not declared."""
    for path, group in flat.groups.items():
        scope = _Scope(flat, path, group, kind_of, complaints)
        for wire in group.wires:
            scope.draw(wire)


def _walk(element: Element, path: Path, flat: Flat, is_leaf: Callable[[Element], bool]) -> None:
    for c in element.connectors.values():
        flat.connectors[Key(path, c.name)] = c
        flat.sorts[Key(path, c.name)] = c.sort
    if isinstance(element, Component) or (len(path) > 1 and is_leaf(element)):
        flat.components[path] = element
    elif isinstance(element, Group):
        flat.groups[path] = element
        for name, entries in element.dictionaries.items():
            for entry, sort in entries.items():
                flat.sorts[Key(path, entry, name)] = sort
        for child in element.elements:
            _walk(child, (*path, child.name), flat, is_leaf)


class _Scope:
    """The connections of one system."""

    def __init__(
        self,
        flat: Flat,
        path: Path,
        group: Group,
        kind_of: Callable[[Path, str], str | None],
        complaints: Complaints,
    ) -> None:
        self.flat, self.path, self.group = flat, path, group
        self.kind_of, self.complaints = kind_of, complaints
        self.elements = {e.name: e for e in group.elements}

    def draw(self, wire: Wire) -> None:
        ends = [self._end(wire, *end) for end in (wire.start, wire.end)]
        if ends[0] is None or ends[1] is None:
            return
        start, end = ends[0], ends[1]
        source, target = (end, start) if _backwards(start, end) else (start, end)
        if not _allowed(source, target):
            what = f"'{source.key}' ({source.kind}) cannot feed '{target.key}' ({target.kind})"
            if target.kind == "parameter" and source.kind == "output":
                what += "; one of kind calculatedParameter can, where the parameter is tunable"
            self.complaints.problem(wire.place, what)
            return
        other = self.flat.hops.get(target.key)
        if other is not None:
            what = f"'{target.key}' is fed by '{other.source}' already; it takes one source"
            self.complaints.problem(wire.place, what)
            return
        self.flat.hops[target.key] = Hop(source.key, target.key, wire, self.path)

    def _end(self, wire: Wire, name: str | None, connector: str) -> _End | None:
        if name is None:
            known = self.group.connectors.get(connector)
            if known is not None:
                return _End(Key(self.path, connector), known.kind, True)
            return self._missing(wire, "the system", connector, self.group.connectors)
        element = self.elements.get(name)
        if element is None:
            hint = did_you_mean(name, self.elements)
            self.complaints.problem(wire.place, f"there is no element '{name}'.{hint}")
            return None
        known = element.connectors.get(connector)
        if isinstance(element, Reference):
            return self._entry(wire, element, connector, known)
        path = (*self.path, name)
        if known is not None:
            return _End(Key(path, connector), known.kind, False)
        if path in self.flat.components:
            kind = self.kind_of(path, connector)
            if kind is not None:
                self.complaints.note(wire.place, f"'{name}' does not list this connector")
                return _End(Key(path, connector), kind, False)
        return self._missing(wire, f"'{name}'", connector, element.connectors)

    def _entry(
        self, wire: Wire, reference: Reference, connector: str, known: Connector | None
    ) -> _End | None:
        """An entry of the dictionary that a reference means: the nearest one around."""
        for depth in range(len(self.path), 0, -1):
            path = self.path[:depth]
            entries = self.flat.groups[path].dictionaries.get(reference.dictionary)
            if entries is None:
                continue
            if connector not in entries:
                return self._missing(wire, f"'{reference.dictionary}'", connector, entries)
            key = Key(path, connector, reference.dictionary)
            return _End(key, "inout" if known is None else known.kind, False)
        what = f"there is no signal dictionary '{reference.dictionary}'"
        self.complaints.problem(reference.place, what)
        return None

    def _missing(self, wire: Wire, whose: str, connector: str, known: Iterable[str]) -> _End | None:
        hint = did_you_mean(connector, known)
        self.complaints.problem(wire.place, f"{whose} has no connector '{connector}'.{hint}")
        return None


def _backwards(start: _End, end: _End) -> bool:
    """Whether the value goes from end to start; start and end say nothing about that."""
    a, b = start.direction, end.direction
    return (a is False and b is not False) or (a is None and b is True)


def _allowed(source: _End, target: _End) -> bool:
    if "unspecified" in (source.kind, target.kind):
        return True
    if source.inside and target.inside:
        return target.kind in _OUTWARD.get(source.kind, ())
    if target.inside:
        return source.direction is not False and target.kind in _OUTWARD.get(source.kind, ())
    table = _GIVES if source.inside else _GIVEN
    return target.kind in table.get(source.kind, ())
