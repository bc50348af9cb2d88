"""Which junctions are settled together."""

from __future__ import annotations

from collections.abc import Sequence

from ..drawing.junction import Junction


def sharing(junctions: Sequence[Junction]) -> list[tuple[Junction, ...]]:
    """Junctions with unknowns, those that share a part together.

    Where parts of the drawing settle them, only those of the same one are together.
    """
    found: list[tuple[str, set[str], list[Junction]]] = []
    for j in junctions:
        if j.case == "wires":
            continue
        parts, members = {e.part for e in j.ends}, [j]
        settler = "" if j.coordinator is None else j.coordinator.part
        apart = []
        for other, others, theirs in found:
            if others & parts and other == settler:
                parts, members = parts | others, [*theirs, *members]
            else:
                apart.append((other, others, theirs))
        found = [*apart, (settler, parts, members)]
    order = {id(j): k for k, j in enumerate(junctions)}
    groups = [tuple(sorted(m, key=lambda j: order[id(j)])) for _, _, m in found]
    return sorted(groups, key=lambda g: order[id(g[0])])
