"""One file per root finder."""

from ..core.options import worded
from .aitken import Aitken
from .anderson import Anderson
from .base import Root, RootFinder
from .cascade import Cascade
from .fixed_point import FixedPoint
from .newton import Newton
from .newton_krylov import NewtonKrylov

__all__ = [
    "Aitken",
    "Anderson",
    "Cascade",
    "FixedPoint",
    "Newton",
    "NewtonKrylov",
    "Root",
    "RootFinder",
]

worded(Aitken, Anderson, Cascade, FixedPoint, Newton, NewtonKrylov)
