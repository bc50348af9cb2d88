"""The drawing: models, connections, start values. Checked as it is drawn, never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.description import Description
from ..core.errors import DrawingError, Problem, did_you_mean
from ..subsystems.subsystem import Model
from .connection import Connection, compatible, looked_up, wires_of
from .endpoints import endpoint
from .fingerprint import drawing_digest
from .junction import Junction, checked_junction
from .part import Part, fitting_values
from .sketch import Sketch

if TYPE_CHECKING:
    from ..check.report import Report

_Drawn = TypeVar("_Drawn", Part, Connection, Junction)


class System:
    """A drawing: parts and the connections between them.

    Every step is checked at once and refused with a `DrawingError`; a refused step leaves the
    drawing as it was.
    """

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._parts: dict[str, Part] = {}
        self._connections: dict[tuple[str, str], Connection] = {}
        self._junctions: list[Junction] = []
        self._bonds: list[Connection] = []  # wires that junctions made
        self._joined: dict[tuple[str, str], Junction] = {}  # inputs that belong to a junction
        self.sketch = Sketch()  # how it looks on paper, for files that keep it

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

    def add(
        self, name: str, model: Model, values: Mapping[str, Any] | None = None, **more: Any
    ) -> None:
        """Add a part; keywords (or `values`) set parameters and start values."""
        self._insist(*self.checked_part(name, model, {**(values or {}), **more}))

    def connect(
        self,
        source: str,
        target: str,
        *,
        gain: float = 1.0,
        offset: float = 0.0,
        convert: bool = True,
        table: Mapping[Any, Any] | None = None,
    ) -> None:
        """Feed an input or a tunable parameter from an output: input = gain * output + offset.

        Units convert by themselves; without `convert` numbers pass as they are, whatever the
        units say. `table` gives values of a discrete output another meaning, such as {1: 3};
        values that are not in it pass unchanged.
        """
        self._insist(*self.checked_connection(source, target, gain, offset, convert, table))

    def exchange(self, name: str, model: Model) -> None:
        """Put another model with the same inputs and outputs in a part's place.

        Its connections and values stay.
        """
        part = self._parts.get(name)
        if part is None:
            what = f"there is no part '{name}'.{did_you_mean(name, self._parts)}"
            raise DrawingError([Problem(name, what)], self.name)
        if (problem := part.unlike(model)) is not None:
            raise DrawingError([problem], self.name)
        self._parts[name] = Part(name, model, part.values).tuning(*part.tuned)

    def join(
        self,
        *ports: str,
        kind: str | None = None,
        level: str | None = None,
        coordinator: Any = None,
    ) -> Junction:
        """Let power ports meet: they share effort or flow, and the other one adds up to zero.

        Which is shared follows from the domain, unless `kind` says "effort" or "flow". Flows are
        compared as displacements where all ports give them, unless `level="flow"`. Without
        `coordinator` the way it is solved is chosen when it is run; `dv.SlidingMode(...)` and
        `dv.IteratedJunction(...)` insist on one.
        """
        return self._insist(*self.checked_junction(ports, kind, level, coordinator))

    def draw(self, checked: Part | Connection | Junction) -> None:
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

    def is_fed(self, part: str, variable: str) -> bool:
        """Whether something decides this input."""
        return (part, variable) in self._connections or (part, variable) in self._joined

    def check(
        self, algorithm: Any = None, controller: Any = None, span: tuple[float, float] | None = None
    ) -> Report:
        """Everything that is wrong or doubtful, and what this system can be run with.

        With `span`, start and stop of a run, also whether measured data last that long.
        """
        from ..check.checking import check

        return check(self, algorithm, controller, span=span)

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file; its suffix selects the format."""
        from ..formats import write

        write(self, path)

    def fingerprint(self) -> str:
        """A hash of the drawing, to check whether a checkpoint belongs to it."""
        return drawing_digest(self._parts.values(), self.connections, self._junctions)

    def checked_part(
        self, name: str, model: Model, values: Mapping[str, Any]
    ) -> tuple[Part | None, list[Problem]]:
        """What `add` would add, and everything that stands against it."""
        problems: list[Problem] = []
        if not isinstance(name, str) or not name or "." in name or name != name.strip():
            what = f"a part needs a name without dots or outer blanks, not {name!r}."
            return None, [Problem(str(name), what)]
        if name in self._parts:
            problems.append(Problem(name, f"there is a part '{name}' already."))
        if isinstance(model, System):
            what = f"'{name}' is a System; wrap it as dv.Nested(system) to use it as a part."
            return None, [*problems, Problem(name, what)]
        if isinstance(model, type) or not callable(getattr(model, "instantiate", None)):
            given = f"the class {model.__name__}" if isinstance(model, type) else repr(model)
            what = f"'{name}' needs a model such as dv.Dynamic(...) or dv.load(...), not {given}."
            return None, [*problems, Problem(name, what)]
        accepted, unfit = fitting_values(name, model.description, values)
        return Part(name, model, accepted), [*problems, *unfit]

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

    def __repr__(self) -> str:
        counts = f"{len(self._parts)} parts, {len(self._connections)} connections"
        if self._junctions:
            counts += f", {len(self._junctions)} junctions"
        return f"System({self.name!r}: {counts})"

    def _insist(self, checked: _Drawn | None, problems: list[Problem]) -> _Drawn:
        if checked is None or problems:
            raise DrawingError(problems, self.name)
        self.draw(checked)
        return checked

    def _feeding(self, part: str, variable: str) -> str | None:
        """What decides an input, as text."""
        drawn = self._connections.get((part, variable))
        if drawn is not None:
            return f"'{drawn.source}'"
        junction = self._joined.get((part, variable))
        return None if junction is None else f"the junction {junction.name}"
