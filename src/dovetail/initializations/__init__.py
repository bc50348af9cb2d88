"""Where a run starts."""

from .consistent import Consistent

__all__ = ["Consistent"]
