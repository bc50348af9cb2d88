"""The runs of the demo, and how far each is from the truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..algorithms import GaussSeidel
from ..controllers import FixedStep
from ..entry.simulate import simulate
from ..formats import open
from ..results.result import Result

SIGNALS = {  # in the coupled system, in the reference, what it is
    "machine.speed": ("plant.speed", "speed of the machine"),
    "machine.belt": ("plant.belt", "torque of the belt"),
    "motor.current": ("plant.current", "current of the motor"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The same drive: in one part, coupled loosely, and coupled strongly."""

    truth: Result
    loose: Result
    strong: Result

    @staticmethod
    def of(folder: Path) -> Runs:
        """Run what the files in a folder say."""
        drive = open(folder / "drive.yaml")
        return Runs(
            simulate(folder / "reference.yaml", quiet=True),
            simulate(drive, algorithm=GaussSeidel(), quiet=True),
            simulate(drive, quiet=True),
        )

    @staticmethod
    def planned(folder: Path) -> float:
        """The size of the windows that the files ask for, in ms."""
        controller = open(folder / "drive.yaml").run_settings.controller
        return 1e3 * controller.size if isinstance(controller, FixedStep) else 0.0

    @property
    def window(self) -> float:
        """The size of the windows of both couplings, in ms."""
        return 1e3 * float(self.loose.time[-1]) / self.loose.statistics.windows

    def error(self, result: Result) -> float:
        """The largest deviation from the truth, over all signals, as a share of their range."""
        return max(self._deviation(result, *names) for names in _pairs())

    def _deviation(self, result: Result, name: str, true_name: str) -> float:
        deviation = np.abs(result[name] - self.truth.at(result.time, true_name))
        return float(np.max(deviation) / np.ptp(self.truth[true_name]))

    def named(self) -> dict[str, Result]:
        """All three by name, with the same names of variables, to be drawn over each other."""
        truth = {name: self.truth[true_name] for name, true_name in _pairs()}
        units = {name: self.truth.units[true_name] for name, true_name in _pairs()}
        facts = {"system": "belt drive", "finished": True}
        whole = Result.of(self.truth.time, truth, units, facts)
        return {"in one part": whole, "strong": self.strong, "loose": self.loose}


def _pairs() -> list[tuple[str, str]]:
    return [(name, true_name) for name, (true_name, _) in SIGNALS.items()]
