"""From a plan to its bytes."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .layout import (
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
from .section import PlanSection


def write(plan: RunPlan) -> bytes:
    """The block of a plan; equal plans give equal bytes, on every machine."""
    sections = list[bytes]()
    for layout in SECTIONS:
        section = getattr(plan, layout.name)
        if section is not None:
            body = _body(section, layout)
            flags = SKIPPABLE if layout.skippable else 0
            sections += [SECTION.pack(layout.tag, flags, len(body)), body]
    rest, count = b"".join(sections), len(sections) // 2
    return sealed(HEADER.pack(MAGIC, VERSION, count, HEADER.size + len(rest), 0, 0) + rest)


def sealed(block: bytes) -> bytes:
    """A block with the checksum that belongs to it."""
    checksum = zlib.crc32(block[HEADER.size :], zlib.crc32(block[:SUMMED]))
    return block[:SUMMED] + checksum.to_bytes(4, "little") + block[SUMMED + 4 :]


def digest(block: bytes) -> str:
    """What a block is known by: SHA-256."""
    return hashlib.sha256(block).hexdigest()


def _body(section: PlanSection, layout: SectionLayout) -> bytes:
    return b"".join(_fields(section, layout))


def _fields(section: PlanSection, layout: SectionLayout) -> Iterator[bytes]:
    for name, form, is_array in layout.forms():
        value: Any = getattr(section, name)
        if form == "text":
            value = np.frombuffer(_joined(value), dtype=np.uint8)
        data = np.asarray(value).astype("<u1" if form == "text" else form).tobytes()
        if is_array:
            yield COUNT.pack(len(value))
        yield data + bytes(-len(data) % WIDTH)


def _joined(names: tuple[str, ...]) -> bytes:
    """Each name with a zero behind it."""
    return b"".join(name.encode("utf-8", "surrogatepass") + b"\0" for name in names)
