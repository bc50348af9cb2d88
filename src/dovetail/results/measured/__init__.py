"""Measured data: columns over time from text and Excel files, as people have them."""

from .options import ReadingOptions
from .reading import MeasuredData, read_measured

__all__ = ["MeasuredData", "ReadingOptions", "read_measured"]
