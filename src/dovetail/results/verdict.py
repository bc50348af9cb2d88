"""How far a result can be believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..core.harmless import harmless
from ..core.markup import card, paragraph
from .hint import Hint
from .shares import share_of

Status = Literal["trusted", "doubtful", "not verified"]

_BENT = 5.0  # times what the same method at other windows shows, where inputs bend too much


@dataclass(frozen=True, slots=True)
class Estimates:
    """How far the estimates of one part were from its genuine steps.

    `worst` and `mean`, over all windows, as a share of the range that an output covered during the
    run; `trusted`: in which share of the windows its model was used at all.
    """

    worst: float
    mean: float
    trusted: float = 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a result can be believed, in a form that can be read aloud.

    `mismatch` is the largest difference, over all windows and connections, between the value an
    input had at a window's end and the value its source gave there, divided by the range
    that this input covered during the run. It falls with the window size; iterated methods
    press it below their tolerance. `weakest` names the connection where it was found.
    `estimates` says of each part that was estimated how far that can be trusted.
    `doubtful`: windows were accepted that did not converge or were beyond a tolerance, or
    a discrete value came a window late; where no error was estimated, also any of `hints`.
    `error` is the largest estimated error of all recorded signals, as a share of the signal's
    range, `errors` has those of all, `worst` and `worst_time` say where it was found and
    `verified_by` how; None, and `unverified` with the reason, where nothing was estimated. With
    an estimate, `doubtful` means that it is above `error_limit`, that the companion met other
    events, or that it had the `same_method`, a hint of kind `curvature` says that windows are too
    long for that to show the error, and five times of it are above; all else is a note then.
    `hints` are cheap warnings with their signal, share, time and remedy: they make a result
    doubtful where no error was estimated, and are notes where one was.
    `junctions` give how far ports that meet disagreed (`gap`) and how far the sliding function
    was from zero, `bonds` what coupling created (`created`) of all that `passed` there.
    """

    finished: bool
    converged: bool
    mismatch: float
    weakest: str | None
    weakest_time: float | None
    notes: tuple[str, ...] = ()
    estimates: Mapping[str, Estimates] = field(default_factory=dict)
    doubtful: bool = False
    weakest_at: str = ""  # the same time as the run's clock shows it
    junctions: tuple[Mapping[str, Any], ...] = ()
    bonds: tuple[Mapping[str, Any], ...] = ()
    error: float | None = None
    errors: Mapping[str, float] = field(default_factory=dict)
    worst: str | None = None
    worst_time: float | None = None
    verified_by: str = ""
    unverified: str = ""
    events: tuple[int, int] = (0, 0)  # met by the run and by its companion
    companion_evaluations: int = 0  # genuine advances of parts that the second run took
    hints: tuple[Hint, ...] = ()
    error_limit: float = 0.02  # of a range: an estimated error above is doubtful
    same_method: bool = False  # the companion differed in its windows or tolerances only

    @property
    def status(self) -> Status:
        """Trusted where an error was estimated and is small; doubtful; or not verified."""
        if self.doubtful:
            return "doubtful"
        return "not verified" if self.error is None else "trusted"

    def __str__(self) -> str:
        return harmless("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        title = f"Verdict: {self.status}"
        if not self.finished:
            title = "Verdict: the run did not reach its end"
        good = self.finished and not self.doubtful
        return card(title, *map(paragraph, self.lines()), good=good)

    def lines(self) -> list[str]:
        """One sentence per finding."""
        lines = [] if self.finished else ["The run did not reach its end."]
        lines += self._error()
        decides = self.error is None
        doubt = ": doubtful" if decides else ""
        if not self.converged:
            lines.append(f"Some windows were accepted without convergence{doubt}.")
        if self.weakest is not None:
            at = "" if self.weakest_time is None else f" at t = {self.weakest_time:g} s"
            at = f" at {self.weakest_at}" if self.weakest_at else at
            lines.append(
                f"Inputs and outputs disagreed by at most {self.mismatch:.2g} of an input's "
                f"range; the weakest connection is {self.weakest}{at}."
            )
        for part, found in self.estimates.items():
            used = ""
            if found.trusted < 1:
                share = f"{found.trusted:.0%}"
                used = f", by a learned model in {share} of the windows and else by its past,"
            lines.append(
                f"Estimates of '{part}'{used} missed its genuine steps by at most "
                f"{found.worst:.2g} of an output's range, {found.mean:.2g} on average."
            )
        lines += [hint.sentence(decides) for hint in self.hints]
        lines += [_gap(j) for j in self.junctions] + [_bond(b) for b in self.bonds]
        lines.extend(n if decides else n.replace(": doubtful", "") for n in self.notes)
        return lines

    def _error(self) -> list[str]:
        """The estimated error; or that there is none, and why, where that is known."""
        if self.error is None:
            return [f"Not verified: {self.unverified or 'no error was estimated'}."]
        at = "" if self.worst_time is None else f", worst at t = {self.worst_time:g} s"
        best = "" if len(self.errors) < 2 else "; no other signal is worse"
        doubt = ""
        if not self.error <= self.error_limit:
            limit, what = f"{100 * self.error_limit:g} %", "use shorter windows"
            doubt = f": doubtful, above {limit}; {what} or smaller tolerances, or iterate"
        found = [
            f"{self.worst} is right to about {share_of(self.error, 'its range')}{at}{best}{doubt}."
        ]
        if self.verified_by:
            found.append(f"Found by {self.verified_by}.")
        if self.events[0] != self.events[1]:
            mine, theirs = self.events
            met = f"The run met {mine} events, the second run {theirs}"
            found.append(f"{met}: doubtful; use shorter windows or smaller tolerances.")
        kinds = [hint.kind for hint in self.hints]
        if self.same_method and may_be_more(self.error, self.error_limit, kinds):
            what = "Inputs bend more than they can follow, and a second run with the same method"
            found.append(f"{what} may not see what that does: doubtful; use shorter windows.")
        return found


def may_be_more(error: float, limit: float, hints: Iterable[str]) -> bool:
    """Whether an error by the same method may be beyond a limit, for all that can be told.

    Where inputs bend more than they can follow no error falls with an order, and an estimate is
    trusted to a factor only: one below a fifth of the error is what one in a hundred may be.
    """
    return "curvature" in hints and not _BENT * error <= limit


def _gap(j: Mapping[str, Any]) -> str:
    index = ", ".join(str(k) for k in j["index"])
    return (
        f"At {j['name']} (index {index}) the ports disagreed by at most {j['gap']:.2g}, at "
        f"t = {j['when']:g} s, and by {j['last']:.2g} at the end."
    )


def _bond(b: Mapping[str, Any]) -> str:
    verb = "created" if b["created"] >= 0 else "lost"
    share = abs(b["created"]) / b["passed"] if b["passed"] > 0 else 0.0
    what, unit = abs(b["created"]), b["unit"]
    return f"Coupling {verb} {what:.2g} {unit} at {b['name']}, {share:.2g} of what passed there."
