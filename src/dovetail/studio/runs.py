"""The runs of a studio: one process each, its rows on disk, its story as plain data."""
# Over 250 lines: one class for a run, one for all of them, and what they hand to each other.

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.errors import DovetailError, FileError, OptionError
from ..drawing.system import System
from ..formats.run_data import run_data
from .feed import RunFeed, finished_feed
from .folder import WorkFolder
from .launching import StudioChild

FOLDER = "runs"  # of results, in the folder that is open
_AT_ONCE = 4  # runs that go on
_KEPT = 50  # runs that the list shows
_MARKED = 10  # runs that are over and can still go back to their marks
_LOOK = 0.15  # s between two looks at new rows
_NAMED = {"at", "started", "chosen", "finished", "failed", "refused", "changed", "unchanged",
          "marked", "unmarked", "rewound"}  # fmt: skip

Told = Callable[["StudioRun"], None]


class StudioRun:
    """One run: what it is, how far it is, what came of it."""

    def __init__(self, number: int, system: System, path: Path, name: str) -> None:
        self.number, self.path, self.name = number, path, name
        self.system, self.system_name, self.isolate = system, system.name, False
        self.settings = run_data(system.run_settings)
        self.literals = literals_of(system)
        self.state = "starting"  # running, paused, finished, stopped, failed
        self.facts: dict[str, Any] = {}
        self.ledger: dict[str, Any] = {}  # curves of power ports, told when they are asked for
        self.feed = RunFeed(path)
        self.child: StudioChild | None = None
        self.marks = Path(tempfile.mkdtemp(prefix="dovetail-marks-"))  # checkpoints
        self.began = time.time()
        self.ready = threading.Event()  # it is over, and everything about it is known

    @property
    def is_over(self) -> bool:
        """Whether it goes on no longer."""
        return self.state in ("finished", "stopped", "failed")

    def summary(self) -> dict[str, Any]:
        """All there is to say but the rows."""
        curves = self.feed.curves
        return {
            "number": self.number,
            "system": self.system_name,
            "file": self.name,
            "state": self.state,
            "settings": self.settings,
            "rows": self.feed.rows,
            "signals": [] if curves is None else curves.names,
            "units": self.feed.units,
            "kinds": self.feed.kinds,
            "literals": self.literals,
            **self.facts,
        }


