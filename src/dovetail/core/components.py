"""Strong components of a graph: nodes that reach each other."""

from __future__ import annotations

from collections.abc import Sequence


def components_of(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strong components of the nodes 0, 1, ..., each behind all those that it leads to.

    Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM Journal on Computing 1,
    1972), with a stack of its own instead of recursion.
    """
    size = len(successors)
    found: list[list[int]] = []
    number, lowest = [-1] * size, [0] * size
    closed = [False] * size
    waiting: list[int] = []  # nodes whose component is not complete
    count = 0
    for start in range(size):
        if number[start] >= 0:
            continue
        number[start] = lowest[start] = count
        count += 1
        waiting.append(start)
        path = [(start, iter(successors[start]))]
        while path:
            node, rest = path[-1]
            for following in rest:
                if number[following] < 0:
                    number[following] = lowest[following] = count
                    count += 1
                    waiting.append(following)
                    path.append((following, iter(successors[following])))
                    break
                if not closed[following] and number[following] < lowest[node]:
                    lowest[node] = number[following]
            else:
                path.pop()
                if path and lowest[node] < lowest[path[-1][0]]:
                    lowest[path[-1][0]] = lowest[node]
                if lowest[node] == number[node]:
                    place = len(waiting) - 1
                    while waiting[place] != node:
                        place -= 1
                    found.append(waiting[place:])
                    del waiting[place:]
                    for member in found[-1]:
                        closed[member] = True
    return found
