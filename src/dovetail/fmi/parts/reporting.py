"""What an FMU of FMI 3 shows inside a step, kept for the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...core.errors import FileError, OptionError
from ...core.signals import Vector
from ...results.patterns import matching, split
from ...subsystems.intermediate import IntermediateReport
from ..calls.access import channels
from ..calls.instance import CallFailed, Instance
from ..description.conversion import to_variable

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu

_LATE = 1e-9  # of a step: what is shown beyond its end was not reached


def reported(model: Fmu) -> tuple[FmuVariable, ...]:
    """The variables whose values inside steps are to be kept."""
    wanted = model.intermediate
    if not isinstance(wanted, bool | str) and not (
        isinstance(wanted, Sequence) and all(isinstance(name, str) for name in wanted)
    ):
        what = f"intermediate must be True, False or names of variables, not {wanted!r}"
        raise OptionError(what)
    if wanted is False:
        return ()
    if not model.interface.provides_intermediate_update:
        what = "intermediate=... asks for values inside its steps, but it shows none"
        raise FileError(model.path, what, "leave intermediate=... out")
    shown = [v for v in model.fmu.variables if v.intermediate_update and v.is_float]
    if wanted is True:
        found = [v for v in shown if v.causality != "input"]
        if not found:
            what = "intermediate=True, but none of its outputs is shown inside its steps"
            raise FileError(model.path, what, "leave intermediate=True out")
        return tuple(found)
    known, chosen = [v.name for v in shown], set[str]()
    for pattern in split(wanted):
        named = matching(pattern, known)
        if not named:
            some = ", ".join(f"'{n}'" for n in known[:6]) or "no variable at all"
            what = f"'{pattern}' is not shown inside its steps; it shows {some}"
            raise FileError(model.path, what)
        chosen.update(named)
    return tuple(v for v in shown if v.name in chosen)


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Rows of a step behind those of all steps before it. A rollback uses an earlier one."""

    before: Chain | None
    rows: Vector

    def all(self, width: int) -> Vector:
        """All rows up to here."""
        parts, part = [], self
        while part is not None:
            parts.append(part.rows)
            part = part.before  # type: ignore[assignment]
        return np.concatenate([np.zeros((0, width)), *reversed(parts)])


class Reporter:
    """Reads what the FMU shows, and keeps it once its step has succeeded.

    Only steps of its own solver that are finished count: before that, values may still change.
    """

    def __init__(self, instance: Instance, model: Fmu, variables: Sequence[FmuVariable]) -> None:
        self._instance = instance
        self.references = np.array([v.reference for v in variables], dtype=np.uint32)
        self._channels, (self._size, _) = channels(instance, variables, model.size_of)
        described = [to_variable(v, model.fmu, model.structural) for v in variables]
        self._names = tuple(n for v in described for n in v.scalars())
        self._units = {n: v.unit for v in described if v.unit is not None for n in v.scalars()}
        self._pending: list[Vector] = []
        self.kept: Chain | None = None
        self.failure: CallFailed | None = None

    def begin(self) -> None:
        """A step begins; what the last one left behind, because it failed, is forgotten."""
        self._pending, self.failure = [], None

    def read(self, time: float) -> None:
        """A step of the FMU's solver ended at `time`: keep what it shows there."""
        row = np.empty(1 + self._size)
        row[0] = time
        try:
            for channel in self._channels:
                channel.get(self._instance.pointer or 0, self._instance.check, row[1:], [])
        except CallFailed as error:
            self.failure = error  # nothing can be raised through the FMU
            return
        self._pending.append(row)

    def end(self, start: float, reached: float) -> None:
        """The step succeeded, up to there."""
        if self.failure is not None:
            raise self.failure
        last = reached + _LATE * (reached - start)
        rows = [row for row in self._pending if row[0] <= last]
        if rows:
            self.kept = Chain(self.kept, np.array(rows))
        self._pending = []

    def take(self, rows: Vector) -> None:
        """Go on from rows that were written down."""
        self.kept = Chain(None, rows)

    @property
    def rows(self) -> Vector:
        """All that was kept."""
        width = 1 + self._size
        return np.zeros((0, width)) if self.kept is None else self.kept.all(width)

    @property
    def report(self) -> IntermediateReport:
        """The same with names."""
        return IntermediateReport(self._names, self._units, self.rows)
