"""Where a run starts."""

from ..given import worded
from .consistent import Consistent

__all__ = ["Consistent"]

worded(Consistent)
