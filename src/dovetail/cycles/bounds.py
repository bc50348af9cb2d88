"""The step that each state allows: the least over all cycles through it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from .branching import best_through
from .closing import CycleComponent, best_cycle, closings
from .digraph import Digraph, Index
from .ears import ears
from .howard import Means, least_means

Rule = Literal["exact", "published"]
BUDGET = 10_000_000  # paths looked at; some ten seconds
_WORTH = 20  # expansions that branch and bound should at least have per state
_NONE = 1e-9  # a relative width that is no width


@dataclass(frozen=True, eq=False)
class Bounds:
    """Certified limits of the largest step per state, in seconds; infinite without a cycle.

    `own` is what the state's self loop allows by itself.
    """

    lower: Vector
    upper: Vector
    own: Vector

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Where the limits are apart."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.upper > self.lower * (1 + _NONE))


class Scales:
    """The time scales of a Jacobian. What does not depend on alpha is computed once."""

    def __init__(self, jacobian: Any) -> None:
        self.graph = Digraph.of(jacobian)
        self._found: dict[tuple[int, float], tuple[int, ...]] = {}

    @cached_property
    def means(self) -> Means:
        """Least cycle means, by Howard's algorithm."""
        return least_means(self.graph)

    @cached_property
    def components(self) -> dict[int, CycleComponent]:
        """The components that have cycles of more than one node."""
        numbers = np.flatnonzero(self.graph.members > 1).tolist()
        return {k: CycleComponent.of(self.graph, self.means, k) for k in numbers}

    def own(self, alpha: float, rule: Rule = "exact") -> Vector:
        """What each self loop allows."""
        J = self.graph.diagonal
        own = np.full(J.size, inf)
        if rule == "published":
            moved = J != 0
            with np.errstate(divide="ignore"):
                own[moved] = alpha / np.abs(1 + J[moved])
            return own
        own[J < 0] = (1 + alpha) / -J[J < 0]
        own[J > 0] = alpha / J[J > 0]
        return own

    def bounds(self, alpha: float, rule: Rule = "exact", budget: int = BUDGET) -> Bounds:
        """The bound of every state, exact or between certified limits.

        Strong components first, Howard's least mean in each, then waves of paths from every
        state that its own self loop does not settle, then branch and bound where that is cheap.
        """
        own = self.own(alpha, rule)
        lower, upper = own.copy(), own.copy()
        whole = sum(c.size for c in self.components.values())
        for number, part in self.components.items():
            share = int(budget * part.size / whole)
            low, high = self._cycles(part, number, own[part.nodes], alpha, share)
            lower[part.nodes] = np.minimum(own[part.nodes], low)
            upper[part.nodes] = np.minimum(own[part.nodes], high)
        return Bounds(lower, upper, own)

    def allowed(self, cycle: tuple[int, ...], alpha: float, rule: Rule = "exact") -> float:
        """The step that one cycle allows."""
        if len(cycle) == 1:
            return float(self.own(alpha, rule)[cycle[0]])
        cost = sum(self._cost(a, b) for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        return exp((cost + log(alpha)) / len(cycle))

    def limiting(self, state: int, alpha: float, rule: Rule = "exact") -> tuple[int, ...]:
        """The cycle behind the upper limit of a state; empty if it is in none."""
        own = float(self.own(alpha, rule)[state])
        best: tuple[int, ...] = (state,) if own < inf else ()
        part = self.components.get(int(self.graph.component[state]))
        if part is None or own <= exp(part.least + log(alpha) / 2):
            return best  # no cycle of two or more can be worse
        here = int(np.searchsorted(part.nodes, state))
        candidates = [best_cycle(part, here, -log(alpha), BUDGET // 20)]
        for local in (candidates[0], self._ear(part, here, alpha)):
            cycle = tuple(int(part.nodes[k]) for k in local)
            if cycle and self.allowed(cycle, alpha, rule) < own:
                best, own = cycle, self.allowed(cycle, alpha, rule)
        known = self._found.get((state, alpha), ())
        return known if known and self.allowed(known, alpha, rule) < own else best

    def _ear(self, part: CycleComponent, node: int, alpha: float) -> tuple[int, ...]:
        return ears(part, self._critical(part)).cycle(node, -log(alpha))

    def _cost(self, tail: int, head: int) -> float:
        g = self.graph
        a, b = g.starts[tail], g.starts[tail + 1]
        return float(g.costs[a + int(np.searchsorted(g.heads[a:b], head))])

    def _critical(self, part: CycleComponent) -> Index:
        """A cycle of the least mean, in its own order and the numbers of its component."""
        inside = np.zeros(self.graph.size, dtype=bool)
        inside[self.means.critical] = True
        start = int(part.nodes[np.argmax(inside[part.nodes])])
        order = [start]
        while True:
            node = int(self.graph.heads[self.means.following[order[-1]]])
            if node == start:
                return np.searchsorted(part.nodes, order).astype(np.intp)
            order.append(node)

    def _cycles(
        self, part: CycleComponent, number: int, own: Vector, alpha: float, budget: int
    ) -> tuple[Vector, Vector]:
        """Limits from cycles of two or more states, for the states of one component."""
        bonus, n = -log(alpha), part.size
        with np.errstate(divide="ignore"):
            spare = np.log(own) - part.least  # how far the own bound is above the least mean
        floor = part.least_slacks() - bonus
        low = np.where(floor > 0, floor / n, floor / 2)
        high = np.full(n, inf)
        critical = self._critical(part)
        over = max(0.0, float(self.means.attained[number]) - part.least)
        high[critical] = over - bonus / critical.size
        open_ = spare > low
        if bonus == 0:
            low[critical] = high[critical]
            open_[critical] = False
        caps = np.where(spare >= 0, bonus + n * np.where(open_, spare, 0.0), bonus + 2 * spare)
        origins = np.flatnonzero(open_)
        found = closings(part, origins, bonus, caps[origins], budget)
        low[origins] = np.maximum(low[origins], found.lower)
        high[origins] = np.minimum(high[origins], found.upper)
        high = np.minimum(high, ears(part, critical).ratios(bonus))
        low = np.minimum(low, high)
        self._branch(part, np.minimum(spare, high), low, high, alpha, budget // 5)
        with np.errstate(over="ignore"):
            return np.exp(part.least + low), np.exp(part.least + high)

    def _branch(
        self,
        part: CycleComponent,
        most: Vector,
        low: Vector,
        high: Vector,
        alpha: float,
        budget: int,
    ) -> None:
        """Narrow the limits where every cycle has a slack above the bonus."""
        undecided = np.flatnonzero((low > 0) & (low < most * (1 - _NONE)))
        each = part.heads.size
        for done, k in enumerate(undecided.tolist()):
            share = budget // (undecided.size - done)
            if share < _WORTH * each:
                return
            got = best_through(part, k, -log(alpha), float(most[k]), share)
            budget -= got.work
            low[k] = max(low[k], got.lower)
            if got.cycle:
                high[k] = min(high[k], got.upper)
                cycle = tuple(int(part.nodes[v]) for v in got.cycle)
                self._found[int(part.nodes[k]), alpha] = cycle
            elif got.lower >= most[k]:
                low[k] = most[k]
