"""Ctrl-C at a moment when nothing is half done."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

from ..subsystems.batch import Batch


class Shield:
    """While it is up, Ctrl-C waits: a window's rows belong together.

    Everywhere else it comes through at once, in the middle of a step that hangs too.
    """

    def __init__(self) -> None:
        self._up = self._waiting = False

    @contextmanager
    def watched(self, batch: Batch | None = None) -> Iterator[None]:
        """Take charge of Ctrl-C, unless another handler already does; native steps heed it."""
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if not usual or current_thread() is not main_thread():
            yield
            return
        signal.signal(signal.SIGINT, self._pressed)
        try:
            if batch is not None:
                batch.heed_interrupts(True)
            yield
        finally:
            if batch is not None:
                batch.heed_interrupts(False)
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def __enter__(self) -> None:
        self._up = True

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._up = False
        waiting, self._waiting = self._waiting, False
        if waiting and error is None:  # an error says more
            raise KeyboardInterrupt

    def _pressed(self, number: int, frame: Any) -> None:
        if not self._up:
            raise KeyboardInterrupt
        self._waiting = True
