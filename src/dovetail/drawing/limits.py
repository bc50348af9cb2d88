"""What a model declares as the least and the greatest value of a variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import Any

import numpy as np

from ..core.description import Kind, Variable

_ORDERED = (Kind.REAL, Kind.INTEGER, Kind.ENUMERATION)
_LIFTED: ContextVar[bool] = ContextVar("_LIFTED", default=False)


@contextmanager
def limits_lifted(*, wanted: bool = True) -> Iterator[None]:
    """In here values beyond declared limits are drawn all the same."""
    token = _LIFTED.set(wanted or _LIFTED.get())
    try:
        yield
    finally:
        _LIFTED.reset(token)


def are_lifted() -> bool:
    """Whether limits do not count at present."""
    return _LIFTED.get()


def beyond(variable: Variable, value: Any) -> str | None:
    """How a value lies outside of the limits: 'is -1 kg, and its model declares at least 0 kg'.

    None where it does not. Limits that leave nothing between them are none.
    """
    low, high = variable.minimum, variable.maximum
    if variable.kind not in _ORDERED or (low is None and high is None):
        return None
    if low is not None and high is not None and low > high:
        return None
    below, above = -inf if low is None else low, inf if high is None else high
    far = [v for v in _scalars(value) if not below <= v <= above]
    if not far:
        return None
    unit = f" {variable.unit}" if variable.unit else ""
    return f"is {far[0]:.9g}{unit}, and its model declares {_limits(variable)}"


def _limits(variable: Variable) -> str:
    """The limits as text: `0 to 10 kg`, `at least 0 kg`."""
    low, high = variable.minimum, variable.maximum
    unit = f" {variable.unit}" if variable.unit else ""
    if high is None:
        return f"at least {low:.9g}{unit}"
    return f"at most {high:.9g}{unit}" if low is None else f"{low:.9g} to {high:.9g}{unit}"


def _scalars(value: Any) -> Iterable[float]:
    if isinstance(value, np.ndarray):
        found: list[float] = value.ravel().tolist()
        return found
    return value if isinstance(value, tuple) else (value,)
