"""What plain scalars in YAML mean here, and how values are written so that they come back.

YAML 1.1 takes `on` for true, `017` for fifteen, `1:30` for ninety and `1e-6` for text. Here only
`true` and `false` are booleans, what looks like a number is one, and all else is text.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

_NUMBER = re.compile(r"[-+]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+)([eE][-+]?\d+)?")
_WHOLE = re.compile(r"[-+]?\d+(_\d+)*")
_BASED = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_SPECIAL = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": -float("inf")}
_WORD = r"(\.\.?/)*[A-Za-z_/][\w./-]*"
_SAFE = re.compile(rf"{_WORD}(:[\w./-]+| -> {_WORD})?", re.ASCII)
_YAML_1_1 = {"y", "n", "yes", "no", "on", "off", "null", "true", "false"}
_LONGEST = 300  # digits of a number: what is longer fits no variable

TRUTH = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


def resolved(text: str) -> Any:
    """What an unquoted scalar means: nothing, a boolean, a number or text."""
    lower = text.lower()
    if lower in ("", "~", "null"):
        return None
    if lower in ("true", "false"):
        return lower == "true"
    if len(text) > _LONGEST:
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _NUMBER.fullmatch(text):
        return float(text)
    return float("nan") if lower == ".nan" else _SPECIAL.get(lower, text)


def truth(given: Any) -> Any:
    """A boolean where one is wanted: `on`, `off`, `yes` and `no` will do."""
    return TRUTH.get(given.lower(), given) if isinstance(given, str) else given


def binary(given: Any) -> Any:
    """Bytes where they are wanted, from base64."""
    try:
        return base64.b64decode(given, validate=True) if isinstance(given, str) else given
    except (binascii.Error, ValueError):
        return given


def written(value: Any) -> str:
    """A scalar so that this reader, and any other, reads the same value again."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _number(value)
        case _:
            return word(str(value))


def word(text: str) -> str:
    """Text, in quotes where it would be something else without."""
    if _SAFE.fullmatch(text) and text.lower() not in _YAML_1_1:
        return text
    import yaml

    quoted = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=float("inf"))
    return quoted.rstrip("\n")


def _number(value: float) -> str:
    text = repr(value)
    if "e" in text and "." not in text:  # 1e-06 is text for other readers, 1.0e-06 a number
        return text.replace("e", ".0e")
    return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(text, text)
