"""The variables in a result, read off the end or the beginning of its file."""

from __future__ import annotations

from pathlib import Path

from .model_names import columns

_MARK = b"PAR1"
_LARGEST = 50_000_000  # bytes of a footer
_LIST, _STRUCT, _MAP = (9, 10), 12, 11
_BYTES, _WHOLE = 8, (4, 5, 6)


def names_in(path: Path) -> list[str]:
    """The names of a .parquet, .csv or .tsv file; other files take a library to look into."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return columns(path)
    if not path.is_file():  # a pipe would be waited for
        return []
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != _MARK or length > min(size, _LARGEST):
            return []
        file.seek(size - 8 - length)
        return _Footer(file.read(length)).names()[1:]  # behind time


class _Footer:
    """Reads the compact form of Thrift, in which Parquet describes itself.

    The second field of the footer is the schema: a list of elements, whose fourth field is the
    name; the first of them is the table itself.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def names(self) -> list[str]:
        field = 0
        while found := self._head(field):
            field, kind = found
            if field == 2 and kind in _LIST:
                return [self._element() for _ in range(self._count()[0])][1:]
            self._skip(kind)
        return []

    def _element(self) -> str:
        field, name = 0, ""
        while found := self._head(field):
            field, kind = found
            if field == 4 and kind == _BYTES:
                name = self._bytes().decode(errors="replace")
            else:
                self._skip(kind)
        return name

    def _head(self, before: int) -> tuple[int, int] | None:
        """Number and kind of the next field; None where the structure ends."""
        byte = self._byte()
        if byte == 0:
            return None
        step, kind = byte >> 4, byte & 15
        return (before + step if step else self._signed()), kind

    def _skip(self, kind: int) -> None:
        if kind in _WHOLE:
            self._number()
        elif kind == 3:
            self.place += 1
        elif kind == 7:
            self.place += 8
        elif kind == _BYTES:
            self._bytes()
        elif kind in _LIST:
            count, inner = self._count()
            for _ in range(count):
                self._skip(inner)
        elif kind == _MAP:
            count = self._number()
            kinds = self._byte() if count else 0
            for _ in range(count):
                self._skip(kinds >> 4)
                self._skip(kinds & 15)
        elif kind == _STRUCT:
            field = 0
            while found := self._head(field):
                field, inner = found
                self._skip(inner)

    def _count(self) -> tuple[int, int]:
        byte = self._byte()
        return (self._number() if byte >> 4 == 15 else byte >> 4), byte & 15

    def _bytes(self) -> bytes:
        length = self._number()
        self.place += length
        return self.data[self.place - length : self.place]

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _number(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def _signed(self) -> int:
        found = self._number()
        return (found >> 1) ^ -(found & 1)
