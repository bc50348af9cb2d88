"""Whether a value is of the type that an annotation promises, or of the build of another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np


def is_of(value: Any, hint: Any) -> bool:
    """Whether a value is what a type hint says, all the way down; TypeError for unknown hints.

    A whole number is a number, as it is for type checkers; a truth value is neither.
    """
    if hint is Any:
        return True
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    given = get_args(hint)
    match get_origin(hint):
        case None if isinstance(hint, type):
            return isinstance(value, hint)
        case origin if origin in (Union, UnionType):
            return any(is_of(value, one) for one in given)
        case origin if origin is Literal:
            return any(value is one or value == one for one in given)
        case origin if origin is np.ndarray:
            return isinstance(value, np.ndarray) and _is_of_numbers(value, given[1])
        case origin if origin is tuple:
            return isinstance(value, tuple) and _are_of(value, given)
        case origin if origin in (list, Sequence):
            return isinstance(value, list) and all(is_of(v, given[0]) for v in value)
        case origin if origin in (dict, Mapping):
            key, item = given
            pairs = value.items() if isinstance(value, dict) else None
            return pairs is not None and all(is_of(k, key) and is_of(v, item) for k, v in pairs)
    raise TypeError(f"unknown type hint {hint}")


def is_like(value: Any, example: Any) -> bool:
    """Whether a value could stand in the place of an example, all the way down.

    Arrays have its type and shape, tuples its length; None in an example stands for anything.
    """
    match example:
        case None:
            return True
        case np.ndarray():
            arrays = isinstance(value, np.ndarray)
            return arrays and (value.dtype, value.shape) == (example.dtype, example.shape)
        case tuple():
            fits = isinstance(value, tuple) and len(value) == len(example)
            return fits and all(map(is_like, value, example))
        case bool() | str() | bytes() | list() | dict():
            return isinstance(value, type(example))
        case int() | float():
            return is_of(value, float)
    return isinstance(value, type(example))


def _are_of(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return all(is_of(v, hints[0]) for v in values)
    return len(values) == len(hints) and all(map(is_of, values, hints))


def _is_of_numbers(array: Any, hint: Any) -> bool:
    """Whether an array holds what NDArray[...] says, in the byte order of this machine."""
    (kind,) = get_args(hint) or (Any,)
    return kind is Any or array.dtype == np.dtype(kind)
