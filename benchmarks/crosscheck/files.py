"""What lies beside an FMU of the cross-check: options, inputs, the reference."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

PLATFORM = "linux64"
KINDS = {"cs": "co-simulation", "me": "model exchange"}
OUTDATED = "notCompliantWithLatestRules"
_WORDS = {"true": 1.0, "false": 0.0}
MOST = 0.6  # of the rows that must be
EVEN = 0.01  # of the usual spacing: rows that are that far apart are evenly spaced


@dataclass(frozen=True)
class Rows:
    """Columns over time, as a file has them. Columns that hold text are left out."""

    time: Any
    columns: dict[str, Any]

    @cached_property
    def spacing(self) -> float | None:
        """The distance of rows, where all but a few (events, the last) have the same."""
        apart = np.diff(self.time)
        apart = apart[apart > 0]
        if not apart.size:
            return None
        usual = float(f"{np.median(apart):.9g}")  # 0.12, not what is left of it in a difference
        even = np.mean(np.abs(apart - usual) <= EVEN * usual)
        return usual if even > MOST else None

    @property
    def held(self) -> Rows:
        """The same, but each row holds up to the next one."""
        until = np.repeat(self.time, 2)[1:]
        return Rows(until, {n: np.repeat(v, 2)[:-1] for n, v in self.columns.items()})


@dataclass(frozen=True)
class Case:
    """One FMU, and where it stands in the repository."""

    path: Path
    version: str
    kind: str
    tool: str
    release: str

    @property
    def name(self) -> str:
        """The FMU, without its suffix."""
        return self.path.stem

    @property
    def key(self) -> str:
        """What settings are found under."""
        return f"{self.version}/{self.kind}/{self.tool}/{self.release}/{self.name}"

    @property
    def is_current(self) -> bool:
        """Whether its files obey the newest rules of the cross-check."""
        return not (self.path.parent / OUTDATED).exists()

    @cached_property
    def options(self) -> dict[str, float]:
        """`_ref.opt`: how the reference was made."""
        path = self._beside("ref.opt")
        found = {}
        for line in path.read_text(errors="replace").splitlines() if path.is_file() else ():
            match = re.match(r"\s*(\w+)\s*,\s*([-+.\deE]+)", line)
            if match:
                found[match[1]] = float(match[2])
        return found

    @cached_property
    def reference(self) -> Rows | None:
        """`_ref.csv`: the outputs as the exporting tool has them."""
        return rows(self._beside("ref.csv"))

    @cached_property
    def inputs(self) -> Rows | None:
        """`_in.csv`: the inputs, where it has some."""
        return rows(self._beside("in.csv"))

    @property
    def start(self) -> float:
        """Where a run begins."""
        return self.options.get("StartTime", 0.0)

    @property
    def stop(self) -> float:
        """Where a run ends."""
        return self.options.get("StopTime", self.start + 1.0)

    @property
    def step(self) -> float:
        """The communication step: the one told, else that of the reference, else a 500th.

        Model exchange has none. Its windows are a 2000th of the run, so that straight lines between
        rows are good enough.
        """
        span = self.stop - self.start
        if self.kind == "me":
            return span / 2000
        told = (self.options.get("StepSize", 0.0), self.options.get("OutputIntervalLength", 0.0))
        seen = self.reference.spacing if self.reference is not None else None
        found = next((size for size in (*told, seen or 0.0) if size > 0), 0.0)
        return found or span / 500

    def of(self, release: str) -> Case:
        """The same FMU of another release of the tool."""
        path = self.path.parents[2] / release / self.name / self.path.name
        return replace(self, path=path, release=release)

    def _beside(self, what: str) -> Path:
        return self.path.with_name(f"{self.name}_{what}")


def cases(checkout: Path) -> Iterator[Case]:
    """The FMUs of a checkout that are for this platform."""
    for path in sorted(checkout.rglob("*.fmu")):
        places = path.parent.parts[-6:]
        if len(places) < 6 or places[2] != PLATFORM or places[1] not in KINDS:
            continue
        version, kind, _, tool, release, _ = places
        yield Case(path, version, kind, tool, release)


def rows(path: Path) -> Rows | None:
    """A table of numbers; rows that are cut off are left out."""
    if not path.is_file():
        return None
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if line]
    if not lines:
        return None
    names = [name.strip().strip('"') for name in lines[0]]
    body = [line for line in lines[1:] if len(line) >= len(names)]
    columns: dict[str, Any] = {}
    for k, name in enumerate(names):
        try:
            columns[name] = np.array([_number(line[k]) for line in body])
        except ValueError:
            continue
    time = columns.pop(names[0], None)
    return None if time is None or not len(time) else Rows(time, columns)


def _number(text: str) -> float:
    word = text.strip().lower()
    return _WORDS[word] if word in _WORDS else float(word)
