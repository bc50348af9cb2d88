"""The table of what runs natively in docs/fmus.md is what is decided.

python tests/conformance/test_native_table.py      writes the table into the page
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "fmus")]

from conformance.fleet import ring  # noqa: E402

import dovetail as dv  # noqa: E402
from dovetail.core.brief import brief  # noqa: E402

PAGE = TESTS.parent / "docs" / "fmus.md"
BEGIN, END = (
    "<!-- native: made by tests/conformance/test_native_table.py -->",
    "<!-- end native -->",
)
FIXED = dv.FixedStep(0.1)
ROWS: tuple[tuple[Any, Any], ...] = (
    (dv.Jacobi(), FIXED),
    (dv.Jacobi(extrapolation=1), FIXED),
    (dv.GaussSeidel(), FIXED),
    (dv.GaussSeidel(inputs="ramp"), FIXED),
    (dv.GaussSeidel(extrapolation=1), FIXED),
    (dv.Jacobi(50), FIXED),
    (dv.Jacobi(50, inputs="ramp"), FIXED),
    (dv.GaussSeidel(50), FIXED),
    (dv.GaussSeidel(50, inputs="ramp"), FIXED),
    (dv.Newton(), FIXED),
    (dv.Newton(inputs="ramp"), FIXED),
    (dv.Newton(inputs="hermite"), FIXED),
    (dv.Iterative(), FIXED),
    (dv.Ifosmondi(), FIXED),
    (dv.Missiles(), FIXED),
    (dv.GaussSeidel(50), dv.FixedStep(0.1, min_size=0.01)),
    (dv.GaussSeidel(50), dv.Adaptive()),
    (dv.GaussSeidel(), dv.StepDoubling()),
    (dv.GaussSeidel(extrapolation=1), dv.StepDoubling(scale="range")),
    (dv.GaussSeidel(50, inputs="ramp"), dv.StepDoubling()),
    (dv.Newton(), dv.StepDoubling()),
    (dv.GaussSeidel(), dv.StepDoubling(extrapolate=True)),
    (dv.GaussSeidel(extrapolation=1), dv.InputDefect()),
    (dv.Jacobi(), dv.ErrorCheck(0.1)),
    (dv.Jacobi(), dv.ErrorCheck(0.1, doubling=True)),
    (dv.GaussSeidel(extrapolation=1), dv.Defect()),
)
LEVELS = {"windows": "whole windows", "steps": "steps of FMUs", "python": "no"}


def table(model: Any) -> str:
    """The table for FMUs that can do everything, and so only for what is chosen."""
    lines = ["| algorithm | controller | native | because | change |", "| --- " * 5 + "|"]
    for algorithm, controller in ROWS:
        found = ring(model).check(algorithm, controller).native
        change = f"`{found.change}`" if found.change else ""
        reasons = "; ".join(dict.fromkeys(o.what for o in found.obstacles if not o.part))
        cells = f"`{brief(algorithm)}`", f"`{brief(controller)}`", LEVELS[found.level]
        lines.append("| " + " | ".join((*cells, reasons, change)) + " |")
    return "\n".join(lines)


def test_the_page_shows_what_is_decided(fmu):
    text = PAGE.read_text(encoding="utf-8")
    shown = text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip()
    assert shown == table(fmu("linear", 2, input_derivatives=3))


if __name__ == "__main__":
    import build

    with tempfile.TemporaryDirectory() as folder:
        made = table(dv.load(build.build("linear", 2, Path(folder), input_derivatives=3)))
    page = PAGE.read_text(encoding="utf-8")
    first, last = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(f"{page[:first]}\n\n{made}\n\n{page[last:]}", encoding="utf-8")
