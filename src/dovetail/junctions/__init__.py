"""Power ports that meet and causal conflicts: coordinators, bonds, the ledger of energy."""

from ..core.options import worded
from .coordinator import Coordinator
from .junction_coordinator import JunctionCoordinator
from .sliding_mode import Iterated, SlidingMode
from .wires import Wires

__all__ = ["Coordinator", "Iterated", "JunctionCoordinator", "SlidingMode", "Wires"]

worded(Iterated, SlidingMode)
