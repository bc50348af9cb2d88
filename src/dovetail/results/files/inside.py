"""What parts showed inside their windows, as tables beside the file of a run.

`run.parquet` has `run.inside.engine.parquet` for the part `engine`: a table with times of its own.
Signs that no file name can have are written as in addresses, %2F for a slash.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from ...core.errors import FileError
from ..recorders.base import RecordedTable

_MARK = ".inside."


def write_inside(tables: Mapping[str, RecordedTable], path: Path) -> None:
    """Write them all; then those of an earlier file of this name go, and nothing else."""
    from . import write

    for part, table in tables.items():
        write(table, path.with_name(f"{path.stem}{_MARK}{_quoted(part)}{path.suffix}"))
    for part, old in inside_of(path).items():
        if part not in tables and read_inside(part, old) is not None:
            try:
                old.unlink(missing_ok=True)
            except OSError as error:
                what = f"it is of an earlier run and cannot be removed: {error.strerror}"
                raise FileError(old, what, "remove it, or choose another name") from error


def _quoted(part: str) -> str:
    return quote(part, safe=" ")


def read_inside(part: str, path: Path) -> RecordedTable | None:
    """The table of that part; None where it is another file that only has such a name."""
    from . import read_table

    try:
        table = read_table(path)
    except (FileError, OSError, ValueError):
        return None
    names = [column.name for column in table.columns]
    return table if names and all(name.startswith(f"{part}.") for name in names) else None


def inside_of(path: Path) -> dict[str, Path]:
    """The files beside this one, by part."""
    begin, found = f"{path.stem}{_MARK}", dict[str, Path]()
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:  # a folder that may be entered, but not looked into
        return {}
    for one in beside:
        if one.suffix == path.suffix and one.name.startswith(begin) and one.is_file():
            quoted = one.name[len(begin) : -len(one.suffix)]
            part = unquote(quoted)
            if part and _quoted(part) == quoted:
                found[part] = one
    return found
