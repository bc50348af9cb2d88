"""A drawing from an SSP, packed (.ssp) or unpacked (.ssd)."""

from __future__ import annotations

from pathlib import Path

from ...drawing.system import System
from .complaints import Complaints, Place, Unsupported
from .drawing import draw
from .package import home_of
from .reading import Reader
from .vendors import settings_of


def read_ssp(
    path: Path, opened: tuple[Path, ...] = (), unsupported: Unsupported = "error"
) -> System:
    """The system of an SSP with its run settings; `opened` are the files around it.

    Everything that is wrong is reported at once. What is not supported is an error as well, or with
    `unsupported="warn"` left out with a warning.
    """
    complaints = Complaints(unsupported)
    home, file = home_of(path)
    others = sorted(p.name for p in home.walls.glob("*.ssd") if p != file) if home.walls else []
    if others:
        what = (
            f"it holds other variants as well: {', '.join(others)}; open '{path.name}#name' for one"
        )
        complaints.note(Place(home.name(file)), what)
    document = Reader(home, file, complaints, opened).document()
    if complaints.is_stuck:
        complaints.settle(document.name)
    system = draw(document.system, document.name or document.system.name, complaints)
    system.run_settings = settings_of(document, complaints)
    complaints.settle(system.name)
    return system
