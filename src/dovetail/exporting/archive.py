"""The file of an export: description, libraries, plan, and the FMUs inside."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..core.errors import FileError
from ..xml.manifest import NAME as MANIFEST

_MADE = (1980, 1, 1, 0, 0, 0)  # equal contents give equal files


def write_archive(
    path: Path, contents: Mapping[str, bytes], folders: Mapping[str, Path], empty: list[str]
) -> None:
    """Write it, whole or not at all; `folders`: what is copied to where, with all in it.

    `empty`: folders that are there whatever is in them, as FMUs of FMI 2 want their resources.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(empty):
                archive.writestr(_entry(f"{name}/", 0o40755), b"")
            for target, folder in sorted(folders.items()):
                for name in _empty(folder):
                    if f"{target}/{name}" not in empty:
                        archive.writestr(_entry(f"{target}/{name}/", 0o40755), b"")
            for name, data in sorted(contents.items()):
                archive.writestr(_entry(name), data)
            for target, folder in sorted(folders.items()):
                for name, file in _files(folder):
                    if f"{target}/{name}" not in contents:
                        archive.writestr(_entry(f"{target}/{name}"), file.read_bytes())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        what = f"it cannot be written: {error.strerror or error}"
        raise FileError(path, what, "choose a folder that can be written") from error


def _entry(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name, _MADE)
    found.external_attr = mode << 16
    found.compress_type = zipfile.ZIP_DEFLATED
    if name.endswith("/"):
        found.external_attr |= 0x10
    return found


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != MANIFEST:
            yield file.relative_to(folder).as_posix(), file


def _empty(folder: Path) -> Iterator[str]:
    """Folders with nothing in them: FMUs deeper inside want theirs too."""
    for one in sorted(folder.rglob("*")):
        if one.is_dir() and not any(one.iterdir()):
            yield one.relative_to(folder).as_posix()
