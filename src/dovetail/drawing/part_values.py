"""The values that a part starts from, for reading only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from ..core.errors import DrawingError, Problem
from ..core.values import Value


class PartValues(Mapping[str, Value]):
    """Values by the names of variables. They are changed with `System.set`, which checks them."""

    __slots__ = ("_part", "_values")

    def __init__(self, part: str, values: Mapping[str, Value]) -> None:
        self._part = part
        self._values = {name: _frozen(value) for name, value in values.items()}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def __reduce__(self) -> tuple[Any, ...]:
        return PartValues, (self._part, self._values)

    def _refuse(self, *given: Any, **more: Any) -> NoReturn:
        name = given[0] if given and isinstance(given[0], str) else next(iter(more), "name")
        where = f"{self._part}.{name}"
        what = f"the values of '{self._part}' are for reading; write system.set('{where}', ...)."
        raise DrawingError([Problem(where, what)])

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse


def _frozen(value: Value) -> Value:
    """An array that cannot be written into, all else as it is."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    value = value.copy()
    value.flags.writeable = False
    return value
