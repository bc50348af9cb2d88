"""Signals that a controller looks at, by name: outputs, and parameters that stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.description import Kind
from ..core.errors import OptionError, did_you_mean
from ..core.signals import Signals, Vector
from ..topology.layout import Layout

if TYPE_CHECKING:
    from ..drawing.system import System

_NUMBERS = (Kind.REAL, Kind.INTEGER)


@dataclass(frozen=True, slots=True, eq=False)
class WatchedSignals:
    """Where each of them stands: among the real outputs, among the others, or in itself."""

    reals: tuple[tuple[int, int], ...]  # place here, place among real outputs
    discrete: tuple[tuple[int, int], ...]
    fixed: Vector  # zero where it is an output

    @staticmethod
    def of(names: Sequence[str], system: System, layout: Layout) -> WatchedSignals:
        """The signals of these names; OptionError where there is none, or it is no number."""
        outputs = layout.outputs
        reals, discrete, fixed = list[tuple[int, int]](), list[tuple[int, int]](), []
        for k, name in enumerate(names):
            fixed.append(0.0)
            if name in outputs.reals:
                reals.append((k, outputs.reals.index(name)))
            elif name in outputs.discrete:
                discrete.append((k, outputs.discrete.index(name)))
            else:
                fixed[k] = _parameter(name, system, (*outputs.reals, *outputs.discrete))
        return WatchedSignals(tuple(reals), tuple(discrete), np.array(fixed))

    def values(self, outputs: Signals) -> Vector:
        """Their values, from all outputs."""
        found = self.fixed.copy()
        for k, place in self.reals:
            found[k] = outputs.reals[place]
        for k, place in self.discrete:
            found[k] = float(outputs.discrete[place])
        return found


def _parameter(name: str, system: System, outputs: Sequence[str]) -> float:
    """The value of a parameter, as given or as it starts."""
    home, _, variable = name.partition(".")
    part = system.parts.get(home)
    known = {} if part is None else {v.name: v for v in part.description.parameters}
    found = known.get(variable)
    if part is None or found is None or found.kind not in _NUMBERS or found.shape:
        hint = did_you_mean(name, outputs)
        raise OptionError(f"the limit looks at '{name}', which is no output or parameter.{hint}")
    value = {variable: found.start, **part.values}[variable]
    return float(value) if isinstance(value, int | float) else 0.0
