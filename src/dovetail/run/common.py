"""What runs have in common that differ in values of their parts only: decided once."""

from __future__ import annotations

from dataclasses import dataclass
from threading import local
from typing import Any

from ..assembly.consistent import Consistent
from ..check.value_check import value_problems
from ..core.errors import DrawingError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..hosts.homes import residences
from .decisions import Decisions
from .run_request import RunRequest
from .terms import Say, Terms


@dataclass(frozen=True, slots=True, eq=False)
class _Kind:
    """What decisions rest on: these very objects, and these names and numbers."""

    objects: tuple[Any, ...]
    facts: tuple[Any, ...]

    @staticmethod
    def of(system: System, asked: RunSettings) -> _Kind | None:
        """Of a run; None where single values take part in decisions, or parts live in hosts."""
        parts = system.parts.values()
        if system.junctions or asked.placement is not None or any(p.forced for p in parts):
            return None
        if residences(system.parts, None):
            return None
        objects: list[Any] = [asked.algorithm, asked.controller, asked.estimators]
        objects += system.connections
        for part in parts:
            objects += [part.model, part.adapted, part.description]
        valued = [(part.name, part.tuned, frozenset(part.values)) for part in parts]
        numbers = asked.start, asked.stop, asked.rtol, asked.atol
        return _Kind(tuple(objects), (system.name, *numbers, *valued))

    def is_that_of(self, other: _Kind) -> bool:
        """Whether both rest on the same."""
        if len(self.objects) != len(other.objects) or self.facts != other.facts:
            return False
        return all(a is b for a, b in zip(self.objects, other.objects, strict=True))


class Common(Decisions, local):
    """What one run after the other takes over from the last one that was decided.

    A run differs in nothing but numbers: the drawing, its models and what they can do, the
    algorithm, the controller, tolerances and times are the same. Any other run is decided anew,
    as if there had been none before; so is one whose parts meet at junctions, live in hosts, or
    have values by force. Values are always checked, and controllers bound, for each run. Each
    thread has its own.
    """

    def __init__(self) -> None:
        self._kind: _Kind | None = None
        self._terms: Terms | None = None
        self._said: tuple[str, ...] = ()
        self._next: _Kind | None = None  # of the run that is being decided

    def __reduce__(self) -> tuple[Any, ...]:
        return Common, ()  # another process decides for itself

    def asked(self, system: System, given: RunSettings, begins: Consistent) -> RunRequest:
        """What is asked for; a drawing that is known needs no second look, but at values."""
        self._next = _Kind.of(system, given.over(system.run_settings))
        if self._known() is None:
            return super().asked(system, given, begins)
        errors = [p for p in value_problems(system) if not p.warning]
        if errors:
            raise DrawingError(errors, system.name)
        return RunRequest.of(system, given, begins, checked=True)

    def terms(self, system: System, asked: RunRequest, say: Say) -> Terms:
        """The terms, with all that was said of them when they were decided."""
        known = self._known()
        if known is not None:
            for line in self._said:
                say(line)
            return known.for_values_of(system, asked)
        said = list[str]()

        def heard(line: str) -> None:
            said.append(line)
            say(line)

        found = super().terms(system, asked, heard)
        self._kind, self._terms, self._said = self._next, found, tuple(said)
        return found

    def forget(self) -> None:
        """The next run is decided anew."""
        self._kind = self._terms = None

    def _known(self) -> Terms | None:
        """The terms of the run before, where they are those of this one."""
        if self._kind is None or self._next is None or not self._next.is_that_of(self._kind):
            return None
        return self._terms
