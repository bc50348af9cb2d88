"""What a result keeps of how its run was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..controllers import chooses
from ..core.brief import brief
from ..core.calendar import Calendar
from ..core.change import Change
from ..core.statistics import Statistics
from ..results.between_rows import CURVE
from .terms import Terms


def run_facts(
    terms: Terms,
    times: tuple[float, float, float],
    calendar: Calendar,
    statistics: Statistics,
    changes: Sequence[Change],
) -> dict[str, Any]:
    """Terms, cost and changes as JSON values; `times` are start, stop, and what was reached."""
    start, stop, reached = times
    return {
        "system": terms.system.name,
        "start": start,
        "stop": stop,
        "reached": reached,
        "algorithm": repr(terms.algorithm),
        "controller": repr(terms.controller),
        "coupling": [brief(terms.algorithm), brief(terms.controller)],  # for people
        **({"between_rows": CURVE} if chooses(terms.controller) else {}),
        "statistics": asdict(statistics),
        "calendar": asdict(calendar),
        **({"changes": [asdict(c) for c in changes]} if changes else {}),
    }
