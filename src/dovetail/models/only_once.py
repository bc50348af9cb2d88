"""Models of things of which there is only one."""

from __future__ import annotations


class OnlyOnce:
    """A model that may say that it must not live twice.

    `only_once`: why, as what follows its name in a sentence, "is a machine on a bench". No second
    run is then made beside the first to estimate its error.
    """

    only_once: str

    @property
    def against_repeating(self) -> str:
        """Why it may not live twice; empty if it may."""
        return self.only_once
