"""What a system lets one look at."""

from __future__ import annotations

from ..drawing.system import System


def signals_of(system: System) -> dict[str, str | None]:
    """Every signal that can be recorded, with its unit."""
    return {
        f"{name}.{variable.name}": None if variable.unit is None else str(variable.unit)
        for name, part in system.parts.items()
        for variable in (*part.description.inputs, *part.description.outputs)
    }
