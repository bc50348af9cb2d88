"""Parts that cannot roll back, made of parts that can."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import dovetail as dv


@dataclass(frozen=True, eq=False)
class OneWay:
    """A part that cannot roll back; `shown`: whether it shows its derivatives."""

    model: Any
    shown: bool = True

    @property
    def description(self) -> Any:
        able = replace(
            self.model.description.capabilities,
            can_restore=False,
            can_serialize=False,
            can_linearize=self.shown,
            can_evaluate_now=self.shown,
            can_tell_derivatives=self.shown,
        )
        return replace(self.model.description, capabilities=able)

    def instantiate(self, name: str) -> Any:
        return self.model.instantiate(name)


def free(system: dv.System) -> dv.System:
    """The same system of parts that can roll back."""
    found = system.copy()
    for name, part in system.parts.items():
        if isinstance(part.model, OneWay):
            found.replace(name, part.model.model)
    return found
