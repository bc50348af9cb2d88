"""Strong components and the order between them."""

from __future__ import annotations

from collections.abc import Iterable

import rustworkx as rx


def strong_components(nodes: int, edges: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Strong components in dependency order: a node that feeds another comes first.

    Nodes inside a component, and components that do not depend on each other, keep the order
    of their numbers.
    """
    graph = _graph(nodes, edges)
    components = [tuple(sorted(c)) for c in rx.strongly_connected_components(graph)]
    home = {node: k for k, c in enumerate(components) for node in c}
    between = {(home[a], home[b]) for a, b in graph.edge_list() if home[a] != home[b]}
    condensed = _graph(len(components), between)
    order = rx.lexicographical_topological_sort(condensed, lambda k: f"{components[k][0]:012d}")
    return [components[k] for k in order]


def one_cycle(nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> list[int]:
    """A shortest cycle through the first of these nodes, all in one strong component."""
    inside = list(nodes)
    known = set(inside)
    graph: dict[int, list[int]] = {node: [] for node in inside}
    for a, b in edges:
        if a in known and b in known:
            graph[a].append(b)
    start = inside[0]
    came_from: dict[int, int] = {}
    frontier = [start]
    while frontier:
        following = []
        for node in frontier:
            for successor in graph[node]:
                if successor == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return path[::-1]
                if successor not in came_from:
                    came_from[successor] = node
                    following.append(successor)
        frontier = following
    return inside


def _graph(nodes: int, edges: Iterable[tuple[int, int]]) -> rx.PyDiGraph:
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from_no_data(list(edges))
    return graph
