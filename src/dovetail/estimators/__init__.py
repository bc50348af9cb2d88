"""One file per estimator."""

from ..core.options import worded
from .base import Estimator, Rehearsal
from .costarica import Costarica
from .direct import Direct
from .identified import Identified
from .rollback import Rollback

__all__ = ["Costarica", "Direct", "Estimator", "Identified", "Rehearsal", "Rollback"]

worded(Costarica, Direct, Identified, Rollback)
