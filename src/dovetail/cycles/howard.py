"""The least mean cost of a cycle in every strong component at once.

Howard's policy iteration, as in Dasdan, Experimental analysis of the fastest optimum cycle ratio
and mean algorithms, ACM Transactions on Design Automation of Electronic Systems 9 (2004). Every
node follows one edge; following them leads to cycles, whose means are known; values of the nodes
show which edge would be better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np

from ..core.signals import Vector
from .digraph import Digraph, Index

_LITTLE, _PATIENCE = 1e-7, 5  # gains so small for so many rounds are rounding in long sums
_MOST = 500  # rounds; a few dozen are usual, and a result that is cut short is still certified


@dataclass(frozen=True, eq=False)
class Means:
    """What is known of the mean costs of cycles, certified by the slacks.

    `least`: for each component, no cycle has a smaller mean. `attained`: the mean of a cycle
    that there is; the same but for rounding. `slack`: for each edge, its cost above the least
    mean after potentials were taken into account, never below zero. So a cycle of L edges costs
    L * least + the sum of its slacks. `following`: an edge per node; `critical`: the nodes of
    one cycle per component that attains the mean.
    """

    least: Vector
    attained: Vector
    slack: Vector
    following: Index
    critical: Index


def least_means(graph: Digraph) -> Means:
    """The least cycle means of all components."""
    n, count = graph.size, graph.members.size
    tails, heads, costs = graph.tails, graph.heads, graph.costs
    least = np.full(count, np.inf)
    if not tails.size:
        return Means(least, least.copy(), costs.copy(), np.full(n, -1), np.zeros(0, np.intp))
    home = graph.component[tails]
    first = np.flatnonzero(np.diff(graph.starts) > 0)  # the nodes that have edges
    cuts = graph.starts[first]
    following = np.full(n, -1, dtype=np.intp)
    following[first] = _best_edges(graph, costs, first, cuts)
    value, critical = np.zeros(n), np.zeros(0, np.intp)
    largest, settling = float(np.max(np.abs(costs))), 0
    for _ in range(_MOST):
        least, critical, roots = _cycles_followed(graph, following)
        value = _values(graph, following, least, roots)
        through = costs - least[home] + value[heads]
        best = np.minimum.reduceat(through, cuts)
        rounding = 1e-13 * (largest + float(np.max(np.abs(value))))
        gain = value[first] - best
        better = gain > rounding
        settling = settling + 1 if gain.max() < _LITTLE else 0
        if settling > _PATIENCE or not better.any():
            break
        edges = _best_edges(graph, through, first, cuts)
        following[first[better]] = edges[better]
        value[first[better]] = best[better]
    else:  # not settled by now: what is known fits together all the same
        least, critical, roots = _cycles_followed(graph, following)
        value = _values(graph, following, least, roots)
    slack = costs - least[home] + value[heads] - value[tails]
    worst = np.zeros(count)
    np.minimum.at(worst, home, slack)
    return Means(least + worst, least, np.maximum(slack - worst[home], 0.0), following, critical)


def _best_edges(graph: Digraph, cost: Vector, first: Index, cuts: Index) -> Index:
    """For each node that has edges, the first of its cheapest ones."""
    best = np.minimum.reduceat(cost, cuts)
    lengths = np.diff(np.append(cuts, cost.size))
    places = np.where(cost <= np.repeat(best, lengths), np.arange(cost.size), cost.size)
    return np.minimum.reduceat(places, cuts).astype(np.intp)


def _cycles_followed(graph: Digraph, following: Index) -> tuple[Vector, Index, Index]:
    """The least mean per component under this policy, the nodes that attain it, a root of each.

    Pointers are doubled instead of followed, so that each costs a few passes over all nodes.
    """
    n = graph.size
    active = following >= 0
    jump = np.arange(n)
    jump[active] = graph.heads[following[active]]
    label = np.arange(n)
    for _ in range(_doublings(n)):
        label = np.minimum(label, label[jump])
        jump = jump[jump]
    nodes = np.unique(jump[active])  # after so many steps all nodes are on a cycle
    names = label[nodes]
    by_name = np.argsort(names, kind="stable")
    cycles, begins, lengths = np.unique(names[by_name], return_index=True, return_counts=True)
    costs = graph.costs[following[nodes[by_name]]].tolist()
    ends = [*begins[1:].tolist(), len(costs)]
    sums = [fsum(costs[a:b]) for a, b in zip(begins.tolist(), ends, strict=True)]
    means = np.array(sums) / lengths  # exact sums: an error counts as often as the cycle is long
    homes = graph.component[cycles]
    order = np.lexsort((cycles, means, homes))
    _, chosen = np.unique(homes[order], return_index=True)
    roots = cycles[order[chosen]]
    least = np.full(graph.members.size, np.inf)
    least[graph.component[roots]] = means[order[chosen]]
    return least, nodes[np.isin(names, roots)].astype(np.intp), roots.astype(np.intp)


def _values(graph: Digraph, following: Index, least: Vector, roots: Index) -> Vector:
    """What the way to the root costs each node, above the least mean.

    A node on another cycle is sent to the root by some path: all are strongly connected.
    """
    n = graph.size
    goal, cost = _ways(graph, following, least, roots)
    is_root = np.zeros(n, dtype=bool)
    is_root[roots] = True
    lost = (following >= 0) & ~is_root[goal]
    if lost.any():
        following[lost] = _towards(graph, roots)[lost]
        goal, cost = _ways(graph, following, least, roots)
    return cost


def _ways(graph: Digraph, following: Index, least: Vector, roots: Index) -> tuple[Index, Vector]:
    n = graph.size
    active = following >= 0
    goal, cost = np.arange(n), np.zeros(n)
    goal[active] = graph.heads[following[active]]
    cost[active] = graph.costs[following[active]] - least[graph.component[active]]
    goal[roots], cost[roots] = roots, 0.0
    for _ in range(_doublings(n)):
        cost += cost[goal]
        goal = goal[goal]
    return goal, cost


def _towards(graph: Digraph, roots: Index) -> Index:
    """For each node the edge with which a shortest way to its root begins."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    n, m = graph.size, graph.tails.size
    back = np.append(graph.heads, np.full(roots.size, n))
    forth = np.append(graph.tails, roots)
    number = np.arange(1, m + roots.size + 1)
    reverse = coo_array((number, (back, forth)), shape=(n + 1, n + 1)).tocsr()
    _, before = breadth_first_order(reverse, n, directed=True)
    found = np.full(n, -1, dtype=np.intp)
    nodes = np.flatnonzero((before[:n] >= 0) & (before[:n] < n))
    key = graph.tails * n + graph.heads  # edges are ordered by tail, then by head
    found[nodes] = np.searchsorted(key, nodes * n + before[nodes])
    return found


def _doublings(n: int) -> int:
    return max(1, int(np.ceil(np.log2(max(n, 2)))))
