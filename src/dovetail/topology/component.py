"""Parts that depend on each other, and what they exchange among themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.signals import Vector
from ..rootfinders.elimination import Elimination
from .graph import strong_components
from .layout import Layout
from .routing import Index, Routing


@dataclass(frozen=True, eq=False)
class Component:
    """Parts that depend on each other, and the values they exchange among themselves.

    `targets` are the real inputs fed from inside, `sources` the outputs that feed them, wire by
    wire; `outputs` the outputs among the sources, each once; `discrete` the discrete outputs that
    feed an input inside. Wires of a junction that add up share a target: `wired` then gives the
    target of each wire, and is None where every target has one.
    """

    parts: tuple[int, ...]
    cyclic: bool
    targets: Index
    sources: Index
    gains: Vector
    offsets: Vector
    rows: tuple[tuple[slice, Index], ...]  # for each part: its targets, and where they lie in it
    outputs: Index
    discrete: tuple[int, ...]
    spans: tuple[slice, ...]  # the real outputs of each part
    wired: Index | None = None
    groups: tuple[int, ...] = ()  # of junctions that are solved inside a window

    def routed(self, reals: Vector) -> Vector:
        """What these outputs of all make of the targets."""
        values: Vector = self.gains * reals[self.sources] + self.offsets
        return values if self.wired is None else _added(values, self.wired, self.targets.size)

    def routed_derivatives(self, derivatives: Vector) -> Vector:
        """What the time derivatives of all outputs make of those of the targets."""
        values: Vector = self.gains * derivatives[self.sources]
        return values if self.wired is None else _added(values, self.wired, self.targets.size)

    def rows_of(self, wires: Index) -> Index:
        """The targets of these wires, counted among the targets."""
        return wires if self.wired is None else self.wired[wires]

    @cached_property
    def pattern(self) -> tuple[Index, Index, Index]:
        """Where changes of outputs stand in the Jacobian of the interface.

        Changes lie one after another: for each part, for each of its targets, its outputs. Wire
        and column of each that feeds a target, and its place among the changes.
        """
        by_source = np.argsort(self.sources, kind="stable")
        ordered = self.sources[by_source]
        rows, columns, places = list[Index](), list[Index](), list[Index]()
        first = 0
        for span, (targets, _) in zip(self.spans, self.rows, strict=True):
            a, b = np.searchsorted(ordered, [span.start, span.stop])
            wires, width = by_source[a:b], span.stop - span.start
            count = targets.stop - targets.start
            rows.append(np.tile(wires, count))
            columns.append(np.repeat(np.arange(targets.start, targets.stop), wires.size))
            moved = first + width * np.arange(count)
            places.append(np.add.outer(moved, self.sources[wires] - span.start).ravel())
            first += width * count
        joined = [np.concatenate(p).astype(np.intp) for p in (rows, columns, places)]
        return joined[0], joined[1], joined[2]

    @cached_property
    def elimination(self) -> tuple[Elimination, Index] | None:
        """How to solve with that Jacobian if it is sparse, and where the changes go in it."""
        wires, columns, _ = self.pattern
        return _eliminated(self.targets.size, self.rows_of(wires), columns)

    @cached_property
    def pattern_with_derivatives(self) -> tuple[Index, Index]:
        """Rows and columns of that Jacobian with unknown derivatives, behind the values.

        Its quarters one after another: values to values, to derivatives, and what derivatives do.
        """
        wires, columns, _ = self.pattern
        rows, n = self.rows_of(wires), self.targets.size
        return (
            np.concatenate([rows, n + rows, rows, n + rows]),
            np.concatenate([columns, columns, n + columns, n + columns]),
        )

    @cached_property
    def elimination_with_derivatives(self) -> tuple[Elimination, Index] | None:
        """As `elimination`, for that one."""
        return _eliminated(2 * self.targets.size, *self.pattern_with_derivatives)


def _eliminated(size: int, rows: Index, columns: Index) -> tuple[Elimination, Index] | None:
    found = Elimination.of(size, rows.tolist(), columns.tolist())
    return None if found is None else (found, found.slots(rows, columns))


def components_by(
    layout: Layout,
    routing: Routing,
    edges: Sequence[tuple[int, int]],
    first: Collection[int] = (),
) -> tuple[Component, ...]:
    """The components of a graph of parts, in the order of their dependency.

    `first` are parts that come before others where the order is free.
    """
    found = strong_components(len(layout.names), edges, first)
    itself = {a for a, b in edges if a == b}
    home = np.zeros(len(layout.names), dtype=np.intp)
    for k, parts in enumerate(found):
        home[list(parts)] = k
    of_output = _owners([s.reals for s in layout.outputs.spans])
    of_input = _owners([s.reals for s in layout.inputs.spans])
    of_discrete_output = _owners([s.discrete for s in layout.outputs.spans])
    of_discrete_input = _owners([s.discrete for s in layout.inputs.spans])
    inside = home[of_output[routing.source]] == home[of_input[routing.target]]
    by_home = _grouped(home[of_input[routing.target]], inside, len(found))
    riding_source = np.concatenate([routing.discrete_source, routing.widened_source])
    riding_home = np.concatenate(
        [home[of_discrete_input[routing.discrete_target]], home[of_input[routing.widened_target]]]
    )
    same = home[of_discrete_output[riding_source]] == riding_home
    riding_by_home = _grouped(riding_home, same, len(found))
    components = []
    for k, parts in enumerate(found):
        wires = by_home[k]
        cyclic = len(parts) > 1 or parts[0] in itself
        if not wires.size and not riding_by_home[k].size:
            components.append(_apart(parts, cyclic, layout))
            continue
        riding = riding_source[riding_by_home[k]]
        targets, wired = np.unique(routing.target[wires], return_inverse=True)
        components.append(
            Component(
                parts,
                cyclic,
                targets,
                routing.source[wires],
                routing.gain[wires],
                routing.offset[wires],
                _rows(targets, parts, layout),
                np.unique(routing.source[wires]),
                tuple(np.unique(riding).tolist()),
                tuple(layout.outputs.spans[i].reals for i in parts),
                wired.astype(np.intp) if targets.size < wires.size else None,
            )
        )
    return tuple(components)


_NONE, _NOTHING = np.zeros(0, dtype=np.intp), np.zeros(0)


def _apart(parts: tuple[int, ...], cyclic: bool, layout: Layout) -> Component:
    """Parts that exchange nothing among themselves that is routed."""
    spans = tuple(layout.outputs.spans[i].reals for i in parts)
    rows = ((slice(0, 0), _NONE),) * len(parts)
    return Component(parts, cyclic, _NONE, _NONE, _NOTHING, _NOTHING, rows, _NONE, (), spans)


def _rows(targets: Index, parts: Sequence[int], layout: Layout) -> tuple[tuple[slice, Index], ...]:
    spans = [layout.inputs.spans[i].reals for i in parts]
    starts = np.searchsorted(targets, [s.start for s in spans]).tolist()
    stops = np.searchsorted(targets, [s.stop for s in spans]).tolist()
    return tuple(
        (slice(a, b), targets[a:b] - s.start) for a, b, s in zip(starts, stops, spans, strict=True)
    )


def _owners(spans: Sequence[slice]) -> Index:
    return np.repeat(np.arange(len(spans)), [s.stop - s.start for s in spans]).astype(np.intp)


def _grouped(homes: Index, wanted: Index, count: int) -> list[Index]:
    """For each home, the places where it stands, of those wanted."""
    places = np.flatnonzero(wanted)
    order = places[np.argsort(homes[places], kind="stable")]
    cuts = np.searchsorted(homes[order], np.arange(1, count))
    return np.split(order, cuts)


def _added(values: Vector, places: Index, count: int) -> Vector:
    total = np.zeros(count)
    np.add.at(total, places, values)
    return total
