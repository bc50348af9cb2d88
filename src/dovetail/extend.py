"""The door for extensions: what an algorithm, a controller, a root finder, an estimator, a part or
a recorder of your own needs, and nothing else.

    from dovetail.extend import Attempt, Trial, Waveform

What is here stays from version 0.2 on; what lies behind it may move. Each name is explained where
it is at home. Not classes but types: `Vector` (an array of doubles), `Discrete` (bool, int, str or
bytes), `Shape` ("hold", "ramp" or "hermite"), `Values` (by name), `Branch` (windows one after
another), `Decision` (Accept, Retry or GiveUp), `Residual` and `Jacobian` (functions of a Vector).
"""

from .algorithms.base import Algorithm, Schedule, SupportsOrderOfParts
from .assembly.attempt import Attempt
from .assembly.draft import Draft, Proposal
from .assembly.native_decision import SupportsNativeWindows
from .assembly.segment import Position, Segment
from .assembly.trial import Trial
from .controllers.base import (
    Accept,
    Bindable,
    Branch,
    Controller,
    Decision,
    GiveUp,
    Retry,
    SupportsChoosing,
    SupportsLimits,
    SupportsOrder,
    SupportsRemarks,
    SupportsTolerances,
    SupportsVarying,
    SupportsWatching,
)
from .core.description import Capabilities, Description, Kind, Port, Variable
from .core.obstacle import Obstacle
from .core.seconds import Seconds
from .core.signals import Discrete, Shape, Signals, Span, Tolerance, Vector, Waveform
from .core.values import Values
from .core.window import Grid, Window
from .estimators.base import Estimator, Rehearsal, SupportsForecast, SupportsSubsteps
from .estimators.choice import SolvesJunctions, SupportsInputsKnownAhead
from .estimators.forecast import Assessment, Forecast, ForecastRehearsal
from .estimators.response import Motion, Response
from .junctions.coordination import Coordination
from .results.recorders.base import (
    Column,
    RecordedTable,
    Recorder,
    Recording,
    SupportsIntermediate,
    SupportsLending,
    TakesRows,
)
from .rootfinders.base import Jacobian, Residual, Root, RootFinder, differences
from .rootfinders.convergence import ConvergenceTest, Gauge
from .rootfinders.elimination import Sparse
from .subsystems.iteration import Iteration
from .subsystems.live import Live
from .subsystems.subsystem import (
    Adaptable,
    Equations,
    EventDriven,
    Linearizable,
    Linearization,
    Model,
    Placeable,
    Reached,
    Relinearizable,
    Restorable,
    Serializable,
    Subsystem,
    SupportsEventTimes,
    SupportsEventUpdate,
    SupportsLateOutputs,
    SupportsManyOutputs,
    SupportsRollbackCheck,
    SupportsSwitching,
    Tunable,
)
from .topology.component import Component
from .topology.components import Structure

__all__ = [  # noqa: RUF022  # in groups
    # values, for all of them
    "Discrete",
    "Grid",
    "Shape",
    "Signals",
    "Span",
    "Tolerance",
    "Vector",
    "Waveform",
    "Window",
    # algorithms
    "Algorithm",
    "Attempt",
    "Component",
    "Draft",
    "Coordination",
    "Iteration",
    "Obstacle",
    "Proposal",
    "Schedule",
    "SolvesJunctions",
    "Structure",
    "SupportsInputsKnownAhead",
    "SupportsOrderOfParts",
    "Trial",
    # controllers
    "Accept",
    "Bindable",
    "Branch",
    "Controller",
    "Decision",
    "GiveUp",
    "Position",
    "Retry",
    "Seconds",
    "Segment",
    "SupportsChoosing",
    "SupportsLimits",
    "SupportsNativeWindows",
    "SupportsOrder",
    "SupportsRemarks",
    "SupportsTolerances",
    "SupportsVarying",
    "SupportsWatching",
    # root finders
    "ConvergenceTest",
    "Gauge",
    "Jacobian",
    "Residual",
    "Root",
    "RootFinder",
    "Sparse",
    "differences",
    # estimators
    "Assessment",
    "Estimator",
    "Forecast",
    "ForecastRehearsal",
    "Live",
    "Motion",
    "Rehearsal",
    "Response",
    "SupportsForecast",
    "SupportsSubsteps",
    # parts
    "Adaptable",
    "Capabilities",
    "Description",
    "Equations",
    "EventDriven",
    "Kind",
    "Linearizable",
    "Linearization",
    "Model",
    "Placeable",
    "Port",
    "Reached",
    "Relinearizable",
    "Restorable",
    "Serializable",
    "Subsystem",
    "SupportsEventTimes",
    "SupportsEventUpdate",
    "SupportsLateOutputs",
    "SupportsManyOutputs",
    "SupportsRollbackCheck",
    "SupportsSwitching",
    "Tunable",
    "Values",
    "Variable",
    # recorders
    "Column",
    "RecordedTable",
    "Recorder",
    "Recording",
    "TakesRows",
    "SupportsIntermediate",
    "SupportsLending",
]
