"""How strongly the parts of a cycle answer over a window: the matrix of its loop, and its gain."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..core.signals import Signals, Vector, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Linearizable, Restorable
from ..topology.component import Component

Response = Callable[[float], Vector]  # window size -> d outputs / d inputs

_MOST_STATES = 400  # beyond, exponentials would not be cheap


def response_of(
    live: Live, inputs: Signals, size: float | None, start: float
) -> tuple[Response | None, bool]:
    """What a part makes of its inputs, and whether that is known for every window."""
    part, able = live.subsystem, live.capabilities
    if able.can_linearize and isinstance(part, Linearizable):
        if not able.can_evaluate_now:  # linearize right after a step
            live.advance(Window.between(start, start + (size or 1e-3)), Waveform.hold(inputs))
        at = part.linearize()
        if at.A.shape[0] > _MOST_STATES:
            return None, False
        return _linear(at), True
    if able.can_restore and isinstance(part, Restorable) and size is not None:
        return _tried(live, inputs, size, start), False
    return None, False


def _linear(at: Any) -> Response:
    """C int e^(A s) ds B + D over a window."""
    from scipy.linalg import expm

    n, k = at.A.shape[0], at.B.shape[1]

    def response(window: float) -> Vector:
        if window == 0 or not n:
            direct: Vector = at.D
            return direct
        whole = np.zeros((n + k, n + k))
        whole[:n, :n], whole[:n, n:] = at.A * window, at.B * window
        moved: Vector = at.C @ expm(whole)[:n, n:] + at.D
        return moved

    return response


def _tried(live: Live, inputs: Signals, size: float, start: float) -> Response:
    """The outputs after a window with one input at a time moved a little."""
    window, before = Window.between(start, start + size), live.snapshot()

    def after(reals: Vector) -> Vector:
        live.restore(before)
        held = Waveform.hold(Signals(reals, None, inputs.discrete))
        return live.advance(window, held).outputs.reals

    base = after(inputs.reals)
    columns = np.zeros((base.size, inputs.reals.size))
    for k, value in enumerate(inputs.reals.tolist()):
        moved = inputs.reals.copy()
        moved[k] += 1e-4 * max(abs(value), 1.0)
        columns[:, k] = (after(moved) - base) / (moved[k] - value)
    live.restore(before)
    return lambda _: columns


def loop_matrix(
    assembly: Assembly, component: Component, responses: dict[int, Response], window: float
) -> Vector:
    """d target / d target over one window, through the parts between them."""
    n = component.targets.size
    matrix = np.zeros((n, n))
    for i, (rows, local) in zip(component.parts, component.rows, strict=True):
        G, span = responses[i](window), assembly.outputs_of[i].reals
        fed = np.flatnonzero((component.sources >= span.start) & (component.sources < span.stop))
        for b in fed.tolist():
            matrix[b, rows] = component.gains[b] * G[component.sources[b] - span.start, local]
    return matrix


def radius(matrix: Vector) -> float:
    """The largest size of an eigenvalue."""
    if not np.isfinite(matrix).all():
        return inf
    return float(np.max(np.abs(np.linalg.eigvals(matrix)), initial=0.0))


def balanced(matrix: Vector) -> Vector:
    """Without the units of the inputs, as far as scaling can take them out."""
    from scipy.linalg import matrix_balance

    balanced: Vector = matrix_balance(matrix, permute=False)[0]
    return balanced


def largest_window(loop: Callable[[float], Vector], most: float) -> float:
    """The largest window up to which the loop gain stays below this."""
    sizes = np.logspace(-6, 4, 41)
    below = 0.0
    for size in sizes.tolist():
        if radius(loop(size)) > most:
            if below == 0:
                return 0.0
            low, high = below, size
            for _ in range(20):
                middle = (low * high) ** 0.5
                low, high = (middle, high) if radius(loop(middle)) <= most else (low, middle)
            return low
        below = size
    return inf
