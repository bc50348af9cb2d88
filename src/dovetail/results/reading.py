"""Results from files."""

from __future__ import annotations

import warnings
from pathlib import Path

from ..core.errors import FileError, no_such_file
from ..core.guard import guarded
from ..core.options import check_path
from .measured.options import check_choice
from .result import Result


def read(path: str | Path, *, missing: str = "nan") -> Result:
    """Read a result: .parquet, .arrow, .csv, .tsv, .h5, .hdf5, .mat, .xlsx, .json.

    Text and Excel files of other tools are read as people have them: `docs/data.md`. Their empty
    cells are NaN, or with `missing` "interpolate", "hold", or "drop" (the whole row).
    Of a run that died, name the file it was to become, or one of those it left
    (`run.parquet.rows`, `run.parquet.tail`).
    """
    check_path("a result", path)
    check_choice("missing", missing, ("nan", "interpolate", "hold", "drop"))
    with guarded(path, "cannot be read as a result"):
        return _read(Path(path), missing)


def _read(path: Path, missing: str) -> Result:
    from .files import read_table
    from .files.checking import check_table
    from .files.foreign import SUFFIXES, foreign_table
    from .files.inside import inside_of
    from .files.remains import Remains, of_run
    from .files.runfiles import stream_of

    final = of_run(path)
    if final != path:
        return Result(Remains(final))
    if path.is_dir():
        raise FileError(path, "is a folder", "name a file in it")
    if path.exists():
        if stream_of(path).exists():
            warnings.warn(
                f"beside '{path}' lie rows of a later run that did not finish: read them as "
                f"'{stream_of(path)}'",
                stacklevel=3,
            )
        if path.suffix.lower() == ".txt" or (missing != "nan" and path.suffix.lower() in SUFFIXES):
            table = foreign_table(path, missing="" if missing == "nan" else missing)
            check_table(path, table)
            return Result(table)
        return Result(read_table(path), inside_of(path))
    if stream_of(path).exists():
        return Result(Remains(path))
    raise no_such_file(path)
