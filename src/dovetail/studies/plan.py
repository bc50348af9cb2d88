"""What a study will do, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import OptionError
from ..core.options import check_whole
from ..core.signals import Vector
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..observe.columns import Selection
from ..run.requests import check_span
from ..run.run_request import no_stop
from ..topology.layout import Layout
from ..verification.begin import Verify
from .dask_engine import DaskEngine
from .identity import base_key, run_key
from .local_pool import LocalPool
from .outcome import RunOutcome
from .resets import ResetRuns, RunBlock
from .space import Space
from .store import Store
from .study import Study
from .trial_run import StudyRun
from .variation import Variation

_FEWEST = 8  # runs for which it is worth looking whether instances can be reset
_FRESH = "every run was made by new instances of its FMUs"


@dataclass(frozen=True, slots=True, eq=False)
class StudyPlan:
    """The points of a study, and how each of them is run."""

    space: Space
    run: StudyRun
    keys: Sequence[str]
    remarks: list[str] = field(default_factory=list)  # on how runs were made, to be told

    @staticmethod
    def of(
        system: System, settings: RunSettings, space: Space, times: int | ArrayLike, verify: Verify
    ) -> StudyPlan:
        """Checked: names are known, what is recorded is there, and so is a stop time."""
        check_span(settings, system.run_settings)
        asked = settings.over(system.run_settings)
        if asked.stop is None:
            raise no_stop(system, asked, "stop=%g")
        kept = _times(times, asked.start or 0.0, asked.stop)
        variation = Variation.of(system, settings, space.entries)
        same_parts = system.parts.keys().isdisjoint(variation.names.values())
        if asked.record is not None and same_parts:
            Selection.of(system, Layout.of(system), asked.record)  # means something, or is refused
        base = base_key(system, settings, [kept.tolist(), verify])
        keys = [run_key(base, point) for point in space]
        return StudyPlan(space, StudyRun(variation, kept, verify), keys)

    def begun(self, folder: Path | None) -> Study:
        """The study, in a folder of its own or in one that goes when it goes."""
        passing = folder is None
        place = Path(mkdtemp(prefix="dovetail-study-")) if folder is None else folder
        store = Store(place, create=True)
        try:
            store.take()
            store.number(self.keys)
            system = self.run.variation.system
            about = {"system": system.name, "times": self.run.times.tolist(), "remarks": []}
            for name, value in {**about, **self.space.stored()}.items():
                store.tell(name, value)
            store.tell("units", _units(system))
        except BaseException:
            store.close()
            raise
        known = store, self.space, self.run.times, self.run
        return Study(*known, passing=passing, keys=self.keys)

    def missing(self, study: Study) -> list[int]:
        """The runs that no earlier call has made; equal ones are made once."""
        seen = study.store.known()
        found = []
        for number, key in enumerate(self.keys):
            if key not in seen:
                seen.add(key)
                found.append(number)
        return found

    def outcomes(
        self, missing: Sequence[int], jobs: int, limit: float | None, engine: Any = "local"
    ) -> Iterator[tuple[int, RunOutcome]]:
        """All of them, in the order in which they end."""
        if missing and engine != "local":
            yield from DaskEngine(engine, replace(self, keys=())._made).outcomes(missing)
            return
        if not jobs:
            yield from ((number, self._made(number)) for number in missing)
            return
        resets = ResetRuns.of(self.run) if len(missing) >= _FEWEST else None
        many = None if resets is None else NumberedBlocks(self.space, resets).made
        pool = LocalPool[int](self._made, min(jobs, max(len(missing), 1)), limit, many)
        try:
            yield from pool.outcomes(missing)
        finally:
            pool.close()
            if pool.doubt:
                self.remarks.append(f"{_FRESH}: {pool.doubt}")

    def _made(self, number: int) -> RunOutcome:
        return self.run.outcome(self.space[number])


@dataclass(frozen=True, slots=True, eq=False)
class NumberedBlocks:
    """Runs of a study by their numbers, several at once."""

    space: Space
    resets: ResetRuns

    def made(self, numbers: Sequence[int]) -> RunBlock | None:
        """What came of them; None where each is to be made alone."""
        return self.resets.block([self.space[n] for n in numbers])


def _times(times: Any, start: float, stop: float) -> Vector:
    """When signals are kept."""
    if isinstance(times, int):
        check_whole("times", times, least=2)
        return np.linspace(start, stop, times)
    try:
        found = np.array(times, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 1 or found.size < 2 or not np.all(np.diff(found) > 0):
        raise OptionError("times= is how many there are, 501, or a list of at least two that rise")
    if found[0] < start or found[-1] > stop:
        what = (
            f"times= go from {found[0]:g} to {found[-1]:g} s, and runs from {start:g} to {stop:g}"
        )
        raise OptionError(f"{what} s")
    return found


def _units(system: System) -> dict[str, str]:
    return {
        f"{name}.{variable.name}": str(variable.unit)
        for name, part in system.parts.items()
        for variable in (*part.description.inputs, *part.description.outputs)
        if variable.unit is not None
    }
