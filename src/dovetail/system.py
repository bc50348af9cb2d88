"""The drawing: models, connections, start values. Checked as it is drawn, never run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .description import Description, Kind, Variable
from .errors import DrawingError, Problem, did_you_mean
from .fingerprint import digest
from .junction import Junction, checked_junction
from .signals import Discrete
from .sketch import Sketch
from .subsystem import Model
from .units import Conversion, UnitError, conversion
from .values import Value, Values, fitted

if TYPE_CHECKING:
    from .report import Report

_WIDENS = {  # which kinds of source an input takes besides its own
    Kind.REAL: {Kind.INTEGER, Kind.BOOLEAN, Kind.ENUMERATION},
    Kind.INTEGER: {Kind.ENUMERATION, Kind.BOOLEAN},
    Kind.ENUMERATION: {Kind.INTEGER},
}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model under a name, with the values it starts from."""

    name: str
    model: Model
    values: Values = field(default_factory=dict)

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        return self.model.description


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A variable of a part."""

    part: str
    variable: Variable

    def __str__(self) -> str:
        return f"{self.part}.{self.variable.name}"


@dataclass(frozen=True, slots=True)
class Connection:
    """target = gain * source + offset, after the source was converted to the target's unit.

    A discrete source is first looked up in `table`; what is not in there passes unchanged.
    `junction` names the one that made it; several such wires to one target add up.
    """

    source: Endpoint
    target: Endpoint
    gain: float = 1.0
    offset: float = 0.0
    units: Conversion = Conversion(1.0, 0.0)
    convert: bool = True  # units; if not, numbers pass as they are
    junction: str = ""
    table: tuple[tuple[Discrete, Discrete], ...] = ()  # value of the source, value instead

    @property
    def total(self) -> tuple[float, float]:
        """Factor and offset with the conversion of units in them."""
        return self.gain * self.units.factor, self.gain * self.units.offset + self.offset

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


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
        part, problems = self.checked_part(name, model, {**(values or {}), **more})
        if part is None or problems:
            raise DrawingError(problems, self.name)
        self._parts[name] = part

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
        """Feed an input from an output: input = gain * output + offset.

        Units convert by themselves; without `convert` numbers pass as they are, whatever the
        units say. `table` gives values of a discrete output another meaning, such as {1: 3};
        values that are not in it pass unchanged.
        """
        connection, problems = self.checked_connection(source, target, gain, offset, convert, table)
        if connection is None or problems:
            raise DrawingError(problems, self.name)
        self._connections[connection.target.part, connection.target.variable.name] = connection

    def exchange(self, name: str, model: Model) -> None:
        """Put another model with the same inputs and outputs in a part's place.

        Its connections and values stay.
        """
        part = self._parts.get(name)
        if part is None:
            what = f"there is no part '{name}'.{did_you_mean(name, self._parts)}"
            raise DrawingError([Problem(name, what)], self.name)
        for before, after, sort in (
            (part.description.inputs, model.description.inputs, "inputs"),
            (part.description.outputs, model.description.outputs, "outputs"),
        ):
            if {v.name for v in before} != {v.name for v in after}:
                what = f"the model for '{name}' has other {sort} than the one in its place."
                raise DrawingError([Problem(name, what)], self.name)
        self._parts[name] = Part(name, model, part.values)

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
        `dv.Iterated(...)` insist on one.
        """
        junction, problems = self.checked_junction(ports, kind, level, coordinator)
        if junction is None or problems:
            raise DrawingError(problems, self.name)
        self._junctions.append(junction)
        self._bonds += _wires_of(junction)
        self._joined.update({(e.part, e.input.name): junction for e in junction.ends})
        return junction

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
        """The junction an input belongs to, if any."""
        return self._joined.get((part, variable))

    def is_fed(self, part: str, variable: str) -> bool:
        """Whether something decides this input."""
        return (part, variable) in self._connections or (part, variable) in self._joined

    def check(self, algorithm: Any = None, controller: Any = None) -> Report:
        """Everything that is wrong or doubtful, and what this system can be run with."""
        from .checking import check

        return check(self, algorithm, controller)

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file; its suffix says in which format."""
        from .formats import write

        write(self, path)

    def fingerprint(self) -> str:
        """A hash of the drawing, to tell whether a checkpoint belongs to it."""
        parts = [
            (p.name, digest(p.model), digest(dict(sorted(p.values.items()))))
            for p in self._parts.values()
        ]
        wires = sorted(
            (str(c), c.total, c.table) if c.table else (str(c), c.total) for c in self.connections
        )
        joints = [(j.name, j.common, j.level, repr(j.coordinator)) for j in self._junctions]
        drawn = (parts, wires, joints) if joints else (parts, wires)
        return hashlib.sha256(repr(drawn).encode()).hexdigest()

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
        d = model.description
        settable = {v.name: v for v in (*d.inputs, *d.parameters)}
        accepted: dict[str, Value] = {}
        for key, given in values.items():
            where = f"{name}.{key}"
            if key not in settable:
                outputs = any(v.name == key for v in d.outputs)
                why = " It is an output." if outputs else did_you_mean(key, settable)
                what = f"'{where}' is not a parameter, start value or input of '{name}'."
                problems.append(Problem(where, what + why))
                continue
            try:
                accepted[key] = fitted(settable[key], given)
            except ValueError as error:
                problems.append(Problem(where, f"'{where}' {error}."))
        return Part(name, model, accepted), problems

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
        begin = self._endpoint(source, "output", problems)
        end = self._endpoint(target, "input", problems)
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
        units, more = _compatible(begin, end, plain=plain, convert=convert)
        pairs, doubts = _looked_up(begin, end, table or {})
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

    def _feeding(self, part: str, variable: str) -> str | None:
        """What decides an input, in words."""
        drawn = self._connections.get((part, variable))
        if drawn is not None:
            return f"'{drawn.source}'"
        junction = self._joined.get((part, variable))
        return None if junction is None else f"the junction {junction.name}"

    def _endpoint(self, text: str, causality: str, problems: list[Problem]) -> Endpoint | None:
        part_name, dot, variable = str(text).partition(".")
        if not dot:
            what = f"'{text}' names no variable; write 'part.variable'."
            problems.append(Problem(str(text), what))
            return None
        part = self._parts.get(part_name)
        if part is None:
            what = f"there is no part '{part_name}'.{did_you_mean(part_name, self._parts)}"
            problems.append(Problem(text, what))
            return None
        d = part.description
        wanted, others = (d.inputs, d.outputs) if causality == "input" else (d.outputs, d.inputs)
        for v in wanted:
            if v.name == variable:
                return Endpoint(part_name, v)
        article = "an input" if causality == "input" else "an output"
        if any(v.name == variable for v in others):
            other = "an output" if causality == "input" else "an input"
            hint = f" It is {other}; connect outputs to inputs."
        else:
            near = did_you_mean(variable, [v.name for v in wanted]).replace(
                "'", f"'{part_name}.", 1
            )
            hint = near or f" It has: {', '.join(v.name for v in wanted) or 'none'}."
        what = f"'{text}' is not {article} of '{part_name}'.{hint}"
        problems.append(Problem(text, what))
        return None


def _wires_of(junction: Junction) -> list[Connection]:
    """The plain wires of a junction: the common variable to whoever takes it, and the sum."""
    givers = junction.dictators
    if not givers:
        return []
    first, name, k = givers[0], junction.name, junction.conjugate
    wires = [(first, junction.common, e, 1.0) for e in junction.followers]
    if len(givers) == 1:
        wires += [(e, k, first, -1.0) for e in junction.followers]
    made = []
    for source, role, target, gain in wires:
        a = Endpoint(source.part, source.variable(role))
        b = Endpoint(target.part, target.variable(role))
        usual = first.domain.effort if role == "effort" else first.domain.flow
        units = conversion(a.variable.unit or usual, b.variable.unit or usual)
        made.append(Connection(a, b, gain, 0.0, units, junction=name))
    return made


def _compatible(
    source: Endpoint, target: Endpoint, *, plain: bool, convert: bool
) -> tuple[Conversion, list[Problem]]:
    """How units convert on the way, and what forbids the connection."""
    a, b, where = source.variable, target.variable, str(target)
    problems: list[Problem] = []
    if a.kind != b.kind and a.kind not in _WIDENS.get(b.kind, ()):
        what = f"'{source}' is of type {a.kind} but '{target}' takes {b.kind}."
        problems.append(Problem(where, what))
    if a.shape != b.shape:
        what = f"'{source}' has {_shape(a)} but '{target}' takes {_shape(b)}."
        problems.append(Problem(where, what))
    if not plain and not b.is_real:
        what = f"gain and offset need a real input, and '{target}' takes {b.kind}."
        problems.append(Problem(where, what))
    units = Conversion(1.0, 0.0)
    if convert and a.is_real and b.is_real:
        try:
            units = conversion(a.unit, b.unit)
        except UnitError as error:
            what = f"'{source}' cannot feed '{target}': {error}."
            problems.append(Problem(where, what.replace("..", ".")))
    return units, problems


def _looked_up(
    source: Endpoint, target: Endpoint, table: Mapping[Any, Any]
) -> tuple[tuple[tuple[Discrete, Discrete], ...], list[Problem]]:
    """A table with values that both ends can have, and what is wrong with it."""
    if not table:
        return (), []
    a, b, where = source.variable, target.variable, str(target)
    if not isinstance(table, Mapping):
        what = f"the table of {source} -> {target} must be a mapping such as {{1: 3}}."
        return (), [Problem(where, what)]
    if a.is_real or a.kind == Kind.CLOCK:
        what = f"a table needs a discrete output, and '{source}' gives {a.kind} values."
        return (), [Problem(where, what)]
    made: dict[Discrete, Discrete] = {}
    result = b if not b.is_real else a  # what is looked up widens to a real afterwards
    for given, instead in table.items():
        try:
            key = fitted(replace(a, shape=()), given)
            made[key] = fitted(replace(result, shape=()), instead)  # type: ignore[index, assignment]
        except ValueError as error:
            what = f"the table of {source} -> {target} {error}."
            return (), [Problem(where, what)]
    return tuple(sorted(made.items(), key=repr)), []


def _shape(variable: Variable) -> str:
    return "one value" if not variable.shape else "x".join(map(str, variable.shape)) + " values"
