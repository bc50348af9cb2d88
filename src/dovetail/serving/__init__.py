"""Models in a folder as parts that a server offers."""

from .catalogue import offer_of, offers_in

__all__ = ["offer_of", "offers_in"]
