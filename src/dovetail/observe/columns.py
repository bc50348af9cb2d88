"""Which signals are recorded, and how a row of them is picked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..core.description import Variable
from ..core.errors import OptionError, did_you_mean
from ..core.options import check_names
from ..core.signals import Discrete, Signals, Vector
from ..drawing.system import System
from ..results.patterns import matching, split
from ..results.recorders.base import Column
from ..topology.layout import Layout, Slots


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
        names = [entry.name for entry in everything if entry.name not in idle]
        for pattern in split(record):
            found = matching(pattern, names)
            if not found and pattern != "*":
                found = matching(pattern, idle)
            if not found and pattern != "*":
                hint = did_you_mean(pattern, names) or _first_of(names)
                raise OptionError(f"record='{pattern}' means no output or connected input.{hint}")
            wanted.update(found)
        chosen = [entry for entry in everything if entry.name in wanted]
        reals = [entry.place for entry in chosen if entry.variable.is_real]
        others = [entry.place for entry in chosen if not entry.variable.is_real]
        return Selection(
            tuple(Column(x.name, x.variable.kind, x.variable.unit) for x in chosen),
            np.array(reals, dtype=np.intp),
            _getter(others),
            any(entry.is_input for entry in chosen),
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


class _Entry(NamedTuple):
    """A scalar that can be recorded, and its place among outputs, and inputs behind them."""

    name: str
    variable: Variable
    place: int
    is_input: bool


def _everything(system: System, layout: Layout) -> list[_Entry]:
    found: list[_Entry] = []
    for part in system.parts.values():
        d = part.description
        found += _entries(part.name, d.outputs, layout.outputs)
        found += _entries(part.name, d.inputs, layout.inputs, layout.outputs)
    return found


def _entries(
    part: str, variables: Sequence[Variable], slots: Slots, before: Slots | None = None
) -> Iterator[_Entry]:
    """The scalars of these variables, with the names that they have in the layout."""
    for v in variables:
        first, names = slots.place[part, v.name], slots.reals if v.is_real else slots.discrete
        behind = 0
        if before is not None:
            behind = len(before.reals if v.is_real else before.discrete)
        for k in range(first, first + v.size):
            yield _Entry(names[k], v, k + behind, before is not None)


def _idle(system: System) -> list[tuple[str, Variable]]:
    """Inputs that nothing feeds."""
    return [
        (p.name, v)
        for p in system.parts.values()
        for v in p.description.inputs
        if not system.is_fed(p.name, v.name)
    ]


def _getter(places: Sequence[int]) -> Any:
    if not places:
        return None
    if len(places) == 1:
        return lambda values: (values[places[0]],)
    return itemgetter(*places)
