"""Colours of diagrams: told apart by colour-blind eyes, seen on white and on dark pages.

Cycles take those of Okabe and Ito, "Color Universal Design" (2008); what has text on it is light,
and its text is dark, whatever is around it.
"""

from __future__ import annotations

INK, QUIET, FAINT = "#1f2933", "#52606d", "#6b7785"
FACE, HEAD, EDGE, SURFACE = "#ffffff", "#eef2f6", "#8794a3", "#f7f9fb"
WIRE, TITLES = "#7b8794", "#7d8896"
CYCLES = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b8860b", "#3d9ad1")
TINTS = ("#fbe6d6", "#d9eaf5", "#d6f0e8", "#f7e6ef", "#f5ead0", "#ddeffa")


def cycle_colour(cycle: int | None) -> str:
    """That of the wires in a cycle, or of those in none."""
    return WIRE if cycle is None else CYCLES[cycle % len(CYCLES)]


def cycle_tint(cycle: int | None) -> str:
    """What lies behind the name of a part in a cycle, or in none."""
    return HEAD if cycle is None else TINTS[cycle % len(TINTS)]
