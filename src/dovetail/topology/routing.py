"""Connections as index arrays, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Discrete, Vector
from ..drawing.connection import Connection
from ..drawing.system import System
from .layout import Layout

Index = NDArray[np.intp]
Table = Mapping[Discrete, Discrete]
Tables = Mapping[int, Table]


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
        reals, widened, discrete = [], [], []
        tables: tuple[dict[int, Table], dict[int, Table]] = {}, {}  # of reals, of others
        for c in system.connections:
            rows = _rows(c, layout)
            if c.table:
                tables[not c.target.variable.is_real].update({r[0]: dict(c.table) for r in rows})
            if not c.target.variable.is_real:
                discrete.append(rows)
            elif c.source.variable.is_real:
                reals.append(rows)
            else:
                widened.append(rows)
        r, w, d = (_columns(chain.from_iterable(rows)) for rows in (reals, widened, discrete))
        return Routing(*r, *w, d[0], d[1], *tables)


def _rows(c: Connection, layout: Layout) -> list[tuple[int, int, float, float]]:
    first_target = layout.inputs.place[c.target.part, c.target.variable.name]
    first_source = layout.outputs.place[c.source.part, c.source.variable.name]
    gain, offset = c.total
    size = c.target.variable.size
    return [(first_target + k, first_source + k, gain, offset) for k in range(size)]


def _columns(rows: Any) -> tuple[Index, Index, Vector, Vector]:
    table = np.array(sorted(rows), dtype=float).reshape(-1, 4)
    index = table[:, :2].astype(np.intp)
    columns = (index[:, 0], index[:, 1], table[:, 2], table[:, 3])
    return tuple(np.ascontiguousarray(c) for c in columns)  # type: ignore[return-value]
