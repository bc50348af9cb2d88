"""A cut between slow and fast states, and the blocks on both sides of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..integrators.amplification import radius
from ..integrators.pairs import PAIRS

if TYPE_CHECKING:
    from .analysis import Analysis

Index = NDArray[np.intp]
WEAK = 0.1  # what one step passes along an edge, in balanced units, and does not count


@dataclass(frozen=True)
class Partition:
    """Which states need implicit steps of this size, and which do with explicit ones.

    `blocks` are the states that hang together when couplings too weak to matter within a step
    are left out, each wholly slow or wholly fast. `parallel` groups the numbers of blocks that
    do not touch each other: those of one group can be solved side by side. `undecided` states
    are among the fast ones, on the safe side. `radius` gives for each mixed method how much one
    step amplifies deviations, at the worst operating point: above 1 the split is not stable.
    """

    step: float
    slow: tuple[str, ...]
    fast: tuple[str, ...]
    undecided: tuple[str, ...]
    blocks: tuple[tuple[str, ...], ...]
    parallel: tuple[tuple[int, ...], ...]
    radius: Mapping[str, float]

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Slow and fast states, as `split` takes them; without a group that has no states."""
        both = {"slow": self.slow, "fast": self.fast}
        return {name: states for name, states in both.items() if states}

    def __str__(self) -> str:
        text = f"step {self.step:g} s: {len(self.slow)} slow, {len(self.fast)} fast"
        if self.undecided:
            text += f" ({len(self.undecided)} of them to be safe)"
        return f"{text}; {len(self.blocks)} blocks"


def partition(analysis: Analysis, step: float, weak: float = WEAK) -> Partition:
    """The cut for one step size, the worst of all operating points."""
    names = analysis.names
    lower, upper = analysis.limits
    is_fast = lower < step
    fast = np.flatnonzero(is_fast).astype(np.intp)
    undecided = np.flatnonzero(is_fast & (upper >= step))
    coupled = _couplings(analysis, step, weak)
    blocks = _blocks(coupled, is_fast)
    return Partition(
        step,
        tuple(names[k] for k in np.flatnonzero(~is_fast)),
        tuple(names[k] for k in fast),
        tuple(names[k] for k in undecided),
        tuple(tuple(names[k] for k in block) for block in blocks),
        _side_by_side(coupled, blocks, len(names)),
        Radii(analysis.jacobians, fast, step),
    )


class Radii(Mapping[str, float]):
    """For each mixed method the spectral radius of its step, computed when it is asked for."""

    def __init__(self, jacobians: Sequence[Any], fast: Index, step: float) -> None:
        self._jacobians, self._fast, self._step = jacobians, fast, step
        self._known: dict[str, float] = {}

    def __getitem__(self, method: str) -> float:
        if method not in PAIRS:
            raise KeyError(method)
        if method not in self._known:
            worst = max(radius(J, self._fast, self._step, method) for J in self._jacobians)
            self._known[method] = worst
        return self._known[method]

    def __iter__(self) -> Iterator[str]:
        return iter(PAIRS)

    def __len__(self) -> int:
        return len(PAIRS)


def _couplings(analysis: Analysis, step: float, weak: float) -> Any:
    """Edges that pass on more than `weak` within a step, at some operating point.

    Units are balanced by the potentials of the least mean, so that it does not matter in what
    a state is measured: an edge counts for exp(-(least mean + slack)) per second.
    """
    from scipy.sparse import coo_array, csr_array

    n = len(analysis.names)
    total = csr_array((n, n))
    for scales in analysis.scales:
        graph, means = scales.graph, scales.means
        passed = step * np.exp(-(means.least[graph.component[graph.tails]] + means.slack))
        strong = passed >= weak
        edges = (graph.tails[strong], graph.heads[strong])
        total = total + coo_array((passed[strong], edges), shape=(n, n)).tocsr()
    return total


def _blocks(coupled: Any, is_fast: NDArray[np.bool_]) -> list[Index]:
    from scipy.sparse.csgraph import connected_components

    edges = coupled.tocoo()
    same = is_fast[edges.row] == is_fast[edges.col]
    edges.data = np.where(same, edges.data, 0.0)
    inside = edges.tocsr()
    inside.eliminate_zeros()
    count, labels = connected_components(inside, directed=True, connection="strong")
    order = np.argsort(labels, kind="stable")
    cuts = np.searchsorted(labels[order], np.arange(1, count))
    found = [np.sort(b).astype(np.intp) for b in np.split(order, cuts)]
    return sorted(found, key=lambda b: (not is_fast[b[0]], int(b[0])))


def _side_by_side(coupled: Any, blocks: list[Index], n: int) -> tuple[tuple[int, ...], ...]:
    """Blocks in groups without an edge inside, each in the first that takes it."""
    home = np.empty(n, dtype=np.intp)
    for k, block in enumerate(blocks):
        home[block] = k
    edges = coupled.tocoo()
    touching: list[set[int]] = [set() for _ in blocks]
    for a, b in zip(home[edges.row].tolist(), home[edges.col].tolist(), strict=True):
        if a != b:
            touching[a].add(b)
            touching[b].add(a)
    group_of: dict[int, int] = {}
    groups: list[list[int]] = []
    for k, near in enumerate(touching):
        taken = {group_of[b] for b in near if b in group_of}
        place = next(g for g in range(len(groups) + 1) if g not in taken)
        group_of[k] = place
        if place == len(groups):
            groups.append([])
        groups[place].append(k)
    return tuple(tuple(g) for g in groups)
