"""Which rates of coupled equations depend on which states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly


def pattern_of(
    assembly: Assembly, parts: Sequence[Any], spans: Sequence[slice], moving: Sequence[int]
) -> Any:
    """Which rates depend on which states: own ones as given, others through connections."""
    from scipy.sparse import csc_array, lil_array

    size = spans[-1].stop
    found = lil_array((size, size), dtype=bool)
    reach = _reach(assembly)
    for i in moving:
        own = parts[i].pattern
        block = np.ones((spans[i].stop - spans[i].start,) * 2, dtype=bool)
        found[spans[i], spans[i]] = block if own is None else own.toarray()
        for j in moving:
            if j in reach[i]:
                found[spans[i], spans[j]] = True
    return csc_array(found)


def _reach(assembly: Assembly) -> list[set[int]]:
    """For each part, those whose states reach its inputs by direct feedthrough."""
    system, names = assembly.structure.layout, assembly.structure.layout.names
    routing = assembly.structure.routing
    owner = _owners([s.reals for s in system.outputs.spans])
    target = _owners([s.reals for s in system.inputs.spans])
    feeds: list[set[int]] = [set() for _ in names]
    for a, b in zip(owner[routing.source], target[routing.target], strict=True):
        feeds[int(b)].add(int(a))
    through = [
        any(d.depends(v.name) for v in d.outputs)
        for d in (s.description for s in assembly.subsystems)
    ]
    for group in assembly.structure.groups:  # z follows all states of its parts
        for i in group.parts:
            feeds[i].update(group.parts)
            through[i] = True
    found: list[set[int]] = []
    for i in range(len(names)):
        seen, waiting = set[int](), list(feeds[i])
        while waiting:
            j = waiting.pop()
            if j not in seen:
                seen.add(j)
                waiting += feeds[j] if through[j] else ()
        found.append(seen)
    return found


def _owners(spans: Sequence[slice]) -> Any:
    return np.repeat(np.arange(len(spans)), [s.stop - s.start for s in spans]).astype(np.intp)
