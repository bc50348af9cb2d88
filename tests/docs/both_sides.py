"""Pages with scripts of another tool beside ours: where both do the same, so are the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

Names = Mapping[str, Any]  # what a page has called what, at the end of a section


def series(theirs: str, ours: str) -> Callable[[Names], float]:
    """A column of each at the times of the other tool."""

    def distance(names: Names) -> float:
        other, mine = names["theirs"], names["ours"]
        return _largest(other[theirs], mine.at(other["time"], ours))

    return distance


def last(names: Names) -> float:
    """Both are last values."""
    return _largest(names["theirs"], names["ours"])


def several(theirs: str, ours: str) -> Callable[[Names], float]:
    """A list of runs of each."""

    def distance(names: Names) -> float:
        pairs = zip(names["theirs"], names["ours"], strict=True)
        return max(_largest(a[theirs], b[ours]) for a, b in pairs)

    return distance


def shifted(names: Names) -> float:
    """FMPy's rows of an SSP hold the step's end; its first inputs are zero, ours are right."""
    other, mine = names["theirs"], names["ours"]
    assert len(other) in (len(mine), len(mine) - 1)
    rows = slice(1, len(mine) - 1)
    return _largest(other["body.position"][rows], mine["body.position"][2:])


def _largest(a: Any, b: Any) -> float:
    assert len(a) == len(b) > 0
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


ROUNDING = 1e-12
VANDERPOL = "vanderpol.x1"
BOTH: dict[str, dict[str, tuple[Callable[[Names], float], float]]] = {
    "docs/from-fmpy.md": {
        "Run it as it wants to be run": (series("x1", VANDERPOL), ROUNDING),
        "Times, start values, outputs": (series("x1", VANDERPOL), ROUNDING),
        "Inputs from a file": (series("y", "linear.y"), ROUNDING),
        "Model exchange": (series("x1", VANDERPOL), 1e-5),  # each to a tolerance of 1e-8
        "A loop of one's own": (last, ROUNDING),
        "Save a state and go on from it": (last, ROUNDING),
        "Couple two FMUs": (last, ROUNDING),
        "Run an SSP": (shifted, 5e-3),  # of 1 m: its first step knows no force
        "Vary a parameter": (several("x1", VANDERPOL), ROUNDING),
    },
    "docs/from-omsimulator.md": {
        "Run it": (last, 1e-10),  # it adds times up
        "Vary a parameter": (last, 1e-10),
    },
    "docs/from-pyfmi.md": {
        "Run it": (series("x1", VANDERPOL), ROUNDING),
        "Parameters and start values": (series("x1", VANDERPOL), ROUNDING),
        "Step by step": (last, ROUNDING),
        "Save a state and go on from it": (last, ROUNDING),
        "Couple FMUs with a master": (last, ROUNDING),
    },
}
PEERS = {  # by page: the tool, and the module that its scripts import
    "docs/from-fmpy.md": ("FMPy", "fmpy"),
    "docs/from-omsimulator.md": ("OMSimulator", "OMSimulator"),
    "docs/from-pyfmi.md": ("PyFMI", "pyfmi"),
}


def missing(page: str) -> str | None:
    """Why the other side of a page cannot be run here."""
    name, module = PEERS[page]
    if find_spec(module) is not None:
        return None
    return f"{name} is not installed: its scripts are shown, and not run"


def compare(page: str, seen: Mapping[str, Names]) -> None:
    """Every section of a page in which both sides have computed the same thing."""
    if page not in BOTH or missing(page):
        return
    for section, (distance, bound) in BOTH[page].items():
        assert "theirs" in seen[section], section
        found = distance(seen[section])
        assert found <= bound, f"{page}, {section}: {found}"
