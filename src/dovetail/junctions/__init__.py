"""Power ports that meet and causal conflicts: coordinators, bonds, the ledger of energy."""

from ..core.options import worded
from .coordinator import Coordinator
from .iterated_junction import IteratedJunction
from .junction_coordinator import JunctionCoordinator
from .sliding_mode import SlidingMode
from .wires import Wires

__all__ = ["Coordinator", "IteratedJunction", "JunctionCoordinator", "SlidingMode", "Wires"]

worded(IteratedJunction, SlidingMode)
