"""How all runs of a fit or of differences are made: decided once, so that values alone differ."""

from __future__ import annotations

from dataclasses import replace

from ..check.planner import Planner
from ..drawing.run_settings import RunSettings
from ..drawing.system import System


def decided(system: System, given: RunSettings) -> RunSettings:
    """The settings with what was left open, as `check` recommends it."""
    asked = given.over(system.run_settings)
    if asked.algorithm is not None and asked.controller is not None:
        return asked
    assert asked.stop is not None, "checked before"
    span = asked.stop - (asked.start or 0.0)
    planned = Planner(system, asked.estimators).plan(span, asked.algorithm, asked.controller)
    return replace(asked, algorithm=planned.algorithm, controller=planned.controller)
