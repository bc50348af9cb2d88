"""Model descriptions of FMI 1, 2 and 3, read into one form."""

from ...xml.report import Leniency
from .conversion import to_description, to_variable
from .definitions import DisplayUnit, Item, TypeDefinition
from .fmu import Experiment, FmuDescription, Structure, Unknown
from .interface import Interface, Tool
from .reading import read
from .terminal import Member, Stream, Terminal
from .variable import Alias, Dimension, FmuVariable, Timing

__all__ = [
    "Alias", "Dimension", "DisplayUnit", "Experiment", "FmuDescription", "FmuVariable",
    "Interface", "Item", "Leniency", "Member", "Stream", "Structure", "Terminal", "Timing",
    "Tool", "TypeDefinition", "Unknown", "read", "to_description", "to_variable",
]  # fmt: skip
