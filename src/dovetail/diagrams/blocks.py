"""A block as shapes: its name and kind, its pins, what is not shown of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .arrangement import Dot, Footprint
from .chart import Block, Pin
from .colours import EDGE, FACE, FAINT, INK, QUIET, cycle_colour, cycle_tint
from .lettering import shortened
from .marks import badge, free_mark, junction_mark, pin_mark
from .measures import HEADER, KIND, NAME, PAD, PIN, ROW, SMALL, more
from .scene import Figure, RoundedBox, Words

_ROUND = 6.0


def block_figures(
    block: Block, place: Footprint, left: Sequence[Dot], right: Sequence[Dot]
) -> list[Figure]:
    """The shapes of a block at its place, with its pins at theirs."""
    if block.is_junction:
        middle = place.x + place.width / 2, place.y + place.height / 2
        return junction_mark(*middle, cycle_colour(block.cycle))
    return [
        *_body(block, place),
        *_title(block, place),
        *_pins(block.left, left, place, is_left=True),
        *_pins(block.right, right, place, is_left=False),
        *_hidden(block, place),
    ]


def _body(block: Block, at: Footprint) -> Iterator[Figure]:
    colour = EDGE if block.cycle is None else cycle_colour(block.cycle)
    tint = cycle_tint(block.cycle)
    if block.is_nested:
        yield RoundedBox(at.x + 4, at.y - 4, at.width, at.height, FACE, colour, _ROUND)
    yield RoundedBox(at.x, at.y, at.width, at.height, FACE, "", _ROUND)
    head = min(HEADER, at.height)
    yield RoundedBox(at.x, at.y, at.width, head, tint, "", _ROUND)
    if head < at.height:
        yield RoundedBox(at.x, at.y + head - _ROUND, at.width, _ROUND, tint)
    yield RoundedBox(at.x, at.y, at.width, at.height, "none", colour, _ROUND)


def _title(block: Block, at: Footprint) -> Iterator[Figure]:
    marked = 20.0 if block.cycle is not None else 0.0
    room = at.width - 2 * PAD - marked
    name = shortened(block.name, NAME, room, bold=True)
    kind = shortened(block.kind, KIND, at.width - 2 * PAD)
    yield Words(at.x + PAD, at.y + 15, name, NAME, INK, bold=True)
    yield Words(at.x + PAD, at.y + 31, kind, KIND, QUIET)
    if block.cycle is not None:
        yield from badge(at.x + at.width - 14, at.y + 14, block.cycle)


def _pins(
    pins: Sequence[Pin], dots: Sequence[Dot], at: Footprint, *, is_left: bool
) -> Iterator[Figure]:
    room = (at.width - 2 * PAD) * (1.0 if len(pins) and at.width < 110 else 0.62)
    for pin, (x, y) in zip(pins, dots, strict=True):
        if not pin.is_linked:
            yield free_mark(x, y)
        elif pin.kind != "signal" or not is_left:
            yield from pin_mark(pin.kind, x, y)
        name, tuned = shortened(pin.name, PIN, room), pin.kind == "tuned"
        colour = INK if pin.is_linked else FAINT
        inside = x + 9.0 if is_left else x - 9.0
        anchor = "start" if is_left else "end"
        yield Words(inside, y, name, PIN, colour, anchor, italic=tuned)  # type: ignore[arg-type]


def _hidden(block: Block, at: Footprint) -> Iterator[Figure]:
    for count, shown, anchor, x in (
        (block.hidden_left, len(block.left), "start", at.x + 9.0),
        (block.hidden_right, len(block.right), "end", at.x + at.width - 9.0),
    ):
        if count:
            y = at.y + HEADER + ROW * (shown + 0.5)
            yield Words(x, y, more(count), SMALL, FAINT, anchor, italic=True)  # type: ignore[arg-type]
