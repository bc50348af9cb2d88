"""From the bytes of a plan to the plan, for printing and for tests.

The kernel has a reader of its own, `native/plan_read.c`.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from ..core.errors import InputError
from .layout import (
    BY_TAG,
    COUNT,
    HEADER,
    MAGIC,
    SECTION,
    SECTIONS,
    SKIPPABLE,
    SUMMED,
    VERSION,
    WIDTH,
    SectionLayout,
)
from .plan import RunPlan

_AGAIN = "write it again with this version of Dovetail"


def read(block: bytes) -> RunPlan:
    """The plan in a block; InputError where it is damaged, or of another version.

    Sizes, counts and the checksum are looked at; whether indices fit is for the kernel to say.
    """
    found: dict[str, Any] = {}
    for layout, body in sections(block):
        if layout is not None:
            found[layout.name] = _section(layout, body)
    missing = [s.tag.decode() for s in SECTIONS if s.required and s.name not in found]
    if missing:
        raise InputError(f"the plan has no section {missing[0]}; {_AGAIN}")
    return RunPlan(**found)


def sections(block: bytes) -> list[tuple[SectionLayout | None, memoryview]]:
    """Each section, with its layout if it is known."""
    count = _checked_header(block)
    at, found = HEADER.size, list[tuple[SectionLayout | None, memoryview]]()
    seen, view = set[bytes](), memoryview(block)
    for _ in range(count):
        if at + SECTION.size > len(block):
            raise InputError(f"the plan ends inside of a section; {_AGAIN}")
        tag, flags, size = SECTION.unpack_from(block, at)
        at += SECTION.size
        named = tag.decode("ascii", "replace")
        if tag in seen:
            raise InputError(f"the plan has two sections {named}; {_AGAIN}")
        if size % WIDTH or size > len(block) - at:
            raise InputError(f"section {named} of the plan has no such size: {size}; {_AGAIN}")
        if tag not in BY_TAG and not flags & SKIPPABLE:
            raise InputError(f"the plan has a section {named}, which is not known; {_AGAIN}")
        seen.add(tag)
        found.append((BY_TAG.get(tag), view[at : at + size]))
        at += size
    if at != len(block):
        raise InputError(f"the plan goes on behind its last section; {_AGAIN}")
    return found


def _checked_header(block: bytes) -> int:
    if len(block) < HEADER.size or not block.startswith(MAGIC):
        raise InputError("this is no plan of Dovetail: it does not begin as one")
    _, version, count, size, checksum, nothing = HEADER.unpack_from(block)
    if version != VERSION:
        raise InputError(f"the plan is of version {version}, and {VERSION} is known; {_AGAIN}")
    if size != len(block):
        raise InputError(f"the plan says it has {size} bytes, and has {len(block)}; {_AGAIN}")
    if nothing or zlib.crc32(block[HEADER.size :], zlib.crc32(block[:SUMMED])) != checksum:
        raise InputError(f"the plan is damaged: its checksum is another; {_AGAIN}")
    return int(count)


def _section(layout: SectionLayout, body: memoryview) -> Any:
    values, at = list[Any](), 0
    for name, form, is_array in layout.forms():
        where = f"section {layout.tag.decode()} of the plan"
        dtype, count = np.dtype("<u1" if form == "text" else form), 1
        if len(body) - at < WIDTH:
            raise InputError(f"{where} ends before '{name}'; {_AGAIN}")
        if is_array:
            (count,) = COUNT.unpack_from(body, at)
            at += COUNT.size
        size = count * dtype.itemsize
        if size > len(body) - at:
            raise InputError(f"{where} ends inside of '{name}'; {_AGAIN}")
        array = np.frombuffer(body, dtype, count, at)
        at += size + -size % WIDTH
        if form == "text":
            values.append(_names(array.tobytes(), where))
        else:  # as they are here, whatever the order of bytes in the plan
            values.append(array.astype(dtype.newbyteorder("=")) if is_array else array[0].item())
    if at != len(body):
        raise InputError(f"section {layout.tag.decode()} of the plan is too long; {_AGAIN}")
    return layout.kind(*values)


def _names(text: bytes, where: str) -> tuple[str, ...]:
    if text and not text.endswith(b"\0"):
        raise InputError(f"{where} ends inside of a name; {_AGAIN}")
    try:
        return tuple(t.decode("utf-8", "surrogatepass") for t in text.split(b"\0")[:-1])
    except UnicodeDecodeError:
        raise InputError(f"{where} has a name that is no text; {_AGAIN}") from None
