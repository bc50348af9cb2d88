"""What parts showed inside their windows, as tables beside the file of a run.

`run.parquet` has `run.inside.engine.parquet` for the part `engine`: a table with times of its own.
Signs that no file name can have are written as in addresses, %2F for a slash.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from ..recorders.base import Table

_MARK = ".inside."


def write_inside(tables: Mapping[str, Table], path: Path) -> None:
    """Write them all; those of an earlier file of this name go."""
    from . import write

    for old in inside_of(path).values():
        old.unlink(missing_ok=True)
    for part, table in tables.items():
        write(table, path.with_name(f"{path.stem}{_MARK}{quote(part, safe=' ')}{path.suffix}"))


def inside_of(path: Path) -> dict[str, Path]:
    """The files beside this one, by part."""
    begin, found = f"{path.stem}{_MARK}", dict[str, Path]()
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:  # a folder that may be entered, but not looked into
        return {}
    for one in beside:
        if one.suffix == path.suffix and one.name.startswith(begin) and one.is_file():
            part = one.name.removeprefix(begin).removesuffix(one.suffix)
            found[unquote(part)] = one
    return found
