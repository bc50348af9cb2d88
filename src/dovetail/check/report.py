"""What a check found, as data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..algorithms.base import Algorithm
from ..assembly.native_decision import NativeDecision
from ..core.errors import Problem, Shortfall
from ..core.harmless import harmless
from ..core.markup import card, folded, paragraph
from .examination import JunctionNote
from .outlook import Outlook
from .recommendation import Recommendation

_MOST_NAMES = 20  # of parts in a line


@dataclass(frozen=True, slots=True)
class AlgorithmChoice:
    """One way of running a system, and what stands against it."""

    algorithm: Algorithm
    controller: str
    shortfalls: tuple[Shortfall, ...]
    refusal: str = ""  # where the two do not go together, whatever the parts

    @property
    def possible(self) -> bool:
        """Whether nothing stands against it."""
        return not self.shortfalls and not self.refusal

    @property
    def reason(self) -> str:
        """What stands against it; nothing if it is possible."""
        if self.refusal:
            return self.refusal
        what: dict[str, list[str]] = {}  # parts that lack the same are listed together
        for s in self.shortfalls:
            what.setdefault(s.lacks, []).append(f"'{s.subsystem}'")
        return "; ".join(f"{_some(parts)} {lacks}" for lacks, parts in what.items())


@dataclass(frozen=True, slots=True)
class Report:
    """The state of a drawing: problems, warnings, structure, and what it can be run with.

    `native`: how it runs with the algorithm and controller that were given, or else are usual;
    `coupling` names them.
    """

    system: str
    problems: tuple[Problem, ...]
    cycles: tuple[tuple[str, ...], ...]
    loops: tuple[tuple[str, ...], ...]
    choices: tuple[AlgorithmChoice, ...]
    junctions: tuple[JunctionNote, ...] = ()
    native: NativeDecision | None = None
    coupling: str = ""
    outlook: Outlook | None = field(default=None, repr=False, compare=False)

    @property
    def recommendation(self) -> Recommendation | None:
        """One way to run it, and why; None where it cannot be run.

        Parts are started for it, once, when it is asked for.
        """
        return self.outlook.recommendation if self.outlook is not None and self.ok else None

    @property
    def ok(self) -> bool:
        """Whether it can be run at all."""
        return all(p.warning for p in self.problems)

    def __str__(self) -> str:
        return harmless("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        shown = [paragraph(str(p), good=False) for p in self.problems if not p.warning]
        shown += [paragraph(f"note: {p}") for p in self.problems if p.warning]
        shown += [paragraph(f"cycle: {_listed(c)} depend on each other") for c in self.cycles]
        shown += [paragraph(line.strip()) for note in self.junctions for line in note.lines()]
        if self.native is not None:
            shown.append(paragraph(f"speed: {self.coupling} {self.native}"))
        ways = self.ways()
        marked = "".join(paragraph(what, good=good) for good, what in ways)
        end = "fits together" if self.ok else "problems"
        shown += [folded("what it can be run with, and what not", marked)] if ways else []
        if self.recommendation is not None:
            shown.append(paragraph(f"Recommended: {self.recommendation}."))
        return card(f"System '{self.system}': {end}", *shown, good=self.ok)

    def ways(self) -> list[tuple[bool, str]]:
        """What it can be run with, and what not with the reason: a sentence each."""
        pairs = (line.split(maxsplit=1) for line in _grouped(self.choices))
        return [(word == "yes", what) for word, what in pairs]

    def lines(self) -> list[str]:
        """The report, line by line."""
        errors = [str(p) for p in self.problems if not p.warning]
        warnings = [str(p) for p in self.problems if p.warning]
        lines = [f"System '{self.system}': " + ("fits together." if not errors else "problems.")]
        lines += [f"  error: {e}" for e in errors] + [f"  note: {w}" for w in warnings]
        lines += [f"  cycle: {_listed(c)} depend on each other" for c in self.cycles]
        lines += [line for junction in self.junctions for line in junction.lines()]
        if self.native is not None:
            lines.append(f"  speed: {self.coupling} {self.native}")
        lines += ["It can be run with:", *_grouped(self.choices)]
        if self.outlook is not None and self.recommendation is not None:
            lines += [*self.outlook.lines(), f"Recommended: {self.recommendation}."]
        return lines


def _listed(names: Sequence[str]) -> str:
    """Names, as many as can be read."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _grouped(choices: Sequence[AlgorithmChoice]) -> list[str]:
    """One line for all controllers that take the same algorithms, and for each reason not to."""
    every = list(dict.fromkeys(c.algorithm for c in choices))
    by_reason: dict[tuple[str, str], list[Algorithm]] = {}
    for c in choices:
        by_reason.setdefault((c.controller, c.reason), []).append(c.algorithm)
    controllers: dict[tuple[str, str], list[str]] = {}
    for (controller, reason), algorithms in by_reason.items():
        controllers.setdefault((reason, _named(algorithms, every)), []).append(controller)
    lines = [
        (reason, f"{algorithms} with {_either(names)}")
        for (reason, algorithms), names in controllers.items()
    ]
    return [f"  yes  {title}" for reason, title in lines if not reason] + [
        f"  no   {title}: {reason}" for reason, title in lines if reason
    ]


def _named(algorithms: Sequence[Algorithm], every: Sequence[Algorithm]) -> str:
    if len(algorithms) == len(every):
        return "any algorithm"
    if list(algorithms) == [a for a in every if a.repeats]:
        return "any iterated algorithm"
    return _either([_title(a) for a in algorithms])


def _title(algorithm: Algorithm) -> str:
    title = type(algorithm).__name__
    if title in ("Jacobi", "GaussSeidel") and algorithm.repeats:
        title = f"iterated {title}"
    return f"{title} ({algorithm.inputs})" if algorithm.repeats else title


def _either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
