"""Where the files of an SSP are: unpacked once, and never outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ...core.errors import FileError
from ...xml.extraction import ArchiveMember
from ...xml.unpacking import unpacked

DEFAULT = "SystemStructure.ssd"


@dataclass(frozen=True, slots=True)
class Home:
    """The folder that addresses in a file are relative to.

    `title` is what messages call that folder. Nothing outside `walls`, the folder of an unpacked
    archive, is read.
    """

    folder: Path
    title: str = ""
    walls: Path | None = None

    def name(self, path: Path) -> str:
        """What messages call a file."""
        if self.walls is None:
            return str(path)
        return f"{self.title}/{path.relative_to(self.walls).as_posix()}"

    def find(self, address: str) -> Path:
        """The file at an address; ValueError says why it cannot be read."""
        parts = urlsplit(address)
        if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
            if len(parts.scheme) != 1:  # the letter of a drive
                raise ValueError(f"'{address}' is not in a file, and nothing is fetched")
            parts = urlsplit(f"file:///{address}")
        path = Path(unquote(parts.path).replace("\\", "/"))
        if self.walls is None:
            return self.folder / path
        found = (self.folder / path).resolve()
        if path.is_absolute() or not found.is_relative_to(self.walls):
            raise ValueError(f"'{address}' leads out of the archive, which is not safe")
        return found

    def beside(self, file: Path) -> Home:
        """The home of what stands in a file."""
        return Home(file.parent, self.title, self.walls)


def home_of(path: Path) -> tuple[Home, Path]:
    """Where the files of an .ssp or an .ssd are, and the .ssd that is meant.

    `x.ssp#VariantB.ssd` means another one than the default, as in an SSP.
    """
    name, hash_, chosen = path.name.partition(".ssp#")
    if hash_ and not path.exists():
        try:
            return variant(path.with_name(f"{name}.ssp"), chosen)
        except ValueError as error:
            raise FileError(path, str(error)) from None
    if path.suffix.lower() == ".ssd":
        return Home(path.parent), path
    folder, _ = unpacked(path, "ssps", lambda members: _check_default(path, members))
    return Home(folder, str(path), folder), folder / DEFAULT


def variant(path: Path, fragment: str) -> tuple[Home, Path]:
    """As `home_of`, with another .ssd of an archive than the default one."""
    home, file = home_of(path)
    return (home, home.find(fragment)) if fragment else (home, file)


def _check_default(path: Path, members: Iterable[ArchiveMember]) -> None:
    """Refuse an archive without the drawing that every SSP has."""
    if not any(m.name == DEFAULT for m in members):
        what = f"it holds no {DEFAULT}, so it is not an SSP"
        raise FileError(path, what, "zip the files of the SSP, not a folder around them")
