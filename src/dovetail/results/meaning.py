"""What the facts of a run mean: JSON values as what they were before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..core.change import Change
from ..core.statistics import Effort, Statistics
from .verdict import Estimates, Verdict

Facts = Mapping[str, Any]
_SEVERAL = "notes", "junctions", "bonds", "events"


def statistics_in(facts: Facts) -> Statistics:
    """What the run has cost."""
    found = _fitting(Statistics, facts.get("statistics") or {})
    efforts = found.get("effort_by_part") or {}
    found["effort_by_part"] = {p: Effort(**_fitting(Effort, e)) for p, e in efforts.items()}
    return Statistics(**found)


def verdict_in(facts: Facts) -> Verdict | None:
    """How far the result can be believed, if the run said so."""
    found = facts.get("verdict")
    if not found:
        return None
    known = _fitting(Verdict, found)
    estimates = {n: Estimates(**e) for n, e in (known.get("estimates") or {}).items()}
    several = {name: tuple(known[name]) for name in _SEVERAL if name in known}
    return Verdict(**{**known, **several, "estimates": estimates})


def changes_in(facts: Facts) -> tuple[Change, ...]:
    """What was changed by hand during the run."""
    return tuple(Change(**_fitting(Change, c)) for c in facts.get("changes") or ())


def _fitting(kind: type[Any], found: Facts) -> dict[str, Any]:
    """What a dataclass knows of; another version may have written more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in found.items() if name in names}
