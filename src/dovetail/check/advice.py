"""Advice on windows, order and iteration, from how strongly the parts of a system answer.

The interface of a system as a graph: from one coupled input to the next, through the part between
them, with what a change that is held over a window makes of the outputs at its end. From the
linearization of parts that have one, else by trying out parts that can roll back. Taken at the
start values: a hint, not a promise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import inf

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.consistent import Consistent
from ..core.errors import DovetailError
from ..core.signals import Signals, Vector
from ..drawing.system import System
from ..topology.component import Component
from .held_inputs import HeldInputs, LinearLoop
from .loop_gain import Response, balanced, largest_window, loop_matrix, radius, response_of

GENTLE, STRONG = 0.1, 0.5  # loop gains below and above which iterating is not, or is, worth it
_MOST_INPUTS = 200  # beyond, advice would not be cheap
_PARTS = 6  # of which all orders are tried
_RATHER = 1e-6

_UNKNOWN = (
    "can neither be linearized nor roll back, so its response is not known before a run; "
    "compare a run with one of half the windows"
)
_UNSIZED = (
    "cannot be linearized, and trying it out takes a window; give the run a controller with a size"
)


@dataclass(frozen=True)
class Advice:
    """What is worth knowing of the parts of one cycle; `None` where it is not known.

    `gain`: the loop gain over a window of `size`, the factor by which plain iteration shrinks an
    error. `window`: the largest window with a loop gain of one half. `worth`: connections
    without which the gain would be much smaller. `order`: of the parts in a Gauss-Seidel pass.
    `held`: what held inputs would miss, where shorter windows do not help.
    """

    parts: tuple[str, ...]
    size: float | None
    gain: float | None
    instant: float | None
    window: float | None
    worth: tuple[str, ...]
    order: tuple[str, ...]
    reason: str = ""
    held: HeldInputs | None = None

    def lines(self) -> list[str]:
        """The advice as lines of text."""
        names = ", ".join(self.parts)
        if self.reason:
            return [f"  {names}: {self.reason}"]
        found = []
        if self.gain is not None and self.size is not None:
            then = _verdict(self.gain) if self.held is None else "but the loop is stiff"
            found.append(f"  {names}: loop gain {self.gain:.3g} over {self.size:g} s; {then}")
        else:
            found.append(f"  {names}:")
        if self.held is not None:
            found += _stiff(self.held)
        if self.instant is not None and self.instant > _RATHER:
            found.append(f"    an algebraic loop with gain {self.instant:.3g}, whatever the window")
        if self.window is not None and 0 < self.window < inf:
            found.append(f"    windows up to {self.window:.2g} s keep the gain below {STRONG:g}")
        if self.worth:
            found.append(f"    most of it comes from {', '.join(self.worth)}")
        if len(self.order) > 1:
            found.append(f"    the best order of a Gauss-Seidel pass: {', '.join(self.order)}")
        return found


def advise(system: System, size: float | None = None, start: float = 0.0) -> list[Advice]:
    """Advice for every cycle of a system, for windows of this size."""
    assembly = Assembly.of(system)
    try:
        values = {p.name: dict(p.values) for p in system.parts.values()}
        assembly.initialize(start, values, derivatives=False)
        position = Consistent().position(assembly, start, size or 1.0, derivatives=False)
        assembly.begin()
        found = list[Advice]()
        if assembly.coordinator.has_unknowns:
            return found  # what joins parts at junctions is solved inside the window anyway
        for component in assembly.structure.components:
            if component.cyclic and component.targets.size:
                found.append(_advised(assembly, component, position.outputs, size, start))
        return found
    finally:
        assembly.close()


def advice_lines(system: System, size: float | None = None) -> list[str]:
    """The same as lines, to be read before a run."""
    try:
        return shown(advise(system, size))
    except DovetailError as error:
        return [f"No advice: {error}"]


def shown(advice: Sequence[Advice]) -> list[str]:
    """Advice as lines; none where there is none."""
    if not advice:
        return []
    title = "Advice, from the start values and no promise:"
    return [title, *(line for one in advice for line in one.lines())]


def _stiff(held: HeldInputs) -> list[str]:
    """What held inputs would do to a stiff loop, and what to do instead."""
    return [
        f"    held inputs miss {held.missed:.0%} of {held.output} in a window, and no less in "
        "shorter ones,",
        f"    until these resolve {held.time_constant:.2g} s: iterate or extrapolate, with "
        'inputs="ramp" or extrapolation=1',
    ]


def _verdict(gain: float) -> str:
    if gain <= GENTLE:
        return "one pass per window is enough"
    if gain < 1:
        return "iterating pays" if gain >= STRONG else "iterate if accuracy matters"
    return "plain iteration diverges: take smaller windows, or Newton"


def _advised(
    assembly: Assembly, component: Component, outputs: Signals, size: float | None, start: float
) -> Advice:
    names = tuple(assembly.subsystems[i].name for i in component.parts)
    blank = Advice(names, size, None, None, None, (), ())
    if component.targets.size > _MOST_INPUTS:
        return replace(blank, reason="too many connections for cheap advice")
    inputs = assembly.coordinator.inputs(outputs, assembly.coordinator.start())
    responses: dict[int, Response] = {}
    anywhere = True  # whether responses are known for every window size
    for i in component.parts:
        live, here = assembly.subsystems[i], inputs[assembly.inputs_of[i]]
        response, general = response_of(live, here, size, start)
        if response is None:
            return replace(blank, reason=f"'{live.name}' {_UNKNOWN if size else _UNSIZED}")
        responses[i], anywhere = response, anywhere and general

    def loop(window: float) -> Vector:
        return loop_matrix(assembly, component, responses, window)

    gain = None if size is None else radius(loop(size))
    instant = radius(loop(0.0)) if anywhere else None
    linear = LinearLoop.of(assembly, component) if anywhere and size is not None else None
    matrix = balanced(loop(size if size is not None else _unit(loop)))
    return Advice(
        names,
        size,
        gain,
        instant,
        largest_window(loop, STRONG) if anywhere else None,
        _worth(assembly, component, matrix),
        _order(assembly, component, matrix),
        held=None if linear is None or size is None else linear.missed(size),
    )


def _unit(loop: Callable[[float], Vector]) -> float:
    """A window to look at where none is given: the largest gentle one."""
    found = largest_window(loop, STRONG)
    return found if 0 < found < inf else 1.0


def _worth(assembly: Assembly, component: Component, matrix: Vector) -> tuple[str, ...]:
    """Connections without which the loop gain would be less than half."""
    whole = radius(matrix)
    if whole <= _RATHER or component.targets.size < 2:
        return ()
    names = assembly.structure.layout
    found = []
    for b in range(component.targets.size):
        without = matrix.copy()
        without[b] = 0.0
        if radius(without) < 0.5 * whole:
            source = names.outputs.reals[component.sources[b]]
            found.append(f"{source} -> {names.inputs.reals[component.targets[b]]}")
    return tuple(found) if len(found) < component.targets.size else ()


def _order(assembly: Assembly, component: Component, matrix: Vector) -> tuple[str, ...]:
    """The order in which least is passed backwards, to parts that had their turn already."""
    count = len(component.parts)
    strength = np.zeros((count, count))  # how much of what p passes on goes to q
    owner = np.zeros(component.targets.size, dtype=np.intp)
    for q, (rows, _) in enumerate(component.rows):
        owner[rows] = q
    for p, (rows, _) in enumerate(component.rows):
        for q in range(count):
            if p != q:
                strength[p, q] = np.abs(matrix[owner == q][:, rows]).sum()
    if count <= _PARTS:
        orders: Sequence[tuple[int, ...]] = list(permutations(range(count)))
    else:  # parts that pass on more than they take come first
        ranked = np.argsort(strength.sum(axis=0) - strength.sum(axis=1), kind="stable")
        orders = [tuple(range(count)), tuple(int(k) for k in ranked)]

    def lagged(order: tuple[int, ...]) -> float:
        turn = np.argsort(order)
        return float(strength[turn[:, None] > turn[None, :]].sum())

    best = min(orders, key=lambda order: (round(lagged(order), 12), order))
    return tuple(assembly.subsystems[component.parts[k]].name for k in best)
