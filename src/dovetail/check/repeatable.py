"""Whether a system can be run a second time beside itself."""

from __future__ import annotations

from ..drawing.system import System
from ..subsystems.repeatable import reason_of


def unrepeatable(system: System) -> str:
    """Why not, naming the first part that may not live twice; empty if it can."""
    found = ((name, reason_of(part.model)) for name, part in system.parts.items())
    return next((f"'{name}' {why}" for name, why in found if why), "")
