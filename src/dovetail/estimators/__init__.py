"""One file per estimator."""

from .base import Estimator, Rehearsal
from .direct import Direct
from .rollback import Rollback

__all__ = ["Direct", "Estimator", "Rehearsal", "Rollback"]
