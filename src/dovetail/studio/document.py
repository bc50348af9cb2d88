"""A drawing that is edited: its file, what can be undone, and what keeps it safe."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..core.errors import DovetailError, FileError, OptionError
from ..core.file_kinds import WRITTEN, listed, suffixes
from ..diagrams.charting import chart_of
from ..drawing.system import System
from ..formats.opening import read
from ..formats.referred_model import ReferredModel
from ..models.groups import looked_into, put_back
from .board import Board
from .commands import COMMANDS
from .folder import WorkFolder
from .journal import EditJournal, digest_of
from .levels import path_of
from .library import FolderLibrary
from .paper import scale_of
from .save_question import ask_before
from .told import misspelt

_MOST_STEPS = 1000  # that can be undone


@dataclass(frozen=True, slots=True)
class _Step:
    """A state of the drawing, and what led to the next one."""

    system: System
    title: str


class EditedDocument:
    """The one drawing of a studio. Everything that is refused leaves it as it was."""

    def __init__(self, folder: WorkFolder, *, is_trusted: bool = False) -> None:
        self.folder = folder
        self.is_trusted = is_trusted
        self.revision = 0
        self.path: Path | None
        self.system: System
        self.notes: list[str] = []  # what is to be said about the file, once it was opened
        self._adopt(System("untitled"), None)
        self.journal, unsaved = EditJournal.of(folder.root, None)
        if unsaved:
            self._recover()

    @property
    def library(self) -> FolderLibrary:
        """Where models come from."""
        return FolderLibrary(self.folder, self.is_trusted)

    @property
    def is_saved(self) -> bool:
        """Whether the file holds what is drawn."""
        return self._saved is self.system

    @property
    def undoable(self) -> str:
        """What would be undone; empty if there is nothing."""
        return self._past[-1].title if self._past else ""

    @property
    def redoable(self) -> str:
        """What would be done again."""
        return self._future[-1].title if self._future else ""

    def open(self, name: str) -> None:
        """Another file; what was not saved of the one before is kept beside it."""
        path = self.folder.inside(name)
        system = self._read(path)
        self._leave()
        self._adopt(system, path)
        self.journal, unsaved = EditJournal.of(self.folder.root, path)
        if unsaved:
            self._recover()

    def new(self) -> None:
        """An empty drawing without a file."""
        self._leave()
        self._adopt(System("untitled"), None)
        self.journal = EditJournal(self.folder.root, None, [])
        self.journal.end()
        self.journal.begin()

    def do(self, data: Mapping[str, Any]) -> None:
        """Apply a command, in a group if it says `inside`; DovetailError says why it cannot be."""
        given = dict(data)
        inside = path_of(given.pop("inside", []))
        try:
            command = COMMANDS.validate_python(given)
        except ValidationError as error:
            raise OptionError(misspelt(error)) from None
        system, scale = self.level(inside)
        board = Board(system.copy(), self.library, scale, self.level)
        command.apply(board)
        self._step(put_back(self.system, inside, board.system), command.do)
        more = {"inside": inside} if inside else {}
        self.journal.note(command.model_dump(mode="json") | more)

    def level(self, inside: list[str]) -> tuple[System, float]:
        """The drawing inside of a group, and how many points a unit of its places is."""
        if not inside:
            return self.system, self.scale
        system = looked_into(self.system, inside)
        place = tuple(inside)
        if place not in self._scales:
            self._scales[place] = self._scale_of(system)
        return system, self._scales[place]

    def undo(self) -> None:
        """Take back the last command."""
        if not self._past:
            raise OptionError("there is nothing to undo")
        step = self._past.pop()
        self._future.append(_Step(self.system, step.title))
        self._show(step.system)
        self.journal.note({"do": "undo"})

    def redo(self) -> None:
        """Do again what was taken back."""
        if not self._future:
            raise OptionError("there is nothing to do again")
        step = self._future.pop()
        self._past.append(_Step(self.system, step.title))
        self._show(step.system)
        self.journal.note({"do": "redo"})

    def save(self, name: str | None = None, despite: Collection[str] = ()) -> list[str]:
        """Write the file; notes about what it cannot keep. SaveQuestion asks before a loss."""
        path = self.path if name is None else self.folder.inside(name)
        writable = suffixes(WRITTEN)
        if path is None or path.suffix.lower() not in writable:
            what = "has no file yet" if path is None else f"cannot be saved as '{path.suffix}'"
            raise FileError(self.system.name, what, f"save it under a name with {listed(writable)}")
        ask_before(path, self.path, despite, is_changed=self.changed_outside)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.system.save(path)
        self.path, self._saved = path, self.system
        self.journal = self.journal.moved(path)
        self._digest = digest_of(path)
        self.revision += 1
        return [str(w.message) for w in told]

    def reload(self, name: str) -> None:
        """Parts with a model of this Python file get it anew; one step that can be undone."""
        system, folder = self.system.copy(), self.folder
        for part in list(system.parts.values()):
            model = part.model
            if isinstance(model, ReferredModel):
                reference = model.reference
                if Path(reference.home) == folder.inside(name):
                    again = self.library.model(f"{name}:{reference.name}")
                    system.replace(part.name, again)
        if any(system.parts[n].model is not self.system.parts[n].model for n in system.parts):
            self._step(system, "source")
            self.journal.note({"do": "reload", "file": name})

    def changed_outside(self) -> bool:
        """Whether the file is no longer as it was opened or saved."""
        return self.path is not None and digest_of(self.path) != self._digest

    def close(self) -> None:
        """Leave nothing beside the file, if all is saved."""
        self._leave()

    def _read(self, path: Path) -> System:
        with self.library.permission(), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            system = read(path, unsupported="warn")
        self.notes = [str(w.message) for w in told]
        return system

    def _adopt(self, system: System, path: Path | None) -> None:
        self.path, self.system, self._saved = path, system, system
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._digest = "" if path is None else digest_of(path)
        self._scales: dict[tuple[str, ...], float] = {}
        self.scale = self._scale_of(system)
        self.revision += 1

    def _scale_of(self, system: System) -> float:
        own = self.path is not None and self.path.suffix.lower() in (".yaml", ".yml", ".msim")
        return 1.0 if own else scale_of(chart_of(system), system.sketch)

    def _step(self, system: System, title: str) -> None:
        self._past = [*self._past[1 - _MOST_STEPS :], _Step(self.system, title)]
        self._future = []
        self._show(system)

    def _show(self, system: System) -> None:
        self.system = system
        self.revision += 1

    def _recover(self) -> None:
        """Do again what a studio that was killed had done, from the file as it was opened."""
        entries, base = self.journal.entries, self.journal.base
        keeper, self.journal = self.journal, EditJournal(self.folder.root, self.path, [], False)
        done, lost = 0, ""
        try:
            if base is not None:
                begun = self._read(base)
                if begun.name == base.stem:
                    assert self.path is not None
                    begun.name = self.path.stem
                self.system = begun
            for entry in entries[1:]:
                if "saved" in entry:
                    self._saved = self.system
                    continue
                self._again(entry)
                done += 1
        except DovetailError as error:
            lost = f" The rest could not be done again: {error}"
        self.journal = keeper
        self.notes.append(f"{done} edits that had not been saved were done again.{lost}")

    def _again(self, entry: dict[str, Any]) -> None:
        match entry.get("do"):
            case "undo":
                self.undo()
            case "redo":
                self.redo()
            case "reload":
                self._step(self.system.copy(), "source")  # it was read anew with the file
            case _:
                self.do(entry)

    def _leave(self) -> None:
        if self.is_saved:
            self.journal.end()
