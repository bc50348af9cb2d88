"""What an export is beside its plan, as bytes: `resources/export.bin`.

docs/design/exports.md is the same in words; `native/shim/block.c` reads it, with the same fields in
the same order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

import numpy as np

from ..runplan.layout import COUNT, FORMS, HEADER, WIDTH
from ..runplan.section import Reals, References, Whole
from ..runplan.writing import sealed

MAGIC = b"DOVEEXPT"
VERSION = 3


@dataclass(frozen=True, slots=True, eq=False)
class ExportBlock:
    """Parts, the values they can be given, variables by value reference, the order at the start."""

    token: tuple[str, ...]  # the instantiation token: one text
    size: float  # of windows, in s
    least: float  # they are cut down to this where an iteration does not converge
    # parts
    folders: tuple[str, ...]  # below the resources
    identifiers: tuple[str, ...]
    tokens: tuple[str, ...]
    names: tuple[str, ...]
    kinds: Whole  # 0: an FMU; 1: equations, which answer as an FMU of FMI 2 would; 2: for exchange
    versions: Whole  # of FMI
    resources: Whole  # 1: it has a folder of resources
    follows: Whole  # 1: it asks for its inputs inside a step (FMI 3)
    saves: Whole  # 1: its state can be saved, 2: and serialized
    tolerances: Reals  # NaN: that of the importer
    blank: Reals  # outputs before any part was asked
    # values that parts can be given
    value_part: Whole
    value_type: Whole  # 0: real, 1: 32-bit integer, 2: boolean, 3: text, 4: 64-bit integer ...
    value_reference: References
    value_count: Whole  # elements
    value_at: Whole  # the first of them among numbers, or texts
    value_given: Whole  # 1: the drawing gives it
    value_tunable: Whole
    numbers: Reals
    texts: tuple[str, ...]
    # variables, by value reference
    role: Whole  # 0: time, 1: input, 2: output, 3: a value of a part, 4: a derivative, 5: a state,
    # 6: an input that is no real, 7: such an output
    type: Whole  # as of values, up to 4
    place: Whole  # among inputs, outputs or states; of an output that is no real: 1: it can be set
    value: Whole  # -1: none
    element: Whole
    state: Whole  # which one it is; -1: none
    # groups of parts at the start, in the order of direct feedthrough
    group_parts: Whole
    group_targets: Whole  # inputs of loops
    parts: Whole
    targets: Whole
    sources: Whole
    gains: Reals
    offsets: Reals
    # directional derivatives: what parts are asked by, states before inputs, and for
    derives: Whole  # 1: all parts have them
    states: Whole  # how many there are in all
    known_part: Whole
    known_count: Whole  # elements
    known_place: Whole  # among the states of all, and behind them their inputs
    known_reference: References
    unknown_part: Whole
    unknown_count: Whole
    unknown_place: Whole  # among the derivatives of the states, and behind them the outputs
    unknown_reference: References
    # wires that carry values that are no reals
    carried_source: Whole  # a value
    carried_source_element: Whole
    carried_target: Whole  # a value; -1: a real input
    carried_target_element: Whole
    carried_input: Whole  # that real input; -1: none
    carried_gain: Reals
    carried_offset: Reals
    carried_rows: Whole  # of a table that values are looked up in first
    carried_given: Reals
    carried_instead: Reals
    control: Reals  # what a controller of sizes remembers at first
    # of each part: how its equations are solved, if it is an FMU for model exchange
    solver_method: Whole  # 1: euler, 2: semi_implicit, 3: heun, 4: midpoint, 5: rk4, 6: rk45
    solver_states: Whole
    solver_told: Whole  # 1: of steps of its solver, 2: it saves states, 3: both
    solver_numbers: Reals  # five: rtol, atol, size, longest step, most steps

    def written(self) -> bytes:
        """The block."""
        return packed(self, MAGIC, VERSION)


def packed(block: Any, magic: bytes, version: int) -> bytes:
    """The fields of a block behind a header."""
    rest = b"".join(_fields(block))
    return sealed(HEADER.pack(magic, version, 1, HEADER.size + len(rest), 0, 0) + rest)


def _fields(block: Any) -> Iterator[bytes]:
    hints = get_type_hints(type(block))
    for field in fields(block):
        kind, value = hints[field.name], getattr(block, field.name)
        if kind is float:
            yield struct.pack("<d", value)
            continue
        form = FORMS[kind]
        data = _texts(value) if form == "text" else np.asarray(value).astype(form).tobytes()
        yield COUNT.pack(len(data) if form == "text" else len(value))
        yield data + bytes(-len(data) % WIDTH)


def _texts(values: tuple[str, ...]) -> bytes:
    return b"".join(text.encode() + b"\0" for text in values)


def wholes(values: Any) -> Whole:
    """As whole numbers."""
    return np.array(values, dtype=np.int32)


def reals(values: Any) -> Reals:
    """As real numbers."""
    return np.array(values, dtype=np.float64)
