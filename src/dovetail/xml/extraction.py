"""Unpacking an untrusted archive.

Nothing of it is written before all of it was looked at, and nothing outside the folder given.
"""

from __future__ import annotations

import errno
import lzma
import re
import shutil
import stat
import struct
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from ..core.errors import FileError
from .lzma_members import check_dictionary

LARGEST_TOTAL = 8 * 2**30  # bytes, unpacked
MOST_MEMBERS = 100_000
HIGHEST_RATIO = 200.0  # unpacked to packed; what tools write has ratios up to 30
RATIO_MATTERS_FROM = 64 * 2**20  # bytes, unpacked: a small file of zeros is no bomb

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UNSAFE = "it may have been made to do harm; get it from a source you trust"
_AGAIN = "copy or export it again"
_LONGEST = 100  # letters of a name in a message
_NO_ROOM = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
_DRIVE = re.compile(r"[A-Za-z]:")
_DAMAGE = (
    *(BadZipFile, EOFError, zlib.error, lzma.LZMAError, struct.error),
    *(ValueError, OverflowError, IndexError),
)


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file of an archive, and where it goes: the parts of its path."""

    info: ZipInfo
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its path in the archive."""
        return "/".join(self.parts)

    @property
    def title(self) -> str:
        """The same for messages: it is untrusted, and printed on a terminal."""
        return shown(self.name)


@dataclass(frozen=True, slots=True)
class Content:
    """What an archive holds that was looked at, and what about it is unusual.

    `empty` are folders without a file in them, which may be looked for all the same.
    """

    members: tuple[ArchiveMember, ...]
    empty: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def shown(name: str) -> str:
    """A name as it can be shown: of a bearable length, without what a terminal would obey."""
    plain = "".join(c if c.isprintable() else "?" for c in name)
    return f"'{plain}'" if len(plain) <= _LONGEST else f"'{plain[:_LONGEST]}...'"


def opened(path: Path, file: BinaryIO) -> ZipFile:
    """The zip archive in an open file; FileError where it is none."""
    try:
        return ZipFile(file)
    except NotImplementedError as error:
        raise FileError(path, f"its zip format is not supported: {error}", _AGAIN) from error
    except _DAMAGE as error:
        file.seek(0)
        raise _not_a_zip(path, file.read(64)) from error


def inspected(path: Path, archive: ZipFile) -> Content:
    """What the archive holds; FileError where it is not safe to unpack."""
    infos = archive.infolist()
    _check_sizes(path, infos)
    members: dict[str, ArchiveMember] = {}
    folders: set[tuple[str, ...]] = set()
    notes: list[str] = []
    for info in infos:
        _check_kind(path, info)
        name = _decoded(info)
        if "\\" in name and not notes:
            notes.append("paths in the archive are written with '\\' instead of '/'")
        member = ArchiveMember(info, _parts(path, name))
        if name.endswith(("/", "\\")) or not member.parts:
            folders.add(member.parts)
            continue
        known = members.setdefault(member.name, member)
        if (known.info.CRC, known.info.file_size) != (info.CRC, info.file_size):
            raise FileError(path, f"it holds two different files {member.title}", _AGAIN)
    _check_folders(path, members)
    filled = {m.parts[:n] for m in members.values() for n in range(len(m.parts) + 1)}
    return Content(tuple(members.values()), tuple(sorted(folders - filled)), tuple(notes))


def unpack(path: Path, archive: ZipFile, content: Content, folder: Path) -> None:
    """Write what the archive holds into a folder."""
    for parts in content.empty:
        folder.joinpath(*parts).mkdir(parents=True, exist_ok=True)
    for member in content.members:
        try:
            target = folder.joinpath(*member.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            if archive.fp is not None:
                check_dictionary(path, archive.fp, member.info, member.title)
            with archive.open(member.info) as source, target.open("xb") as sink:
                shutil.copyfileobj(source, sink, 2**20)
            if (member.info.external_attr >> 16) & 0o111:
                target.chmod(0o755)
        except (NotImplementedError, RuntimeError) as error:
            what = f"{member.title} cannot be unpacked: {error}"
            raise FileError(path, what, "zip it again with the method 'deflate'") from error
        except OSError as error:
            what = f"{member.title} cannot be written: {error.strerror or error}"
            raise FileError(path, what, _way_out(error)) from error
        except _DAMAGE as error:
            what = f"it is damaged or cut short at {member.title}"
            raise FileError(path, what, _AGAIN) from error


def _way_out(error: OSError) -> str:
    if error.errno in _NO_ROOM:
        return "make room, or set DOVETAIL_CACHE to another folder"
    if error.errno == errno.ENAMETOOLONG:
        return "zip it with shorter names"
    return "set DOVETAIL_CACHE to another folder"


def _check_folders(path: Path, members: Mapping[str, ArchiveMember]) -> None:
    """Refuse what is a file in one place and a folder in another."""
    for member in members.values():
        for k in range(1, len(member.parts)):
            if (above := members.get("/".join(member.parts[:k]))) is not None:
                what = f"{above.title} in it is a file and a folder at once"
                raise FileError(path, what, _AGAIN)


def _not_a_zip(path: Path, head: bytes) -> FileError:
    if not head:
        return FileError(path, "the file is empty", _AGAIN)
    if head.startswith(b"version https://git-lfs"):
        what = "this is only a pointer of Git LFS to the file"
        return FileError(path, what, "fetch the file itself with 'git lfs pull'")
    if head.startswith(b"PK"):
        return FileError(path, "the zip archive is damaged or cut short", _AGAIN)
    return FileError(path, "this is not a zip archive, as FMUs and SSPs are", "check the file name")


def _check_sizes(path: Path, infos: Sequence[ZipInfo]) -> None:
    if len(infos) > MOST_MEMBERS:
        raise FileError(path, f"it holds {len(infos)} files; at most {MOST_MEMBERS} are", _UNSAFE)
    total = sum(info.file_size for info in infos)
    if total > LARGEST_TOTAL:
        what = f"unpacked it would take {total / 2**30:.1f} GiB; at most {LARGEST_TOTAL >> 30} are"
        raise FileError(path, f"{what} accepted", _UNSAFE)
    packed = max(path.stat().st_size, 1)
    if total > RATIO_MATTERS_FROM and total > HIGHEST_RATIO * packed:
        what = f"unpacked it would be {total / packed:.0f} times as large, as a zip bomb is"
        raise FileError(path, what, _UNSAFE)


def _check_kind(path: Path, info: ZipInfo) -> None:
    name = shown(info.filename)
    if info.flag_bits & _ENCRYPTED:
        raise FileError(
            path, f"{name} is encrypted", "neither FMUs nor SSPs may be; export it without"
        )
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        what = f"{name} is a link or a special file, which must not be in there"
        raise FileError(path, what, "zip the files themselves")


def _decoded(info: ZipInfo) -> str:
    """The name as it is in the archive. Without the flag for UTF-8, many write it all the same."""
    name = info.orig_filename
    if name.isascii() or info.flag_bits & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _parts(path: Path, name: str) -> tuple[str, ...]:
    """The parts of a path that stays inside; `\\` separates as `/` does."""
    plain = name.replace("\\", "/")
    parts = tuple(part for part in plain.split("/") if part not in ("", "."))
    absolute = plain.startswith("/") or any(_DRIVE.match(part) for part in parts)
    strange = "\0" in name or (sys.platform == "win32" and ":" in name)
    if absolute or strange or ".." in parts:
        raise FileError(path, f"the path {shown(name)} in it leads outside", _UNSAFE)
    return parts
