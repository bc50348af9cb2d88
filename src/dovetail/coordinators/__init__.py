"""One file per coordinator."""

from ..core.options import worded
from .base import Coordinator
from .joined import Joined
from .sliding_mode import Iterated, SlidingMode
from .wires import Wires

__all__ = ["Coordinator", "Iterated", "Joined", "SlidingMode", "Wires"]

worded(Iterated, SlidingMode)
