"""From the parts of a drawing to live ones, and which of them share a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..core.description import Kind
from ..drawing.part import Part
from ..subsystems.batch import BatchFactory, SupportsBatch
from ..subsystems.live import Live


def live_parts(parts: Mapping[str, Part]) -> list[Live]:
    """Every part made live; none stays if one fails."""
    live: list[Live] = []
    try:
        for name, part in parts.items():
            live.append(Live(name, part.adapted.instantiate(name)))
    except BaseException:
        for subsystem in live:
            subsystem.subsystem.close()
        raise
    return live


def batches_of(parts: Iterable[Part], members: Sequence[int]) -> dict[BatchFactory, list[int]]:
    """These members, by what makes a batch of them."""
    models, found = [p.adapted for p in parts], dict[BatchFactory, list[int]]()
    for i in members:
        if isinstance(model := models[i], SupportsBatch):
            found.setdefault(model.batch_factory, []).append(i)
    return found


def clock_places(subsystems: Iterable[Live]) -> list[int]:
    """Where clocks are among the discrete outputs of all."""
    kinds = [
        v.kind
        for s in subsystems
        for v in s.description.outputs
        if not v.is_real
        for _ in range(v.size)
    ]
    return [k for k, kind in enumerate(kinds) if kind == Kind.CLOCK]
