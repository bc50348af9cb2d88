"""What came out of many runs."""
# Over 250 lines: the public class of a study, one short method for each thing that can be asked.

from __future__ import annotations

import importlib.util
import os
import shutil
import weakref
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import OptionError
from ..core.harmless import harmless
from ..core.markup import card, table
from ..core.signals import Vector
from ..results.files.needs import need
from ..results.result import Result, UnknownVariable
from .estimate import StudyEstimate
from .lazy import LARGE, lazy_signal
from .outcome import RunOutcome
from .run_row import RunRow
from .space import Space, label
from .store import Store
from .trial_run import StudyRun

_SHOWN = 8  # runs that failed, in a summary


class Study:
    """The runs of a sweep. `study["body.x"]` has the signals of all, along the axes of what was
    varied and then time; what failed is NaN. Signals are read when they are asked for.
    """

    def __init__(
        self,
        store: Store,
        space: Space,
        times: Vector,
        run: StudyRun | None = None,
        *,
        passing: bool = False,
        keys: Sequence[str] | None = None,
    ) -> None:
        self.store, self.space, self.time = store, space, times
        self._run, self.temporary = run, passing
        self.estimate: StudyEstimate | None = None  # of `explain=True`
        weakref.finalize(self, _forget, store, os.getpid(), passing=passing)
        self._keys = store.keys() if keys is None else keys

    @staticmethod
    def opened(folder: str | Path) -> Study:
        """A study that was kept in a folder."""
        store = Store(Path(folder), create=False)
        space = Space.restored(store.about("axes") or [], store.about("drawn") or {})
        return Study(store, space, np.array(store.about("times") or [0.0, 1.0]))

    # what it holds --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.space)

    @property
    def system(self) -> str:
        """The name of the system."""
        return str(self.store.about("system") or "")

    @property
    def remarks(self) -> list[str]:
        """What a user should know of how its runs were made."""
        return [str(remark) for remark in self.store.about("remarks") or ()]

    @property
    def names(self) -> list[str]:
        """The signals that were kept."""
        return self.store.names()

    @property
    def dimensions(self) -> dict[str, list[Any]]:
        """What was varied, and over which values; samples are numbered."""
        return {
            axis.name: [label(row[0]) for row in axis.rows]
            if len(axis.entries) == 1
            else list(range(len(axis.rows)))
            for axis in self.space.axes
        }

    def __getitem__(self, name: str) -> Vector:
        """A signal of all runs: along what was varied, then time."""
        found: Vector = self._arrays([name])[0]
        return found

    @property
    def final(self) -> dict[str, Vector]:
        """The last value of every signal, by number of the run; NaN where it failed."""
        names = self.names
        found = np.full((len(names), len(self)), np.nan)
        for number, block in self.store.signals(names, self.time.size):
            found[:, number] = block[:, -1]
        return dict(zip(names, found, strict=True))

    @property
    def rows(self) -> list[RunRow]:
        """Every run: its values, what became of it, and what it cost."""
        found = []
        for number, facts in enumerate(self.store.facts()):
            found.append(RunRow(number, self.space[number], *(facts or ())))
        return found

    @property
    def failed(self) -> list[RunRow]:
        """The runs that did not reach their end, with the reason."""
        return [row for row in self.rows if row.status not in ("done", "missing")]

    @property
    def doubtful(self) -> list[RunRow]:
        """The runs whose verdict is doubtful."""
        return [row for row in self.rows if row.verdict == "doubtful"]

    @property
    def data(self) -> Any:
        """An xarray Dataset: signals along what was varied and time; what became of each run.

        Signals of more than half a GB are arrays of Dask, if that is installed: they are read
        when they are computed.
        """
        need("xarray", "tables")
        import xarray

        shape, sizes = self.space.shape, [axis.name for axis in self.space.axes]
        arrays = self._signals()
        units = self.store.about("units") or {}
        found: dict[str, Any] = {
            name: ((*sizes, "time"), values, {"units": units[name]} if name in units else {})
            for name, values in arrays.items()
        }
        rows = self.rows
        for fact in ("status", "verdict", "error", "evaluations", "windows", "seconds", "reason"):
            column = np.array([getattr(row, fact) for row in rows])
            found[fact] = (tuple(sizes), column.reshape(shape))
        coordinates: dict[str, Any] = {"time": self.time}
        for axis in self.space.axes:
            for entry in axis.entries:
                labels = [label(value) for value in axis.column(entry)]
                coordinates[entry] = (axis.name, labels)
        about = {"system": self.system, **self.space.drawn}
        return xarray.Dataset(found, coordinates, {k: v for k, v in about.items() if v is not None})

    def table(self) -> Any:
        """A pandas table with a row for each run: values, status, verdict, cost, reason."""
        need("pandas", "tables")
        import pandas

        rows = self.rows
        columns: dict[str, list[Any]] = {
            name: [label(row.values[name]) for row in rows] for name in self.space.entries
        }
        for fact in ("status", "verdict", "error", "evaluations", "windows", "seconds", "reason"):
            columns[fact] = [getattr(row, fact) for row in rows]
        return pandas.DataFrame(columns)

    def _signals(self) -> dict[str, Any]:
        """Every signal; left on disk where they are large and Dask is there."""
        names, times = self.names, self.time.size
        large = 8 * len(names) * len(self) * times > LARGE
        if not large or importlib.util.find_spec("dask") is None:
            return dict(zip(names, self._arrays(names), strict=True))
        self.store.commit()
        where = self.store.folder
        return {name: lazy_signal(where, name, self.space.shape, times) for name in names}

    def plot(
        self,
        name: str,
        kind: str | None = None,
        *,
        at: str = "final",
        path: str | Path | None = None,
    ) -> Any:
        """A picture of a signal in all runs; .png, .svg or .pdf, or the matplotlib figure.

        "lines" over time, coloured by the first thing varied; "map" over the two axes of a grid;
        "scatter", everything against everything; "tornado", what moves it most. The last three
        look at a number of each run: `at` "final", "max", "min" or "mean".
        """
        from .study_picture import draw

        return draw(self, name, kind, at, path)

    # single runs ----------------------------------------------------------------------------------

    def run(self, number: int) -> Result:
        """One run as a result, at the times that were kept."""
        values = self.space[number]
        names = self.names
        for _, block in self.store.signals(names, self.time.size, (number, number + 1)):
            kept = {n: row for n, row in zip(names, block, strict=True) if not np.isnan(row).all()}
            row = self.rows[number]
            about = {"system": f"{self.system} {values}", "finished": row.done}
            return Result.of(self.time, kept, self.store.about("units"), about)
        raise OptionError(f"run {number} has no signals: {self.rows[number].reason or 'not made'}")

    def rerun(self, number: int) -> Result:
        """One run once more, in this process, with all of its rows and its verdict."""
        if self._run is None:
            what = "a study from a folder does not know the system"
            raise OptionError(f"{what}; call dv.sweep again with the same store and rerun there")
        return self._run.whole(self.space[number])

    def worst(self, by: str = "error") -> RunRow:
        """The run with the largest `error`, or the one that took the most `seconds`, `windows` or
        `evaluations`."""
        if by not in ("error", "seconds", "windows", "evaluations"):
            what = "the worst run is found by error, seconds, windows or evaluations"
            raise OptionError(f"{what}, not {by!r}")
        rows = [row for row in self.rows if row.done and getattr(row, by) == getattr(row, by)]
        if not rows:
            way_out = "look at study.failed"
            if by == "error":
                way_out = "dv.sweep(..., verify=True) estimates errors"
            raise OptionError(f"no run has that: {way_out}")
        return max(rows, key=lambda row: getattr(row, by))

    # while it is made -----------------------------------------------------------------------------

    def keep(self, number: int, outcome: RunOutcome) -> None:
        """Keep what became of one run."""
        self.store.keep(self._keys[number], outcome)

    def tell(self, remarks: Sequence[str]) -> None:
        """Keep what there is to say about how runs were made."""
        if remarks:
            self.store.tell("remarks", list(remarks))

    def settled(self) -> None:
        """All that was made is on disk, and others may write."""
        self.store.settle()

    # how it looks ---------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """A summary in sentences."""
        rows = self.rows
        counts = Counter(row.status for row in rows)
        over = " x ".join(f"{len(axis.rows)} {axis.name}" for axis in self.space.axes)
        states = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        lines = [f"Study of '{self.system}': {_counted(len(rows))} ({over}), {states}"]
        doubtful = sum(row.verdict == "doubtful" for row in rows)
        if doubtful:
            are = "is" if doubtful == 1 else "are"
            lines.append(f"{doubtful} of them {are} doubtful: look at study.doubtful")
        lines += [f"  {remark}" for remark in self.remarks]
        failed = [row for row in rows if row.status not in ("done", "missing")]
        for row in failed[:_SHOWN]:
            values = ", ".join(f"{name}={label(value)}" for name, value in row.values.items())
            lines.append(f"  run {row.number} ({values}) {row.status}: {row.reason}")
        if len(failed) > _SHOWN:
            lines.append(f"  and {len(failed) - _SHOWN} more: look at study.failed")
        return lines

    def __repr__(self) -> str:
        return harmless("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        title, *more = self.lines()
        shown = [table(("what did not end well",), [(line,) for line in more])] if more else []
        return card(title, *shown, good=not more)

    def _arrays(self, names: Sequence[str]) -> NDArray[np.float64]:
        known = self.names
        for name in names:
            if name not in known:
                raise UnknownVariable(name, known)
        found = np.full((len(names), len(self), self.time.size), np.nan)
        for number, block in self.store.signals(names, self.time.size):
            found[:, number] = block
        return found.reshape(len(names), *self.space.shape, self.time.size)


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"


def _forget(store: Store, process: int, *, passing: bool) -> None:
    """The study is gone, and so is a folder that was made for it; not in a copy of the process."""
    if os.getpid() == process:
        store.close()
        if passing:
            shutil.rmtree(store.folder, ignore_errors=True)
