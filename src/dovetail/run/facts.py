"""What a result keeps of how its run was made."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..core.brief import brief
from ..core.statistics import Statistics
from .terms import Terms


def run_facts(
    terms: Terms, times: tuple[float, float, float], statistics: Statistics
) -> dict[str, Any]:
    """Terms and cost as JSON values; `times` are start, stop, and what was reached."""
    start, stop, reached = times
    return {
        "system": terms.system.name,
        "start": start,
        "stop": stop,
        "reached": reached,
        "algorithm": repr(terms.algorithm),
        "controller": repr(terms.controller),
        "coupling": [brief(terms.algorithm), brief(terms.controller)],  # for people
        "statistics": asdict(statistics),
    }
