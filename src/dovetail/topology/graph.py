"""Strong components and the order between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from ..core.components import components_of


def strong_components(
    nodes: int, edges: Iterable[tuple[int, int]], first: Collection[int] = ()
) -> list[tuple[int, ...]]:
    """Strong components in dependency order: a node that feeds another comes first.

    Nodes inside a component, and components that do not depend on each other, keep the order
    of their numbers; but those with nodes in `first`, and what feeds them, come before others.
    """
    successors: list[list[int]] = [[] for _ in range(nodes)]
    for tail, head in dict.fromkeys(edges):
        successors[tail].append(head)
    components = [tuple(sorted(c)) for c in components_of(successors)]
    home = [0] * nodes
    for k, component in enumerate(components):
        for node in component:
            home[node] = k
    return [components[k] for k in _order(components, home, successors, first)]


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


def _order(
    components: Sequence[tuple[int, ...]],
    home: Sequence[int],
    successors: Sequence[Sequence[int]],
    first: Collection[int],
) -> Iterator[int]:
    """Components by their first nodes, as far as those that feed them come before."""
    fed: list[set[int]] = [set() for _ in components]
    for tail, nearest in enumerate(successors):
        for head in nearest:
            if home[head] != home[tail]:
                fed[home[tail]].add(home[head])
    urgent = _leading_to({home[node] for node in first}, fed)
    missing = [0] * len(components)
    for heads in fed:
        for k in heads:
            missing[k] += 1
    ready = [(k not in urgent, c[0], k) for k, c in enumerate(components) if not missing[k]]
    heapify(ready)
    while ready:
        _, _, k = heappop(ready)
        yield k
        for following in fed[k]:
            missing[following] -= 1
            if not missing[following]:
                key = following not in urgent, components[following][0], following
                heappush(ready, key)


def _leading_to(wanted: set[int], fed: Sequence[set[int]]) -> set[int]:
    """These components, and all that feed them."""
    feeders: list[list[int]] = [[] for _ in fed]
    for k, heads in enumerate(fed):
        for head in heads:
            feeders[head].append(k)
    found, waiting = set(wanted), list(wanted)
    while waiting:
        for k in feeders[waiting.pop()]:
            if k not in found:
                found.add(k)
                waiting.append(k)
    return found
