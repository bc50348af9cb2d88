"""The connect table: every input and output of a drawing, and inputs that find their output."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..drawing.system import System


def ends_of(system: System) -> dict[str, list[dict[str, Any]]]:
    """Every input with what feeds it, and every output with how many inputs it feeds."""
    fed = {str(c.target): str(c.source) for c in system.connections if not c.junction}
    joined = {str(c.target) for c in system.connections if c.junction}
    feeds: dict[str, int] = {}
    for source in fed.values():
        feeds[source] = feeds.get(source, 0) + 1
    inputs, outputs = list[dict[str, Any]](), list[dict[str, Any]]()
    for name, part in system.parts.items():
        d = part.description
        met = joined | {f"{name}.{v}" for p in d.ports.values() for v in (p.effort, p.flow)}
        for v in d.inputs:
            end = f"{name}.{v.name}"
            if end in fed or end not in met:  # those of power ports meet in junctions
                inputs.append(
                    {"end": end, "unit": v.unit, "type": str(v.kind), "fed": fed.get(end)}
                )
        for v in d.outputs:
            end = f"{name}.{v.name}"
            outputs.append(
                {"end": end, "unit": v.unit, "type": str(v.kind), "feeds": feeds.get(end, 0)}
            )
    return {"inputs": inputs, "outputs": outputs}


def pairs_of(system: System, parts: Collection[str] = ()) -> list[tuple[str, str]]:
    """Open inputs and the one output of another part that has their name and fits.

    An input for which several outputs would do is left open. `parts`, if any, are those whose
    inputs are looked at.
    """
    found = ends_of(system)
    named: dict[str, list[str]] = {}
    for output in found["outputs"]:
        named.setdefault(output["end"].partition(".")[2], []).append(output["end"])
    pairs = list[tuple[str, str]]()
    for one in found["inputs"]:
        part, _, name = one["end"].partition(".")
        if one["fed"] is not None or (parts and part not in parts):
            continue
        fitting = [
            source
            for source in named.get(name, [])
            if source.partition(".")[0] != part
            and not system.checked_connection(source, one["end"], 1.0, 0.0)[1]
        ]
        if len(fitting) == 1:
            pairs.append((fitting[0], one["end"]))
    return pairs
