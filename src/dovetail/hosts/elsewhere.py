"""Parts that other machines hold: before anything is decided, stand-ins take their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..core.errors import OptionError
from ..results.patterns import matching
from ..subsystems.subsystem import Model
from .placement import Elsewhere, Placement

if TYPE_CHECKING:
    from ..drawing.system import System


def moved(system: System, placement: Placement | None) -> tuple[System, Placement | None]:
    """The system with models that stand for parts elsewhere, and where the others live.

    The system is changed: give a copy.
    """
    if isinstance(placement, Elsewhere):
        placement = {"*": placement}
    if not isinstance(placement, Mapping):
        return system, placement
    places = [h for h in placement.values() if isinstance(h, Elsewhere)]
    if not places:
        return system, placement
    of = {name: _first(name, placement) for name in system.parts}
    for pattern in placement:
        if not matching(pattern, of):
            known = ", ".join(f"'{name}'" for name in list(of)[:6])
            raise OptionError(
                f"placement= names '{pattern}', but no part is called so; there are {known}"
            )
    found: dict[str, Model] = {}
    for place in dict.fromkeys(places):
        held = [name for name, where in of.items() if where is place]
        if held:
            found |= place.stand_ins(system, held)
    for name, model in found.items():
        system.replace(name, model)
    here = {p: h for p, h in placement.items() if not isinstance(h, Elsewhere)}
    used = {p: h for p, h in here.items() if any(of[n] is h for n in matching(p, of))}
    return system, used or None


def _first(name: str, placement: Mapping[str, object]) -> object:
    return next((h for pattern, h in placement.items() if matching(pattern, [name])), None)
