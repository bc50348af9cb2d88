"""One file per estimator."""

from .base import Estimator, Rehearsal
from .costarica import Costarica
from .direct import Direct
from .rollback import Rollback

__all__ = ["Costarica", "Direct", "Estimator", "Rehearsal", "Rollback"]
