"""Values as JSON and back, to the last bit, without running code from the file.

Understands None, booleans, numbers, text, bytes, tuples, lists, mappings, NumPy arrays, and the
dataclasses listed in `stored.py`. Everything else is refused: TypeError when it is written,
ValueError when it is read, whatever the bytes are.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection
from dataclasses import MISSING, is_dataclass
from math import isfinite, prod
from typing import Any

import numpy as np

from .stored import class_of, fields_of, name_of
from .typed import is_of

_DEEPEST = 100  # containers inside each other
_NUMBERS = re.compile(r"[<>|=]([fiu](1|2|4|8|16)|b1)")  # types of arrays
_UNREADABLE = (KeyError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError)


def encode(value: Any) -> bytes:
    """A value as bytes."""
    plain = _plain(value, _DEEPEST)
    return json.dumps(plain, separators=(",", ":"), allow_nan=False).encode()


def decode(data: bytes) -> Any:
    """The value again; ValueError if these bytes are none."""
    try:
        text = data.decode("ascii")
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        return _value(found, _DEEPEST)
    except _UNREADABLE as error:
        raise ValueError(f"not written by this codec: {error or 'too much of it'}") from error


def _plain(value: Any, deep: int) -> Any:
    if deep == 0:
        raise TypeError(f"cannot serialize what is nested more than {_DEEPEST} times")
    match value:
        case np.generic() if not isinstance(value.item(), np.generic):
            return _plain(value.item(), deep)
        case None | bool() | str() | int():
            return value
        case float():
            return value if isfinite(value) else {"$": "float", "text": repr(float(value))}
        case bytes():
            return {"$": "bytes", "data": base64.b64encode(value).decode()}
        case np.ndarray():
            if value.dtype.kind not in "fiub":
                raise TypeError(f"cannot serialize an array of {value.dtype}")
            raw = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            return {"$": "array", "type": value.dtype.str, "shape": value.shape, "data": raw}
        case tuple():
            return {"$": "tuple", "items": [_plain(v, deep - 1) for v in value]}
        case list():
            return [_plain(v, deep - 1) for v in value]
        case dict():
            items = [[_plain(k, deep - 1), _plain(v, deep - 1)] for k, v in value.items()]
            return {"$": "map", "items": items}
        case _ if is_dataclass(value) and (name := name_of(type(value))):
            data = {n: _plain(getattr(value, n), deep - 1) for n in fields_of(name)}
            return {"$": "class", "name": name, "fields": data}
    raise TypeError(f"cannot serialize a {type(value).__name__}")


def _value(plain: Any, deep: int) -> Any:
    if deep == 0:
        raise ValueError(f"nested more than {_DEEPEST} times")
    if isinstance(plain, list):
        return [_value(v, deep - 1) for v in plain]
    if not isinstance(plain, dict):
        return plain
    match plain.get("$"):
        case "float":
            return _special(*_parts(plain, "text"))
        case "bytes":
            return _bytes(*_parts(plain, "data"))
        case "array":
            return _array(*_parts(plain, "type", "shape", "data"))
        case "tuple":
            (items,) = _parts(plain, "items")
            return tuple(_value(v, deep - 1) for v in _listed(items))
        case "map":
            (items,) = _parts(plain, "items")
            pairs = [(_value(k, deep - 1), _value(v, deep - 1)) for k, v in map(_listed, items)]
            return _object(pairs)
        case "class":
            name, given = _parts(plain, "name", "fields")
            return _stored(name, {k: _value(v, deep - 1) for k, v in given.items()})
    raise ValueError(f"there is no kind of value {plain.get('$')!r}")


def _parts(plain: dict[str, Any], *names: str) -> list[Any]:
    """What an object holds besides its kind: these, and nothing else."""
    _check_names(plain, {"$", *names}, {"$", *names}, f"a value of kind {plain['$']!r}")
    return [plain[name] for name in names]


def _listed(items: Any) -> list[Any]:
    if not isinstance(items, list):
        raise ValueError("a list is not one")
    return items


def _special(text: Any) -> float:
    if text not in ("nan", "inf", "-inf"):
        raise ValueError(f"{text!r} is not among nan, inf and -inf")
    return float(text)


def _bytes(text: Any) -> bytes:
    return base64.b64decode(text, validate=True)


def _array(kind: Any, shape: Any, data: Any) -> Any:
    if not (isinstance(kind, str) and _NUMBERS.fullmatch(kind)):
        raise ValueError(f"there are no arrays of {kind!r}")
    if not all(is_of(n, int) and n >= 0 for n in _listed(shape)):
        raise ValueError(f"an array has no shape {shape!r}")
    raw, numbers = _bytes(data), np.dtype(kind)
    if prod(shape) * numbers.itemsize != len(raw):
        raise ValueError(f"an array of shape {shape} has {len(raw)} bytes")
    return np.frombuffer(raw, numbers).reshape(shape).copy()


def _stored(name: Any, given: dict[str, Any]) -> Any:
    known = fields_of(name)
    needed = {n for n, (f, _) in known.items() if f.default is f.default_factory is MISSING}
    _check_names(given, needed, known, name)
    for field, value in given.items():
        if not is_of(value, known[field][1]):
            raise ValueError(f"'{field}' of {name} is not what it should be")
    return class_of(name)(**given)


def _check_names(
    given: Collection[str], needed: Collection[str], known: Collection[str], where: str
) -> None:
    lacking = [n for n in needed if n not in given]
    strange = [n for n in given if n not in known]
    if lacking or strange:
        what = f"lacks '{min(lacking)}'" if lacking else f"has no '{min(strange)}'"
        raise ValueError(f"{where} {what}")


def _object(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
