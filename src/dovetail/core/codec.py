"""Values as JSON and back, to the last bit, without running anybody's code.

Understands None, booleans, numbers, text, bytes, tuples, lists, mappings with text keys, NumPy
arrays, and the dataclasses of this package. Everything else is refused when written.
"""

from __future__ import annotations

import base64
import importlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def encode(value: Any) -> bytes:
    """A value as bytes."""
    return json.dumps(_plain(value), separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """The value again; ValueError if these bytes are none."""
    try:
        return _value(json.loads(data))
    except (KeyError, TypeError, AttributeError, ImportError) as error:
        raise ValueError(f"not written by this codec: {error}") from error


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | str():
            return value
        case int() | float():
            return value.item() if isinstance(value, np.generic) else value
        case np.generic():
            return value.item()
        case bytes():
            return {"$": "bytes", "data": base64.b64encode(value).decode()}
        case np.ndarray():
            if value.dtype.kind not in "fiub":
                raise TypeError(f"cannot write an array of {value.dtype}")
            raw = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            return {"$": "array", "type": value.dtype.str, "shape": value.shape, "data": raw}
        case tuple():
            return {"$": "tuple", "items": [_plain(v) for v in value]}
        case list():
            return [_plain(v) for v in value]
        case dict():
            return {"$": "map", "items": [[_plain(k), _plain(v)] for k, v in value.items()]}
        case _ if is_dataclass(value) and type(value).__module__.startswith("dovetail."):
            name = f"{type(value).__module__}:{type(value).__qualname__}"
            data = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
            return {"$": name, "fields": data}
    raise TypeError(f"cannot write a {type(value).__name__} down")


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_value(v) for v in plain]
    if not isinstance(plain, dict):
        return plain
    match plain["$"]:
        case "bytes":
            return base64.b64decode(plain["data"])
        case "array":
            raw = base64.b64decode(plain["data"])
            array = np.frombuffer(raw, np.dtype(plain["type"])).reshape(plain["shape"])
            return array.copy()
        case "tuple":
            return tuple(_value(v) for v in plain["items"])
        case "map":
            return {_value(k): _value(v) for k, v in plain["items"]}
        case name:
            return _data_class(str(name))(**{k: _value(v) for k, v in plain["fields"].items()})


def _data_class(name: str) -> Any:
    module, _, qualified = name.partition(":")
    if not module.startswith("dovetail.") or "." in qualified:
        raise ValueError(f"'{name}' is not data of this package")
    found = getattr(importlib.import_module(module), qualified)
    if not (isinstance(found, type) and is_dataclass(found)):
        raise ValueError(f"'{name}' is not data of this package")
    return found
