"""One page that is open: what goes to it, and no faster than it takes it."""

from __future__ import annotations

import asyncio
import json
import struct
from collections import deque
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ..feed import part_of
from ..names import checked_names
from ..runs import StudioRuns

_MOST_WAITING = 2000  # answers that a page did not take
_MOST_BUCKETS = 10_000


class Page:
    """What waits to be sent. Of drawings and curves only the newest counts."""

    def __init__(self) -> None:
        self._waiting: deque[str | bytes] = deque()
        self._shown: str | None = None
        self._wake = asyncio.Event()
        self._news: set[int] = set()
        self._watched: dict[int, list[str]] = {}
        self._unseen: set[int] = set()  # runs whose last curves it has not drawn yet
        self.is_lost = False

    def send(self, message: str | bytes) -> None:
        """Send this when it is its turn."""
        self._waiting.append(message)
        self.is_lost |= len(self._waiting) > _MOST_WAITING
        self._wake.set()

    def show(self, shown: str) -> None:
        """Send a drawing; an older one that still waits is dropped."""
        self._shown = shown
        self._wake.set()

    async def next(self) -> str | bytes:
        """What to send next; waits for it."""
        while True:
            if self._shown is not None:
                shown, self._shown = self._shown, None
                return shown
            if self._waiting:
                return self._waiting.popleft()
            self._wake.clear()
            await self._wake.wait()

    def news(self, number: int) -> None:
        """There is something new about a run."""
        self._news.add(number)

    def seen(self, number: Any) -> None:
        """The page has drawn what was sent of a run."""
        self._unseen.discard(number)

    def watch(self, runs: StudioRuns, run: int, names: list[str]) -> None:
        """Follow these signals of a run; none: no longer."""
        _ = runs[run]
        self._watched[run] = checked_names(names)
        self._unseen.discard(run)
        self._news.add(run)

    def send_news(self, runs: StudioRuns) -> None:
        """What is new of runs, as far as the page has taken what came before."""
        for number in sorted(self._news - self._unseen):
            run = runs[number]
            self._news.discard(number)
            self._unseen.add(number)
            self.send(json.dumps({"run": run.summary(), "last": run.feed.last}))
            names = self._watched.get(number)
            if names:
                times, lines = run.feed.shown(names)
                known = [] if run.feed.curves is None else run.feed.curves.names
                head = {"run": number, "names": [n for n in names if n in known]}
                self.send(packed(head, times, lines))

    def rows(
        self, runs: StudioRuns, id: Any, run: int, names: list[str], begin: float, end: float,
        buckets: int = 2000, whole_rows: bool = False,
    ) -> bytes:  # fmt: skip
        """A stretch of a run, as exact as a plot can show it."""
        if not all(isinstance(v, int | float) for v in (begin, end, buckets)):
            raise OptionError("a stretch needs numbers for begin, end and buckets")
        count = max(1, min(int(buckets), _MOST_BUCKETS))
        names = checked_names(names)
        found = part_of(
            runs[run].path, names, float(begin), float(end), count, whole_rows=bool(whole_rows)
        )
        return packed({"id": id, "run": run, "names": names, "begin": begin, "end": end}, *found)


def packed(head: dict[str, Any], times: Any, lines: Any) -> bytes:
    """Curves as bytes: the length of a head, the head in JSON, then all numbers."""
    text = json.dumps({**head, "rows": len(times)}).encode()
    text += b" " * (-(4 + len(text)) % 8)  # so that numbers begin at a multiple of eight
    numbers = np.concatenate([times, np.ravel(lines)]).astype("<f8")
    return struct.pack("<I", len(text)) + text + numbers.tobytes()
