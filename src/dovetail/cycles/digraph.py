"""The graph of a Jacobian, cut into the parts in which cycles can be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Digraph:
    """Edges between different nodes of one strong component, ordered by their tails.

    No other edge is part of a cycle. `costs` are -log|J_ij|; `diagonal` holds J_ii; `component`
    numbers the strong components, `members` counts their nodes.
    """

    size: int
    diagonal: Vector
    component: Index
    members: Index
    tails: Index
    heads: Index
    costs: Vector

    @staticmethod
    def of(jacobian: Any) -> Digraph:
        """The graph of a square matrix, sparse or dense."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        matrix = coo_array(jacobian)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a Jacobian is a square matrix, not one of {matrix.shape}")
        matrix = matrix.tocsr()
        matrix.sum_duplicates()
        if not np.isfinite(matrix.data).all():
            raise ValueError("the Jacobian has elements that are not finite")
        matrix.eliminate_zeros()
        n = int(matrix.shape[0])
        count, labels = connected_components(matrix, directed=True, connection="strong")
        whole = matrix.tocoo()
        tails, heads = whole.row.astype(np.intp), whole.col.astype(np.intp)
        inside = (tails != heads) & (labels[tails] == labels[heads])
        return Digraph(
            n,
            np.asarray(matrix.diagonal(), dtype=float),
            labels.astype(np.intp),
            np.bincount(labels, minlength=count).astype(np.intp),
            tails[inside],
            heads[inside],
            -np.log(np.abs(whole.data[inside])),
        )

    @cached_property
    def starts(self) -> Index:
        """Where the edges of each node begin; one more entry for the end."""
        return np.searchsorted(self.tails, np.arange(self.size + 1)).astype(np.intp)

    @cached_property
    def cyclic(self) -> NDArray[np.bool_]:
        """Which nodes lie on a cycle with another node."""
        found = np.zeros(self.size, dtype=bool)
        found[self.tails] = True
        return found

    def nodes(self, component: int) -> Index:
        """The nodes of a component, in order."""
        return np.flatnonzero(self.component == component).astype(np.intp)
