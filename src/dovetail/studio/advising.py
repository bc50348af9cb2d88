"""What a drawing should be run with: asked of its parts, in a process that may crash alone."""

from __future__ import annotations

import tempfile
from typing import Any

from ..drawing.system import System
from .folder import WorkFolder
from .launching import StudioChild

_LONGEST = 60.0  # s that the parts may take


def advice_for(system: System, folder: WorkFolder) -> dict[str, Any]:
    """One recommendation with its reason, or why there is none."""
    with tempfile.TemporaryFile() as said:
        child = StudioChild("advise", {"system": system}, folder.root, said)
        child.line.limit(_LONGEST)
        found = child.line.hear()
        child.line.close()
        ended = child.wait(5.0 if found is not None else 0.5)
    if found is None:
        how = ended or "ended without a word"
        return {"text": "", "run": None, "lines": [],
                "problem": f"The parts could not be asked: their process was {how}."}  # fmt: skip
    what = found.pop("what")
    if what != "advice":
        return {"text": "", "run": None, "lines": [], "problem": str(found.get("text", ""))}
    return {"problem": "", **found}
