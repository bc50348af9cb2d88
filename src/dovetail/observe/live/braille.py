"""Curves drawn with dots of text: each character has two columns of four."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.signals import Vector

_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_EMPTY = 0x2800


class BrailleCanvas:
    """So many characters, each of the colour of the curve that was drawn there last."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._codes = np.full((height, width), _EMPTY)
        self._owner: NDArray[np.int_] = np.full((height, width), -1)

    def draw(self, low: Vector, high: Vector, limits: tuple[float, float], owner: int) -> None:
        """Fill two columns per character from low to high; NaN leaves one empty."""
        low, high = _touching(low, high)
        rows = 4 * self.height
        bottom, top = limits
        known = ~np.isnan(low)
        with np.errstate(invalid="ignore", over="ignore"):
            ends = [
                np.rint((top - np.where(known, v, bottom)) / (top - bottom) * (rows - 1))
                for v in (high, low)
            ]
        first, last = (np.nan_to_num(end).clip(0, rows - 1).astype(int) for end in ends)
        place = np.arange(rows)[:, None]
        dots = (place >= first) & (place <= last) & known
        cells = dots.reshape(self.height, 4, self.width, 2)
        codes = np.einsum("hrwc,rc->hw", cells, _BITS)
        self._codes |= codes
        self._owner[codes > 0] = owner

    def lines(self) -> list[list[tuple[str, int]]]:
        """For each line its pieces of text, with the curve that each belongs to; -1 for none."""
        made = []
        for codes, owners in zip(self._codes, self._owner, strict=True):
            cuts = np.flatnonzero(np.diff(owners)) + 1
            pieces = zip(np.split(codes, cuts), np.split(owners, cuts), strict=True)
            made.append([("".join(map(chr, text)), int(who[0])) for text, who in pieces])
        return made


def _touching(low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """Columns that reach to their neighbours, so that the dots are one line."""
    before_low, before_high = low[:-1], high[:-1]
    with np.errstate(invalid="ignore"):
        down = np.where(before_high < low[1:], before_high, low[1:])
        up = np.where(before_low > high[1:], before_low, high[1:])
    return np.concatenate([low[:1], down]), np.concatenate([high[:1], up])
