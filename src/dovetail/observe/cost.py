"""What a run has cost, its parts included."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..assembly.assembly import Assembly
from ..core.statistics import Effort, Statistics


@runtime_checkable
class SupportsEffort(Protocol):
    """A subsystem that counts what its own integrator spends."""

    @property
    def effort(self) -> Effort:
        """All of it since the subsystem was made."""


def add_parts(found: Statistics, assembly: Assembly, earlier: Statistics) -> None:
    """Fill in what the parts have cost, on top of what they had before a checkpoint."""
    assembly.count()
    parts = assembly.subsystems
    made, spent = earlier.evaluations_by_part, earlier.seconds_by_part
    found.evaluations_by_part = {p.name: p.evaluations + made.get(p.name, 0) for p in parts}
    found.seconds_by_part = {p.name: p.seconds + spent.get(p.name, 0.0) for p in parts}
    beyond = {p.name: p.beyond + earlier.beyond_by_part.get(p.name, 0) for p in parts}
    found.beyond_by_part = {name: n for name, n in beyond.items() if n}
    again, before = {**assembly.homes.restarts, **assembly.aside.restarts}, earlier.restarts_by_host
    names = dict.fromkeys((*before, *again))
    found.restarts_by_host = {n: again.get(n, 0) + before.get(n, 0) for n in names}
    found.effort_by_part = _efforts(assembly, earlier)
    found.evaluations = sum(found.evaluations_by_part.values())


def _efforts(assembly: Assembly, earlier: Statistics) -> dict[str, Effort]:
    """What the integrators inside the parts spent, where parts report it."""
    found = dict(earlier.effort_by_part)
    for p in assembly.subsystems:
        if isinstance(p.subsystem, SupportsEffort):
            found[p.name] = found.get(p.name, Effort()) + p.subsystem.effort
    return found
