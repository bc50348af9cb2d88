"""What is kept of a run: in memory, or on disk as it runs."""

from ...core.options import worded
from .base import Column, RecordedTable, Recorder, Recording
from .file import File
from .memory import Memory
from .parquet import Parquet
from .sampled import Sampled
from .thinned import Thinned

__all__ = [
    "Column",
    "File",
    "Memory",
    "Parquet",
    "RecordedTable",
    "Recorder",
    "Recording",
    "Sampled",
    "Thinned",
]

worded(File, Memory, Parquet, Sampled, Thinned)
