"""What became of one system, and the row that tells it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ..measure import CLOSE
from ..outcome import ROOT, TOO_LONG, _died
from .files import SystemFile

HEADER = ["system", "format", "verdict", "with what, or why not"]
AGREES, DIFFERS, NOT_RUN, ALONE = "agrees", "differs", "cannot run", "runs"
NOT_EXPLAINED = "Not explained."
BY_LOOP = "A plain loop over FMPy gives what Dovetail gives"
_REASONS = Path(__file__).with_name("reasons.toml")


@dataclass(frozen=True)
class SystemOutcome:
    """One system: what its process told before it ended."""

    file: SystemFile
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """One of the words above."""
        if "off" in self.facts:
            return AGREES if self.facts["off"]["deviation"] <= CLOSE else DIFFERS
        return ALONE if self.facts.get("ran") else NOT_RUN

    @property
    def why(self) -> str:
        """With what it agrees; why it differs, or cannot be run."""
        known = reason(self.file.name)
        error = self.facts.get("error", "")
        if "off" in self.facts:
            off, whose = self.facts["off"], self.facts["whose"]
            far = f"{100 * off['deviation']:.1g} % of its range"
            if self.verdict == AGREES:
                return f"{whose}, to {far}"
            known = known or self._by_loop or NOT_EXPLAINED
            return f"{far} from {whose} in `{off['name']}`. {known}"
        if self.verdict == ALONE:
            return known or error or self.facts.get("alone", "")
        return known or error

    @property
    def _by_loop(self) -> str:
        """That a plain loop differs from what lies beside it just as much."""
        apart = self.facts.get("from_loop", 1.0)
        if apart > CLOSE:
            return ""
        return f"{BY_LOOP}, to {100 * apart:.1g} %"

    def cells(self) -> list[str]:
        """The row of the table."""
        return [self.file.name, self.file.kind, self.verdict, self.why]


def judged(file: SystemFile, limit: float) -> SystemOutcome:
    """A system run in a process of its own, for no longer than this."""
    asked = {"path": str(file.path), "checkout": str(file.checkout), "kind": file.kind}
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.worker"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            cwd=ROOT,
            check=False,
        )
        said, ended = done.stdout, "" if done.returncode == 0 else _died(done)
    except subprocess.TimeoutExpired as late:
        said, ended = (late.stdout or b"").decode(errors="replace"), TOO_LONG
    facts: dict[str, Any] = {"error": ended} if ended else {}
    for line in said.splitlines():
        facts.update(json.loads(line))
    return SystemOutcome(file, facts)


def reason(name: str) -> str:
    """What is known about a system, by patterns of names; the last that fits."""
    found = ""
    for entry in tomllib.loads(_REASONS.read_text())["reason"]:
        if fnmatch(name, entry["name"]):
            found = entry["why"]
    return found
