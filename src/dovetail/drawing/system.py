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

from ..core.description import Description
from ..core.errors import DrawingError, Problem, did_you_mean
from ..core.values import Value, Values, fitted
from ..subsystems.subsystem import Adaptable, Model
from .connection import Connection, Endpoint, compatible, looked_up, wires_of
from .fingerprint import digest
from .junction import Junction, checked_junction
from .sketch import Sketch
from .tuning import unsuitable

if TYPE_CHECKING:
    from ..check.report import Report


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model under a name, with the values it starts from."""

    name: str
    model: Model
    values: Values = field(default_factory=dict)
    tuned: tuple[str, ...] = ()  # tunable parameters that are connected: inputs then
    _adapted: Model | None = None

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        return self.adapted.description

    @property
    def adapted(self) -> Model:
        """The model as it is run: parameters that are connected are inputs of it."""
        return self._adapted or self.model

    def tuning(self, *names: str) -> Part:
        """The same part with more of its tunable parameters as inputs."""
        tuned = (*self.tuned, *names)
        if not tuned:
            return self
        assert isinstance(self.model, Adaptable), "checked before"
        return replace(self, tuned=tuned, _adapted=self.model.tuned(tuned))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.name, self.model, self.values, self.tuned)


def _rebuilt(name: str, model: Model, values: Values, tuned: tuple[str, ...]) -> Part:
    return Part(name, model, values).tuning(*tuned)


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
        """Feed an input or a tunable parameter from an output: input = gain * output + offset.

        Units convert by themselves; without `convert` numbers pass as they are, whatever the
        units say. `table` gives values of a discrete output another meaning, such as {1: 3};
        values that are not in it pass unchanged.
        """
        connection, problems = self.checked_connection(source, target, gain, offset, convert, table)
        if connection is None or problems:
            raise DrawingError(problems, self.name)
        end, variable = connection.target.part, connection.target.variable.name
        part = self._parts[end]
        if all(v.name != variable for v in part.description.inputs):
            self._parts[end] = part.tuning(variable)
        self._connections[end, variable] = connection

    def exchange(self, name: str, model: Model) -> None:
        """Put another model with the same inputs and outputs in a part's place.

        Its connections and values stay.
        """
        part = self._parts.get(name)
        if part is None:
            what = f"there is no part '{name}'.{did_you_mean(name, self._parts)}"
            raise DrawingError([Problem(name, what)], self.name)
        for before, after, sort in (
            (part.model.description.inputs, model.description.inputs, "inputs"),
            (part.description.outputs, model.description.outputs, "outputs"),
        ):
            if {v.name for v in before} != {v.name for v in after}:
                what = f"the model for '{name}' has other {sort} than the one in its place."
                raise DrawingError([Problem(name, what)], self.name)
        for parameter in part.tuned:
            if (hint := unsuitable(model, name, parameter)) is not None:
                what = f"'{name}.{parameter}' is connected, and in the model for '{name}'{hint}"
                raise DrawingError([Problem(name, what)], self.name)
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
        junction, problems = self.checked_junction(ports, kind, level, coordinator)
        if junction is None or problems:
            raise DrawingError(problems, self.name)
        self._junctions.append(junction)
        self._bonds += wires_of(junction)
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

    def is_fed(self, part: str, variable: str) -> bool:
        """Whether something decides this input."""
        return (part, variable) in self._connections or (part, variable) in self._joined

    def check(self, algorithm: Any = None, controller: Any = None) -> Report:
        """Everything that is wrong or doubtful, and what this system can be run with."""
        from ..check.checking import check

        return check(self, algorithm, controller)

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file; its suffix says in which format."""
        from ..formats import write

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
        for told, given in values.items():
            key, where = d.aliases.get(told, told), f"{name}.{told}"
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
        variable = d.aliases.get(variable, variable)
        wanted, others = (d.inputs, d.outputs) if causality == "input" else (d.outputs, d.inputs)
        for v in wanted:
            if v.name == variable:
                return Endpoint(part_name, v)
        settable = {v.name: v for v in d.parameters} if causality == "input" else {}
        if variable in settable and all(v.name != variable for v in others):
            hint = unsuitable(part.model, part_name, variable)
            if hint is None:
                return Endpoint(part_name, settable[variable])
            problems.append(Problem(text, f"'{text}' cannot be connected:{hint}"))
            return None
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
