"""Made by tests/public_stub.py from the table in __init__.py; do not edit."""

from . import extend, integrators, rootfinders, timescales, units
from .algorithms import GaussSeidel, Ifosmondi, Iterative, Jacobi, Missiles, Newton
from .assembly.consistent import Consistent
from .controllers import Adaptive, Defect, Energy, ErrorCheck, FixedStep, InputDefect, StepDoubling
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
from .fmi.model import Fmu
from .formats import load
from .formats import open as open
from .junctions import IteratedJunction, SlidingMode
from .models import Algebraic, Clock, Discrete, Dynamic, Merged, Nested, Source, Table, merge, split
from .observe.live.plot import LivePlot
from .results.comparison import Comparison, compare
from .results.pictures.overlay import plot
from .results.reading import read
from .results.recorders import File, Memory, Parquet, Sampling, Thinning
from .results.result import Result
from .results.verdict import Verdict
from .run.session import Session
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
    "Comparison",
    "Consistent",
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
    "File",
    "FileError",
    "FixedStep",
    "Fmu",
    "GaussSeidel",
    "Identified",
    "Ifosmondi",
    "InputDefect",
    "InputError",
    "Interrupted",
    "IteratedJunction",
    "Iterative",
    "Jacobi",
    "JunctionFailed",
    "LivePlot",
    "Memory",
    "Merged",
    "Missiles",
    "ModelError",
    "Nested",
    "Newton",
    "OptionError",
    "Parquet",
    "PartFailed",
    "Port",
    "RecordingFailed",
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
    "compare",
    "extend",
    "integrators",
    "load",
    "merge",
    "plot",
    "read",
    "rootfinders",
    "simulate",
    "split",
    "timescales",
    "units",
    "verify",
]
