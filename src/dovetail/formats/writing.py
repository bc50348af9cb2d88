"""A drawing as a file."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from ..core.errors import FileError, did_you_mean
from ..core.file_kinds import WRITTEN, listed, suffixes, system_kind
from ..drawing.system import System


def write(system: System, path: str | Path) -> None:
    """Write a system, and how to run it; the file is replaced whole or not at all.

    What a MasterSim project cannot keep is a warning.
    """
    path = Path(path)
    kind = system_kind(path.suffix)
    if kind is None or not kind.is_written:
        what = f"'{path.suffix}' is not a format for systems" if path.suffix else "has no suffix"
        hint = did_you_mean(path.suffix.lower(), suffixes(WRITTEN))
        raise FileError(path, what, f"use {listed(suffixes(WRITTEN))}.{hint}")
    if kind.title == "SSP":
        from .ssp.writing import write_ssp

        write_ssp(system, path)
        return
    from ..results.files.runfiles import check_place, reason

    if kind.title == "MasterSim":
        from .msim_writing import text_of
    else:
        from .yaml_writing import text_of

    text = text_of(system, path.parent)
    check_place(path)
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FileError(path, f"cannot be written: {reason(error)}") from error
    if kind.title == "MasterSim":
        from .msim_losses import notes

        for note in notes(system):
            warnings.warn(f"{path}: {note}", stacklevel=3)
