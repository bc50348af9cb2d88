"""Where power passes between parts: pairs of connections, and junctions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.errors import OptionError, did_you_mean
from ..core.signals import Vector
from ..drawing.system import System
from ..topology.components import Structure
from ..topology.routing import Index
from .bonds import Bond, bonds_of


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """For each bond of wires, an input of either part: the other part feeds it. Then junctions.

    With u what the inputs were at a window's end and v what the outputs there make of them, one
    part exchanged the power u_1 v_2, the other v_1 u_2. Gains, signs and units are in both. What
    the ports of a junction take together is what its coordinator has created.
    """

    names: tuple[str, ...]
    inputs: Index  # two rows
    sources: Index
    gains: Vector
    offsets: Vector
    junctions: tuple[Bond, ...] = ()

    @staticmethod
    def of(system: System, structure: Structure, given: Sequence[str]) -> Passages:
        """The bonds that are named, or those that connected power ports make.

        Where there are none, the junctions that a coordinator solves: what these create is small
        with small windows only where the ports themselves are compared, not what moves them.
        """
        known = _joined(system, structure)
        wired = {j.name for j in system.junctions if len(j.dictators) == 1}  # without unknowns
        pairs = [] if given else list(_ports(system))
        junctions = [bond for name, bond in known.items() if name in wired and not given]
        if not pairs and not junctions and not given:
            junctions = list(known.values())
        for text in given:
            if text in known:
                junctions.append(known[text])
            else:
                pairs.append(_parsed(text, system, known))
        if not pairs and not junctions:
            raise OptionError(
                "dv.Energy found no bonds: no two power ports feed each other, and none are "
                'joined; name them, as in bonds=("left.force * right.speed",)'
            )
        routing, place = structure.routing, structure.layout.inputs.place
        flat = [[place[_split(pair[side])] for pair in pairs] for side in (0, 1)]
        inputs = np.array(flat, dtype=np.intp).reshape(2, -1)
        places = np.searchsorted(routing.target, inputs)
        return Passages(
            (*(f"{a} * {b}" for a, b in pairs), *(bond.name for bond in junctions)),
            inputs,
            routing.source[places],
            routing.gain[places],
            routing.offset[places],
            tuple(junctions),
        )

    def balance(self, inputs: Vector, outputs: Vector) -> tuple[Vector, Vector]:
        """Power residual and power of each bond, from inputs and outputs at a window's end."""
        u = inputs[self.inputs]
        v = self.gains * outputs[self.sources] + self.offsets
        one, other = u[0] * v[1], v[0] * u[1]
        if not self.junctions:
            return one - other, v[0] * v[1]
        taken = [bond.taken(inputs, outputs) for bond in self.junctions]
        created = [float(np.sum(t)) for t in taken]
        passed = [float(np.sum(np.abs(t))) / 2 for t in taken]
        return np.concatenate([one - other, created]), np.concatenate([v[0] * v[1], passed])


def _joined(system: System, structure: Structure) -> dict[str, Bond]:
    """The junctions through which power passes, by name."""
    if not system.junctions:
        return {}
    bonds = bonds_of(system, structure.layout)[: len(system.junctions)]
    return {bond.name: bond for bond in bonds if bond.domain.is_power}


def _split(name: str) -> tuple[str, str]:
    part, _, variable = name.partition(".")
    return part, variable


def _parsed(text: str, system: System, junctions: Iterable[str]) -> tuple[str, str]:
    """`a.x * b.y`, if a feeds b.y and b feeds a.x."""
    a, star, b = (word.strip() for word in str(text).partition("*"))
    if not (star and a and b):
        hint = did_you_mean(text, junctions)
        how = "'part.input * part.input', or named after a junction"
        raise OptionError(f"a bond is written as {how}, not {text!r}.{hint}")
    known = [
        str(c.target)
        for c in system.connections
        if c.source.variable.is_real and c.target.variable.is_real and not c.target.variable.shape
    ]
    for name in (a, b):
        if name not in known:
            hint = did_you_mean(name, known)
            raise OptionError(f"bond '{text}': '{name}' is no connected real input.{hint}")
    (first, x), (second, y) = _split(a), _split(b)
    fed = [system.source_of(first, x), system.source_of(second, y)]
    feeders = [c.source.part for c in fed if c is not None]
    if feeders != [second, first] or first == second:
        raise OptionError(
            f"bond '{text}': '{second}' must feed '{a}' and '{first}' must feed '{b}', but they "
            f"are fed by '{feeders[0]}' and '{feeders[1]}'"
        )
    return a, b


def _ports(system: System) -> Iterator[tuple[str, str]]:
    """Ports of two parts that feed each other, each pair once."""
    seen: set[frozenset[str]] = set()
    for part in system.parts.values():
        inputs = {v.name for v in part.description.inputs}
        for port in part.description.ports.values():
            given, returned = (
                (port.effort, port.flow) if port.effort in inputs else (port.flow, port.effort)
            )
            feeding = system.source_of(part.name, given)
            if feeding is None or feeding.junction:
                continue
            for c in system.connections:
                back = c.source.part == part.name and c.source.variable.name == returned
                back = back and not c.junction
                if back and c.target.part == feeding.source.part != part.name:
                    pair = (f"{part.name}.{given}", str(c.target))
                    if frozenset(pair) not in seen and _is_port(system, c.target.part, pair[1]):
                        seen.add(frozenset(pair))
                        yield pair


def _is_port(system: System, part: str, name: str) -> bool:
    """Whether an input belongs to a port; parts without any ports are taken at their word."""
    ports = system.parts[part].description.ports.values()
    variables = {v for port in ports for v in (port.effort, port.flow)}
    return not variables or _split(name)[1] in variables
