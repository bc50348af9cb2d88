"""Which signals are recorded, and how a row of them is picked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from ..core.description import Variable
from ..core.errors import OptionError, did_you_mean
from ..core.options import check_names
from ..core.signals import Discrete, Signals, Vector
from ..drawing.system import System
from ..results.patterns import matching, split
from ..results.recorders.base import Column
from ..topology.layout import Layout


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The recorded columns, and where their values stand behind outputs and inputs."""

    columns: tuple[Column, ...]
    reals: Any
    pick: Any  # an itemgetter, or None
    uses_inputs: bool

    @staticmethod
    def of(system: System, layout: Layout, record: str | Iterable[str]) -> Selection:
        """What patterns mean: outputs of all parts, and inputs that are connected.

        An input that is not is recorded if a pattern means nothing else: it may be set by hand.
        """
        if not isinstance(record, str):
            record = list(record) if isinstance(record, Iterable) else record
            check_names("record", record, '["plant.*", "*.force"]')
        everything = _everything(system, layout)
        wanted: set[str] = set()
        idle = {f"{p}.{s}" for p, v in _idle(system) for s in v.scalars()}
        names = [c.name for c, _, _ in everything if c.name not in idle]
        for pattern in split(record):
            found = matching(pattern, names)
            if not found and pattern != "*":
                found = matching(pattern, idle)
            if not found and pattern != "*":
                hint = did_you_mean(pattern, names) or _first_of(names)
                raise OptionError(f"record='{pattern}' means no output or connected input.{hint}")
            wanted.update(found)
        chosen = [entry for entry in everything if entry[0].name in wanted]
        reals = [place for column, place, _ in chosen if column.is_real]
        others = [place for column, place, _ in chosen if not column.is_real]
        return Selection(
            tuple(column for column, _, _ in chosen),
            np.array(reals, dtype=np.intp),
            _getter(others),
            any(is_input for _, _, is_input in chosen),
        )

    def row(self, outputs: Signals, inputs: Signals) -> tuple[Vector, tuple[Discrete, ...]]:
        """Real and discrete values of the recorded columns."""
        if not self.uses_inputs:
            reals, discrete = outputs.reals, outputs.discrete
        else:
            reals = np.concatenate([outputs.reals, inputs.reals])
            discrete = outputs.discrete + inputs.discrete
        return reals[self.reals], () if self.pick is None else self.pick(discrete)


def _first_of(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    more = " and more" if len(names) > most else ""
    return f" There are {shown}{more}." if names else ""


def _everything(system: System, layout: Layout) -> list[tuple[Column, int, bool]]:
    found: list[tuple[Column, int, bool]] = []
    n_reals, n_discrete = len(layout.outputs.reals), len(layout.outputs.discrete)
    for part in system.parts.values():
        d = part.description
        for v in d.outputs:
            found += _scalars(part.name, v, layout.outputs.place[part.name, v.name], False)
        for v in d.inputs:
            first = layout.inputs.place[part.name, v.name] + (n_reals if v.is_real else n_discrete)
            found += _scalars(part.name, v, first, True)
    return found


def _idle(system: System) -> list[tuple[str, Variable]]:
    """Inputs that nothing feeds."""
    return [
        (p.name, v)
        for p in system.parts.values()
        for v in p.description.inputs
        if not system.is_fed(p.name, v.name)
    ]


def _scalars(part: str, v: Variable, first: int, is_input: bool) -> list[tuple[Column, int, bool]]:
    names = enumerate(v.scalars())
    return [(Column(f"{part}.{s}", v.kind, v.unit), first + k, is_input) for k, s in names]


def _getter(places: Sequence[int]) -> Any:
    if not places:
        return None
    if len(places) == 1:
        return lambda values: (values[places[0]],)
    return itemgetter(*places)
