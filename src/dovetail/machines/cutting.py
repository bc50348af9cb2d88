"""Which parts share a machine: loads alike, and few and thin wires between machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Wires = Mapping[tuple[str, str], float]
_ROUNDS = 20  # of improvement
_PAIRS = 200  # parts, up to which pairs are tried


def grouped(costs: Mapping[str, float], wires: Wires, groups: int) -> list[list[str]]:
    """Parts in groups, none heavier than it has to be, with a small cut between them.

    Heavy parts first, each into the group with room that it has most wires to; then single parts
    move, and pairs change places, as long as that makes the cut smaller and no load too large
    (Kernighan and Lin: An efficient heuristic procedure for partitioning graphs, 1970). The same
    for the same parts, whatever their order.
    """
    count = min(groups, len(costs))
    if count < 2:
        return [sorted(costs)]
    both: dict[str, dict[str, float]] = {name: {} for name in costs}
    for (a, b), weight in wires.items():
        if a != b:
            both[a][b] = both[a].get(b, 0.0) + weight
            both[b][a] = both[b].get(a, 0.0) + weight
    most = max(sum(costs.values()) / count, *costs.values()) * (1 + 1e-9)
    most = max(most, -(-len(costs) // count) * max(costs.values())) if _alike(costs) else most
    home = _first_homes(costs, both, count, most)
    for _ in range(_ROUNDS):
        if not _improved(home, costs, both, count, most):
            break
    found: list[list[str]] = [[] for _ in range(count)]
    for name in sorted(home):
        found[home[name]].append(name)
    return [group for group in found if group]


def cut(groups: Sequence[Sequence[str]], wires: Wires) -> float:
    """What passes between groups."""
    home = {name: k for k, group in enumerate(groups) for name in group}
    return sum(weight for (a, b), weight in wires.items() if home[a] != home[b])


def _alike(costs: Mapping[str, float]) -> bool:
    return len(set(costs.values())) == 1


def _first_homes(
    costs: Mapping[str, float], both: Mapping[str, Mapping[str, float]], count: int, most: float
) -> dict[str, int]:
    home, loads, left = dict[str, int](), [0.0] * count, set(costs)
    last: int | None = None
    while left:
        # what is tied most to the group that is being filled, else what weighs most
        def tied(name: str, group: int | None = last) -> float:
            return sum(w for other, w in both[name].items() if home.get(other) == group)

        name = min(left, key=lambda n: (-tied(n) if last is not None else 0.0, -costs[n], n))
        left.remove(name)
        room = [k for k in range(count) if loads[k] + costs[name] <= most]
        is_tied = last is not None and tied(name) > 0
        emptiest = min(room or range(count), key=lambda k: (loads[k], k))
        chosen = last if last is not None and is_tied and last in room else emptiest
        home[name], last = chosen, chosen
        loads[chosen] += costs[name]
    return home


def _improved(
    home: dict[str, int],
    costs: Mapping[str, float],
    both: Mapping[str, Mapping[str, float]],
    count: int,
    most: float,
) -> bool:
    """The best single move or exchange, made; whether there was one."""
    loads = [sum(costs[n] for n in home if home[n] == k) for k in range(count)]

    def tie(name: str, group: int) -> float:
        return sum(w for other, w in both[name].items() if home[other] == group)

    best, moves = 1e-12, dict[str, int]()
    names = sorted(home)
    for a in names:
        for k in range(count):
            gain = tie(a, k) - tie(a, home[a])
            if k != home[a] and gain > best and loads[k] + costs[a] <= most:
                best, moves = gain, {a: k}
        for b in names if len(names) <= _PAIRS else ():
            if b <= a or home[a] == home[b]:
                continue
            i, j = home[a], home[b]
            gain = tie(a, j) - tie(a, i) + tie(b, i) - tie(b, j) - 2 * both[a].get(b, 0.0)
            more = costs[b] - costs[a]
            if gain > best and loads[i] + more <= most and loads[j] - more <= most:
                best, moves = gain, {a: j, b: i}
    home.update(moves)
    return bool(moves)
