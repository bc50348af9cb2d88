"""One file per controller."""

from .base import Accept, Controller, GiveUp, Retry
from .defect import Defect
from .fixed_step import FixedStep
from .step_doubling import StepDoubling

__all__ = ["Accept", "Controller", "Defect", "FixedStep", "GiveUp", "Retry", "StepDoubling"]
