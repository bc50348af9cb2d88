"""What is written in shared libraries of Linux, Windows and macOS: read here, with no tools."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
PE_MACHINES = {0x8664: "x86_64", 0xAA64: "aarch64"}
MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64"}


@dataclass(frozen=True)
class Binary:
    """A shared library: for which machine, what others see in it, what it wants of others."""

    system: str
    machine: str
    exports: frozenset[str]
    needs: frozenset[str]
    glibc: frozenset[tuple[int, ...]] = frozenset()
    facts: dict[str, object] = field(default_factory=dict)


def read(path: Path) -> Binary:
    """What a file says of itself."""
    data = path.read_bytes()
    if data.startswith(b"\x7fELF"):
        return _elf(data)
    if data.startswith(b"MZ"):
        return _pe(data)
    assert data.startswith(b"\xcf\xfa\xed\xfe"), data[:4]
    return _macho(data)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


def _elf(data: bytes) -> Binary:
    (machine,) = struct.unpack_from("<H", data, 18)
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * k) for k in range(count)]
    exports, needs = set(), set()
    for _, kind, _, _, at, length, link, _, _, _ in sections:
        names = sections[link][4]
        if kind == 11:  # dynamic symbols
            for place in range(at, at + length, 24):
                name, _, _, home = struct.unpack_from("<IBBH", data, place)
                if name and home:
                    exports.add(_text(data, names + name))
        if kind == 6:  # what the loader is to do
            for place in range(at, at + length, 16):
                tag, value = struct.unpack_from("<qQ", data, place)
                if tag == 1:
                    needs.add(_text(data, names + value))
    versions = re.findall(rb"GLIBC_(\d+(?:\.\d+)+)\0", data)
    glibc = frozenset(tuple(map(int, one.split(b"."))) for one in versions)
    return Binary("linux", ELF_MACHINES[machine], frozenset(exports), frozenset(needs), glibc)


def _pe(data: bytes) -> Binary:
    (head,) = struct.unpack_from("<I", data, 60)
    machine, count = struct.unpack_from("<HH", data, head + 4)
    (optional,) = struct.unpack_from("<H", data, head + 20)
    begin = head + 24
    sections = [
        struct.unpack_from("<IIII", data, begin + optional + 40 * k + 8) for k in range(count)
    ]

    def place(address: int) -> int:
        for length, at, raw, where in sections:
            if at <= address < at + max(length, raw):
                return where + address - at
        raise ValueError(address)

    exported, _, imported, _ = struct.unpack_from("<IIII", data, begin + 112)
    table = place(exported)
    (n,) = struct.unpack_from("<I", data, table + 24)
    (names,) = struct.unpack_from("<I", data, table + 32)
    pointers = struct.unpack_from(f"<{n}I", data, place(names))
    needs, at = set(), place(imported)
    while (name := struct.unpack_from("<5I", data, at)[3]) != 0:
        needs.add(_text(data, place(name)).lower())
        at += 20
    exports = frozenset(_text(data, place(pointer)) for pointer in pointers)
    return Binary("windows", PE_MACHINES[machine], exports, frozenset(needs))


def _macho(data: bytes) -> Binary:
    (machine,) = struct.unpack_from("<I", data, 4)
    exports: set[str] = set()
    needs, facts = set(), {}
    for command, at in _commands(data):
        if command == 0x2:  # symbols
            symbols, count, strings, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(count):
                name, kind, _, _, _ = struct.unpack_from("<IBBHQ", data, symbols + 16 * k)
                if kind == 0x0F:  # defined here, seen outside
                    exports.add(_text(data, strings + name).removeprefix("_"))
        elif command == 0xC:  # another library
            needs.add(_text(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        elif command == 0xD:
            facts["name"] = _text(data, at + struct.unpack_from("<I", data, at + 8)[0])
        elif command == 0x32:  # the oldest system
            (oldest,) = struct.unpack_from("<I", data, at + 12)
            facts["oldest"] = (oldest >> 16, oldest >> 8 & 255)
        elif command == 0x1D:
            facts["signed"] = True
    return Binary(
        "darwin", MACHO_MACHINES[machine], frozenset(exports), frozenset(needs), facts=facts
    )


def _commands(data: bytes) -> Iterator[tuple[int, int]]:
    (count,) = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        yield command & 0x7FFFFFFF, at
        at += size
