"""Benchmarks and sweeps of a studio: one process each, what came out as plain data."""

from __future__ import annotations

import math
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any

from ..core.errors import OptionError
from ..drawing.given_values import variable_of
from ..drawing.system import System
from .folder import WorkFolder
from .launching import StudioChild

_AT_ONCE = 2  # that go on
_MOST_RUNS = 200  # of a sweep
_MOST_SIGNALS = 6
_MOST_NAMES = 3  # that are varied
_LONGEST = 3600.0  # s of a benchmark


class StudioStudy:
    """One benchmark or sweep: what was asked, how far it is, what came of it."""

    def __init__(self, number: int, kind: str, system: str, asked: dict[str, Any]) -> None:
        self.number, self.kind, self.system, self.asked = number, kind, system, asked
        self.state = "running"  # finished, failed, stopped
        self.share: dict[str, Any] = {}
        self.found: dict[str, Any] = {}
        self.text = ""
        self.began = time.monotonic()
        self.child: StudioChild | None = None
        self.ready = threading.Event()

    def summary(self) -> dict[str, Any]:
        """Everything but what came of it."""
        return {"number": self.number, "kind": self.kind, "system": self.system,
                "asked": self.asked, "state": self.state, "text": self.text,
                "seconds": time.monotonic() - self.began, **self.share}  # fmt: skip


class StudioStudies:
    """All of a studio; each is asked after by its number."""

    def __init__(self, folder: WorkFolder) -> None:
        self._folder = folder
        self._all: dict[int, StudioStudy] = {}
        self._lock = threading.Lock()

    def listed(self) -> list[dict[str, Any]]:
        """Every one, the first one first."""
        return [study.summary() for study in list(self._all.values())]

    def told(self, number: Any) -> dict[str, Any]:
        """One with all that came of it."""
        study = self._known(number)
        return {**study.summary(), "found": study.found}

    def benchmark(
        self, system: System, budget: Any = 60.0, tolerance: Any = 1e-3, cost: Any = "seconds"
    ) -> StudioStudy:
        """Try the algorithms that can run this drawing."""
        if not (_is_number(budget) and 0 < budget <= _LONGEST):
            raise OptionError(f"a benchmark takes at most {_LONGEST:g} s, not {budget!r}")
        asked = {"budget": float(budget), "tolerance": tolerance, "cost": cost}
        return self._begin("benchmark", system, asked)

    def sweep(self, system: System, vary: Any, record: Any) -> StudioStudy:
        """Run this drawing with all combinations of these values."""
        if not isinstance(vary, dict) or not 0 < len(vary) <= _MOST_NAMES:
            raise OptionError(f"one to {_MOST_NAMES} names with their values are varied")
        for name, values in vary.items():
            if not isinstance(values, list) or not values or not all(map(_is_value, values)):
                raise OptionError(f"'{name}' takes a list of values, not {values!r}"[:300])
            variable_of(system, name)
        total = math.prod(len(values) for values in vary.values())
        if total > _MOST_RUNS:
            raise OptionError(f"{total} runs are too many to be shown here: {_MOST_RUNS} at most")
        if not isinstance(record, list) or not 0 < len(record) <= _MOST_SIGNALS:
            raise OptionError(f"one to {_MOST_SIGNALS} signals are drawn")
        asked = {"vary": vary, "record": [str(name) for name in record], "total": total}
        return self._begin("sweep", system, asked)

    def stop(self, number: Any) -> None:
        """End one that goes on, and everything it has started."""
        study = self._known(number)
        if study.state == "running" and study.child is not None:
            study.state = "stopped"
            study.child.kill()

    def close(self) -> None:
        """End all."""
        for study in list(self._all.values()):
            self.stop(study.number)
            study.ready.wait(5.0)

    def _known(self, number: Any) -> StudioStudy:
        study = self._all.get(number) if isinstance(number, int) else None
        if study is None:
            raise OptionError(f"there is no study {number!r}")
        return study

    def _begin(self, kind: str, system: System, asked: Mapping[str, Any]) -> StudioStudy:
        if system.run_settings.stop is None:
            raise OptionError("no stop time: give one among the settings of the run")
        with self._lock:
            if sum(study.state == "running" for study in self._all.values()) >= _AT_ONCE:
                raise OptionError(f"{_AT_ONCE} studies go on already; stop one")
            study = StudioStudy(1 + len(self._all), kind, system.name, dict(asked))
            said = tempfile.TemporaryFile()  # noqa: SIM115  it is the child's, to its end
            given = {"system": system, **asked}
            study.child = StudioChild(kind, given, self._folder.root, said)
            self._all[study.number] = study
        threading.Thread(target=self._hear, args=(study,), daemon=True).start()
        return study

    def _hear(self, study: StudioStudy) -> None:
        """Take in what its process says, to the end of it."""
        assert study.child is not None
        while (message := study.child.line.hear()) is not None:
            match message.pop("what"):
                case "share":
                    study.share = message
                case "found":
                    study.found, study.state = message, "finished"
                case "failed" | "refused":
                    study.text, study.state = str(message.get("text", "")), "failed"
        ended = study.child.wait(10.0)
        if study.state == "running":
            study.state = "failed"
            study.text = f"Its process was {ended or 'ended without a word'}."
        study.child.release()
        study.ready.set()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_value(value: Any) -> bool:
    return isinstance(value, str | bool) or _is_number(value)
