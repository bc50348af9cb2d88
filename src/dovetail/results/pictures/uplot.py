"""The library that draws on our pages, as it was brought in when Dovetail was installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from ...core.errors import DovetailError

FOLDER = "web"


class UplotMissing(DovetailError):
    """An interactive plot was asked for, and what draws it is not there."""

    def __str__(self) -> str:
        return (
            "an interactive plot needs uPlot, which was not brought in when Dovetail was "
            "installed: install Node.js with npm and reinstall Dovetail, or draw a .png"
        )


@dataclass(frozen=True, slots=True)
class Uplot:
    """uPlot: its script, its style, its licence."""

    script: str
    style: str
    licence: str

    @staticmethod
    def installed() -> Uplot:
        """The one in this package."""
        folder = files(__package__) / FOLDER
        names = ("uPlot.iife.min.js", "uPlot.min.css", "LICENSE")
        try:
            return Uplot(*(folder.joinpath(name).read_text(encoding="utf-8") for name in names))
        except OSError:
            raise UplotMissing from None
