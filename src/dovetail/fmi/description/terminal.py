"""Terminals: variables of an FMU that belong together, as the pins of a plug do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TerminalMember:
    """A variable in a terminal. `kind` is signal, inflow, outflow, or what others define."""

    variable: str
    name: str = ""
    kind: str = "signal"


@dataclass(frozen=True, slots=True)
class Stream:
    """A property that a flow carries along, with a variable for each direction."""

    inward_variable: str
    outward_variable: str
    inward_name: str = ""
    outward_name: str = ""


@dataclass(frozen=True, slots=True)
class Terminal:
    """A group of variables; `matching_rule` says how it is joined to another."""

    name: str
    matching_rule: str = "plug"
    kind: str = ""
    description: str = ""
    members: tuple[TerminalMember, ...] = ()
    streams: tuple[Stream, ...] = ()
    terminals: tuple[Terminal, ...] = ()
    icon: str = ""
