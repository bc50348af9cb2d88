"""Where a run starts."""

from ..core.options import worded
from .consistent import Consistent

__all__ = ["Consistent"]

worded(Consistent)
