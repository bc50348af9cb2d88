"""Made by tests/public_stub.py from the table in __init__.py; do not edit."""

from . import extend, integrators, rootfinders, studies, timescales, units
from .algorithms import GaussSeidel, Ifosmondi, Iterative, Jacobi, Missiles, Newton
from .assembly.consistent import Consistent
from .controllers import (
    Adaptive,
    Constraints,
    Defect,
    Energy,
    ErrorCheck,
    FixedStep,
    InputDefect,
    StepDoubling,
)
from .core.calendar import Calendar
from .core.description import Port, Variable
from .core.errors import (
    CannotRollBack,
    CapabilityError,
    DovetailError,
    DrawingError,
    EndlessEvents,
    FileError,
    InputError,
    Interrupted,
    JunctionFailed,
    ModelError,
    OptionError,
    PartFailed,
    RecordingFailed,
    RunError,
    StartFailed,
    StepFailed,
)
from .core.statistics import Statistics
from .drawing.system import System
from .entry.simulate import simulate
from .entry.verify import verify
from .estimators import Costarica, Direct, Identified, Rollback
from .exporting import ExportedClass, ExportRefused, export, export_class, field
from .fmi.model import Fmu
from .formats import load
from .formats import open as open
from .hosts import HostFailed, Isolated, LocalHost
from .junctions import IteratedJunction, PartCoordinator, SlidingMode
from .machines import Cluster, RemoteHost, parts
from .models import (
    Algebraic,
    Clock,
    Coordinator,
    Discrete,
    Dynamic,
    Merged,
    Nested,
    Source,
    Table,
    merge,
    split,
)
from .observe.live.plot import LivePlot
from .results.comparison import Comparison, compare
from .results.pictures.overlay import plot
from .results.reading import read
from .results.recorders import File, Memory, Parquet, Sampling, Thinning
from .results.result import Result
from .results.verdict import Verdict
from .run.session import Session
from .studies.benchmark import benchmark
from .studies.calibrate import calibrate
from .studies.sensitivity import sensitivity
from .studies.sweep import sweep
from .timescales.analysis import Analysis, analyze

__version__: str

# names of 0.1, until 0.3
CannotGoBack = CannotRollBack
Checked = ErrorCheck
Iterated = IteratedJunction
Sampled = Sampling
Thinned = Thinning
structure = timescales

__all__ = [
    "Adaptive",
    "Algebraic",
    "Analysis",
    "Calendar",
    "CannotRollBack",
    "CapabilityError",
    "Clock",
    "Cluster",
    "Comparison",
    "Consistent",
    "Constraints",
    "Coordinator",
    "Costarica",
    "Defect",
    "Direct",
    "Discrete",
    "DovetailError",
    "DrawingError",
    "Dynamic",
    "EndlessEvents",
    "Energy",
    "ErrorCheck",
    "ExportRefused",
    "ExportedClass",
    "File",
    "FileError",
    "FixedStep",
    "Fmu",
    "GaussSeidel",
    "HostFailed",
    "Identified",
    "Ifosmondi",
    "InputDefect",
    "InputError",
    "Interrupted",
    "Isolated",
    "IteratedJunction",
    "Iterative",
    "Jacobi",
    "JunctionFailed",
    "LivePlot",
    "LocalHost",
    "Memory",
    "Merged",
    "Missiles",
    "ModelError",
    "Nested",
    "Newton",
    "OptionError",
    "Parquet",
    "PartCoordinator",
    "PartFailed",
    "Port",
    "RecordingFailed",
    "RemoteHost",
    "Result",
    "Rollback",
    "RunError",
    "Sampling",
    "Session",
    "SlidingMode",
    "Source",
    "StartFailed",
    "Statistics",
    "StepDoubling",
    "StepFailed",
    "System",
    "Table",
    "Thinning",
    "Variable",
    "Verdict",
    "analyze",
    "benchmark",
    "calibrate",
    "compare",
    "export",
    "export_class",
    "extend",
    "field",
    "integrators",
    "load",
    "merge",
    "parts",
    "plot",
    "read",
    "rootfinders",
    "sensitivity",
    "simulate",
    "split",
    "studies",
    "sweep",
    "timescales",
    "units",
    "verify",
]
