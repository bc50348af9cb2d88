"""One file per algorithm."""

from ..assembly.trial import Trial
from ..core.options import worded
from .base import Algorithm
from .gauss_seidel import GaussSeidel
from .ifosmondi import Ifosmondi
from .iterative import Iterative
from .jacobi import Jacobi
from .missiles import Missiles
from .newton import Newton

__all__ = [
    "Algorithm",
    "GaussSeidel",
    "Ifosmondi",
    "Iterative",
    "Jacobi",
    "Missiles",
    "Newton",
    "Trial",
]

worded(GaussSeidel, Ifosmondi, Iterative, Jacobi, Missiles, Newton)
