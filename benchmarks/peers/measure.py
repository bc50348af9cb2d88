"""Asks peers in processes of their own, and compares what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .case import Case
from .roll import PEERS

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0  # seconds; who takes longer is told so


class Failed(Exception):
    """A peer that gave no answer."""


@dataclass(frozen=True)
class Cost:
    """What a case takes: seconds of process time, and megabytes at the most."""

    setup: float
    window: float
    megabytes: float


def present() -> list[str]:
    """Who can be run here."""
    return [name for name, peer in PEERS.items() if peer.missing() is None]


def ask(
    peer: str, cases: Sequence[Case], what: str, core: int | None = None, **more: Any
) -> dict[str, Any]:
    """One answer of one peer; on one core of the machine, if it is named."""
    asked = {"peer": peer, "cases": [c.to_json() for c in cases], "what": what} | more
    command = [sys.executable, "-m", "benchmarks.peers.worker"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=PATIENCE,
            check=False,
            preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"no answer within {PATIENCE:g} s") from error
    if done.returncode:
        raise Failed(f"{peer} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def series(peer: str, cases: Sequence[Case], windows: int) -> list[Any]:
    """Watched outputs, a row per window from the first on: not all can be seen at the start.

    None for a case that the peer cannot run.
    """
    found: list[Any] = []
    while len(found) < len(cases):
        found += ask(peer, cases[len(found) :], "series", windows=windows)["series"]
    return [None if rows is None else np.array(rows)[1:] for rows in found]


def cost(peer: str, case: Case, core: int | None = None, record: bool = False) -> Cost:
    return Cost(**ask(peer, [case], "recorded" if record else "cost", core))


def distance(one: Any, other: Any) -> float:
    """The largest difference of any column, relative to the largest value in it."""
    if one.shape != other.shape:
        raise Failed(f"{len(one)} rows instead of {len(other)}")
    return float((np.abs(one - other).max(axis=0) / np.abs(other).max(axis=0)).max())
