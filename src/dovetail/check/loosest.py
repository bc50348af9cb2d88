"""Which part is solved to the loosest tolerance."""

from __future__ import annotations

from ..drawing.system import System
from ..subsystems.tolerant import rtol_of


def loosest(system: System) -> tuple[str, float] | None:
    """The part and its relative tolerance; None where no part has one."""
    found = ((name, rtol_of(part.model)) for name, part in system.parts.items())
    known = [(name, rtol) for name, rtol in found if rtol is not None]
    return max(known, key=lambda pair: pair[1], default=None)
