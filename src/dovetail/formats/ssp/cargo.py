"""The files that go with an .ssd: in the archive, or in resources/ beside it."""

from __future__ import annotations

import os
import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from ...core.errors import FileError
from ...results.files.runfiles import check_place, reason
from .package import DEFAULT

RESOURCES = "resources"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same drawing is the same archive


@dataclass(slots=True)
class Cargo:
    """Files under the addresses they will have; `folder` is where an .ssd goes, if it does.

    What lies in that folder already is referred to where it is. A folder with an unpacked FMU is
    packed again.
    """

    folder: Path | None = None
    files: dict[str, Path] = field(default_factory=dict)  # address -> where it is now
    _known: dict[Path, str] = field(default_factory=dict)

    def add(self, path: Path, name: str | None = None) -> str:
        """Take a file along; the address by which an .ssd refers to it."""
        path = path.resolve()
        if path in self._known:
            return self._known[path]
        if self.folder is not None and path.is_file():
            here = self.folder.resolve()
            if path.is_relative_to(here):
                self._known[path] = quote(path.relative_to(here).as_posix())
                return self._known[path]
        wanted = Path(name or path.name)
        address, count = f"{RESOURCES}/{wanted.name}", 2
        while address in self.files or self._is_taken(address, path):
            address, count = f"{RESOURCES}/{wanted.stem}_{count}{wanted.suffix}", count + 1
        self.files[address] = path
        self._known[path] = quote(address)
        return self._known[path]

    def _is_taken(self, address: str, path: Path) -> bool:
        """Whether another file has this place beside the .ssd."""
        if self.folder is None:
            return False
        there = self.folder / address
        return there.exists() and not _same(there, path)


def pack(text: bytes, cargo: Cargo, path: Path) -> None:
    """Write an .ssp; it is replaced whole or not at all."""
    check_place(path)
    beside = path.with_name(path.name + ".part")
    try:
        with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(DEFAULT, _EPOCH), text, zipfile.ZIP_DEFLATED)
            for address, file in cargo.files.items():
                info = zipfile.ZipInfo(address, _EPOCH)
                archive.writestr(info, _content(file), zipfile.ZIP_DEFLATED)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FileError(path, f"cannot be written: {reason(error)}") from error


def lay_out(text: bytes, cargo: Cargo, path: Path) -> None:
    """Write an .ssd, and beside it what it needs."""
    check_place(path)
    beside = path.with_name(path.name + ".part")
    try:
        for address, file in cargo.files.items():
            target = path.parent / address
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                if file.is_dir():
                    target.write_bytes(_content(file))
                else:
                    shutil.copyfile(file, target)
        beside.write_bytes(text)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FileError(path, f"cannot be written: {reason(error)}") from error


def _content(file: Path) -> bytes:
    """A file as it is, or a folder as an archive."""
    if not file.is_dir():
        return file.read_bytes()
    import io

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in sorted(p for p in file.rglob("*") if p.is_file()):
            info = zipfile.ZipInfo(member.relative_to(file).as_posix(), _EPOCH)
            info.external_attr = (member.stat().st_mode & 0o777) << 16
            archive.writestr(info, member.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _same(a: Path, b: Path) -> bool:
    content = _content(b)
    return a.is_file() and a.stat().st_size == len(content) and a.read_bytes() == content
