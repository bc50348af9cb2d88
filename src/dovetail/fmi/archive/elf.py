"""What a shared library of Linux says about itself, read from its file without loading it."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_HEADER = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_STRINGS, _DYNAMIC = 3, 6  # kinds of sections
_NEEDED = 1  # kind of an entry of the dynamic section
_ENTRY = struct.Struct("<IIQQQQIIQQ")  # of the table of sections


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """The libraries it needs, the bytes of its global variables, the names in its tables."""

    needed: tuple[str, ...] = ()
    global_bytes: int = 0
    names: frozenset[str] = frozenset()


def inspect(path: Path) -> SharedLibrary:
    """What the file says; nothing, where it is of another kind or damaged."""
    stat = path.stat()
    return _inspected(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _inspected(path: Path, changed: int, size: int) -> SharedLibrary:
    with suppress(OSError, struct.error, IndexError, ValueError):
        data = path.read_bytes()
        if data.startswith(_HEADER):
            return _read(data)
    return SharedLibrary()


def _read(data: bytes) -> SharedLibrary:
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names_at = struct.unpack_from("<HHH", data, 58)
    sections = [_ENTRY.unpack_from(data, table + k * size) for k in range(count)]
    titles = sections[names_at]
    named = {_text(data, titles[4] + s[0]): s for s in sections}
    globals_ = sum(named[n][5] for n in (".data", ".bss") if n in named)
    strings = named.get(".dynstr")
    if strings is None or strings[1] != _STRINGS:
        return SharedLibrary((), globals_)
    needed = []
    dynamic = next((s for s in sections if s[1] == _DYNAMIC), None)
    if dynamic is not None:
        for at in range(dynamic[4], dynamic[4] + dynamic[5], 16):
            kind, value = struct.unpack_from("<QQ", data, at)
            if kind == _NEEDED:
                needed.append(_text(data, strings[4] + value))
    known = data[strings[4] : strings[4] + strings[5]].split(b"\0")
    names = frozenset(n.decode(errors="replace") for n in known)
    return SharedLibrary(tuple(needed), globals_, names)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode(errors="replace")
