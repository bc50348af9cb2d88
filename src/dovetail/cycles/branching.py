"""Branch and bound for the best simple cycle through one node."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import inf

from .closing import CycleComponent


@dataclass(frozen=True, slots=True)
class Settled:
    """Limits of (slack - bonus) / length above the least mean, and the cycle at the upper one."""

    lower: float
    upper: float
    cycle: tuple[int, ...]
    work: int  # edges looked at


def best_through(
    part: CycleComponent, origin: int, bonus: float, upper: float, budget: int
) -> Settled:
    """The best cycle through a node whose cycles all have a slack above `bonus`.

    Paths from the origin are continued, most promising first. A path cannot do better than its
    own slack and the cheapest way home, spread over all the nodes it could still visit. The
    least promise that is left is a lower limit whenever the budget ends. Exponential in the
    worst case: the problem contains that of Hamilton.
    """
    edges = [
        [(int(part.heads[e]), float(part.slack[e])) for e in range(a, b)]
        for a, b in zip(part.starts[:-1], part.starts[1:], strict=True)
    ]
    back: list[list[tuple[int, float]]] = [[] for _ in edges]
    for tail, row in enumerate(edges):
        for head, slack in row:
            back[head].append((tail, slack))
    work = 0
    cycle: tuple[int, ...] = ()
    queue: list[tuple[float, float, tuple[int, ...]]] = [(-inf, 0.0, (origin,))]
    while queue:
        promise, cost, path = heapq.heappop(queue)
        if promise >= upper:
            return Settled(upper, upper, cycle, work)
        if work > budget:
            return Settled(promise, upper, cycle, work)
        home, looked = _ways_home(back, origin, path)
        work += looked
        usable = _reached(edges, path[-1], home)
        work += len(usable)
        longest = len(path) + len(usable)
        for v, slack in edges[path[-1]]:
            total = cost + slack
            if v == origin:
                if len(path) > 1 and (total - bonus) / len(path) < upper:
                    upper, cycle = (total - bonus) / len(path), path
                continue
            if v not in usable:
                continue
            promise = (total + home[v] - bonus) / longest
            if promise < upper:
                heapq.heappush(queue, (promise, total, (*path, v)))
    return Settled(upper, upper, cycle, work)


def _ways_home(
    back: list[list[tuple[int, float]]], origin: int, path: tuple[int, ...]
) -> tuple[dict[int, float], int]:
    """What it costs at least to come home from each node, not through those of the path."""
    closed = set(path[1:])
    known: dict[int, float] = {}
    queue, looked = [(0.0, origin)], 0
    while queue:
        cost, node = heapq.heappop(queue)
        if node in known:
            continue
        known[node] = cost
        for tail, slack in back[node]:
            looked += 1
            if tail not in known and tail not in closed:
                heapq.heappush(queue, (cost + slack, tail))
    del known[origin]
    return known, looked


def _reached(
    edges: list[list[tuple[int, float]]], start: int, allowed: dict[int, float]
) -> set[int]:
    """The nodes that can be reached through allowed ones."""
    found: set[int] = set()
    stack = [start]
    while stack:
        for v, _ in edges[stack.pop()]:
            if v in allowed and v not in found:
                found.add(v)
                stack.append(v)
    return found
