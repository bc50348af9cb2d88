"""What polynomials miss of inputs inside a window, though they are right at its ends."""

from __future__ import annotations

from ..assembly.segment import Segment
from ..core.signals import Vector, Waveform


def bend(segment: Segment, before: Waveform, size: float) -> tuple[Vector, Vector]:
    """What polynomials of this order cannot follow of the inputs, and what these are.

    The last window's, extended to the end of this one, miss by (h + g)^2 h^2 / 24 times the
    fourth derivative for cubics; between its own ends the cubic of this one by h^4 / 384.
    Parabolas go through three values: h (h + g) (h + 2 g) / 6 and h^2 (h + 2 g) / 48 of the third.
    """
    h, g, order = segment.window.size, size, segment.trial.inputs.order
    end = segment.trial.inputs.reals(h)
    off: Vector = before.reals(g + h) - end
    if order == 3:
        off = off * h**2 / (16 * (h + g) ** 2)
    elif order == 2:
        off = off * h * (h / 2 + g) / (4 * (h + g) * (h + 2 * g))
    elif order == 1:
        off = off * h / (4 * (h + g))
    return off, end
