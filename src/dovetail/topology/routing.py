"""Connections as index arrays, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Discrete, Vector
from ..drawing.system import System
from .layout import Layout

Index = NDArray[np.intp]
Table = Mapping[Discrete, Discrete]
Tables = Mapping[int, Table]
_Row = tuple[int, int, float, float]  # target, source, gain, offset


@dataclass(frozen=True, slots=True, eq=False)
class Routing:
    """reals[target] = gain * outputs.reals[source] + offset, and the like for discrete values.

    `widened` feeds real inputs from discrete outputs; `discrete` discrete inputs from those.
    Both may look values up in `tables` first, found by the place of the target. Wires of a
    junction may share a target, and add up.
    """

    target: Index
    source: Index
    gain: Vector
    offset: Vector
    widened_target: Index
    widened_source: Index
    widened_gain: Vector
    widened_offset: Vector
    discrete_target: Index
    discrete_source: Index
    widened_tables: Tables = field(default_factory=dict)
    discrete_tables: Tables = field(default_factory=dict)

    @property
    def adds_up(self) -> bool:
        """Whether several wires share a target somewhere."""
        return bool(np.any(self.target[1:] == self.target[:-1]))

    @staticmethod
    def of(system: System, layout: Layout) -> Routing:
        """The routing of a drawing, sorted by target."""
        reals, widened, discrete = list[_Row](), list[_Row](), list[_Row]()
        tables: tuple[dict[int, Table], dict[int, Table]] = {}, {}  # of reals, of others
        inputs, outputs = layout.inputs.place, layout.outputs.place
        for c in system.connections:
            source, target = c.source.variable, c.target.variable
            first = inputs[c.target.part, target.name], outputs[c.source.part, source.name]
            rows = reals if source.is_real else widened
            if not target.is_real:
                rows = discrete
            rows += [(first[0] + k, first[1] + k, *c.total) for k in range(target.size)]
            if c.table:
                looked_up = tables[not target.is_real]
                looked_up.update((first[0] + k, dict(c.table)) for k in range(target.size))
        r, w, d = (_columns(rows) for rows in (reals, widened, discrete))
        return Routing(*r, *w, d[0], d[1], *tables)


def _columns(rows: list[_Row]) -> tuple[Index, Index, Vector, Vector]:
    rows.sort()
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros(0)] * 4
    kinds = (np.intp, np.intp, float, float)
    columns = [column.astype(kind) for column, kind in zip(columns, kinds, strict=True)]
    return tuple(np.ascontiguousarray(c) for c in columns)  # type: ignore[return-value]
