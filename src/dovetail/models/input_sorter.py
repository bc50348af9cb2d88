"""Parameters of a Python model that are connected: inputs to the outside, parameters inside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.description import Variable
from ..core.signals import Vector
from .names import access
from .specification import Names, mentions

Function = Callable[..., Any]


class InputSorter:
    """Sorts what comes in as inputs into the u and p that the user's functions know.

    The functions it makes take plain vectors, whatever the user's take. `behind` are inputs that
    lie behind the moved parameters.
    """

    def __init__(
        self,
        names: Collection[str],
        u: Sequence[Variable],
        p: Sequence[Variable],
        x: Sequence[Variable] = (),
        *,
        behind: Sequence[Variable] = (),
        vector: bool,
    ) -> None:
        self.moved = tuple(next(v for v in p if v.name == name) for name in names)
        self.left = tuple(v for v in p if v.name not in names)
        given = (*(v for v in u if v not in behind), *self.moved, *behind)
        self._mixed = [any(not v.is_real for v in group) for group in (x, given, self.left)]
        there = (*given, *self.left)
        self._u, self._p = ([_order(v, there, real=r) for r in (True, False)] for v in (u, p))
        titled = (("x", x), ("u", u), ("p", p))
        self._make = tuple(access(title, group, vector=vector) for title, group in titled)

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those that stay parameters."""
        return {v.name: given[v.name] for v in self.left}

    def inputs(self, given: Names) -> dict[str, Any]:
        """The inputs, and behind them the parameters that have become some."""
        own = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given)
        return {**own, **{v.name: replace(v, variability="continuous") for v in self.moved}}

    def after(self, function: Function | None, *, states: bool, first: int = 0) -> Any:
        """The same function of vectors; `first`: arguments before the time."""
        if function is None:
            return None
        make_x, make_u, make_p = self._make
        mixed_x, mixed_u, mixed_p = self._mixed

        def picked(order: list[list[int]], reals: Vector, discrete: Any) -> Any:
            return reals[order[0]], tuple(discrete[k] for k in order[1])

        def sorted_out(*arguments: Any) -> Any:
            *before, raw_u, raw_p = arguments
            (reals, held), (left, kept) = _split(raw_u, mixed_u), _split(raw_p, mixed_p)
            reals, held = np.concatenate([reals, left]), (*held, *kept)
            u, p = make_u(*picked(self._u, reals, held)), make_p(*picked(self._p, reals, held))
            if states:
                before[first + 1] = make_x(*_split(before[first + 1], mixed_x))
            return function(*before, u, p)

        return sorted_out

    def feedthrough(
        self, known: Mapping[str, frozenset[str]], function: Function | None, argument: int
    ) -> dict[str, frozenset[str]]:
        """The feed-through with the moved parameters in it, where the function uses any."""
        uses = function is not None and mentions(function, argument)
        more = frozenset(v.name for v in self.moved if uses)
        return {name: used | more for name, used in known.items()}


def _split(raw: Any, mixed: bool) -> Any:
    """Reals and discrete values."""
    return raw if mixed else (raw, ())


def _order(wanted: Sequence[Variable], there: Sequence[Variable], *, real: bool) -> list[int]:
    """Where the scalars of some variables lie among those of others: real ones, or the rest."""
    places, at = {}, 0
    for v in there:
        if v.is_real == real:
            places[v.name] = range(at, at + v.size)
            at += v.size
    return [k for v in wanted if v.is_real == real for k in places[v.name]]
