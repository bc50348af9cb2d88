"""What was edited since a file was opened, kept on disk so that a killed studio loses nothing.

Beside the file lie two hidden ones: a copy of it as it was opened, and the commands since then,
a line each. They are removed when the file is closed without unsaved changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MOST = 64 * 2**20  # bytes of a journal that is read


def digest_of(path: Path) -> str:
    """A hash of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _copied(source: Path, target: Path) -> None:
    """A copy that is a file of its own: what lay there, as a link to elsewhere, goes first."""
    target.unlink(missing_ok=True)
    shutil.copyfile(source, target)


@dataclass(slots=True)
class EditJournal:
    """The edits of one file; `path` is None for a drawing that has none yet."""

    root: Path
    path: Path | None
    entries: list[dict[str, Any]]
    is_kept: bool = True  # False where the folder cannot be written

    @property
    def place(self) -> Path:
        """The file of the edits."""
        if self.path is None:
            return self.root / ".untitled.dovetail-edits"
        return self.path.with_name(f".{self.path.name}.dovetail-edits")

    @property
    def base(self) -> Path | None:
        """The copy of the file as it was opened; its suffix says what it is."""
        if self.path is None:
            return None
        return self.path.with_name(f".{self.path.stem}.dovetail-base{self.path.suffix}")

    @staticmethod
    def of(root: Path, path: Path | None) -> tuple[EditJournal, bool]:
        """The journal of a file; and whether it holds edits that were not saved."""
        journal = EditJournal(root, path, [])
        entries = journal._read()
        last = [e["saved"] for e in entries if "saved" in e]
        now = "" if path is None else digest_of(path)
        unsaved = bool(entries[1:]) and "saved" not in entries[-1]
        if unsaved and last[-1:] == [now]:
            journal.entries = entries
            return journal, True
        if unsaved:  # the file has changed since: not ours to decide
            with suppress(OSError):
                journal.place.replace(journal.place.with_name(journal.place.name + ".old"))
        journal.begin()
        return journal, False

    def begin(self) -> None:
        """Start anew from the file as it is."""
        now = "" if self.path is None else digest_of(self.path)
        self.entries = [{"saved": now}]
        try:
            if self.base is not None and self.path is not None:
                _copied(self.path, self.base)
            self._write()
        except OSError:
            self.is_kept = False

    def note(self, entry: dict[str, Any]) -> None:
        """Keep one more edit; it is on disk when this returns."""
        self.entries.append(entry)
        if self.is_kept:
            try:
                with self.place.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
            except OSError:
                self.is_kept = False

    def moved(self, path: Path) -> EditJournal:
        """The same edits for another file, which was saved just now."""
        made = EditJournal(self.root, path, [*self.entries, {"saved": digest_of(path)}])
        if self.path == path:
            self.note(made.entries[-1])
            return self
        base = self.base
        if base is None or not base.exists():  # what it began from is nowhere: begin here
            self.end()
            made.begin()
            return made
        try:
            assert made.base is not None
            _copied(base, made.base)
            made._write()
        except OSError:
            made.is_kept = False
        self.end()
        return made

    def end(self) -> None:
        """Remove what was kept."""
        for place in (self.place, self.base):
            if place is not None:
                with suppress(OSError):
                    place.unlink(missing_ok=True)

    def _write(self) -> None:
        beside = self.place.with_name(self.place.name + ".part")
        beside.unlink(missing_ok=True)  # as a link, it might lead anywhere
        beside.write_text("".join(json.dumps(e) + "\n" for e in self.entries), encoding="utf-8")
        os.replace(beside, self.place)

    def _read(self) -> list[dict[str, Any]]:
        """The entries on disk, up to one that was torn."""
        found = list[dict[str, Any]]()
        try:
            if self.place.is_symlink() or self.place.stat().st_size > _MOST:
                return []
            for line in self.place.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if not isinstance(entry, dict):
                    break
                found.append(entry)
        except (OSError, ValueError):
            pass
        return found if found and "saved" in found[0] else []
