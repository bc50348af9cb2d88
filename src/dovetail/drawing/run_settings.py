"""How a system is meant to be run, as its file says: it travels with the drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ..results.patterns import split

if TYPE_CHECKING:
    from ..algorithms import Algorithm
    from ..controllers import Controller
    from ..core.calendar import Calendar
    from ..estimators import Estimator
    from ..hosts.placement import Placement
    from ..results.recorders import Recorder


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is meant to be run; None where nothing is said.

    The fields are options of `dv.simulate`, as objects.
    """

    start: float | None = None
    stop: float | None = None
    algorithm: Algorithm | None = None
    controller: Controller | None = None
    estimators: Mapping[str, Estimator] | None = None  # by part; None: from capabilities
    rtol: float | None = None
    atol: float | None = None
    record: str | Iterable[str] | None = None
    recorder: Recorder | None = None
    calendar: Calendar | None = None
    placement: Placement | None = None  # where parts live: hosts, by pattern
    compile: bool | None = None  # whether Python models are compiled, where they can be

    def options(self) -> dict[str, Any]:
        """What is said, as keywords of `simulate`."""
        every = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in every.items() if value is not None}

    def over(self, other: RunSettings) -> RunSettings:
        """These settings, and those of `other` where nothing is said here."""
        return RunSettings(**{**other.options(), **self.options()})

    def renamed(self, part: Callable[[str], str | None]) -> RunSettings:
        """The settings after parts were renamed or removed; `part` gives the new name, or None."""
        changes: dict[str, Any] = {}
        if self.estimators is not None:
            named = {part(name): one for name, one in self.estimators.items()}
            changes["estimators"] = {name: one for name, one in named.items() if name is not None}
        if self.record is not None:
            patterns = (_renamed(pattern, part) for pattern in split(self.record))
            changes["record"] = tuple(pattern for pattern in patterns if pattern is not None)
        if isinstance(self.placement, Mapping):
            placed = {_renamed(pattern, part): host for pattern, host in self.placement.items()}
            changes["placement"] = {p: host for p, host in placed.items() if p is not None}
        way: Any = self.algorithm
        options = {f.name for f in fields(way)} if is_dataclass(way) else set[str]()
        if "order_of_parts" in options:
            order = (part(name) for name in way.order_of_parts)
            kept = tuple(name for name in order if name is not None)
            changes["algorithm"] = replace(way, order_of_parts=kept)
        return replace(self, **changes)


def _renamed(pattern: str, part: Callable[[str], str | None]) -> str | None:
    """A pattern that begins with the name of a part, with the name that it has now."""
    before, dot, rest = pattern.partition(".")
    after = part(before)
    return None if after is None else f"{after}{dot}{rest}"
