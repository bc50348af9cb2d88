"""What root finders learned, as the kernel takes it and gives it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.signals import Vector
from ...subsystems.run_memory import LearnedHistory, Taught


class LearnedExchange:
    """The memory of the root finders of one batch, `native/lessons.c` at the other end."""

    def __init__(self, kernel: Any, batch: Any) -> None:
        self._kernel, self._batch = kernel, batch
        self._known: tuple[Taught, ...] | None = None  # what the kernel knows

    def give(self, history: LearnedHistory | None) -> None:
        """Let the kernel go on from there; nothing to do where that is what it gave last."""
        if history is None or history.groups is self._known:
            return
        numbers = np.array(list(_flat(history.groups)), dtype=np.float64)
        failed = self._kernel.dt_learn(self._batch, numbers.ctypes.data, numbers.size)
        assert not failed, "what was learned does not fit the plan"

    def take(self, history: LearnedHistory | None) -> None:
        """What it has come to know."""
        if history is None:
            return
        numbers = np.empty(self._kernel.dt_lessons(self._batch, None) + 1)
        count = self._kernel.dt_lessons(self._batch, numbers.ctypes.data)
        history.groups = self._known = tuple(_groups(numbers[:count]))


def _flat(groups: tuple[Taught, ...]) -> Iterator[float]:
    for windows in groups:
        yield len(windows)
        for residuals, answers in windows:
            yield from residuals.shape
            yield from residuals.T.ravel()
            yield from answers.T.ravel()


def _groups(numbers: Vector) -> Iterator[Taught]:
    at = 0
    while at < numbers.size:
        count, windows = int(numbers[at]), list[tuple[Vector, Vector]]()
        at += 1
        for _ in range(count):
            n, columns = int(numbers[at]), int(numbers[at + 1])
            both = numbers[at + 2 : at + 2 + 2 * n * columns].reshape(2, columns, n)
            windows.append((both[0].T.copy(), both[1].T.copy()))
            at += 2 + both.size
        yield tuple(windows)
