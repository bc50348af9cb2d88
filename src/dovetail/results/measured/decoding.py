"""The text of a file, whatever it is encoded in."""

from __future__ import annotations

import codecs
from pathlib import Path

from ...core.errors import FileError
from ...core.guard import check_file, guarded

_HEAD = 4096  # bytes that are looked at to tell text from anything else
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KNOWN = {
    b"PK\x03\x04": ("is a zip archive, not text", "an Excel file must end in .xlsx"),
    b"\xd0\xcf\x11\xe0": ("is an Excel file of the old kind, .xls", "save it as .xlsx or .csv"),
    b"%PDF": ("is a PDF, not text", "export the data as .csv or .xlsx"),
    b"\x1f\x8b": ("is compressed with gzip", "unpack it first"),
}
_PRINTED = frozenset("\t\n\r\f")


def text_in(path: Path) -> str:
    """All of a file as text with plain ends of lines: UTF-8, UTF-16, else Windows' Latin-1."""
    check_file(path)
    with guarded(path, "cannot be read"):
        data = path.read_bytes()
    for magic, (what, remedy) in _KNOWN.items():
        if data.startswith(magic):
            raise FileError(path, what, remedy)
    text = _decoded(data, path)
    if any(c < " " and c not in _PRINTED for c in text[:_HEAD]) or "\0" in text:
        raise _not_text(path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, path: Path) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    encoding = encoding or _wide(data[:_HEAD]) or "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8" or b"\0" in data:
            raise _not_text(path) from None
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: every second byte is zero."""
    low, high = head[0::2], head[1::2]
    if len(head) >= 4 and high.count(0) > 0.9 * len(high) and not low.count(0):
        return "utf-16-le"
    if len(head) >= 4 and low.count(0) > 0.9 * len(low) and not high.count(0):
        return "utf-16-be"
    return None


def _not_text(path: Path) -> FileError:
    return FileError(path, "is not text: it holds bytes that no text has", "export it as .csv")
