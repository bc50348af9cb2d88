"""Parts on other machines: what passes between them, who may, and what is shown."""

from .listing import OfferedPart, parts

__all__ = ["OfferedPart", "parts"]
