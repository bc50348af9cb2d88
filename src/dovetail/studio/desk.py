"""What a page can ask for, by name: commands, files, questions, runs. One at a time."""
# Over 250 lines: one method for each request of a page, and what they have in common.

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OptionError
from ..drawing.part import Part
from ..drawing.system import System
from ..formats.families import ALGORITHMS, CONTROLLERS
from .checked import check_of, unsuitable_ends
from .code_text import as_python, as_yaml
from .details import details_of
from .document import EditedDocument
from .folder import WorkFolder
from .gallery import EXAMPLES, copied
from .levels import path_of, standing
from .library import FolderLibrary, TrustNeeded
from .names import as_mapping, as_text
from .picture import picture_of
from .runs import StudioRun, StudioRuns, checked_pace
from .servers import PartServers
from .studies import StudioStudies
from .table import ends_of
from .templates import TEMPLATES, text_of

_LONGEST = 2**20  # letters of a Python file that the page writes


class Desk:
    """The drawing, the files and the runs behind all pages of one studio."""

    def __init__(
        self, folder: WorkFolder, *, is_trusted: bool, told: Callable[[StudioRun], None]
    ) -> None:
        self.folder = folder
        self.document = EditedDocument(folder, is_trusted=is_trusted)
        self.runs = StudioRuns(folder, told)
        self.studies = StudioStudies(folder)
        self.servers = PartServers(folder)
        self.wanted: str | None = None  # a file that waits until its folder is trusted
        self.whole: set[str] = set()  # blocks that are shown with all their pins
        self.inside: list[str] = []  # the group that pages look into
        self._lock = threading.RLock()
        self._acts: dict[str, Callable[..., Any]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name[:3] == "do_"
        }
        self._changing = {"edit", "undo", "redo", "open", "new", "save", "trust", "whole", "write",
                          "example", "enter"}  # fmt: skip

    def ask(self, what: str, given: dict[str, Any]) -> tuple[Any, bool]:
        """Do what is asked; the answer, and whether the drawing may look different now."""
        act = self._acts.get(what)
        if act is None:
            raise OptionError(f"there is no request {what!r}")
        try:
            with self._lock:
                return act(**given), what in self._changing
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                raise OptionError(f"the request {what!r} is not made like this") from None
            raise

    def shown(self) -> dict[str, Any]:
        """The drawing and its check."""
        with self._lock:
            self.inside = standing(self.document.system, self.inside)
            self.whole &= set(self.view.parts)
            return {
                "drawing": picture_of(self.document, self.whole, self.inside),
                "check": check_of(self.document.system, self.view if self.inside else None),
                "wanted": self.wanted,
            }

    def close(self) -> None:
        """End runs, and leave nothing that is not needed."""
        self.runs.close()
        self.studies.close()
        with self._lock:
            self.document.close()

    def do_edit(self, command: dict[str, Any]) -> None:
        """Apply a command to the drawing."""
        given = as_mapping(command)
        whole = given.get("do") in ("settings", "plots")  # of the whole drawing, wherever one is
        inside = {"inside": self.inside} if self.inside and not whole else {}
        self.document.do({**inside, **given})

    def do_enter(self, path: list[str]) -> None:
        """Look into a group, or out of it: at the drawing inside the last of these."""
        if standing(self.document.system, path_of(path)) != path:
            raise OptionError(f"'{'.'.join(path)}' is no group: it has no parts inside")
        self.inside = path
        self.whole.clear()
        self.document.revision += 1

    def do_undo(self) -> None:
        """Take back the last command."""
        self.document.undo()

    def do_redo(self) -> None:
        """Do it again."""
        self.document.redo()

    def do_open(self, name: str) -> None:
        """Another file."""
        try:
            self.document.open(as_text(name))
        except TrustNeeded:
            self.wanted = name
            raise
        self.whole.clear()
        self.inside = []

    def do_example(self, name: str) -> None:
        """An example of the gallery, as a copy in the folder."""
        self.do_open(copied(as_text(name), self.folder))

    def do_new(self) -> None:
        """An empty drawing."""
        self.document.new()
        self.inside = []

    def do_save(self, name: str | None = None, despite: Collection[str] = ()) -> dict[str, Any]:
        """Write the file."""
        notes = self.document.save(name if name is None else as_text(name), list(despite))
        return {"notes": notes}

    def do_trust(self) -> None:
        """The user says that Python of this folder may run."""
        self.document.is_trusted = True
        self.document.revision += 1
        wanted, self.wanted = self.wanted, None
        if wanted is not None:
            self.do_open(wanted)

    def do_whole(self, part: str, on: bool) -> None:
        """Show a block with all its pins, or with those that matter."""
        (self.whole.add if on else self.whole.discard)(as_text(part))
        self.document.revision += 1

    def do_library(self) -> dict[str, Any]:
        """What can be placed and opened."""
        library = self.document.library
        kinds = {"YAML", "SSP", "MasterSim", "Python", "OSP", "Maestro"}
        files = [asdict(f) for f in self.folder.files() if f.kind in kinds]
        return {
            "offers": [asdict(offer) for offer in library.offers()],
            "files": [f for f in files if f["kind"] != "Python"],
            "templates": [
                {"kind": k, "title": t.title, "purpose": t.purpose} for k, t in TEMPLATES.items()
            ],
            "examples": [
                {"name": n, "title": e.title, "purpose": e.purpose} for n, e in EXAMPLES.items()
            ],
            "folder": str(self.folder.root),
        }

    def do_inspect(self, part: str) -> dict[str, Any]:
        """Everything about one part."""
        self.shown_part(part)
        return details_of(self.view, part)

    def do_ends(self) -> dict[str, list[dict[str, Any]]]:
        """Every input and output, for the connect table."""
        return ends_of(self.view)

    def do_targets(self, end: str, instead: bool = False) -> dict[str, str]:
        """Where a wire from this end may go, and why not elsewhere; or in place of its wire."""
        system = self.view
        if instead:
            system = system.copy()
            system.disconnect(as_text(end))
        return unsuitable_ends(system, as_text(end))

    def do_template(self, kind: str, name: str) -> str:
        """The text of a new Python model."""
        if kind not in TEMPLATES or not (isinstance(name, str) and name.isidentifier()):
            raise OptionError(f"a model needs a kind and a name that Python takes, not {name!r}")
        return text_of(kind, name)

    def do_source(self, file: str) -> str:
        """The text of a Python file."""
        path = self._python(file)
        if not path.is_file() or path.stat().st_size > _LONGEST:
            raise FileError(file, "is no Python file that can be shown")
        return path.read_text("utf-8", "replace")

    def do_write(self, file: str, text: str, new: bool = False) -> None:
        """Write a Python file of a folder that is trusted; parts made from it are made anew."""
        path = self._python(file)
        if not self.document.is_trusted:
            raise OptionError("Python is written only in a folder that you trust")
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise OptionError("this is no text of a Python file")
        if new and path.exists():
            raise FileError(file, "is there already", "take another name")
        path.write_text(text, encoding="utf-8")
        self.document.reload(self.folder.name_of(path))

    def do_code(self) -> dict[str, str]:
        """What makes this drawing: as YAML, and as Python."""
        return {"yaml": as_yaml(self.document), "python": as_python(self.document)}

    def do_families(self) -> dict[str, list[str]]:
        """The names that settings of a run may take."""
        return {"algorithm": sorted(ALGORITHMS.classes), "controller": sorted(CONTROLLERS.classes)}

    def do_run(
        self, isolate: bool = False, verify: bool | None = None, pace: float | None = None
    ) -> dict[str, Any]:
        """Begin a run; `pace` times as fast as the clock, or as fast as it can."""
        system = self.document.system
        run = self.runs.start(system, isolate=bool(isolate), verify=verify, pace=pace)
        return run.summary()

    def do_runs(self) -> list[dict[str, Any]]:
        """All runs so far."""
        return self.runs.listed()

    def do_steer(self, run: int, what: str, name: str = "", value: Any = None) -> Any:
        """Pause, go, one window, stop, a value or a pace, a mark, or back to one.

        Back to a mark of a run that is over goes another run, which is the answer.
        """
        more: dict[str, Any] = {}
        match what:
            case "pause" | "go" | "step" | "stop" | "mark":
                pass
            case "set":
                more = {"name": name, "value": value}
            case "pace":
                more = {"factor": checked_pace(value)}
            case "back" if isinstance(value, int) and self.runs[run].is_over:
                return self.runs.again(run, value).summary()
            case "back" if isinstance(value, int):
                more = {"to": value}
            case _:
                raise OptionError(f"a run cannot be told to {what!r}")
        self.runs.tell(run, what, **more)
        return None

    def _python(self, file: str) -> Path:
        path = self.folder.inside(as_text(file))
        if path.suffix != ".py" or path.is_symlink():
            raise FileError(file, "is no Python file")
        return path

    @property
    def view(self) -> System:
        """The drawing that pages look at: the whole one, or that of a group."""
        return self.document.level(self.inside)[0]

    @property
    def library(self) -> FolderLibrary:
        """Where models come from."""
        return self.document.library

    def shown_part(self, name: str) -> Part:
        """A part of what pages look at."""
        if name not in self.view.parts:
            raise OptionError(f"there is no part '{name}'")
        return self.view.parts[name]

    def copy(self) -> System:
        """The drawing as it is now, for what takes its time."""
        with self._lock:
            return self.document.system.copy()
