"""What is drawn: variables of one or several results, over time or over another variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.description import Kind
from ...core.errors import OptionError
from ..patterns import Names, chosen, matching, split
from ..recorders.base import TIME, Column

if TYPE_CHECKING:
    from ..result import Result

_NUMERIC = (Kind.REAL, Kind.INTEGER, Kind.ENUMERATION, Kind.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Look:
    """How a run is drawn, where that is not left to the panel."""

    colour: str | None = None
    width: float | None = None  # in points


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One variable of one result. `over` is what lies along the x axis, None for time."""

    result: Result
    column: Column
    run: str = ""  # which of several results
    over: Column | None = None
    look: Look = Look()

    @property
    def name(self) -> str:
        """The variable, and the run where there are several."""
        return f"{self.column.name}, {self.run}" if self.run else self.column.name


def flat(patterns: Iterable[Names]) -> list[str]:
    """Patterns one by one, from texts and lists of them."""
    found: list[str] = []
    for one in patterns:
        texts = list(one) if isinstance(one, Iterable) and not isinstance(one, str) else [one]
        for text in texts:
            if not isinstance(text, str):
                what = "variables to draw are named by text, such as 'prey.*'"
                raise OptionError(f"{what}, not by {text!r}")
        found += split(texts)
    return found


def traces(
    runs: Mapping[str, Result],
    patterns: list[str],
    over: str | None,
    looks: Mapping[str, Look] | None = None,
) -> list[Trace]:
    """Every variable that a pattern means in any of the runs; all of them without a pattern.

    A pattern that means nothing in any run is an error.
    """
    every = list(dict.fromkeys(name for result in runs.values() for name in result.names))
    for pattern in patterns:
        if not matching(pattern, every):
            raise _unknown(pattern, every)
    found = []
    for name in chosen(patterns or "*", every):
        for run, result in runs.items():
            if name in result and len(result):
                look = (looks or {}).get(run, Look())
                found.append(Trace(result, result.column(name), run, None, look))
    return found if over in (None, TIME) else _over(found, str(over), every, patterns)


def missing(runs: Mapping[str, Result], drawn: list[Trace]) -> list[str]:
    """What some run lacks, as a note each."""
    names = dict.fromkeys(trace.column.name for trace in drawn)
    return [f"{run} has no {n}" for run, r in runs.items() for n in names if n not in r]


def _over(found: list[Trace], over: str, every: list[str], exact: list[str]) -> list[Trace]:
    """The same over another variable; what is not numeric is left out unless it was named."""
    if over not in every:
        raise _unknown(over, every)
    placed = []
    for trace in found:
        if over not in trace.result:
            continue
        along, name = trace.result.column(over), trace.column.name
        for column in (along, trace.column):
            if column.kind not in _NUMERIC and column.name in (over, *exact):
                way_out = "draw it over time"
                raise OptionError(f"'{column.name}' is not numeric, so x-y has no place: {way_out}")
        if trace.column.kind in _NUMERIC and (name != over or name in exact):
            placed.append(Trace(trace.result, trace.column, trace.run, along, trace.look))
    return placed


def _unknown(name: str, every: list[str]) -> Exception:
    from ..result import UnknownVariable

    return UnknownVariable(name, every)
