"""Power ports that meet: which variable they share, and which part decides it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

from ..core.description import Description, Variable
from ..core.errors import Problem, did_you_mean
from ..units import Conversion, UnitError, conversion
from .part_coordinator import PartCoordinator
from .ports import End, Role

Case = Literal["wires", "common", "conjugates"]
Level = Literal["flow", "displacement"]


@runtime_checkable
class JunctionService(Protocol):
    """A way to solve junctions that can be asked for when one is drawn, such as sliding mode."""

    @property
    def serves_junctions(self) -> bool:
        """True."""

    @property
    def time_scale(self) -> float | None:
        """How fast ports that disagree come together; None where that is chosen for the user."""

    @property
    def part(self) -> str:
        """The part of the drawing that settles it; empty where the run does."""


@dataclass(frozen=True, slots=True, eq=False)
class Junction:
    """Ports that share one variable (`common`) while the conjugate ones add up to zero.

    There are three cases, by the ports that give the common variable. One does: plain wires.
    None does: the common variable is unknown, and the sum must vanish. Several do: their conjugate
    inputs are unknown, and what they give must agree. `level` says whether flows are compared as
    they are or as displacements.
    """

    ends: tuple[End, ...]
    common: Role
    level: Level
    coordinator: JunctionService | None = None
    asked: tuple[Role | None, Level | None] = (None, None)  # kind and level, where insisted on

    @property
    def name(self) -> str:
        """The ports, as they were given."""
        return " = ".join(map(str, self.ends))

    @property
    def conjugate(self) -> Role:
        """The variable that adds up to zero."""
        return "flow" if self.common == "effort" else "effort"

    @property
    def dictators(self) -> tuple[End, ...]:
        """The ports that give the common variable."""
        return tuple(e for e in self.ends if e.takes != self.common)

    @property
    def followers(self) -> tuple[End, ...]:
        """The ports that take it."""
        return tuple(e for e in self.ends if e.takes == self.common)

    @property
    def case(self) -> Case:
        """What is unknown, if anything."""
        match len(self.dictators):
            case 0:
                return "common"
            case 1:
                return "wires"
        return "conjugates"

    @property
    def compared(self) -> tuple[End, ...]:
        """The ports whose outputs must agree, or add up to zero."""
        return self.followers if self.case == "common" else self.dictators

    def shown(self, end: End) -> Variable:
        """The output by which a port is compared."""
        wanted = end.output is end.flow and self.level == "displacement"
        return end.displacement if wanted and end.displacement is not None else end.output

    def explain(self) -> str:
        """The case as text."""
        c, k = self.common, self.conjugate
        match self.case:
            case "wires":
                return f"'{self.dictators[0]}' gives the {c}, the others take it: plain wires"
            case "common":
                what = self._what(k)
                return (
                    f"no port gives the common {c}: it is unknown, and {what} must add up to zero"
                )
        names = " and ".join(f"'{e}'" for e in self.dictators)
        return f"{names} each give the {c}: their {k}s are unknown, and {self._what(c)} must agree"

    def _what(self, role: Role) -> str:
        return "displacements" if role == "flow" and self.level == "displacement" else f"{role}s"


def in_domain(end: End, variable: Variable) -> Conversion:
    """From the unit of a port's variable to that of its domain; none given is the domain's."""
    d, port = end.domain, end.port
    if variable.name == port.effort:
        unit: str | None = d.effort
    else:
        unit = d.flow if variable.name == port.flow else d.displacement
    if variable.unit is None or unit is None:
        return Conversion(1.0, 0.0)
    return conversion(variable.unit, unit)


def checked_junction(
    describe: Callable[[str], Description | None],
    parts: Sequence[str],
    fed: Mapping[tuple[str, str], str],
    ports: Sequence[str],
    kind: Any,
    level: Any,
    coordinator: Any,
) -> tuple[Junction | None, list[Problem]]:
    """What `join` would draw, and everything that stands against it."""
    problems: list[Problem] = []
    where = str(ports[0]) if ports else "join"
    if len(ports) < 2:
        return None, [Problem(where, "a junction needs at least two ports, as 'part.port'.")]
    ends = [_end(str(text), describe, parts, problems) for text in ports]
    if kind not in (None, "effort", "flow"):
        problems.append(Problem(where, f"kind must be 'effort' or 'flow', not {kind!r}."))
    if level not in (None, "flow", "displacement"):
        problems.append(Problem(where, f"level must be 'flow' or 'displacement', not {level!r}."))
    if isinstance(coordinator, str):
        coordinator = PartCoordinator(coordinator)
    if coordinator is not None and not _serves(coordinator):
        what = (
            "coordinator must be an object such as dv.SlidingMode(), or the name of a part, "
            f"not {coordinator!r}."
        )
        problems.append(Problem(where, what))
    elif isinstance(coordinator, PartCoordinator):
        what = coordinator.against(describe(coordinator.part), list(parts))
        problems += [Problem(where, what)] if what else []
    known = [e for e in ends if e is not None]
    if problems or len(known) < len(ends):
        return None, problems
    first = known[0]
    for e in known:
        if known.count(e) > 1:
            return None, [
                Problem(str(e), f"'{e}' is named twice; a port meets others, not itself.")
            ]
        if e.domain is not first.domain:
            what = (
                f"'{first}' is {first.domain.name} but '{e}' is {e.domain.name}; they cannot meet."
            )
            problems.append(Problem(str(e), what))
        source = fed.get((e.part, e.input.name))
        if source is not None:
            what = (
                f"'{e.part}.{e.input.name}' is fed by {source} already; an input takes one source."
            )
            problems.append(Problem(str(e), what))
        if e.effort.shape != first.effort.shape or e.flow.shape != e.effort.shape:
            what = f"the variables of '{first}' and '{e}' differ in size."
            problems.append(Problem(str(e), what))
        problems += _units(e)
    if problems:
        return None, problems
    common: Role = "effort" if (kind or first.domain.common) == "effort" else "flow"
    drawn = Junction(tuple(known), common, "displacement", coordinator, (kind, level))
    return _levelled(drawn, level)


def _levelled(drawn: Junction, level: Level | None) -> tuple[Junction | None, list[Problem]]:
    """The junction with its level: displacements where all that are compared have one."""
    role = drawn.conjugate if drawn.case == "common" else drawn.common
    lacking = [e for e in drawn.compared if e.displacement is None]
    if level == "displacement" and (role == "effort" or lacking):
        what = "compares efforts" if role == "effort" else f"'{lacking[0]}' gives no displacement"
        what = f"the junction {drawn.name} has no level of displacements: {what}."
        return None, [Problem(drawn.name, what)]
    if drawn.case == "wires" or role == "effort" or lacking:
        level = "flow"
    chosen: Level = level or "displacement"
    return replace(drawn, level=chosen), []


def _end(
    text: str,
    describe: Callable[[str], Description | None],
    parts: Sequence[str],
    problems: list[Problem],
) -> End | None:
    part, dot, port = text.partition(".")
    if not dot:
        problems.append(Problem(text, f"'{text}' names no port; write 'part.port'."))
        return None
    d = describe(part)
    if d is None:
        problems.append(Problem(text, f"there is no part '{part}'.{did_you_mean(part, parts)}"))
        return None
    if port not in d.ports:
        hint = did_you_mean(port, d.ports) or f" It has: {', '.join(d.ports) or 'none'}."
        if any(port == v.name for v in (*d.inputs, *d.outputs)):
            hint = " It is a variable; a port is a pair of them, declared with ports={...}."
        problems.append(Problem(text, f"'{text}' is not a port of '{part}'.{hint}"))
        return None
    known = {v.name for v in (*d.inputs, *d.outputs)}
    for name in (d.ports[port].effort, d.ports[port].flow):
        if name not in known:
            what = f"'{part}.{name}', which port '{text}' needs, is not published."
            problems.append(Problem(text, what))
            return None
    return End.of(part, port, d)


def _units(end: End) -> list[Problem]:
    problems = []
    for variable in (end.effort, end.flow, end.displacement):
        if variable is None:
            continue
        try:
            in_domain(end, variable)
        except UnitError as error:
            what = f"'{end.part}.{variable.name}' does not fit the {end.domain.name} port"
            problems.append(Problem(str(end), f"{what} '{end}': {error}."))
    return problems


def _serves(coordinator: Any) -> bool:
    return isinstance(coordinator, JunctionService) and coordinator.serves_junctions
