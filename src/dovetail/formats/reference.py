"""Where a Python model comes from: `models.py:prey` or `package.module:prey`."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in a Python file, or in a module that can be imported."""

    home: str
    name: str

    @staticmethod
    def parse(text: str) -> Reference | None:
        """The reference that a text is, or None if it is a plain path."""
        home, colon, name = text.rpartition(":")
        if not (colon and home and name.isidentifier()):
            return None
        is_module = all(word.isidentifier() for word in home.split("."))
        return Reference(home, name) if home.endswith(".py") or is_module else None

    @property
    def is_file(self) -> bool:
        """Whether the name is to be found in a file, not in a module."""
        return self.home.endswith(".py")

    def seen_from(self, folder: Path) -> str:
        """How a file in `folder` writes it: paths relative, with forward slashes."""
        return str(replace(self, home=seen_from(folder, self.home)) if self.is_file else self)

    def __str__(self) -> str:
        return f"{self.home}:{self.name}"


def seen_from(folder: Path, path: str | Path) -> str:
    """A path relative to a folder; absolute where there is no way (another drive)."""
    target = os.path.abspath(path)
    try:
        return Path(os.path.relpath(target, folder.absolute())).as_posix()
    except ValueError:
        return Path(target).as_posix()
