"""What a rule is, and what is found where it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ..fmu import FmuDescription

Severity = Literal["error", "warning"]
Breach = tuple[int, str]  # the line, 0 if it is in none; and what is wrong there


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of one rule, and the line it is in; 0 if it is in none."""

    severity: Severity
    line: int
    rule: str
    what: str

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{self.severity}: {where}{self.what} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of some versions of the standard, given by their first digits."""

    name: str
    severity: Severity
    versions: str
    breaches: Callable[[FmuDescription], Iterable[Breach]]

    def findings(self, fmu: FmuDescription) -> list[Violation]:
        """Every breach of it; none in a version that does not know it."""
        if fmu.version[0] not in self.versions:
            return []
        return [Violation(self.severity, line, self.name, w) for line, w in self.breaches(fmu)]