class StudioRuns:
    """All runs of a studio. `told` is called, from any thread, when there is something new."""

    def __init__(self, folder: WorkFolder, told: Told) -> None:
        self._folder, self._told = folder, told
        self._runs: dict[int, StudioRun] = {}
        self._lock = threading.Lock()

    def listed(self) -> list[dict[str, Any]]:
        """Every run, the first one first."""
        return [run.summary() for run in list(self._runs.values())[-_KEPT:]]

    def __getitem__(self, number: Any) -> StudioRun:
        run = self._runs.get(number) if isinstance(number, int) else None
        if run is None:
            raise OptionError(f"there is no run {number!r}")
        return run

    def start(
        self, system: System, *, isolate: bool = False, verify: bool | None = None,
        pace: float | None = None,
    ) -> StudioRun:  # fmt: skip
        """Begin a run of this drawing as it is now."""
        if system.run_settings.stop is None:
            raise OptionError("no stop time: give one among the settings of the run")
        given = {"isolate": isolate, "verify": verify, "pace": checked_pace(pace)}
        return self._begin(system, {**given, "known": {}, "from": None})

    def again(self, number: Any, mark: Any) -> StudioRun:
        """A run that is over goes on from a mark of it, as another run, which waits there."""
        old = self[number]
        known = {m["number"]: m["time"] for m in old.facts.get("marks", ())}
        if mark not in known or not old.is_over:
            raise OptionError(f"there is no mark {mark} in run {number}")
        known = {n: t for n, t in known.items() if t <= known[mark]}
        given = {"isolate": old.isolate, "verify": False, "pace": None}
        return self._begin(old.system, {**given, "known": known, "from": mark}, old)

    def _begin(
        self, system: System, job: dict[str, Any], before: StudioRun | None = None
    ) -> StudioRun:
        with self._lock:
            if sum(not run.is_over for run in self._runs.values()) >= _AT_ONCE:
                raise OptionError(f"{_AT_ONCE} runs go on already; stop one")
            path = self._place(system.name)
            run = StudioRun(1 + len(self._runs), system.copy(), path, self._folder.name_of(path))
            run.isolate = job["isolate"]
            run.facts.update(pace=job["pace"])
            if before is not None:
                _taken_over(before, run, job["known"])
            given = {**job, "system": system, "path": str(path), "marks": str(run.marks)}
            said = tempfile.TemporaryFile()  # noqa: SIM115  it is the child's, to its end
            run.child = StudioChild("run", given, self._folder.root, said)
            self._runs[run.number] = run
        threading.Thread(target=self._follow, args=(run,), daemon=True).start()
        threading.Thread(target=self._hear, args=(run,), daemon=True).start()
        return run

    def tell(self, number: Any, what: str, **more: Any) -> None:
        """Ask a run to pause, go, step, stop, or set a value."""
        run = self[number]
        if run.is_over or run.child is None:
            raise OptionError(f"run {number} is over")
        run.child.line.say(what, **more)
        if what in ("pause", "step"):
            run.state = "paused"
        elif what == "go":
            run.state = "running"
        elif what == "pace":
            run.facts.update(pace=more["factor"])
        self._told(run)

    def close(self) -> None:
        """End everything that goes on; the rows so far stay on disk."""
        for run in self._runs.values():
            if not run.is_over and run.child is not None:
                run.child.line.close()
                run.ready.wait(5.0)
            shutil.rmtree(run.marks, ignore_errors=True)

    def _forget_marks(self) -> None:
        """Only the last runs that have marks keep them when they are over."""
        over = [run for run in self._runs.values() if run.is_over]
        marked = [run for run in over if run.facts.get("marks")][-_MARKED:]
        for run in over:
            if run not in marked and run.marks.exists():
                shutil.rmtree(run.marks, ignore_errors=True)
                run.facts.pop("marks", None)
                self._told(run)

    def _place(self, name: str) -> Path:
        folder = self._folder.inside(FOLDER)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FileError(folder, f"results cannot be written: {error.strerror}") from error
        stem = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:60] or "run"
        suffix = ".parquet" if find_spec("pyarrow") else ".csv"
        count = 1
        begun = {run.path.stem for run in self._runs.values()}
        while f"{stem}-{count:03d}" in begun or any(folder.glob(f"{stem}-{count:03d}.*")):
            count += 1
        return folder / f"{stem}-{count:03d}{suffix}"

    def _follow(self, run: StudioRun) -> None:
        """Read new rows until it is over."""
        while not run.ready.is_set():
            began = time.monotonic()
            if run.feed.look():
                self._told(run)
            run.ready.wait(max(_LOOK, 4 * (time.monotonic() - began)))

    def _hear(self, run: StudioRun) -> None:
        """Take in what its process says, to the end of it."""
        assert run.child is not None
        ended = ""
        while (message := run.child.line.hear()) is not None:
            what = message.pop("what")
            if what in _NAMED:
                self._take(run, what, message)
        ended = run.child.wait(10.0)
        if not run.is_over:
            self._died(run, ended or "ended without a word")
            self._complete(run)
        run.child.release()
        self._forget_marks()
        run.ready.set()
        self._told(run)

    def _take(self, run: StudioRun, what: str, message: dict[str, Any]) -> None:
        match what:
            case "at":
                run.facts.update(time=message.get("time"), windows=message.get("windows"),
                                 late=message.get("late"))  # fmt: skip
            case "started":
                run.state = "running" if run.state == "starting" else run.state
                run.facts.update(start=message.get("start"), stop=message.get("stop"))
            case "finished":
                run.ledger = message.pop("ledger", {})
                run.facts.update(message)
                self._complete(run)  # whoever hears that it is over sees all of it
                run.state = "stopped" if message.get("stopped") else "finished"
            case "failed" | "refused":
                run.ledger = message.pop("ledger", {})
                run.facts.update(message)
                self._complete(run)
                run.state = "failed"
            case "rewound":
                run.state, run.feed = "paused", RunFeed(run.path)
                run.facts.update(message)
            case "unmarked":
                run.facts.update(marks=message.get("marks", []), unmarked=message.get("text"))
            case "changed" | "unchanged":
                run.facts["change"] = {"done": what == "changed", **message}
            case _:
                run.facts.update(message)
        self._told(run)

    def _died(self, run: StudioRun, how: str) -> None:
        assert run.child is not None
        at = run.facts.get("time")
        when = "" if at is None else f" after t = {at:g} s"
        words = run.child.last_words()
        kept = f" Rows up to then are kept in {run.name}.rows." if run.feed.rows else ""
        advice = "Run it with each FMU in a process of its own to learn which part it was."
        isolate = "" if "SIGKILL" in how else f" {advice}"
        text = f"The process of this run was {how}{when}.{kept}{isolate}"
        run.facts.update(text=text, said=words)
        run.state = "failed"

    def _complete(self, run: StudioRun) -> None:
        """The last rows, which a quick run may have written after the last look."""
        run.feed.look()
        if run.path.exists():
            try:
                run.feed = finished_feed(run.path)
            except DovetailError as error:
                run.feed.is_broken = str(error)


def _taken_over(before: StudioRun, run: StudioRun, marks: Iterable[int]) -> None:
    """The marks of a run that is over, and the rows that its checkpoints count on."""
    for n in marks:
        name = f"{n}.checkpoint"
        shutil.copyfile(before.marks / name, run.marks / name)
    for suffix in ("", ".rows"):
        old = before.path.with_name(before.path.name + suffix)
        if old.is_file():
            shutil.copyfile(old, run.path.with_name(run.path.name + suffix))


def literals_of(system: System) -> dict[str, list[str]]:
    """The words for the values of each enumeration, by its signal."""
    return {
        f"{name}.{v.name}": list(v.literals)[:200]
        for name, part in system.parts.items()
        for v in (*part.description.outputs, *part.description.inputs)
        if v.literals
    }


def checked_pace(factor: Any) -> float | None:
    """How many times as fast as the clock a run is to be; None: as fast as it can."""
    if factor is None:
        return None
    if isinstance(factor, bool) or not isinstance(factor, int | float):
        raise OptionError(f"a run goes so many times as fast as the clock, not {factor!r}"[:200])
    if not 1e-6 <= factor <= 1e6:
        raise OptionError("a run goes from a millionth to a million times as fast as the clock")
    return float(factor)
