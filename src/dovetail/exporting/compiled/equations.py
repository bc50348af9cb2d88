"""A Python model as arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...core.description import Variable
from ...core.errors import ModelError
from ...core.obstacle import Obstacle
from ...integrators import Auto, FixedSize, Rk45
from ...models import Algebraic, Discrete, Dynamic, Source, Table
from ...models.repeated_jumps import RepeatedJumps
from ...tracing.differentiate import derivative
from ...tracing.tape import Operand, Tape
from ...tracing.trace import ArgumentGroup, traced
from ...tracing.traced import Untraceable
from .table import COLUMN, against_table

Compilable = Dynamic | Discrete | Algebraic | Source | Table
METHODS = {"euler": 1, "semi_implicit": 2, "heun": 3, "midpoint": 4, "rk4": 5}
RK45 = 6
MOST_DERIVATIVES = 4096


@dataclass(frozen=True, eq=False)
class TracedEquations:
    """f and g of a model on one tape, with the variables they are about.

    `rates` of a model that is sampled are its next states.
    """

    model: Compilable
    tape: Tape
    x: tuple[Variable, ...]
    u: tuple[Variable, ...]
    y: tuple[Variable, ...]
    p: tuple[Variable, ...]
    rates: tuple[Operand, ...]
    outputs: tuple[Operand, ...]

    @staticmethod
    def of(model: Compilable) -> TracedEquations:
        """What a model computes; Untraceable with the name of the function that is in the way."""
        tape = Tape()
        if isinstance(model, Table):
            y, t = model.description.outputs, tape.symbol("t")
            read = [tape.put(COLUMN, t, value=float(k), name=COLUMN) for k in range(len(y))]
            return TracedEquations(model, tape, (), (), y, (), (), tuple(read))
        if isinstance(model, Source):
            y, p = model.layout
            given = TracedEquations(model, tape, (), (), y, p, (), ())
            return given._with((), given.traced("function", model.function, "p", y))
        if isinstance(model, Algebraic):
            u, y, p = model.layout
            given = TracedEquations(model, tape, (), u, y, p, (), ())
            return given._with((), given.traced("function", model.function, "up", y))
        x, u, y, p = model.layout
        given = TracedEquations(model, tape, x, u, y, p, (), ())
        if isinstance(model, Discrete):
            after = given.traced("update", model.update, "xup", x) if model.update else ()
            return given._with(after, given.traced("output", model.output, "xup", y))
        rates = given.traced("derivatives", model.derivatives, "xup", x)
        if model.output is not None:
            return given._with(rates, given.traced("output", model.output, "xup", y))
        return given._with(rates, [tape.symbol(f"x[{k}]") for k in given.chosen])

    @cached_property
    def jacobian(self) -> list[Operand] | None:
        """Derivatives of rates, then outputs, by states, then inputs, row by row.

        None where there would be too many of them to write down, or where it is sampled.
        """
        if isinstance(self.model, Discrete):
            return None
        knowns = [self.tape.symbol(name) for name in self.knowns]
        rows = (*self.rates, *self.outputs)
        if len(rows) * len(knowns) > MOST_DERIVATIVES:
            return None
        zero = self.tape.constant(0.0)
        found = (derivative(self.tape, row, known) for row in rows for known in knowns)
        return [zero if place is None else place for place in found]

    @property
    def knowns(self) -> list[str]:
        """States and inputs as the tape names them."""
        sizes = {title: sum(v.size for v in getattr(self, title)) for title in "xu"}
        return [f"{title}[{k}]" for title, size in sizes.items() for k in range(size)]

    def depends(self, result: Operand) -> list[str]:
        """The states and inputs that a result depends on."""
        every = {self.tape.operations[place].name for place in self.tape.needed([result])}
        return [name for name in self.knowns if name in every]

    @property
    def titles(self) -> str:
        """What its functions are given behind t."""
        known = {Dynamic: "xup", Discrete: "xup", Algebraic: "up", Source: "p", Table: ""}
        return known[type(self.model)]

    @property
    def is_sampled(self) -> bool:
        """Whether it has values at sample times only."""
        return isinstance(self.model, Discrete)

    @property
    def sampling(self) -> tuple[float, float]:
        """The period of its samples and the offset of the first one; no period: it has none.

        A period below zero is that of jumps, as a library is told it.
        """
        if not isinstance(self.model, Discrete):
            return -self.repeats, 0.0
        assert self.model.period is not None, "asked before"
        return float(self.model.period), float(self.model.offset)

    @property
    def jumps(self) -> tuple[float, ...]:
        """Times where its outputs jump, in order."""
        found = self.model.jumps if isinstance(self.model, Source | Table) else ()
        return tuple(sorted(set(found.once if isinstance(found, RepeatedJumps) else found)))

    @property
    def repeats(self) -> float:
        """After how long its jumps come again; 0: they do not."""
        found = self.model.jumps if isinstance(self.model, Source | Table) else ()
        return float(found.period) if isinstance(found, RepeatedJumps) else 0.0

    @property
    def chosen(self) -> list[int]:
        """Which states the outputs are, where there is no function for them."""
        place, at = dict[str, int](), 0
        for v in self.x:
            place[v.name] = at
            at += v.size
        return [place[v.name] + k for v in self.y for k in range(v.size)]

    def _with(self, rates: Sequence[Operand], outputs: Sequence[Operand]) -> TracedEquations:
        groups = self.x, self.u, self.y, self.p
        return TracedEquations(self.model, self.tape, *groups, tuple(rates), tuple(outputs))

    def traced(
        self, name: str, function: Callable[..., Any], titles: str, result: tuple[Variable, ...]
    ) -> list[Operand]:
        """A function of the model; Untraceable, with its name."""
        assert not isinstance(self.model, Table), "it has no function"
        groups = [_group(title, getattr(self, title)) for title in titles]
        size = sum(v.size for v in result)
        try:
            return traced(self.tape, function, groups, vector=self.model.vector, size=size)
        except Untraceable as error:
            raise Untraceable(f"its function {name} cannot be compiled: {error}") from error


def _group(title: str, variables: tuple[Variable, ...]) -> ArgumentGroup:
    return ArgumentGroup(title, tuple(v.name for v in variables), tuple(v.shape for v in variables))


def against(model: Any, name: str) -> list[Obstacle]:
    """Why a Python model is not compiled; nothing if it can be tried."""
    if not isinstance(model, Dynamic | Discrete | Algebraic | Source | Table):
        what = f"is a dv.{type(model).__name__}, which needs Python"
        return [Obstacle(what, name, "export it as an FMU elsewhere, or leave it out")]
    if isinstance(model, Discrete) and model.period is None:
        return [Obstacle("is sampled by a clock", name, "give it a period")]
    found = []
    groups = (model.description.outputs,) if isinstance(model, Table) else model.layout
    for v in (v for group in groups for v in group):
        if not v.is_real:
            found.append(Obstacle(f"has a variable that is not real ('{v.name}')", name))
    if isinstance(model, Table):
        return found + against_table(model, name)
    own = (*model.layout[-1], *(model.layout[0] if isinstance(model, Dynamic | Discrete) else ()))
    shown = {v.name for v in model.description.parameters}
    for v in own:
        if v.name not in shown:
            change = f"add '{v.name}' to published="
            found.append(
                Obstacle(f"does not publish '{v.name}', which it starts from", name, change)
            )
    if model.only_once:
        found.append(Obstacle("may exist only once, as it says", name))
    if isinstance(model, Dynamic):
        if model.zero_crossings is not None:
            found.append(Obstacle("has events", name))
        if not isinstance(model.integrator, Auto | Rk45 | FixedSize):
            solver = type(model.integrator).__name__
            what = f"is solved by {solver}, which is not compiled"
            found.append(Obstacle(what, name, "give it solver='rk45', or one of fixed steps"))
    return found


def equations_of(model: Any, name: str) -> TracedEquations | Obstacle:
    """A model as arithmetic, or what stands against it."""
    try:
        return TracedEquations.of(model)
    except ModelError as error:
        return Obstacle(f"is a dv.{type(model).__name__}, and {error}", name)
