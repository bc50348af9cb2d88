"""Python models as subsystems."""

from .algebraic import Algebraic
from .discrete import Discrete
from .dynamic import Dynamic
from .nested import Nested
from .source import Source
from .table import Table

__all__ = ["Algebraic", "Discrete", "Dynamic", "Nested", "Source", "Table"]
