"""Which rates of a model-exchange FMU depend on which states."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu


class JacobianPattern:
    """The entries of df/dx, as far as the description lists them."""

    def __init__(self, model: Fmu, size: int) -> None:
        self._model, self._size = model, size
        unknowns = model.fmu.structure.derivatives
        known = model.fmu.by_name
        self._rates = [known[u.name] for u in unknowns]
        self._states = [
            known[u.state] for u in unknowns if u.state is not None and u.state in known
        ]
        self._complete = (
            len(self._states) == len(self._rates) and total_size(model, self._states) == size
        )

    @cached_property
    def pattern(self) -> Any:
        """Which rates depend on which states; None where the description does not list them."""
        from scipy.sparse import csc_array

        unknowns = self._model.fmu.structure.derivatives
        if not self._complete or all(u.dependencies is None for u in unknowns):
            return None
        places = _places(self._model, self._states)
        known, n = self._model.fmu.by_name, self._size
        entries: list[tuple[int, int]] = []
        rows = _places(self._model, self._rates, by_name=True)
        for u in unknowns:
            listed = u.dependencies
            names = [v.name for v in self._states] if listed is None else listed
            found = [known[name] for name in names if name in known]
            spans = {places[v.reference] for v in found if v.is_float and v.reference in places}
            entries += [(i, k) for span in spans for i in rows[u.name] for k in span]
        i, k = np.array(sorted(set(entries)), dtype=np.intp).reshape(-1, 2).T
        return csc_array((np.ones(i.size, dtype=bool), (i, k)), shape=(n, n))

    @cached_property
    def _full(self) -> Any:
        """The pattern, or one with every entry."""
        from scipy.sparse import csc_array

        n = self._size
        return csc_array(np.ones((n, n), dtype=bool)) if self.pattern is None else self.pattern

    @cached_property
    def _owners(self) -> Any:
        """The column of each entry."""
        return np.repeat(np.arange(self._size), np.diff(self._full.indptr))


def total_size(model: Fmu, variables: Sequence[FmuVariable]) -> int:
    """How many scalars these variables have together."""
    return sum(model.size_of(v) for v in variables)


def _places(model: Fmu, variables: list[FmuVariable], *, by_name: bool = False) -> dict[Any, range]:
    """Where each variable lies in the vector of all, by reference or by name."""
    found, first = {}, 0
    for v in variables:
        size = model.size_of(v)
        found[v.name if by_name else v.reference] = range(first, first + size)
        first += size
    return found
