"""The curves of a ledger: what coupling created, and how junctions stood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import OptionError

Curves = tuple[Any, dict[str, Any], dict[str, str]]  # times, values and units by name

_PER_SECOND = {"J": "W"}


def created(facts: Mapping[str, Any]) -> Curves:
    """What each bond has created by then, and what it creates at that moment."""
    found, bonds = _ledger(facts), _ledger(facts)["bonds"]
    named = {b["name"]: v for b, v in zip(bonds, found["created"], strict=True)}
    rates = {f"rate: {b['name']}": v for b, v in zip(bonds, found["rates"], strict=True)}
    units = {b["name"]: b["unit"] for b in bonds}
    units |= {f"rate: {name}": _PER_SECOND.get(u, f"{u}/s") for name, u in units.items()}
    return found["time"], named | rates, units


def compared(facts: Mapping[str, Any]) -> Curves:
    """By how much the ports of junctions disagree, and what coordinators drive to zero."""
    found = _ledger(facts)["compared"]
    if not found["rows"]:
        raise OptionError("no junction of this system has unknowns; its ports make plain wires")
    named, units = {}, {}
    for letter, values in (("g", found["gaps"]), ("s", found["sliding"])):
        for (name, unit), curve in zip(found["rows"], values, strict=True):
            named[f"{letter}: {name}"], units[f"{letter}: {name}"] = curve, unit
    return found["time"], named, units


def _ledger(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = facts.get("ledger")
    if not found:
        raise OptionError("there is no ledger: no power ports meet in this system")
    return found
