"""The types that variables have in the files of FMI 3 and SSP, and what they can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Type = Literal[
    "Float32", "Float64",
    "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
    "Boolean", "String", "Binary", "Enumeration", "Clock",
]  # fmt: skip
Scalar = bool | int | float | str | bytes

FLOATS: frozenset[Type] = frozenset(["Float32", "Float64"])
RANGES: Mapping[Type, tuple[int, int]] = {
    "Int8": (-(2**7), 2**7 - 1),
    "UInt8": (0, 2**8 - 1),
    "Int16": (-(2**15), 2**15 - 1),
    "UInt16": (0, 2**16 - 1),
    "Int32": (-(2**31), 2**31 - 1),
    "UInt32": (0, 2**32 - 1),
    "Int64": (-(2**63), 2**63 - 1),
    "UInt64": (0, 2**64 - 1),
    "Enumeration": (-(2**63), 2**63 - 1),
}
