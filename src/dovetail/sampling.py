"""Inputs that a part cannot follow, cut into pieces that it can."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .signals import Waveform
from .window import Window


def pieces(
    window: Window, inputs: Waveform, count: int, order: int | None
) -> Iterator[tuple[Window, Waveform]]:
    """Parts of a window, and the inputs over them in a form of low order.

    Held inputs have the mean of the polynomial over their piece, lines its values at both ends:
    what is lost is of second order in the size of a piece.
    """
    if order is None or order >= inputs.order:
        yield window, inputs
        return
    size = window.size / count
    for k in range(count):
        start = window.start + k * size
        stop = window.stop if k == count - 1 else window.start + (k + 1) * size
        begin, end = inputs.reals(k * size), inputs.reals((k + 1) * size)
        if order:
            coefficients = np.column_stack([begin, (end - begin) / size])
        else:
            moved = inputs.restarted(k * size).coefficients
            powers = size ** np.arange(moved.shape[1]) / np.arange(1, moved.shape[1] + 1)
            coefficients = (moved @ powers)[:, None]
        yield Window(start, size, stop), Waveform(coefficients, inputs.discrete)
