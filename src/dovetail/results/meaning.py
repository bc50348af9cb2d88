"""What the facts of a run mean: JSON values as what they were before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from ..core.change import Change
from ..core.errors import FileError
from ..core.statistics import Effort, Statistics
from ..core.typed import is_of
from .hint import Hint
from .ledger import compared, created
from .verdict import Estimates, Verdict

Facts = Mapping[str, Any]
_SEVERAL = "notes", "junctions", "bonds", "events"


def check_facts(path: Path, facts: Facts) -> None:
    """Refuse facts from a file that do not mean what they should."""
    try:
        verdict = verdict_in(facts)
        found: list[Any] = [statistics_in(facts), *changes_in(facts)]
        if verdict is not None:
            found += [verdict, *verdict.estimates.values(), *verdict.hints]
            verdict.lines()
        if facts.get("ledger"):
            created(facts)
        if facts.get("ledger", {}).get("compared", {}).get("rows"):
            compared(facts)
        whole = all(map(_is_whole, found))
    except (TypeError, ValueError, AttributeError, LookupError):
        whole = False
    if not whole:
        raise FileError(path, "what it says about its run does not make sense")


def _is_whole(found: Any) -> bool:
    hints = get_type_hints(type(found))
    return all(is_of(getattr(found, f.name), hints[f.name]) for f in fields(found))


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
    hints = tuple(Hint(**_fitting(Hint, h)) for h in known.get("hints") or ())
    return Verdict(**{**known, **several, "estimates": estimates, "hints": hints})


def changes_in(facts: Facts) -> tuple[Change, ...]:
    """What was changed by hand during the run."""
    return tuple(Change(**_fitting(Change, c)) for c in facts.get("changes") or ())


def _fitting(kind: type[Any], found: Facts) -> dict[str, Any]:
    """What a dataclass knows of; another version may have written more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in found.items() if name in names}
