"""What has been drawn: parts, connections and junctions, and what may be drawn beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from numbers import Real
from types import MappingProxyType
from typing import Any, Self, TypeVar

from ..core.description import Description
from ..core.errors import DrawingError, Problem
from ..subsystems.subsystem import Model
from .connection import Connection, compatible, looked_up, wires_of
from .endpoints import endpoint
from .given_values import far_values, fitting_values
from .junction import Junction, checked_junction
from .part import Part, name_fits
from .run_settings import RunSettings
from .sketch import Sketch

_Drawn = TypeVar("_Drawn", Part, Connection, Junction)


class Canvas:
    """The drawing as it stands; a `System` adds what a user does with it."""

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._parts: dict[str, Part] = {}
        self._connections: dict[tuple[str, str], Connection] = {}
        self._junctions: list[Junction] = []
        self._bonds: list[Connection] = []  # wires that junctions made
        self._joined: dict[tuple[str, str], Junction] = {}  # inputs that belong to a junction
        self.sketch = Sketch()  # how it looks on paper, for files that keep it
        self.run_settings = RunSettings()  # how it is meant to be run; options of a run go before

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts by name, in the order they were added."""
        return MappingProxyType(self._parts)

    @property
    def connections(self) -> tuple[Connection, ...]:
        """All connections, in the order they were drawn; behind them the wires of junctions."""
        return (*self._connections.values(), *self._bonds)

    @property
    def junctions(self) -> tuple[Junction, ...]:
        """All junctions, in the order they were drawn."""
        return tuple(self._junctions)

    def copy(self) -> Self:
        """The same drawing once more: what is changed in one does not change in the other.

        Models are blueprints that never change; both drawings share them.
        """
        made = object.__new__(type(self))
        for name, value in vars(self).items():
            own = isinstance(value, dict | list | Sketch)
            made.__dict__[name] = value.copy() if own else value
        return made

    __copy__ = copy

    def blank(self) -> Self:
        """A copy without anything drawn on it."""
        made = self.copy()
        for drawn in (made._parts, made._connections, made._joined, made._junctions, made._bonds):
            drawn.clear()
        return made

    def put(self, checked: Part | Connection | Junction) -> None:
        """Put in what `checked_part`, `checked_connection` or `checked_junction` has made."""
        match checked:
            case Part():
                self._parts[checked.name] = checked
            case Connection():
                end, variable = checked.target.part, checked.target.variable.name
                part = self._parts[end]
                if all(v.name != variable for v in part.description.inputs):
                    self._parts[end] = part.tuning(variable)
                self._connections[end, variable] = checked
            case Junction():
                self._junctions.append(checked)
                self._bonds += wires_of(checked)
                self._joined.update({(e.part, e.input.name): checked for e in checked.ends})

    def source_of(self, part: str, variable: str) -> Connection | None:
        """The connection that feeds an input, if any; the first of those that add up."""
        return next(iter(self.sources_of(part, variable)), None)

    def sources_of(self, part: str, variable: str) -> tuple[Connection, ...]:
        """The connections that feed an input: one, none, or those of a junction that add up."""
        drawn = self._connections.get((part, variable))
        if drawn is not None:
            return (drawn,)
        if (part, variable) not in self._joined:
            return ()
        ours = (part, variable)
        return tuple(c for c in self._bonds if (c.target.part, c.target.variable.name) == ours)

    def junction_of(self, part: str, variable: str) -> Junction | None:
        """The junction that decides an input, if one does."""
        return self._joined.get((part, variable))

    def is_fed(self, part: str, variable: str) -> bool:
        """Whether something decides this input."""
        return (part, variable) in self._connections or (part, variable) in self._joined

    def checked_name(self, name: str) -> list[Problem]:
        """What stands against a part of this name."""
        if not name_fits(name):
            what = f"a part needs a name without dots or outer blanks, not {name!r}."
            return [Problem(str(name), what)]
        taken = f"there is a part '{name}' already."
        return [Problem(name, taken)] if name in self._parts else []

    def checked_part(
        self, name: str, model: Model, values: Mapping[str, Any], force: Collection[str] = ()
    ) -> tuple[Part | None, list[Problem]]:
        """What `add` would add, and everything that stands against it.

        Values named in `force` may lie beyond the limits that the model declares.
        """
        problems = self.checked_name(name)
        if not name_fits(name):
            return None, problems
        if isinstance(model, Canvas):
            what = f"'{name}' is a System; wrap it as dv.Nested(system) to use it as a part."
            return None, [*problems, Problem(name, what)]
        if isinstance(model, type) or not callable(getattr(model, "instantiate", None)):
            given = f"the class {model.__name__}" if isinstance(model, type) else repr(model)
            what = f"'{name}' needs a model such as dv.Dynamic(...) or dv.load(...), not {given}."
            return None, [*problems, Problem(name, what)]
        accepted, unfit = fitting_values(name, model.description, values, force=force)
        forced = frozenset(far_values(model.description, accepted))
        return Part(name, model, accepted, forced=forced), [*problems, *unfit]

    def checked_connection(
        self,
        source: str,
        target: str,
        gain: float,
        offset: float,
        convert: bool = True,
        table: Mapping[Any, Any] | None = None,
    ) -> tuple[Connection | None, list[Problem]]:
        """What `connect` would draw, and everything that stands against it."""
        problems: list[Problem] = []
        begin = endpoint(self._parts, source, "output", problems)
        end = endpoint(self._parts, target, "input", problems)
        if not all(isinstance(v, Real) and isfinite(v) for v in (gain, offset)):
            what = f"gain and offset of {source} -> {target} must be finite numbers."
            problems.append(Problem(target, what))
            return None, problems
        if begin is None or end is None:
            return None, problems
        what_feeds = self._feeding(end.part, end.variable.name)
        if what_feeds is not None:
            what = f"'{end}' is fed by {what_feeds} already; an input takes one source."
            problems.append(Problem(str(end), what))
        plain = gain == 1.0 and offset == 0.0
        units, more = compatible(begin, end, plain=plain, convert=convert)
        pairs, doubts = looked_up(begin, end, table or {})
        drawn = Connection(begin, end, gain, offset, units, convert, table=pairs)
        return drawn, [*problems, *more, *doubts]

    def checked_junction(
        self, ports: Sequence[str], kind: Any, level: Any, coordinator: Any
    ) -> tuple[Junction | None, list[Problem]]:
        """What `join` would draw, and everything that stands against it."""
        inputs = {*self._connections, *self._joined}
        fed = {key: self._feeding(*key) or "" for key in inputs}

        def describe(part: str) -> Description | None:
            return self._parts[part].description if part in self._parts else None

        return checked_junction(describe, list(self._parts), fed, ports, kind, level, coordinator)

    def _insist(self, checked: _Drawn | None, problems: list[Problem]) -> _Drawn:
        if checked is None or problems:
            raise DrawingError(problems, self.name)
        self.put(checked)
        return checked

    def _adopt(self, other: Canvas) -> None:
        """Become what another drawing is."""
        self.__dict__.update(vars(other))

    def _feeding(self, part: str, variable: str) -> str | None:
        """What decides an input, as text."""
        drawn = self._connections.get((part, variable))
        if drawn is not None:
            return f"'{drawn.source}'"
        junction = self._joined.get((part, variable))
        return None if junction is None else f"the junction {junction.name}"
