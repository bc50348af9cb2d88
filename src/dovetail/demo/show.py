"""The demo from beginning to end: files, runs, text, pictures."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from textwrap import fill

from ..core.errors import FileError
from ..results.files.needs import LibraryMissing
from ..results.pictures.uplot import UplotMissing
from ..results.result import Result
from .runs import Runs

FILES = ("drive.yaml", "reference.yaml", "models.py")

STORY = """\
A belt drive, made of five parts that were modelled apart:

    profile ──> controller ──> motor ──> rotor <──> machine
                     ^           ^         │
                     └───────────┴─────────┘

A sampled controller sets the voltage of a motor, whose light rotor pulls a machine over an elastic
belt. At 0.05 s it runs up, at 0.5 s a load falls onto the belt. The parts exchange their values
every {window:g} ms and know nothing of each other in between.
"""

LESSON = """\
What happened

  Loose coupling asks each part once per window. The motor answers to the speed at the window's
  beginning, the rotor to the torque that makes; the rotor is light, so both overshoot, and every
  window adds a little more: in truth the current never exceeds {true_current:.1f} A, coupled
  loosely it reaches {loose_current:.0f} A.

  Strong coupling asks again until the values at the window's end agree with each other, here
  {per_window:.0f} passes per window. That is {times:.1f} times the work, and right to {error:.1%}.

  The verdict that comes with every result distinguishes them without a reference:

    loose   {loose_verdict}
    strong  {strong_verdict}
"""


def show(folder: Path, say: Callable[[str], None] = print) -> None:
    """Run the demo, leave its files in a folder, and explain."""
    from .picture import draw, draw_page

    kept = unpack(folder)
    given = Path(str(files(__package__) / "files"))
    say(wrapped(STORY.format(window=Runs.planned(given))))
    runs = Runs.of(given)
    for line in table(runs):
        say(line)
    say("")
    say(wrapped(lesson(runs)))
    picture, page = folder / "demo.png", folder / "demo.html"
    try:
        draw(runs, picture)
        drawn = f"{picture}"
    except LibraryMissing as missing:
        drawn = f"(a picture, {picture.name}, needs matplotlib: {missing.way})"
    try:
        draw_page(runs, page)
        shown = f"{page}   (every value; zoom and hover in a browser)"
    except UplotMissing as missing:
        shown = f"{page} is missing: {missing}"
    say(f"Look at it\n\n  {drawn}\n  {shown}\n")
    say("Change it\n")
    for name in FILES:
        note = "   (changed by you, and left alone)" if name in kept else ""
        say(f"  {folder / name}{note}")
    drive = folder / "drive.yaml"
    command = _command()
    say(f"\nTry next\n\n  {command} run {drive} --algorithm gauss_seidel --step 0.001")
    say(f"  {command} check {drive}")


def wrapped(text: str) -> str:
    """Paragraphs as wide as the terminal, but no wider than is good to read; drawings stay."""
    width = max(40, min(shutil.get_terminal_size((80, 24)).columns, 96))
    return "\n\n".join(_filled(block, width) for block in text.rstrip().split("\n\n")) + "\n"


def _filled(block: str, width: int) -> str:
    indent = block[: len(block) - len(block.lstrip(" "))]
    if len(indent) >= 4:  # a drawing, or lines that belong below each other
        return block
    text = " ".join(block.split())
    return fill(text, width, initial_indent=indent, subsequent_indent=indent)


def unpack(folder: Path) -> list[str]:
    """Put the files there; those that a user has changed are kept, and named."""
    kept = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            text = (files(__package__) / "files" / name).read_bytes()
            place = folder / name
            if place.exists() and place.read_bytes() != text:
                kept.append(name)
            else:
                place.write_bytes(text)
    except OSError as error:
        raise FileError(folder, f"cannot be written to: {error.strerror}") from error
    return kept


def table(runs: Runs) -> list[str]:
    """What was run, what it cost, and how wrong it is."""
    rows = [("coupling", "windows of", "windows", "evaluations", "seconds", "error")]
    for title, result in (
        ("loose, one pass", runs.loose),
        ("strong, iterated", runs.strong),
    ):
        s, error = result.statistics, runs.error(result)
        wrong = f"{error:.1%}" if error < 1 else f"{error:.0f} times"
        counts = (str(s.windows), str(s.evaluations), f"{s.wall_seconds:.2f}", wrong)
        rows.append((title, f"{runs.window:g} ms", *counts))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(f"{c:{'<' if k == 0 else '>'}{widths[k]}}" for k, c in enumerate(row))
        for row in rows
    ]
    note = "  (error: largest deviation from the truth, of the range of a signal)"
    return [lines[0], *lines[1:], note]


def lesson(runs: Runs) -> str:
    """What happened, as text."""
    loose, strong = runs.loose, runs.strong
    return LESSON.format(
        true_current=abs(runs.truth["plant.current"]).max(),
        loose_current=abs(loose["motor.current"]).max(),
        per_window=strong.statistics.iterations / strong.statistics.windows,
        times=strong.statistics.evaluations / loose.statistics.evaluations,
        error=runs.error(strong),
        loose_verdict=_mismatch(loose),
        strong_verdict=_mismatch(strong),
    )


def _mismatch(result: Result) -> str:
    assert result.verdict is not None
    return f"inputs and outputs disagree by {result.verdict.mismatch:.2g} of an input's range"


def _command() -> str:
    """What to type here to reach this program: its name, or where it is below this folder."""
    here = os.path.relpath(sys.argv[0])
    below = os.path.basename(here) == "dovetail" and not here.startswith(os.pardir)
    return here if below and not shutil.which("dovetail") else "dovetail"
