"""Estimated parts asked together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.signals import Span, Vector
from .draft import Draft

if TYPE_CHECKING:
    from ..estimators.base import Rehearsal

_DENSE = 20_000  # entries up to which a full matrix is quicker than a sparse one


class Ensemble:
    """Several estimated parts as one: their answers are one matrix product.

    Made once for a set of parts; `gather` puts the forecasts of a window together.
    """

    def __init__(
        self, parts: Sequence[int], inputs_of: Sequence[Span], outputs_of: Sequence[Span]
    ) -> None:
        self.parts = tuple(parts)
        self._in = [inputs_of[i].reals for i in parts]
        self._out = [outputs_of[i].reals for i in parts]
        self._inputs, self._outputs = _joined(self._in), _joined(self._out)
        self._places: dict[int, tuple[Any, Any, tuple[int, int]]] = {}

    def gather(self, rehearsals: Sequence[Rehearsal], columns: int) -> JointForecast:
        """The forecasts of all parts for this window, as one map."""
        flats = [rehearsals[i].response(columns).flat(columns) for i in self.parts]  # type: ignore[union-attr]
        rows, cols, shape = self._pattern(columns)
        data = np.concatenate([matrix.ravel() for matrix, _ in flats])
        n = shape[0] // 2
        shift, place = np.empty(shape[0]), 0
        for (_, both), span in zip(flats, self._out, strict=True):
            k = span.stop - span.start
            shift[place : place + k], shift[n + place : n + place + k] = both[:k], both[k:]
            place += k
        if shape[0] * shape[1] <= _DENSE:
            matrix: Any = np.zeros(shape)
            matrix[rows, cols] = data
        else:
            from scipy.sparse import csr_array

            matrix = csr_array((data, (rows, cols)), shape=shape)
        return JointForecast(self._inputs, self._outputs, matrix, shift, n)

    def _pattern(self, columns: int) -> tuple[Any, Any, tuple[int, int]]:
        """Where the entries of each part's matrix stand in the matrix of all."""
        if columns not in self._places:
            sizes = [
                (o.stop - o.start, i.stop - i.start)
                for o, i in zip(self._out, self._in, strict=True)
            ]
            total = sum(o for o, _ in sizes)
            rows, cols, row, col = list[Any](), list[Any](), 0, 0
            for o, i in sizes:
                own = np.concatenate(
                    [np.arange(row, row + o), np.arange(total + row, total + row + o)]
                )
                rows.append(np.repeat(own, i * columns))
                cols.append(np.tile(np.arange(col, col + i * columns), 2 * o))
                row, col = row + o, col + i * columns
            self._places[columns] = np.concatenate(rows), np.concatenate(cols), (2 * total, col)
        return self._places[columns]


class JointForecast:
    """The forecasts of several parts for one window."""

    __slots__ = ("_count", "_inputs", "_matrix", "_outputs", "_shift")

    def __init__(self, inputs: Any, outputs: Any, matrix: Any, shift: Vector, count: int) -> None:
        self._inputs, self._outputs = inputs, outputs
        self._matrix, self._shift, self._count = matrix, shift, count

    def ask(self, coefficients: Vector, draft: Draft) -> None:
        """Put the outputs for these inputs into the draft."""
        found = self._matrix @ coefficients[self._inputs].ravel() + self._shift
        draft.reals[self._outputs] = found[: self._count]
        if draft.derivatives is not None:
            draft.derivatives[self._outputs] = found[self._count :]


def _joined(spans: Sequence[slice]) -> Any:
    """A slice if the spans follow one another, else an array of places."""
    if all(a.stop == b.start for a, b in pairwise(spans)):
        return slice(spans[0].start, spans[-1].stop)
    return np.concatenate([np.arange(s.start, s.stop) for s in spans])
