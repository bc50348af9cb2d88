"""Inputs that a part cannot follow, cut into substeps that it can."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.signals import Vector, Waveform
from ..core.window import Window


def substeps(
    window: Window, inputs: Waveform, count: int, order: int | None
) -> Iterator[tuple[Window, Waveform]]:
    """Parts of a window, and the inputs over them in a form of low order.

    Lines have the polynomial's values at both ends of their substep, held inputs its mean over it,
    but the last substep the value at the window's end: what is lost is of second order in the size
    of a substep.

    Native twin: `native/cubic.c`, of cubics that are held.
    """
    if order is None or order >= inputs.order:
        yield window, inputs
        return
    size = window.size / count
    held = np.zeros((0, 0)) if order else _held(inputs, count, size)
    for k in range(count):
        start = window.start + k * size
        stop = window.stop if k == count - 1 else window.start + (k + 1) * size
        if order:
            begin, end = inputs.reals(k * size), inputs.reals((k + 1) * size)
            coefficients = np.column_stack([begin, (end - begin) / size])
        else:
            coefficients = held[:, k : k + 1]
        yield Window(start, size, stop), Waveform(coefficients, inputs.discrete)


def _held(inputs: Waveform, count: int, size: float) -> Vector:
    """What inputs are held at, one column per substep.

    An output with direct feedthrough shows what the last substep held. With a mean it would
    be late by half a substep, which is an error of first order. So the last substep holds the end
    value, and the one before makes up for it: the integral of the input stays what it is.
    """
    a = inputs.coefficients
    edges = size * np.arange(count + 1)
    parts = a[:, 1:] / np.arange(2, a.shape[1] + 1)
    curved = parts[:, -1:]  # the integral of what moves, up to each edge
    for k in range(parts.shape[1] - 2, -1, -1):
        curved = curved * edges + parts[:, k : k + 1]
    means: Vector = a[:, :1] + np.diff(curved * edges * edges, axis=1) / size
    if count > 1:
        end = inputs.reals(count * size)
        means[:, -2] += means[:, -1] - end
        means[:, -1] = end
    return means
