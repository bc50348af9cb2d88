"""Every simple cycle, one by one. Their number can grow exponentially with that of the states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .digraph import Digraph


class TooManyCycles(ValueError):
    """There are more cycles than was allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"there are more than {self.limit} cycles; bounds do not need them all"


def simple_cycles(graph: Digraph, limit: int | None = None) -> Iterator[tuple[int, ...]]:
    """Every simple cycle once, as its nodes from the smallest on; self loops first.

    A self loop counts for every node: its own state is always carried on. Johnson's algorithm
    (Finding all the elementary circuits of a directed graph, SIAM Journal on Computing 4, 1975).
    """
    import rustworkx as rx

    count = 0
    for node in range(graph.size):
        count += 1
        yield (node,)
    edges = rx.PyDiGraph(multigraph=False)
    edges.add_nodes_from(range(graph.size))
    edges.add_edges_from_no_data(list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True)))
    for cycle in rx.simple_cycles(edges):
        count += 1
        if limit is not None and count > limit:
            raise TooManyCycles(limit)
        first = int(np.argmin(cycle))
        yield (*cycle[first:], *cycle[:first])
