"""What is known about how a reference was made, beyond what its files say."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from .files import Case, Rows

_FILE = Path(__file__).with_name("settings.toml")


@dataclass(frozen=True)
class Setting:
    """How one FMU is run, where its options leave it open or are wrong.

    `stop`: where the run ends. `step`: the communication step, or "reference" for the distance of
    its rows. `ahead`: inputs are those at the end of a step, not at its start. `hold`: they jump
    from row to row, instead of following straight lines. `shift`: so many seconds later than the
    reference says is the time its rows are meant for. `values`: parameters that were not left at
    their defaults. `release`: of the tool, whose reference for the same FMU is the right one.
    Of model exchange only: `solver` tells how its equations are solved, `step` is its step if it
    is fixed, and its events are where steps end; `rtol` is its tolerance, and the one the FMU is
    told; `whole`: one window for the whole run, so that an adaptive solver takes the steps it
    likes, and what is compared are the rows at events, the first and the last.
    `why`: how that is known, or why the reference is not met all the same.
    """

    stop: float | None = None
    step: float | str | None = None
    ahead: bool = False
    hold: bool = False
    shift: float = 0.0
    values: dict[str, Any] = field(default_factory=dict)
    tolerance: float | None = None
    release: str | None = None
    solver: str | None = None
    rtol: float | None = None
    whole: bool = False
    why: str = ""

    def reference_for(self, case: Case) -> Rows | None:
        """What a run of this FMU is compared with."""
        found = (case if self.release is None else case.of(self.release)).reference
        if found is None:
            return None
        chosen = _landmarks(found.time) if self.whole else slice(None)
        columns = {name: values[chosen] for name, values in found.columns.items()}
        return Rows(found.time[chosen] + self.shift, columns)

    def solving(self, case: Case) -> dict[str, Any]:
        """How the equations of model exchange are solved, where that is known."""
        from dovetail.integrators import FixedSize

        if self.solver is not None:
            size = self._size(case)
            return {"solver": FixedSize(size, self.solver, locate=False)}  # type: ignore[arg-type]
        if self.rtol is not None:
            return {"rtol": self.rtol, "tolerance": self.rtol}
        return {"tolerance": self.tolerance}

    def inputs_for(self, case: Case) -> Rows | None:
        """The inputs, as the run is to see them."""
        given = case.inputs
        if given is None:
            return None
        found = given.held if self.hold else given
        return Rows(found.time - (self.step_of(case) if self.ahead else 0.0), found.columns)

    def step_of(self, case: Case) -> float:
        """The communication step."""
        spacing = None if case.reference is None else case.reference.spacing
        step = spacing if self.step == "reference" else self.step
        if self.solver is not None:  # so many of its steps
            return self._size(case) * max(1, round(case.step / self._size(case)))
        return case.stop - case.start if self.whole else float(step or case.step)

    def _size(self, case: Case) -> float:
        """The step of a solver with one size."""
        return self.step if isinstance(self.step, float) else case.options["StepSize"]


def _landmarks(time: Any) -> Any:
    """Rows at events, which there are two of, the first and the last."""
    again = np.flatnonzero(np.diff(time) == 0)
    return np.unique(np.concatenate([[0], again, again + 1, [time.size - 1]]))


def setting(key: str) -> Setting:
    """The setting for one FMU; of several that match, later ones add to earlier ones."""
    names = {f.name for f in fields(Setting)}
    found: dict[str, Any] = {}
    for entry in tomllib.loads(_FILE.read_text(encoding="utf-8")).get("fmu", ()):
        if fnmatchcase(key, entry["match"]):
            found.update({k: v for k, v in entry.items() if k in names})
    return Setting(**found)
