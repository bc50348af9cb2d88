"""What became of one FMU, and the row that tells it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .files import Case, Rows
from .loose import LooseCase
from .measure import CLOSE, Distance, distance
from .page import is_obtainable
from .settings import Setting, setting

ROOT = Path(__file__).resolve().parents[2]
AGREES, IN_BAND, DIFFERS = "agrees", "in the band", "differs"
TOLD = 1e-6  # to both, as FMPy always tells one, and Dovetail none that is not asked for
WAITING = 10.0  # so much longer than its seconds of CPU may a run last, on a busy machine
NO_REFERENCE, NOT_LOADED, NOT_RUN, TOO_LONG = "no reference", "does not load", "fails", "too long"


@dataclass(frozen=True)
class Run:
    """A run in a process of its own: its rows, or how far it came and why not farther."""

    rows: Rows | None
    loaded: bool
    error: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """One FMU: a run by Dovetail, perhaps one by FMPy, and how far they are from each other."""

    case: Case
    how: Setting
    run: Run
    off: Distance | None = None
    peer: Run | None = None
    peer_off: Distance | None = None
    apart: Distance | None = None

    @property
    def verdict(self) -> str:
        """One of the words above."""
        if self.run.rows is None:
            if self.run.error == TOO_LONG:
                return TOO_LONG
            return NOT_RUN if self.run.loaded else NOT_LOADED
        if self.off is None and self.apart is None:
            return NO_REFERENCE
        if self.off is None:
            return AGREES if self.apart.deviation <= CLOSE else DIFFERS
        if self.off.deviation <= CLOSE:
            return AGREES
        return IN_BAND if self.off.in_band else DIFFERS

    @property
    def reason(self) -> str:
        """Why not, or what is known about it."""
        said = [self.how.why, self.run.error if self.run.rows is None else ""]
        if self.peer is not None and self.peer.rows is None:
            said.append(f"FMPy: {self.peer.error}")
        return "; ".join(text for text in said if text)

    def cells(self) -> list[str]:
        """The row of the table."""
        c, ran = self.case, self.run.rows is not None
        cells = [c.name, f"{c.tool} {c.release}", c.version, c.kind]
        cells += ["yes" if self.run.loaded else "no", "yes" if ran else "no"]
        cells += [_percent(self.off), _percent(self.peer_off), _percent(self.apart)]
        return [*cells, self.verdict, self.reason]


HEADER = ["FMU", "tool", "FMI", "kind", "loads", "runs"]
HEADER += ["deviation", "FMPy's", "from FMPy", "verdict", "reason"]


def judged(case: Case, limit: float, *, against: str | None = None) -> Outcome:
    """An FMU run and compared."""
    how = setting(case.key)
    if isinstance(case, LooseCase) and case.kind == "cs" and how.tolerance is None:
        how = replace(how, tolerance=TOLD)
    run = ran(case, how, "dovetail", limit)
    known = how.reference_for(case)
    off = _off(run.rows, known)
    if against is None or not is_obtainable({"reason": run.error}):
        return Outcome(case, how, run, off)
    peer = ran(case, how, against, limit)
    peer_off = _off(peer.rows, known)
    return Outcome(case, how, run, off, peer, peer_off, _off(run.rows, peer.rows))


def ran(case: Case, how: Setting, by: str, limit: float) -> Run:
    """A run in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npz"
        asked: dict[str, Any] = {"by": by, "how": asdict(how), "file": str(file)}
        asked["limit"] = limit
        asked["case"] = {**asdict(case), "path": str(case.path.resolve())}
        asked["loose"] = isinstance(case, LooseCase)
        try:
            done = subprocess.run(
                [sys.executable, "-m", f"{__package__}.worker"],
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=WAITING * limit,
                cwd=ROOT,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"").decode(errors="replace")
            return Run(None, "loaded" in said, TOO_LONG)
        facts: dict[str, Any] = {}
        for line in done.stdout.splitlines():
            facts.update(json.loads(line))
        loaded = bool(facts.get("loaded"))
        if done.returncode == -signal.SIGXCPU:
            return Run(None, loaded, TOO_LONG)
        if "names" not in facts:
            return Run(None, loaded, facts.get("error") or _died(done))
        kept = np.load(file)
        columns = {n: kept[f"column {k}"] for k, n in enumerate(facts["names"])}
        return Run(Rows(kept["time"], columns), loaded, seconds=facts["seconds"])


def _off(run: Rows | None, reference: Rows | None) -> Distance | None:
    return None if run is None or reference is None else distance(run, reference)


def _died(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode < 0:
        return f"the process died: {signal.Signals(-done.returncode).name}"
    last = done.stderr.strip().splitlines()
    return f"the process ended with {done.returncode}: {last[-1] if last else ''}"


def _percent(off: Distance | None) -> str:
    return "" if off is None else f"{100 * off.deviation:.2g} %"
