"""Algebraic loops: outputs that depend on themselves while time stands still."""

from __future__ import annotations

from collections.abc import Iterable

from ..drawing.alike import Likes
from ..drawing.system import System
from .graph import one_cycle, strong_components


def feedthrough_inputs(system: System) -> dict[str, set[str]]:
    """For each part, the inputs with direct feedthrough to an output."""
    feeding: dict[str, set[str]] = {}
    for likes in Likes.of(system.parts.values()):
        d = likes.description
        through = {i for output in d.outputs for i in d.depends(output.name)}
        feeding.update(dict.fromkeys(likes.names, through))
    return feeding


def algebraic_loops(system: System) -> tuple[tuple[str, ...], ...]:
    """Algebraic loops: a shortest one through each strong component of the variables."""
    names: list[str] = []
    edges: list[tuple[int, int]] = []
    place: dict[str, int] = {}
    for name, part in system.parts.items():
        for v in (*part.description.inputs, *part.description.outputs):
            place[f"{name}.{v.name}"] = len(names)
            names.append(f"{name}.{v.name}")
        for output in part.description.outputs:
            for source in part.description.depends(output.name):
                edges.append((place[f"{name}.{source}"], place[f"{name}.{output.name}"]))
    edges.extend((place[str(c.source)], place[str(c.target)]) for c in system.connections)
    cyclic = _cyclic(strong_components(len(names), edges))
    home = {node: k for k, nodes in enumerate(cyclic) for node in nodes}
    inside: list[list[tuple[int, int]]] = [[] for _ in cyclic]
    for a, b in edges:
        if a in home and home[a] == home.get(b):
            inside[home[a]].append((a, b))
    return tuple(
        tuple(names[k] for k in one_cycle(nodes, near))
        for nodes, near in zip(cyclic, inside, strict=True)
    )


def _cyclic(components: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return [c for c in components if len(c) > 1]
