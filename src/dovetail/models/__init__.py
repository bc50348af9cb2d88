"""Python models as subsystems."""

from ..core.options import worded
from .algebraic import Algebraic
from .clock import Clock
from .coordinator import Coordinator
from .discrete import Discrete
from .dynamic import Dynamic
from .merged import Merged, merge
from .nested import Nested
from .source import Source
from .splitting import split
from .table import Table

__all__ = [
    "Algebraic",
    "Clock",
    "Coordinator",
    "Discrete",
    "Dynamic",
    "Merged",
    "Nested",
    "Source",
    "Table",
    "merge",
    "split",
]

worded(Algebraic, Clock, Coordinator, Discrete, Dynamic, Nested, Source, Table)
