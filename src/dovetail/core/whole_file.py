"""Files that are there complete, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place beside `path` to write to; what is there at the end becomes the file.

    If writing fails, `path` is as it was. It has the same suffix, by which many writers go. What is
    no file, such as a device, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield path
        return
    beside = target.with_name(f"{target.stem}.part{target.suffix}")
    try:
        yield beside
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
