"""One file per controller."""

from ..core.options import worded
from .adaptive import Adaptive
from .base import Accept, Bindable, Controller, GiveUp, Retry, SupportsRemarks, chooses, varies
from .binding import bound, with_order
from .constraints import Constraints
from .defect import Defect
from .energy import Energy
from .error_check import ErrorCheck
from .fixed_step import FixedStep
from .input_defect import InputDefect
from .step_doubling import StepDoubling

__all__ = [
    "Accept",
    "Adaptive",
    "Bindable",
    "Constraints",
    "Controller",
    "Defect",
    "Energy",
    "ErrorCheck",
    "FixedStep",
    "GiveUp",
    "InputDefect",
    "Retry",
    "StepDoubling",
    "SupportsRemarks",
    "bound",
    "chooses",
    "varies",
    "with_order",
]

worded(Adaptive, Constraints, ErrorCheck, Defect, Energy, FixedStep, InputDefect, StepDoubling)
