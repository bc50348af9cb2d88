"""What it means that CVODE could not go on."""

from __future__ import annotations

from math import ulp

from .base import IntegrationFailed, not_finite, too_many, too_small

REMEDY = "the equations may be singular there, or jump without a zero crossing"
ENDLESS = "the tolerances may be too tight for these equations, or their Jacobian wrong"
TOO_MUCH_WORK, _TOO_SMALL = -1, (-3, -4)  # statuses of CVODE
TOO_BAD = 1000  # evaluations that are not finite, in one run


def refused(status: int, time: float, bad: int, most: int) -> IntegrationFailed:
    """The error behind a status, after so many evaluations that were not finite."""
    if bad:
        return not_finite(time)
    if status == TOO_MUCH_WORK:
        return too_many(time, most, ENDLESS)
    if status in _TOO_SMALL:
        return too_small(time, 10 * ulp(time), REMEDY)
    from sksundae._cy_cvode import CVMESSAGES

    text = CVMESSAGES.get(status, f"status {status}.")
    return IntegrationFailed(time, f"CVODE reports: {text}", REMEDY)
