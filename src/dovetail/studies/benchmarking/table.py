"""What a benchmark has found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.brief import brief
from ...core.errors import OptionError
from ...core.harmless import harmless
from ...core.markup import card, folded, paragraph, table
from ...drawing.system import System
from ...results.files.needs import need
from .race import TIME_WAS_UP, BenchmarkRow, Cost, Entrant
from .reference import Reference

_ALIKE = 1.15  # times the least cost: as good, so that the error decides
_KNOWN = 0.25  # of the tolerance: how well a reference should be known
_SHOWN = 12  # lines in a summary
_UNABLE, _UNTRIED = "could not run", "were not tried, as time was up"


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """Every run of a benchmark, and which way to run the system is recommended, and why."""

    system: str
    entrants: tuple[Entrant, ...]
    reference: Reference
    tolerance: float
    cost: Cost
    seconds: float

    @property
    def rows(self) -> list[BenchmarkRow]:
        """Every run, in the order of the candidates, from coarse to fine."""
        return [row for entrant in self.entrants for row in entrant.rows]

    @property
    def recommended(self) -> BenchmarkRow:
        """The cheapest run that is good enough; the most accurate one where none is."""
        done = [row for row in self.rows if row.done]
        if not done:
            raise OptionError("no candidate ran, so that nothing can be recommended")
        good = [row for row in done if row.error <= self.tolerance]
        if not good:
            return min(done, key=lambda row: row.error)
        least = min(self._cost(row) for row in good)
        alike = [row for row in good if self._cost(row) <= _ALIKE * least]
        return min(alike, key=lambda row: row.error)

    @property
    def why(self) -> str:
        """The reason for what is recommended, in a sentence."""
        best = self.recommended
        error = f"{best.error:.1e} of each signal's range"
        if best.error > self.tolerance:
            return f"nothing reached {self.tolerance:g}; it came closest, {error}"
        reason = f"it is right to {error} and takes {self._shown(best)}"
        others = [
            row
            for row in self.rows
            if row.done and row.error <= self.tolerance and row.candidate is not best.candidate
        ]
        if not others:
            return f"{reason}, and nothing else reached {self.tolerance:g}"
        second = min(others, key=self._cost)
        ratio = self._cost(second) / max(self._cost(best), 1e-12)
        if ratio < _ALIKE:
            return f"{reason}; {second.candidate.title} takes about as much"
        return f"{reason}; the next one, {second.candidate.title}, takes {ratio:.1f} times that"

    def apply(self, system: System) -> None:
        """Have a system run as recommended."""
        best = self.recommended
        ways: dict[str, Any] = {
            "algorithm": best.candidate.algorithm,
            "controller": best.controller,
            "estimators": None,
        }
        if best.candidate.estimator is not None:
            ways["estimators"] = dict.fromkeys(system.parts, best.candidate.estimator)
        system.run_settings = replace(system.run_settings, **ways)

    def plot(self, path: str | Path | None = None) -> Any:
        """Error over cost, a curve for each candidate; .png, .svg or .pdf."""
        from .picture import draw

        return draw(self, path)

    def table(self) -> Any:
        """A pandas table with a row for each run."""
        need("pandas", "tables")
        import pandas

        columns = ("status", "error", "seconds", "evaluations", "windows", "reason")
        return pandas.DataFrame(
            {
                "algorithm": [row.candidate.title for row in self.rows],
                "controller": [brief(row.controller) for row in self.rows],
                **{name: [getattr(row, name) for row in self.rows] for name in columns},
            }
        )

    # how it looks ---------------------------------------------------------------------------------

    def lines(self, most: int = _SHOWN) -> list[str]:
        """A summary: the cheapest good run of each candidate, then the recommendation."""
        runs, tried = len(self.rows), len(self.entrants)
        lines = [f"Benchmark of '{self.system}': {tried} candidates, {runs} runs"]
        lines.append(f"Errors are against {self.reference.way}, known to {self._known()}")
        if self.reference.error > _KNOWN * self.tolerance:
            lines.append("That is not far below what is looked for: take errors with care")
        shown = self.ranked()
        width = max([len(row.candidate.title) for row, _ in shown[:most]] or [0])
        for row, good in shown[:most]:
            mark = "" if good else "  (not good enough)"
            windows = brief(row.controller)
            lines.append(
                f"  {row.candidate.title:{width}}  {row.error:8.1e}  {self._shown(row):>12}  "
                f"{windows}{mark}"
            )
        if len(shown) > most:
            lines.append(f"  and {len(shown) - most} more")
        for said, left in self._left().items():
            lines.append(f"{len(left)} {said}:")
            why = [f": {e.ended}" if said == _UNABLE else "" for e in left]
            names = [f"  {e.candidate.title} ({e.candidate.ladder})" for e in left]
            lines += [name + reason for name, reason in zip(names, why, strict=True)][:most]
            if len(left) > most:
                lines.append(f"  and {len(left) - most} more")
        best = self.recommended
        with_ = brief(best.controller)
        return [*lines, f"Recommended: {best.candidate.title} with {with_}, because {self.why}"]

    def ranked(self) -> list[tuple[BenchmarkRow, bool]]:
        """For each candidate that ran its cheapest good run, else its most accurate; best first."""
        found = []
        for entrant in self.entrants:
            good = [row for row in entrant.good if row.error <= self.tolerance]
            if good:
                found.append((min(good, key=self._cost), True))
            elif entrant.good:
                found.append((min(entrant.good, key=lambda row: row.error), False))
        return sorted(found, key=lambda pair: (not pair[1], self._cost(pair[0])))

    def __repr__(self) -> str:
        return harmless("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        heads = ("algorithm", "windows", "error", "cost", "")
        rows = [
            (r.candidate.title, brief(r.controller), f"{r.error:.1e}", self._shown(r), _mark(good))
            for r, good in self.ranked()
        ]
        parts = [table(heads, rows, numbers=(2, 3))]
        for said, entrants in self._left().items():
            left = [(e.candidate.title, e.ended) for e in entrants]
            parts.append(folded(f"{len(left)} {said}", table(("algorithm", "why"), left)))
        return card(self.lines()[0], *parts, paragraph(self.lines()[-1]))

    def _left(self) -> dict[str, list[Entrant]]:
        """Those without a run, by what is said of them."""
        found: dict[str, list[Entrant]] = {}
        for entrant in (e for e in self.entrants if not e.good):
            untried = entrant.ended == TIME_WAS_UP and not entrant.rows
            found.setdefault(_UNTRIED if untried else _UNABLE, []).append(entrant)
        return found

    def _cost(self, row: BenchmarkRow) -> float:
        return row.seconds if self.cost == "seconds" else float(row.evaluations)

    def _shown(self, row: BenchmarkRow) -> str:
        return f"{1e3 * row.seconds:.3g} ms" if self.cost == "seconds" else f"{row.evaluations}"

    def _known(self) -> str:
        return f"about {self.reference.error:.0e}"


def _mark(good: bool) -> str:
    return "" if good else "not good enough"
