"""Parts on other machines: what passes between them, who may, and what is shown."""

from .cluster import Cluster
from .listing import OfferedPart, parts
from .remote_host import RemoteHost

__all__ = ["Cluster", "OfferedPart", "RemoteHost", "parts"]
