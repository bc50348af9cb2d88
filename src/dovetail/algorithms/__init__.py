"""One file per algorithm."""

from .base import Algorithm, Trial
from .gauss_seidel import GaussSeidel
from .iterative import Iterative
from .jacobi import Jacobi
from .newton import Newton

__all__ = ["Algorithm", "GaussSeidel", "Iterative", "Jacobi", "Newton", "Trial"]
