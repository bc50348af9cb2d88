"""In which column each block stands: links lead to the right, but for those that close a loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from ..topology.graph import strong_components

Edge = tuple[int, int]


def columns_of(count: int, edges: Sequence[Edge]) -> list[int]:
    """A column for each node; an edge that does not lead to a later one closes a loop.

    The longest path decides; then nodes are drawn to where most of their links lead.
    """
    order, place = list[int](), [0] * count
    inner: list[list[Edge]] = [[] for _ in range(count)]  # by the first node of a component
    components = strong_components(count, edges)
    home = {k: c[0] for c in components for k in c}
    for a, b in edges:
        if home[a] == home[b]:
            inner[home[a]].append((a, b))
    for component in components:
        order += _sequence(component, inner[component[0]])
    for position, k in enumerate(order):
        place[k] = position
    forward = sorted({(a, b) for a, b in edges if place[a] < place[b]})
    after: list[list[int]] = [[] for _ in range(count)]
    before: list[list[int]] = [[] for _ in range(count)]
    for a, b in forward:
        after[a].append(b)
        before[b].append(a)
    rank = [0] * count
    for k in order:
        rank[k] = max((rank[j] + 1 for j in before[k]), default=0)
    for _ in range(2):
        for k in reversed(order):  # to the right, next to what it feeds
            if after[k] and len(after[k]) >= len(before[k]):
                rank[k] = min(rank[j] for j in after[k]) - 1
    lowest = min(rank, default=0)
    used = {r: k for k, r in enumerate(sorted({r - lowest for r in rank}))}
    return [used[r - lowest] for r in rank]


def _sequence(nodes: Sequence[int], edges: Sequence[Edge]) -> list[int]:
    """The nodes of a component in a sequence with few edges against it.

    The heuristic of Eades, Lin and Smyth, "A fast and effective heuristic for the feedback arc
    set problem" (1993): what only takes goes to the end, what only gives to the beginning, and
    else the one that gives the most more than it takes. Ties keep the order of the numbers.
    """
    after: dict[int, set[int]] = {k: set() for k in nodes}
    before: dict[int, set[int]] = {k: set() for k in nodes}
    for a, b in edges:
        if a != b:
            after[a].add(b)
            before[b].add(a)
    gives = {k: len(after[k]) for k in nodes}
    takes = {k: len(before[k]) for k in nodes}
    heap = [(takes[k] - gives[k], k) for k in nodes]
    heapify(heap)
    givers = deque(k for k in nodes if not takes[k])
    takers = deque(k for k in nodes if not gives[k] and takes[k])
    head, tail, gone = list[int](), list[int](), dict.fromkeys(nodes, False)
    while len(head) + len(tail) < len(nodes):
        if givers:
            k, into = givers.popleft(), head
        elif takers:
            k, into = takers.popleft(), tail
        else:
            balance, k = heappop(heap)
            if not gone[k] and balance != takes[k] - gives[k]:
                continue
            into = head
        if gone[k]:
            continue
        gone[k] = True
        into.append(k)
        for j in after[k]:
            takes[j] -= 1
        for j in before[k]:
            gives[j] -= 1
        for j in sorted(after[k] | before[k]):
            if not gone[j]:
                heappush(heap, (takes[j] - gives[j], j))
                if not takes[j]:
                    givers.append(j)
                elif not gives[j]:
                    takers.append(j)
    return [*head, *reversed(tail)]
