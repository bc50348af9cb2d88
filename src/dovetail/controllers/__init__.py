"""One file per controller."""

from .base import Accept, Controller, GiveUp, Retry
from .fixed_step import FixedStep
from .step_doubling import StepDoubling

__all__ = ["Accept", "Controller", "FixedStep", "GiveUp", "Retry", "StepDoubling"]
