"""The folder that the studio has open: nothing outside of it is named, read or written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import FileError
from ..core.file_kinds import SYSTEMS, TABLES

_DEEPEST, _MOST = 6, 2000  # folders inside each other, files in a listing
_LONGEST = 240  # letters of a name
_PASSED_OVER = {"node_modules", "__pycache__", "build", "dist", "venv", "resources", "binaries"}
_KINDS = {suffix: kind.title for kind in SYSTEMS for suffix in kind.suffixes}
_KINDS.update({suffix: "table" for suffix in TABLES if suffix != ".txt"})
_KINDS.update({".xml": "", ".json": ""})  # some are systems; most are not


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that can be used: its path from the folder, and what it is."""

    name: str
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder of models and systems."""

    root: Path

    @staticmethod
    def of(path: str | Path) -> WorkFolder:
        """The folder; FileError if it is none."""
        root = Path(path).resolve()
        if not root.is_dir():
            raise FileError(path, "is no folder", "name a folder, or a file in one")
        return WorkFolder(root)

    def inside(self, name: str) -> Path:
        """The path of a file in the folder; FileError for whatever leads out of it."""
        plain = isinstance(name, str) and 0 < len(name) <= _LONGEST and name.isprintable()
        if not plain or "\\" in name:
            raise FileError(str(name)[:_LONGEST], "is no name of a file here")
        found = (self.root / name).resolve()
        if Path(name).is_absolute() or not found.is_relative_to(self.root) or found == self.root:
            raise FileError(name, "lies outside the folder that is open", "copy it into the folder")
        return found

    def name_of(self, path: str | Path) -> str:
        """How the page calls a file."""
        return Path(path).relative_to(self.root).as_posix()

    def files(self) -> list[FoundFile]:
        """What can be opened or used as a model, in the order of names."""
        found = list[FoundFile]()
        for path in self._walked():
            kind = _KINDS.get(path.suffix.lower(), "")
            if kind and len(found) < _MOST:
                found.append(FoundFile(self.name_of(path), kind, path.stat().st_size))
        return sorted(found, key=lambda one: (one.name.count("/"), one.name.lower()))

    def _walked(self) -> Iterator[Path]:
        for place, folders, names in os.walk(self.root):
            here = Path(place)
            depth = len(here.relative_to(self.root).parts)
            folders[:] = [
                f for f in sorted(folders)
                if f[0] != "." and f not in _PASSED_OVER and f != "runs" and depth < _DEEPEST
            ]  # fmt: skip
            for name in sorted(names):
                path = here / name
                if name[0] != "." and path.is_file() and not path.is_symlink():
                    yield path
