"""How wide text is, without asking a font: the widths of Helvetica, with some room to spare."""

from __future__ import annotations

from unicodedata import east_asian_width

# Thousandths of the size of the letters, for the characters from blank to tilde.
_WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 "
    "556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 "
    "722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 "
    "556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 "
    "260 334 584"
)
_WIDTH = {chr(32 + k): int(width) / 1000 for k, width in enumerate(_WIDTHS.split())}
_OTHER, _WIDE = 0.62, 1.0
_ROOM = 1.1  # other fonts are wider than Helvetica


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line is, in the unit of its size."""
    total = sum(_WIDTH.get(c) or _unusual(c) for c in text)
    return total * size * _ROOM * (1.07 if bold else 1.0)


def shortened(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """The text as far as there is room, with an ellipsis where it was cut in the middle."""
    if width_of(text, size, bold=bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the most letters that fit
        middle = (low + high + 1) // 2
        if width_of(_cut(text, middle), size, bold=bold) <= room:
            low = middle
        else:
            high = middle - 1
    return _cut(text, low)


def _cut(text: str, letters: int) -> str:
    tail = letters // 2
    return f"{text[: letters - tail]}…{text[len(text) - tail :]}"


def _unusual(character: str) -> float:
    return _WIDE if east_asian_width(character) in "WF" else _OTHER
