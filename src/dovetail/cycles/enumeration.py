"""Every simple cycle, one by one. Their number can grow exponentially with that of the states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..core.components import components_of
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
    count = 0
    for node in range(graph.size):
        count += 1
        yield (node,)
    successors: list[list[int]] = [[] for _ in range(graph.size)]
    for tail, head in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True):
        successors[tail].append(head)
    for cycle in _johnson(successors):
        count += 1
        if limit is not None and count > limit:
            raise TooManyCycles(limit)
        yield cycle


def _johnson(successors: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """Cycles of two nodes or more, by their smallest nodes."""
    remaining = [sorted(c) for c in components_of(successors) if len(c) > 1]
    remaining.sort(reverse=True)
    while remaining:
        nodes = remaining.pop()
        inside = set(nodes)
        edges = {n: [m for m in successors[n] if m in inside] for n in nodes}
        yield from _through(nodes[0], edges)
        rest = nodes[1:]
        place = {node: k for k, node in enumerate(rest)}
        smaller = [[place[m] for m in edges[n] if m in place] for n in rest]
        found = [sorted(rest[k] for k in c) for c in components_of(smaller) if len(c) > 1]
        remaining.extend(found)
        remaining.sort(reverse=True)


def _through(start: int, edges: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """The cycles through one node of a strong component."""
    path, blocked, closed = [start], {start}, set[int]()
    waiting: dict[int, set[int]] = {node: set() for node in edges}
    stack = [iter(edges[start])]
    while stack:
        for node in stack[-1]:
            if node == start:
                closed.update(path)
                yield tuple(path)
            elif node not in blocked:
                path.append(node)
                closed.discard(node)
                blocked.add(node)
                stack.append(iter(edges[node]))
                break
        else:
            stack.pop()
            node = path.pop()
            if node in closed:
                _free(node, blocked, waiting)
            else:
                for following in edges[node]:
                    waiting[following].add(node)


def _free(node: int, blocked: set[int], waiting: Mapping[int, set[int]]) -> None:
    """A node may be on a path again, and so may those that waited for it."""
    freed = [node]
    while freed:
        one = freed.pop()
        if one in blocked:
            blocked.remove(one)
            freed.extend(waiting[one])
            waiting[one].clear()
