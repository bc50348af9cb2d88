"""How far a result can be believed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a result can be believed, in a form that can be read aloud.

    `mismatch` is the largest difference, over all windows and connections, between the value an
    input had at a window's end and the value its source gave there, divided by the range
    that this input covered during the run. It falls with the window size; iterated methods
    press it below their tolerance. `weakest` names the connection where it was found.
    """

    finished: bool
    converged: bool
    mismatch: float
    weakest: str | None
    weakest_time: float | None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """One sentence per finding."""
        lines = [] if self.finished else ["The run did not reach its end."]
        if not self.converged:
            lines.append("Some windows were accepted without convergence: doubtful.")
        if self.weakest is not None:
            at = "" if self.weakest_time is None else f" at t = {self.weakest_time:g} s"
            lines.append(
                f"Inputs and outputs disagreed by at most {self.mismatch:.2g} of an input's "
                f"range; the weakest connection is {self.weakest}{at}."
            )
        lines.extend(self.notes)
        return lines or ["Nothing to object."]
