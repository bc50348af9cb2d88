"""One file per root finder."""

from ..core.options import worded
from .aitken import Aitken
from .anderson import Anderson
from .base import LearningRootFinder, Root, RootFinder
from .cascade import Cascade
from .convergence import ConvergenceTest
from .fixed_point import FixedPoint
from .iqn_ils import IqnIls
from .newton import Newton
from .newton_krylov import NewtonKrylov

__all__ = [
    "Aitken",
    "Anderson",
    "Cascade",
    "ConvergenceTest",
    "FixedPoint",
    "IqnIls",
    "LearningRootFinder",
    "Newton",
    "NewtonKrylov",
    "Root",
    "RootFinder",
]

worded(Aitken, Anderson, Cascade, ConvergenceTest, FixedPoint, IqnIls, Newton, NewtonKrylov)
