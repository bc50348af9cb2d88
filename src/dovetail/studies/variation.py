"""What the name of something varied refers to, and a system with its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from ..controllers.fixed_step import FixedStep
from ..core.errors import DrawingError, OptionError, Problem, did_you_mean
from ..core.options import check_number
from ..drawing.connection import Connection
from ..drawing.given_values import value_of, variable_of
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..entry.naming import named_algorithm, named_controller
from ..entry.recommended import recommended
from ..entry.values import full_name
from .space import Point

OPTIONS = ("algorithm", "controller", "step", "rtol", "atol")
GAIN = " -> "


@dataclass(frozen=True, slots=True)
class Variation:
    """A system, how it is run, and what each varied name refers to."""

    system: System
    settings: RunSettings
    names: Mapping[str, str]  # as given: as the drawing says

    @staticmethod
    def of(system: System, settings: RunSettings, entries: Iterable[str]) -> Variation:
        """All names that refer to nothing are refused at once."""
        problems: list[Problem] = []
        names: dict[str, str] = {}
        for entry in entries:
            try:
                names[entry] = _resolved(system, entry)
            except DrawingError as error:
                problems += error.problems
        if problems:
            raise DrawingError(problems, system.name)
        if {"step", "controller"} <= set(names):
            raise OptionError("vary step or controller, not both: a step is a controller")
        return Variation(system, settings, names)

    def at(self, point: Point) -> tuple[System, RunSettings]:
        """The system and the settings of one run; InputError if they do not fit."""
        made = self.system.copy()
        ways = self.apply(made, point)
        return made, _with_ways(made, self.settings, ways)

    def apply(self, system: System, point: Point) -> dict[str, Any]:
        """Give a system these values; what is left are options of the run."""
        problems: list[Problem] = []
        ways: dict[str, Any] = {}
        for entry, value in point.items():
            name = self.names[entry]
            try:
                if name in OPTIONS and name not in system.parts:
                    ways[name] = value
                elif name in system.parts:
                    system.replace(name, value)
                elif GAIN in name:
                    _set_gain(system, name, value)
                else:
                    system.set(name, value)
            except DrawingError as error:
                problems += error.problems
        if problems:
            raise DrawingError(problems, system.name)
        return ways

    def number(self, entry: str) -> float:
        """The value of an entry in the drawing; OptionError where it is no real number."""
        name = self.names[entry]
        if GAIN in name:
            return float(_connection(self.system, name).gain)
        found = None
        if name not in OPTIONS and name not in self.system.parts:
            found = value_of(self.system, name)
        if isinstance(found, bool | str) or not isinstance(found, Real):
            what = f"'{entry}' is no real number of a part and no gain, so that it cannot be free"
            raise OptionError(what)
        return float(found)

    def units(self, entries: Iterable[str]) -> dict[str, str]:
        """The units of those that have one."""
        names = {e: self.names[e] for e in entries if GAIN not in self.names[e]}
        found = {e: variable_of(self.system, name).unit for e, name in names.items()}
        return {e: str(unit) for e, unit in found.items() if unit is not None}


def _resolved(system: System, entry: str) -> str:
    """What an entry refers to: an option, a part, a connection, or a value of a part."""
    if entry in OPTIONS:
        if entry in system.parts:
            what = f"'{entry}' is an option of a run and a part of this system; rename the part."
            raise DrawingError([Problem(entry, what)])
        return entry
    if entry in system.parts:
        return entry
    if "->" in entry:
        source, _, target = (word.strip() for word in entry.partition("->"))
        return str(_connection(system, f"{source}{GAIN}{target}"))
    name = full_name(system, entry)
    try:
        variable_of(system, name)
    except DrawingError as error:
        if "." not in entry and len(system.parts) != 1:
            hint = did_you_mean(entry, [*OPTIONS, *system.parts])
            what = (
                f"'{entry}' is no part of this system and no option of a run ({', '.join(OPTIONS)})"
                f"; values are written part.name.{hint}"
            )
            raise DrawingError([Problem(entry, what)]) from None
        raise error
    return name


def _connection(system: System, name: str) -> Connection:
    drawn = {str(c): c for c in system.connections if not c.junction}
    if name not in drawn:
        hint = did_you_mean(name, drawn)
        raise DrawingError([Problem(name, f"there is no connection '{name}'.{hint}")])
    return drawn[name]


def _set_gain(system: System, name: str, gain: Any) -> None:
    wire = _connection(system, name)
    check_number(f"the gain of '{name}'", gain)
    source, target = str(wire.source), str(wire.target)
    system.disconnect(target)
    table = dict(wire.table) or None
    system.connect(
        source, target, gain=float(gain), offset=wire.offset, convert=wire.convert, table=table
    )


def _with_ways(system: System, settings: RunSettings, ways: Mapping[str, Any]) -> RunSettings:
    """Algorithm, windows and tolerances as they are varied."""
    changes: dict[str, Any] = {n: ways[n] for n in ("rtol", "atol") if n in ways}
    if ways.get("step") is not None:
        check_number("step", ways["step"], above=0)
        changes["controller"] = FixedStep(float(ways["step"]))
    if "controller" in ways:
        changes["controller"] = named_controller(ways["controller"])
    settings = replace(settings, **changes)
    chosen = ways.get("algorithm")
    if chosen == "recommended":
        algorithm, controller = recommended(system, settings)
        return replace(settings, algorithm=algorithm, controller=controller)
    if "algorithm" in ways:
        return replace(settings, algorithm=named_algorithm(chosen))
    return settings
