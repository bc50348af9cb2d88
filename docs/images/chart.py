"""The chart of docs/choosing.md, an SVG of its own that serves on light and on dark pages.

Boxes have a light ground and dark text, and lines and words between them a grey that can be read
on white and on black.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

WIDTH, LEFT, RIGHT, BOX, HEIGHT, PITCH = 760, 14, 424, 322, 62, 86
LINE = "#7d8896"
SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "'DejaVu Sans Mono', 'Liberation Mono', Consolas, Menlo, monospace"
LOOKS = {  # ground, edge
    "first": ("#d9f0e3", "#1b7f4d"),
    "question": ("#eef1f5", "#7d8896"),
    "answer": ("#dceafb", "#2c6fbb"),
}


@dataclass(frozen=True)
class Turn:
    """A question; what to take if the answer is `word`, and what is asked else."""

    question: tuple[str, ...]
    word: str
    answer: tuple[str, ...]  # the first line is code


TURNS = (
    Turn(
        ("Does check show a cycle?",),
        "no",
        ('GaussSeidel(inputs="ramp")', "one pass in order is all there is to do"),
    ),
    Turn(
        ("Do power ports meet (a junction),", "and can those parts roll back?"),
        "yes",
        ('Newton(inputs="ramp")', "or Iterative(), with many coupled inputs"),
    ),
    Turn(
        ("Can the parts of the cycle", "roll back, or be linearized?"),
        "no",
        ("GaussSeidel(extrapolation=1)", "one pass, of second order, nothing repeated"),
    ),
    Turn(
        ("Does check name an algebraic loop,", "or does the iteration not converge?"),
        "yes",
        ('Newton(inputs="ramp")', "expensive parts: GaussSeidel, solver=IqnIls()"),
    ),
    Turn(
        ("Is everything smooth, and do you", "need many digits?"),
        "yes",
        ("Missiles() or Ifosmondi()", "fourth order, by far the fewest advances"),
    ),
)
REST = ('GaussSeidel(50, inputs="ramp")', "second order, few sweeps, no tuning")
WINDOWS = Turn(
    ("Windows: can every part roll back,", "and are there quiet stretches?"),
    "yes",
    ("StepDoubling(rtol, atol)", "windows follow their error"),
)
FIXED = ("FixedStep(size)", "then ask for the error: --verify")
FIRST = (
    "Start here: take the recommendation",
    "dovetail check system.yaml",
    "dovetail run system.yaml --recommended",
)


def decision_chart(path: Path) -> None:
    """Write it."""
    parts, y = [*_first(12)], 12 + 92 + 34
    middle = LEFT + BOX / 2
    parts.append(_arrow(middle, 104, middle, y, "or choose by hand"))
    for turn in TURNS:
        parts += _turn(turn, y)
        parts.append(_arrow(middle, y + HEIGHT, middle, y + PITCH, _other(turn.word)))
        y += PITCH
    parts += _box(LEFT, y, REST, "answer")
    y += PITCH + 10
    parts.append(_arrow(middle, y - PITCH - 10 + HEIGHT, middle, y, "with any of these"))
    parts += _turn(WINDOWS, y)
    parts.append(_arrow(middle, y + HEIGHT, middle, y + PITCH, _other(WINDOWS.word)))
    parts += _box(LEFT, y + PITCH, FIXED, "answer")
    height = y + PITCH + HEIGHT + 12
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH} {height:g}" font-family="{SANS}" role="img">'
        "<title>Which algorithm: take what dovetail check recommends, or follow the questions"
        "</title>"
    )
    path.write_text("\n".join([head, *parts, "</svg>", ""]), encoding="utf-8")


def _first(y: float) -> list[str]:
    ground, edge = LOOKS["first"]
    title, *commands = FIRST
    lines = [
        f'<rect x="{LEFT}" y="{y}" width="{RIGHT + BOX - LEFT}" height="92" rx="8" '
        f'fill="{ground}" stroke="{edge}" stroke-width="2"/>',
        f'<text x="{LEFT + 18}" y="{y + 27}" font-size="16" font-weight="700" fill="#123">'
        f"{escape(title)}</text>",
    ]
    for k, command in enumerate(commands):
        lines.append(_code(LEFT + 18, y + 53 + 23 * k, f"$ {command}", "start"))
    return lines


def _turn(turn: Turn, y: float) -> list[str]:
    middle = y + HEIGHT / 2
    return [
        *_box(LEFT, y, turn.question, "question"),
        _arrow(LEFT + BOX, middle, RIGHT, middle, turn.word),
        *_box(RIGHT, y, turn.answer, "answer"),
    ]


def _box(x: float, y: float, lines: tuple[str, ...], look: str) -> list[str]:
    ground, edge = LOOKS[look]
    radius = 8 if look == "answer" else 22
    made = [
        f'<rect x="{x}" y="{y:g}" width="{BOX}" height="{HEIGHT}" rx="{radius}" '
        f'fill="{ground}" stroke="{edge}" stroke-width="1.5"/>'
    ]
    first = y + HEIGHT / 2 + 5 - 10.5 * (len(lines) - 1)
    for k, line in enumerate(lines):
        height = first + 21 * k
        if look == "answer" and k == 0:
            made.append(_code(x + BOX / 2, height, line, "middle"))
        else:
            made.append(
                f'<text x="{x + BOX / 2:g}" y="{height:g}" font-size="14" text-anchor="middle" '
                f'fill="#1d2733">{escape(line)}</text>'
            )
    return made


def _code(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="13.5" font-family="{MONO}" font-weight="700" '
        f'text-anchor="{anchor}" fill="#10304f" xml:space="preserve">{escape(text)}</text>'
    )


def _arrow(x0: float, y0: float, x1: float, y1: float, word: str) -> str:
    across = y0 == y1
    tip = (
        f"{x1:g},{y1:g} {x1 - 9:g},{y1 - 5:g} {x1 - 9:g},{y1 + 5:g}"
        if across
        else f"{x1:g},{y1:g} {x1 - 5:g},{y1 - 9:g} {x1 + 5:g},{y1 - 9:g}"
    )
    end = (x1 - 8, y1) if across else (x1, y1 - 8)
    place = ((x0 + x1) / 2, y0 - 7, "middle") if across else (x0 + 10, (y0 + y1) / 2 + 3, "start")
    label = (
        f'<text x="{place[0]:g}" y="{place[1]:g}" font-size="13" font-weight="600" '
        f'text-anchor="{place[2]}" fill="{LINE}">{word}</text>'
    )
    return (
        f'<path d="M{x0:g} {y0:g} L{end[0]:g} {end[1]:g}" fill="none" stroke="{LINE}" '
        f'stroke-width="1.8"/><polygon points="{tip}" fill="{LINE}"/>{label}'
    )


def _other(word: str) -> str:
    return "yes" if word == "no" else "no"
