"""Values that are changed by hand between windows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..assembly.assembly import Assembly
from ..core.change import Change
from ..core.description import Kind, Variable
from ..core.errors import OptionError, PartFailed, did_you_mean
from ..core.values import Value, fitted
from ..drawing.limits import beyond
from ..drawing.part import Part
from ..drawing.quantity import in_unit
from ..drawing.system import System
from ..drawing.tuning import untunable
from ..subsystems.subsystem import Tunable


class Changes:
    """Inputs that nothing feeds and tunable parameters, changed while time stands still.

    What is asked for waits until a window is to begin; then all of it is one event.
    """

    def __init__(self, system: System, assembly: Assembly) -> None:
        self._system, self._assembly = system, assembly
        self._waiting: dict[str, Value] = {}
        self._given: dict[str, Value] = {}  # what holds now, of all that was ever changed
        self.log: list[Change] = []

    @property
    def waiting(self) -> bool:
        """Whether something is to be changed before the next window."""
        return bool(self._waiting)

    def ask(self, name: str, value: Any, *, force: bool) -> None:
        """Take note of a change; refuse what cannot be changed, or only by force."""
        _, variable = self._found(name)
        try:
            found = fitted(variable, in_unit(variable, value))
        except ValueError as error:
            raise OptionError(f"'{name}' {error}") from None
        far = beyond(variable, found)
        if far is not None and not force:
            raise OptionError(f"'{name}' {far}; to insist, use force=True")
        self._waiting[name] = found

    def make(self, time: float) -> None:
        """Hand everything over that waits, and keep a record of it."""
        waiting, self._waiting = self._waiting, {}
        for name, value in waiting.items():
            part, variable = self._found(name)
            before = self._given.get(name, part.values.get(variable.name, variable.start))
            self.log.append(Change(time, name, _plain(before), _plain(value)))
        try:
            self._hand_over(waiting)
        except PartFailed as error:
            error.time = time  # of the run; a part need not know it
            raise

    def dump(self) -> tuple[dict[str, Value], tuple[Change, ...]]:
        """What holds now, and how it came about."""
        return self._given, tuple(self.log)

    def load(self, seen: tuple[dict[str, Value], tuple[Change, ...]]) -> None:
        """Go on with what held, before the subsystems take over where they stood."""
        given, log = seen
        self.log = list(log)
        self._hand_over(given)

    def _hand_over(self, given: Mapping[str, Value]) -> None:
        self._given.update(given)
        parameters: dict[str, dict[str, Value]] = {}
        for name, value in given.items():
            part, variable = self._found(name)
            if any(v.name == variable.name for v in part.description.inputs):
                self._assembly.hold(part.name, variable, value)
            else:
                parameters.setdefault(part.name, {})[variable.name] = value
        for part_name, values in parameters.items():
            self._assembly.tune(part_name, values)

    def _found(self, name: Any) -> tuple[Part, Variable]:
        part_name, dot, inner = str(name).partition(".")
        if not dot or not isinstance(name, str):
            raise OptionError(f"{name!r} names no variable; write 'part.variable'")
        part = self._system.parts.get(part_name)
        if part is None:
            hint = did_you_mean(part_name, self._system.parts)
            raise OptionError(f"there is no part '{part_name}'.{hint}")
        d = part.description
        settable = {v.name: v for v in (*d.inputs, *d.parameters)}
        if inner not in settable:
            hint = " It is an output." if any(v.name == inner for v in d.outputs) else ""
            hint = hint or did_you_mean(inner, settable)
            raise OptionError(f"'{name}' is no input or tunable parameter of '{part_name}'.{hint}")
        variable = settable[inner]
        if any(v.name == inner for v in d.inputs):
            if self._system.is_fed(part_name, inner):
                wire = self._system.source_of(part_name, inner)
                by = "a junction" if wire is None else f"'{wire.source}'"
                what = f"'{name}' is fed by {by}; only inputs that nothing feeds can be set"
                raise OptionError(what)
            if variable.kind == Kind.CLOCK:
                raise OptionError(f"'{name}' is a clock; connect it to one that ticks")
            return part, variable
        if not variable.is_tunable:
            raise OptionError(f"'{name}' cannot be set: {untunable(d, part_name, inner)}")
        live = next(s for s in self._assembly.subsystems if s.name == part_name)
        if not isinstance(live.subsystem, Tunable):
            what = f"'{name}' cannot be set: a {d.kind} takes parameters before a run only"
            raise OptionError(what)
        return part, variable


def _plain(value: Any) -> Any:
    """A value as a result keeps it: JSON has no arrays and no bytes."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, bytes):
        return value.hex()
    return list(value) if isinstance(value, tuple) else value
