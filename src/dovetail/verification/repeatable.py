"""Whether a system can be run a second time beside itself."""

from __future__ import annotations

from ..drawing.system import System
from ..subsystems.repeatable import SupportsRepeating


def unrepeatable(system: System) -> str | None:
    """Why not, naming the part; None if it can."""
    for name, part in system.parts.items():
        model = part.model
        if isinstance(model, SupportsRepeating) and model.against_repeating:
            return f"'{name}' {model.against_repeating}"
    return None
