"""The rows of a sheet of an Excel file, as text."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from ...core.errors import FileError, did_you_mean
from ...core.guard import check_file, short
from ..files.needs import need
from .text_rows import BLOCK, Row

_SAMPLE = 200
_MOST_BYTES = 2**32  # unpacked
_MOST_ROWS = 2**20  # of a sheet, as Excel has it
_RATIO, _RATIO_FROM = 200, 64 * 2**20  # unpacked to packed, and from how many bytes that matters


class ExcelRows:
    """The rows of one sheet. Cells of dates become texts in the form of ISO 8601."""

    decimal = "."

    def __init__(self, path: Path, sheet: str | int | None) -> None:
        self.path = path
        book = workbook(path)
        names: list[str] = book.sheetnames
        self._sheet = _chosen(book, names, sheet, path)
        self.sample: list[Row] = list(islice(self._rows(), _SAMPLE))
        several = len(names) > 1 and sheet is None
        title = self._sheet.title
        self.about = f"is read from the sheet '{title}', one of {len(names)}" if several else ""

    def comment_before(self, number: int) -> list[str]:
        """There are no comments in a sheet."""
        return []

    def blocks(self, first: int) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
        """All rows from a line on, some at a time, with their numbers."""
        rows = ((number, row) for number, row in self._rows() if number >= first)
        while block := list(islice(rows, BLOCK)):
            yield [number for number, _ in block], [row for _, row in block]

    def _rows(self) -> Iterator[Row]:
        width = 0
        try:
            for number, values in enumerate(rows_of(self._sheet, self.path), 1):
                cells = [_text(value) for value in values]
                while len(cells) > width and not cells[-1]:
                    cells.pop()
                width = max(width, len(cells))
                cells += [""] * (width - len(cells))
                if any(cells):
                    yield number, cells
        except FileError:
            raise
        except Exception as error:  # whatever a broken sheet makes openpyxl raise
            raise broken(self.path, error) from None


def workbook(path: Path) -> Any:
    """An Excel file, opened to be read row by row."""
    need("openpyxl", "excel")
    import openpyxl

    check_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > _MOST_BYTES:
            raise FileError(path, "would be more than 4 GB unpacked", "save it as .csv")
        if size > _RATIO_FROM and size > _RATIO * path.stat().st_size:
            what = f"unpacked it would be {size / path.stat().st_size:.0f} times as large"
            raise FileError(path, f"{what}, as a zip bomb is", "save it as .csv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles, which do not matter here
            return openpyxl.load_workbook(
                BytesIO(path.read_bytes()), read_only=True, data_only=True
            )
    except FileError:
        raise
    except Exception as error:  # whatever a broken file makes openpyxl raise
        raise broken(path, error) from None


def rows_of(sheet: Any, path: Path, first: int = 1) -> Iterator[tuple[Any, ...]]:
    """The cells of each row; openpyxl makes as many empty ones as a number of a row wants."""
    for number, row in enumerate(sheet.iter_rows(min_row=first, values_only=True), first):
        if number > _MOST_ROWS:
            raise FileError(path, f"has rows beyond {_MOST_ROWS}, where Excel ends")
        yield row


def broken(path: Path, error: Exception) -> FileError:
    """The error for a file that is no Excel file, or not a whole one."""
    return FileError(path, f"is not an Excel file, or not a whole one ({short(error)})")


def _chosen(book: Any, names: list[str], sheet: str | int | None, path: Path) -> Any:
    if isinstance(sheet, int):
        if sheet > len(names):
            raise FileError(path, f"has {len(names)} sheets, so there is no sheet {sheet}")
        sheet = names[sheet - 1]
    if sheet is not None and sheet not in names:
        hint = did_you_mean(sheet, names) or f" There are {', '.join(names[:6])}."
        raise FileError(path, f"has no sheet '{sheet}'.{hint}")
    tables = [one for one in book.worksheets if sheet is None or one.title == sheet]
    if not tables:
        raise FileError(path, "has no sheet of cells")
    return tables[0]


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat(" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            seconds, rest = divmod(value // timedelta(microseconds=1), 10**6)
            clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
            return f"{clock}.{rest:06d}"
        case float():
            return repr(value)
    return str(value).strip()
