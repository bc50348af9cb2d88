"""How much memory members of an archive that are packed with LZMA ask for.

LZMA allocates what the member itself names, up to 4 GiB, before it unpacks a byte.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import IO
from zipfile import ZIP_LZMA, ZipInfo

from ..core.errors import FileError

_LARGEST = 64 * 2**20  # bytes: what the slowest settings of 7-Zip and xz take


def check_dictionary(path: Path, file: IO[bytes], info: ZipInfo, title: str) -> None:
    """Refuse a member whose dictionary is larger than both its content and what packers use."""
    if info.compress_type != ZIP_LZMA:
        return
    stands = file.tell()
    file.seek(info.header_offset + 26)
    names, extra = struct.unpack("<HH", file.read(4))
    file.seek(names + extra, 1)
    head = file.read(9)  # version, how many bytes of settings, one of three numbers, the size
    file.seek(stands)
    size = struct.unpack("<I", head[5:])[0] if len(head) == 9 else 0
    if size > max(_LARGEST, info.file_size):
        what = f"{title} asks for {size >> 20} MiB of memory to be unpacked"
        raise FileError(path, what, "zip it again with the method 'deflate'")
