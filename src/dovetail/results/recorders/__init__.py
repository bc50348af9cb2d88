"""What is kept of a run: in memory, or on disk as it runs."""

from ...core.options import worded
from .base import Column, RecordedTable, Recorder, Recording
from .file import File
from .memory import Memory
from .parquet import Parquet
from .sampling import Sampling
from .thinning import Thinning

__all__ = [
    "Column",
    "File",
    "Memory",
    "Parquet",
    "RecordedTable",
    "Recorder",
    "Recording",
    "Sampling",
    "Thinning",
]

worded(File, Memory, Parquet, Sampling, Thinning)
