"""Many runs of one system: what is varied, and what comes out.

`dv.sweep` makes a study of distributions and lists; `dv.studies.open` finds one that was kept.
"""

from pathlib import Path

from .benchmarking.reference import NoReference
from .benchmarking.table import Benchmark
from .calibration_search import CalibrationFailed
from .dask_engine import ClusterFailed
from .distributions import Choice, Distribution, LogUniform, Normal, Uniform
from .evaluator import Evaluator
from .fit import Fit
from .interrupted import StudyInterrupted
from .measurement import Measurement
from .run_row import RunRow
from .sensitivities import LocalSensitivity, SobolSensitivity
from .sobol import SensitivityFailed
from .store import StudyNotWritten
from .study import Study

__all__ = [
    "Benchmark",
    "CalibrationFailed",
    "Choice",
    "ClusterFailed",
    "Distribution",
    "Evaluator",
    "Fit",
    "LocalSensitivity",
    "LogUniform",
    "Measurement",
    "NoReference",
    "Normal",
    "RunRow",
    "SensitivityFailed",
    "SobolSensitivity",
    "Study",
    "StudyInterrupted",
    "StudyNotWritten",
    "Uniform",
    "open",
]


def open(folder: str | Path) -> Study:
    """The study that `dv.sweep(..., store=folder)` has kept there."""
    return Study.opened(folder)
