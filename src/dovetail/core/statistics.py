"""What a run has cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from .markup import card, folded, table


@dataclass(slots=True)
class Effort:
    """What the integrator of a part spent, in one run or in all.

    `evaluations` of the rates of change do not include those that a Jacobian by differences
    took: they are `jacobian_evaluations`. `stiff_steps` are explicit ones that stability kept
    short; `switches` are changes between an explicit and an implicit method.
    """

    steps: int = 0
    evaluations: int = 0
    jacobians: int = 0
    jacobian_evaluations: int = 0
    newton_iterations: int = 0
    factorizations: int = 0
    stiff_steps: int = 0
    switches: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.steps + other.steps,
            self.evaluations + other.evaluations,
            self.jacobians + other.jacobians,
            self.jacobian_evaluations + other.jacobian_evaluations,
            self.newton_iterations + other.newton_iterations,
            self.factorizations + other.factorizations,
            self.stiff_steps + other.stiff_steps,
            self.switches + other.switches,
        )


@dataclass(slots=True)
class Statistics:
    """What a run has cost so far.

    `native_windows`: those of the windows that native code made without Python between them.
    Evaluations are genuine advances of a part. Iterations are passes over a component, rejected
    windows and those run only to compare included. `beyond_by_part`: steps of parts that cannot
    roll back which went beyond an event that another part found. `beyond_tolerance` counts
    windows that were accepted although a controller found their error too large.
    `noise_floor_reached`: windows whose iteration came down to the noise of the parts and not to
    its tolerance; `noise_floor` the largest relative tolerance it was accepted at instead.
    `restarts_by_host`: how often the process of a host had to be started again.
    `unsolved_junctions`: windows after which a junction was left without a solution.
    """

    windows: int = 0
    native_windows: int = 0
    evaluations: int = 0
    iterations: int = 0
    iteration_limit_reached: int = 0
    noise_floor_reached: int = 0
    noise_floor: float = 0.0
    rejected_by_convergence: int = 0
    rejected_by_error: int = 0
    beyond_tolerance: int = 0
    events: int = 0
    unsolved_junctions: int = 0
    wall_seconds: float = 0.0
    evaluations_by_part: dict[str, int] = field(default_factory=dict)
    seconds_by_part: dict[str, float] = field(default_factory=dict)
    effort_by_part: dict[str, Effort] = field(default_factory=dict)  # of integrators inside
    beyond_by_part: dict[str, int] = field(default_factory=dict)
    restarts_by_host: dict[str, int] = field(default_factory=dict)

    def count_floor(self, floor: float) -> None:
        """One more window whose iteration ended at noise; 0 where it did not."""
        if floor:
            self.noise_floor_reached += 1
            self.noise_floor = max(self.noise_floor, floor)

    def _repr_html_(self) -> str:
        counts = {
            "windows": self.windows,
            "of them by native code": self.native_windows,
            "evaluations of parts": self.evaluations,
            "iterations": self.iterations,
            "windows that reached the iteration limit": self.iteration_limit_reached,
            "windows iterated down to the noise of parts": self.noise_floor_reached,
            "windows rejected for want of convergence": self.rejected_by_convergence,
            "windows rejected for their error": self.rejected_by_error,
            "windows accepted beyond the tolerance": self.beyond_tolerance,
            "windows with an unsolved junction": self.unsolved_junctions,
            "events": self.events,
        }
        rows = [(what, f"{n:,}") for k, (what, n) in enumerate(counts.items()) if n or k in (0, 2)]
        title = f"{self.windows:,} windows in {self.wall_seconds:.3g} s"
        shown = [table(("what", "count"), rows, numbers=(1,))]
        if self.evaluations_by_part:
            seconds = self.seconds_by_part
            parts = [
                (name, f"{count:,}", f"{seconds[name]:.3g} s" if name in seconds else "")
                for name, count in self.evaluations_by_part.items()
            ]
            heads = ("part", "evaluations", "time")
            shown.append(folded("part by part", table(heads, parts, numbers=(1, 2))))
        return card(title, *shown)
