"""Models in a folder as parts that a server offers."""

from .catalogue import offers_in

__all__ = ["offers_in"]
