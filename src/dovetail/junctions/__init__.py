"""Power ports that meet and causal conflicts: coordinators, bonds, the ledger of energy."""

from ..core.options import worded
from ..drawing.part_coordinator import PartCoordinator
from .coordinator import InterfaceCoordinator
from .iterated_junction import IteratedJunction
from .junction_coordinator import JunctionCoordinator
from .sliding_mode import SlidingMode
from .wires import Wires

__all__ = [
    "InterfaceCoordinator",
    "IteratedJunction",
    "JunctionCoordinator",
    "PartCoordinator",
    "SlidingMode",
    "Wires",
]

worded(IteratedJunction, PartCoordinator, SlidingMode)
