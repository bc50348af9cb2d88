"""Damage: bytes, lines and words, members of archives, trees of JSON. All by a given chance."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

NUMBERS = (
    *("0", "-1", "1", "2", "255", "65536", "2147483647", "2147483648", "4294967295", "-2147483649"),
    *("9999999", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e400"),
    *(
        "-1e400",
        "1e-400",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "0x10",
        "1_000",
        "1e5",
        "0.1",
        "-0.0",
        "\uff11",
    ),
)
WORDS = (
    *("", " ", "x", "\0", "\r", "\n", "\t", "'", '"', "<", ">", "&", "%s", "%n", "..", "/", "\\"),
    *("../../etc/passwd", "/dev/zero", "~", "#", "a.b", "a" * 300, "\u202e", "\ud83d\ude00", "é"),
    *("true", "false", "null", "none", "[", "]", "{", "}", "[[", "time", "x [0]", "x [1]", ":"),
)
_INTEGERS = (0, 1, 7, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
_LARGEST = 100_000  # bytes of a text
_PIECES = re.compile(rb"[A-Za-z_][\w.]*|[-+]?\d[\d.eE+-]*|\s+|.", re.DOTALL)


def damaged_bytes(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A file with some of its bytes changed, cut, doubled, or taken from another."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        if not found:
            break
        place = chance.randrange(len(found))
        match chance.randrange(9):
            case 0:
                found[place] ^= 1 << chance.randrange(8)
            case 1:
                found[place] = chance.randrange(256)
            case 2 | 3:
                size, order = chance.choice((1, 2, 4, 8)), chance.choice(("little", "big"))
                value = chance.choice(_INTEGERS) % 256**size
                if chance.random() < 0.3:
                    value = -1 % 256**size
                found[place : place + size] = value.to_bytes(size, order)
            case 4:
                del found[place:]
            case 5:
                del found[place : place + chance.choice((1, 4, 16, 256))]
            case 6:
                piece = found[place : place + chance.choice((1, 4, 16, 256))]
                found[place:place] = piece * chance.choice((1, 1, 2, 50))
            case 7:
                other = chance.choice(others)
                at = chance.randrange(len(other) or 1)
                found[place : place + 32] = other[at : at + 32]
            case _:
                found[place:place] = chance.randbytes(chance.choice((1, 8, 64)))
    return bytes(found)


def damaged_text(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A text with words and numbers changed, lines lost, doubled or moved; at times raw bytes."""
    if chance.random() < 0.15:
        return damaged_bytes(chance, data, others)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        data = data[:_LARGEST]
        if chance.random() < 0.3:
            data = _damaged_lines(chance, data, others)
            continue
        pieces = _PIECES.findall(data)
        if not pieces:
            return data
        place = chance.randrange(len(pieces))
        match chance.randrange(6):
            case 0 | 1:
                numbers = [k for k, p in enumerate(pieces) if p[-1:].isdigit()]
                place = chance.choice(numbers) if numbers else place
                pieces[place] = chance.choice(NUMBERS).encode()
            case 2:
                pieces[place] = chance.choice(WORDS).encode("utf-8", "surrogatepass")
            case 3:
                pieces[place] = chance.choice(pieces)
            case 4:
                del pieces[place : place + chance.choice((1, 2, 5))]
            case _:
                pieces.insert(place, pieces[place])
        data = b"".join(pieces)
    return data


def _damaged_lines(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            del lines[first]
        case 1:
            lines[first], lines[second] = lines[second], lines[first]
        case 2:
            lines.insert(second, lines[first] * chance.choice((1, 1, 200)))
        case _:
            lines.insert(second, chance.choice(chance.choice(others).splitlines(True) or [b""]))
    return b"".join(lines)


def damaged_archive(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """An archive whose members, their names or the whole are changed."""
    if chance.random() < 0.5:
        return damaged_bytes(chance, data, others)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    out = io.BytesIO()
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    victim = chance.randrange(len(members))
    with zipfile.ZipFile(out, "w", chance.choice(methods)) as archive:
        for k, (title, content) in enumerate(members):
            info = zipfile.ZipInfo(title)
            info.compress_type = archive.compression
            if k == victim and chance.random() < 0.4:
                info.filename = chance.choice(WORDS).encode("utf-8", "replace").decode()
            elif k == victim:
                content = damaged_text(chance, content, [content])  # noqa: PLW2901
            archive.writestr(info, content)
    whole = out.getvalue()
    return damaged_bytes(chance, whole, others) if chance.random() < 0.3 else whole


_LEAVES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**63, 10**30, 0.5, -1e300, "", "x", "real", "time"),
    *([], {}, [1], [[]], {"a": 1}, {"$": "float", "text": "nan"}, {"$": "tuple", "items": []}),
    *({"$": "map", "items": []}, {"$": "bytes", "data": ""}, {"$": "bytes", "data": "AAAA"}),
    {"$": "array", "type": "<f8", "shape": [0], "data": ""},
    {"$": "array", "type": "<f8", "shape": [1], "data": "AAAAAAAAAAA="},
    {"$": "class", "name": "window", "fields": {"start": 0.0, "stop": 1.0, "size": 1.0}},
    {"$": "class", "name": "__main__", "fields": {}},
)


def damaged_tree(chance: Random, tree: Any) -> Any:
    """Data of JSON with some of its values replaced, lost, doubled, or taken from elsewhere."""
    tree = json.loads(json.dumps(tree))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        places = list(_places(tree))
        if not places:
            return chance.choice(_LEAVES)
        holder, key = chance.choice(places)
        match chance.randrange(6):
            case 0 | 1 | 2:
                holder[key] = deepcopy(chance.choice(_LEAVES))  # none is in two places
            case 3:
                other, place = chance.choice(places)
                holder[key] = json.loads(json.dumps(other[place]))
            case 4:
                del holder[key]
            case _:
                if isinstance(holder, list):
                    holder.insert(key, json.loads(json.dumps(holder[key])))
                elif isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
                    holder[key] = chance.choice((-1, 0, 1, 10**6, 1e308, -1e308)) * holder[key]
    return tree


def _places(tree: Any) -> Any:
    keys = range(len(tree)) if isinstance(tree, list) else tree if isinstance(tree, dict) else ()
    for key in keys:
        yield tree, key
        yield from _places(tree[key])


def damaged_json(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A file of JSON: its data changed, or its text."""
    if chance.random() < 0.3:
        return damaged_text(chance, data, others)
    return json.dumps(damaged_tree(chance, json.loads(data))).encode()


def damaged_checkpoint(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A checkpoint: its values changed, so that it stays well-formed, or its bytes."""
    head, newline, body = data.partition(b"\n")
    if chance.random() < 0.1:
        return damaged_bytes(chance, data, others)
    text = zlib.decompress(body)
    if chance.random() < 0.1:
        text = damaged_bytes(chance, text, [text])
    else:
        text = json.dumps(damaged_tree(chance, json.loads(text))).encode()
    return head + newline + zlib.compress(text, 1)
