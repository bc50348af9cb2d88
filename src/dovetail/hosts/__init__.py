"""Parts in processes of their own: where the parts of a run live, and what happens if one dies."""

from .failed import HostFailed
from .placement import Isolated, LocalHost, Placement

__all__ = ["HostFailed", "Isolated", "LocalHost", "Placement"]
