"""Model descriptions of FMI 1, 2 and 3, read into one form."""

from ...xml.report import Leniency
from .conversion import to_description, to_variable
from .definitions import DisplayUnit, Item, TypeDefinition
from .fmu import Experiment, FmuDescription, ModelStructure, Unknown
from .interface import FmuInterface, Tool
from .reading import read
from .terminal import Stream, Terminal, TerminalMember
from .variable import Alias, Dimension, FmuVariable, Timing

__all__ = [
    "Alias",
    "Dimension",
    "DisplayUnit",
    "Experiment",
    "FmuDescription",
    "FmuInterface",
    "FmuVariable",
    "Item",
    "Leniency",
    "ModelStructure",
    "Stream",
    "Terminal",
    "TerminalMember",
    "Timing",
    "Tool",
    "TypeDefinition",
    "Unknown",
    "read",
    "to_description",
    "to_variable",
]  # fmt: skip
