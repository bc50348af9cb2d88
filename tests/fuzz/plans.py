"""Plans for the kernel: whole ones of every kind, and damage that no checksum gives away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np

import dovetail as dv
from dovetail.core.window import Grid
from dovetail.runplan.layout import HEADER
from dovetail.runplan.making import MemberFacts, WantedRun, plan_of
from dovetail.runplan.plan import Calls, MemberKind, RunPlan
from dovetail.runplan.writing import sealed, write
from dovetail.topology.components import Structure

_NUMBERS = (
    *(0, 1, -1, 2, 3, 4, 5, 7, 8, 16, 100, 255, 65535, 2**20, 2**24, 2**28, 2**31 - 1, -(2**31)),
)
ALGORITHMS = (
    dv.Jacobi(),
    dv.Jacobi(extrapolation=3),
    dv.GaussSeidel(),
    dv.GaussSeidel(inputs="ramp"),
    dv.GaussSeidel(10, rtol=1e-6, atol=1e-9),
    dv.Jacobi(7, inputs="ramp"),
    dv.Newton(),
    dv.Newton(inputs="ramp"),
    dv.GaussSeidel(20, solver=dv.rootfinders.Aitken()),
    dv.Iterative(),
    dv.GaussSeidel(inputs="ramp", solver=dv.rootfinders.IqnIls()),
    dv.GaussSeidel(10, inputs="hermite"),
    dv.GaussSeidel(10, inputs="hermite", solver=dv.rootfinders.IqnIls()),
)
_RINGS = 2, 1, 3  # parts of each: the middle one stands alone


def drawn() -> dv.System:
    """Rings of parts, with gains, and inputs that nothing feeds."""
    part = dv.Algebraic(inputs=["u", "v"], outputs=["y"], function=lambda t, u, p: [u[0] + u[1]])
    system = dv.System("rings")
    for r, count in enumerate(_RINGS):
        for k in range(count):
            system.add(f"r{r}p{k}", part, u=0.5, v=-1.0)
        for k in range(count if count > 1 else 0):
            system.connect(f"r{r}p{k}.y", f"r{r}p{(k + 1) % count}.u", gain=0.5, offset=0.1 * k)
    system.connect("r0p1.y", "r1p0.u")
    system.connect("r1p0.y", "r2p0.v", gain=2.0)
    return system


def plan_for(algorithm: object, record: Sequence[int] = (0, 3, 9)) -> RunPlan:
    """The plan of that system, with members of every version of FMI."""
    system = drawn()
    structure = Structure.of(system)
    members = {}
    for i in range(len(system.parts)):
        version = 1 + i % 3
        calls = Calls.ROLLBACK | (Calls.INSIDE if version == 3 else Calls.DERIVATIVES)
        references = (2, 5) if version < 3 else (9,)  # an array of two
        cut = algorithm.inputs == "hermite" and i % 2  # type: ignore[attr-defined]
        order, substeps = (0, 4) if cut else (3, 1)
        given = references, (2**32 - 1 - i,), substeps
        members[i] = MemberFacts(MemberKind.CO_SIMULATION, version, calls, order, *given)
    schedule = algorithm.schedule(structure)  # type: ignore[attr-defined]
    names = tuple(f"column {k}" for k in record)
    grid = Grid(0.0, 0.1, 1.0)
    start = np.array([0.5, -1.0] * len(members))
    wanted = WantedRun(schedule, grid, np.array(record), names)
    return plan_of(structure, start, members, wanted)


@cache
def blocks() -> list[bytes]:
    """A block of each kind."""
    return [write(plan_for(algorithm)) for algorithm in ALGORITHMS]


def damaged_plan(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A plan with numbers changed, sections cut, doubled or taken from another."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        place = 4 * chance.randrange(len(found) // 4)
        match chance.randrange(8):
            case 0 | 1 | 2 | 3:
                value = chance.choice(_NUMBERS)
                found[place : place + 4] = (value % 2**32).to_bytes(4, "little")
            case 4:
                near = int.from_bytes(found[place : place + 4], "little")
                near += chance.choice((-1, 1))
                found[place : place + 4] = (near % 2**32).to_bytes(4, "little")
            case 5:
                del found[place : place + 8 * chance.randrange(1, 8)]
            case 6:
                found[place:place] = found[place : place + 8 * chance.randrange(1, 8)]
            case _:
                other = chance.choice(others)
                at = 8 * chance.randrange(len(other) // 8)
                found[place : place + 32] = other[at : at + 32]
        if len(found) < HEADER.size:
            return bytes(found)
    if chance.random() < 0.95:
        found[16:24] = len(found).to_bytes(8, "little")
        return sealed(bytes(found))
    return bytes(found)
