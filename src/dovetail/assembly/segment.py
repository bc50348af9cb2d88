"""Where a run stands, and what one window made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.signals import Signals
from ..core.window import Window
from ..estimators.forecast import Assessment
from ..junctions.coordination import Coordination
from .trial import Trial


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Where a run stands, subsystems apart. A value: rolling back is to use the older one."""

    time: float
    outputs: Signals
    coordination: Coordination
    state: Any = None  # of the algorithm
    control: Any = None  # of the controller


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """One window of a branch. `outputs` are those at its end, left of an event there.

    `ticks` are the outputs right of it while clocks tick, if any did. `opening`: outputs right
    of an event that happened before the window could start.
    """

    window: Window
    before: Position
    after: Position
    outputs: Signals
    trial: Trial
    event: bool = False
    ticks: Signals | None = None
    opening: Signals | None = None
    found_by: tuple[str, ...] = ()  # parts whose event ended it
    late: bool = False  # inputs that are held have thrown it: it may have been anywhere inside
    assessments: Mapping[int, Assessment] = field(default_factory=dict)  # of forecasts, by part
