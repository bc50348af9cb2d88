"""`compile=True` of a run: every part that can be is compiled."""

from __future__ import annotations

from collections.abc import Callable

from ..core.errors import ModelError
from ..drawing.system import System
from ..subsystems.compiling import SupportsCompiling


def compiled(system: System, say: Callable[[str], None]) -> System:
    """The drawing with compiled models in the place of those that can be; others are told."""
    for name, part in tuple(system.parts.items()):
        model = part.model
        if not isinstance(model, SupportsCompiling) or model.is_compiled:
            continue
        try:
            system.replace(name, model.compiled())
        except ModelError as error:
            reason = str(error).removeprefix("compile=True cannot be: ")
            say(
                f"part '{name}' stays in Python: {reason.removesuffix('; leave compile=True out.')}"
            )
    return system
