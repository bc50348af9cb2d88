"""What stands at the end of a Parquet file, as far as its library does not look at it itself.

Where a column claims sizes that do not fit its type, or is encrypted, pyarrow does not raise: the
process is aborted as soon as that column is looked at. So these claims are read here before, from
Thrift's compact protocol (https://github.com/apache/parquet-format, FileMetaData).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

_ROW_GROUPS, _COLUMNS, _META_DATA, _CRYPTO, _SIZES = 4, 1, 3, 8, 16  # fields that lead there
_LARGEST = 2**28  # bytes of a footer
_DEEPEST = 32  # values within values; Parquet has nine
_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY = 1, 2, 3, (4, 5, 6), 7, 8
_LISTS, _MAP, _STRUCT = (9, 10), 11, 12


class UnreadableFooter(Exception):
    """These bytes are no footer."""


def unfit_column(file: BinaryIO, size: int, schema: Any) -> str:
    """What is wrong with a column that its library would not survive, or nothing."""
    for chunk in _chunks(_footer(file, size)):
        for number, column in enumerate(chunk, 1):
            if number > len(schema):
                return f"it says that a group has {len(chunk)} columns of {len(schema)}"
            if (what := _unfit(column, schema.column(number - 1))) != "":
                return f"column {number} {what}"
    return ""


def _footer(file: BinaryIO, size: int) -> dict[int, Any]:
    file.seek(max(0, size - 8))
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or length + 8 > size or length > _LARGEST:
        raise UnreadableFooter("its end is not that of a Parquet file")
    file.seek(size - 8 - length)
    return _Compact(file.read(length)).struct(0)


def _chunks(footer: dict[int, Any]) -> Iterator[list[Any]]:
    """The columns of each group of rows."""
    for group in _list(footer.get(_ROW_GROUPS)):
        yield _list(_struct(group).get(_COLUMNS))


def _unfit(column: Any, expected: Any) -> str:
    if _CRYPTO in _struct(column):
        return "is encrypted"
    sizes = _struct(_struct(_struct(column).get(_META_DATA)).get(_SIZES))
    levels = expected.max_repetition_level, expected.max_definition_level
    for field, most in zip((2, 3), levels, strict=True):
        histogram = _list(sizes.get(field))
        if histogram and len(histogram) != most + 1:
            return f"counts {len(histogram)} levels of {most + 1}"
    if 1 in sizes and expected.physical_type != "BYTE_ARRAY":
        return f"of type {expected.physical_type} counts bytes of texts"
    return ""


def _struct(value: Any) -> dict[int, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


@dataclass(slots=True)
class _Compact:
    """Values of Thrift's compact protocol, one after another: structures are dictionaries."""

    data: bytes
    at: int = 0

    def struct(self, depth: int) -> dict[int, Any]:
        """Fields by number, to the end of the structure."""
        fields: dict[int, Any] = {}
        field = 0
        while (head := self._byte()) != 0:
            field = field + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            fields[field] = kind == _TRUE if kind in {_TRUE, _FALSE} else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _INTEGERS:
            return self._signed()
        if depth > _DEEPEST:
            raise UnreadableFooter("it has values within values without end")
        if kind in {_TRUE, _FALSE, _BYTE}:  # of a list or a map: a byte each
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind in _LISTS:
            return self._several(depth)
        if kind == _MAP:
            return self._pairs(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise UnreadableFooter(f"it has a value of no known kind ({kind})")

    def _several(self, depth: int) -> list[Any]:
        head = self._byte()
        count = self._unsigned() if head >> 4 == 15 else head >> 4
        self._check_room(count)
        return [self._value(head & 15, depth + 1) for _ in range(count)]

    def _pairs(self, depth: int) -> None:
        count = self._unsigned()
        self._check_room(2 * count)
        kinds = self._byte() if count else 0
        for _ in range(count):
            self._value(kinds >> 4, depth + 1), self._value(kinds & 15, depth + 1)

    def _check_room(self, count: int) -> None:
        if count > len(self.data) - self.at:
            raise UnreadableFooter(f"it has {count} values in {len(self.data) - self.at} bytes")

    def _byte(self) -> int:
        try:
            found = self.data[self.at]
        except IndexError:
            raise UnreadableFooter("it ends in the middle of a value") from None
        self.at += 1
        return found

    def _bytes(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise UnreadableFooter("it ends in the middle of a value")
        self.at += count
        return found

    def _unsigned(self) -> int:
        if (value := self._byte()) < 128:  # most are
            return value
        value, shift = value & 127, 7
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise UnreadableFooter("it has a number without end")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
