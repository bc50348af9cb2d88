"""The response of a linear part to inputs that are polynomials of time."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np

from ..core.signals import Vector
from ..subsystems.subsystem import Linearization
from .phi import phi_rows


@dataclass(frozen=True, slots=True, eq=False)
class Tensors:
    """What x' = A x + B u + f + s t, y = C x + D u makes of its causes after a time h.

    G for the coefficients of the inputs (output, input, power), P for the states at the start,
    R for the constant f, S for its time derivative s. V: in the outputs, D: in their derivatives.
    """

    GV: Vector
    PV: Vector
    RV: Vector
    SV: Vector
    GD: Vector
    PD: Vector
    RD: Vector
    SD: Vector


def exact_tensors(lin: Linearization, h: float, columns: int) -> Tensors:
    """By the phi-functions, to the last digits.

    The response to t^k is a convolution: integral of C e^{A (h - t)} B t^k = k! h^{k+1} C
    phi_{k+1}(hA) B. Its derivative by h is the response to k t^{k-1}, one phi-function lower. So
    all there is to compute are the rows C phi_k(hA), which do not know what they will meet:
    they stay as long as the linearization and the window's size do.
    """
    A, B, C, D = lin.A, lin.B, lin.C, lin.D
    rows = phi_rows(C, h * A, max(columns, 2))
    k = np.arange(columns)
    scale = np.array([factorial(j) * h**j for j in range(columns)])
    straight = D[:, :, None] * h**k
    sloped = D[:, :, None] * (k * h ** np.maximum(k - 1.0, 0.0))
    forced = np.stack([row @ B for row in rows[: columns + 1]], axis=2)  # by phi_0, phi_1, ...
    return Tensors(
        GV=h * scale * forced[:, :, 1:] + straight,
        PV=rows[0],
        RV=h * rows[1],
        SV=h * h * rows[2],
        GD=scale * forced[:, :, :-1] + sloped,
        PD=rows[0] @ A,
        RD=rows[0],
        SD=h * rows[1],
    )
