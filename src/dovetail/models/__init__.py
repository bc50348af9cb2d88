"""Python models as subsystems."""

from .algebraic import Algebraic
from .clock import Clock
from .discrete import Discrete
from .dynamic import Dynamic
from .nested import Nested
from .source import Source
from .table import Table

__all__ = ["Algebraic", "Clock", "Discrete", "Dynamic", "Nested", "Source", "Table"]
