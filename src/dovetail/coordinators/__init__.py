"""One file per coordinator."""

from .base import Coordinator
from .wires import Wires

__all__ = ["Coordinator", "Wires"]
