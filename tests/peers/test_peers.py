"""The same systems at equal steps: everybody gets the same numbers, or there is a reason.

All hold inputs over a window and exchange at its end, so there is nothing to differ by but
rounding: of times that are added up instead of computed, and of numbers that are printed.
"""

from __future__ import annotations

import re
from importlib import metadata

import numpy as np
import pytest
from packaging.requirements import Requirement

from benchmarks.peers import case as cases
from benchmarks.peers import measure
from benchmarks.peers.roll import PEERS

WINDOWS = 60
ROUNDING = {
    "MasterSim": 1e-13,  # prints fourteen digits
}
FAILING = {
    ("OMSimulator", "oscillator", 3): "refuses an output that depends on the time",
}
OTHERS = [name for name in PEERS if name != "Dovetail"]


def here(name):
    """Skips what is not installed, and says why."""
    reason = PEERS[name].missing()
    if reason:
        pytest.skip(f"{name}: {reason}")


@pytest.fixture(scope="module")
def made(folder):
    """Each system for both versions of FMI, and what Dovetail makes of it."""
    found = [
        draw(version)
        for version in (2, 3)
        for draw in (
            lambda v: cases.ring(5, folder, v),
            lambda v: cases.oscillator(folder, v),
            lambda v: cases.predation(folder, v),
        )
    ]
    return [(c, np.array(PEERS["Dovetail"].series(c, WINDOWS))[1:]) for c in found]


@pytest.mark.parametrize("name", OTHERS)
def test_results_are_the_same_at_equal_steps(name, made):
    here(name)
    able = [(c, ours) for c, ours in made if c.version in PEERS[name].versions]
    theirs = measure.series(name, [c for c, _ in able], WINDOWS)
    for (c, ours), found in zip(able, theirs, strict=True):
        if (name, c.name, c.version) in FAILING:
            assert found is None
            continue
        assert found is not None, f"{name} cannot run {c.name}, FMI {c.version}"
        off = measure.distance(found, ours)
        assert off <= ROUNDING.get(name, 1e-14), f"{c.name}, FMI {c.version}"


@pytest.mark.parametrize("name", PEERS)
def test_costs_can_be_measured(name, folder):
    here(name)
    found = measure.cost(name, cases.ring(2, folder))
    assert 0 < found.window < 1e-2 and found.setup > 0
    assert found.megabytes > 1 or PEERS[name].is_program


def test_nobody_is_absent_whom_the_tests_install():
    """Skipping all of them would go unnoticed."""
    wanted = [
        requirement
        for requirement in map(Requirement, metadata.requires("dovetail") or [])
        if requirement.marker and 'extra == "peers"' in str(requirement.marker)
        if requirement.marker.evaluate({"extra": "peers"})
    ]
    assert wanted
    named = {peer.distribution.lower(): peer for peer in PEERS.values()}
    for requirement in wanted:
        if requirement.name.lower() in named:
            assert named[requirement.name.lower()].missing() is None


def test_the_page_has_a_row_for_everybody():
    """Or says why not."""
    page = (measure.ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    tables = dict(re.findall(r"<!-- measured: (\w+) -->\n\n(.+?)\n\n<!-- end -->", page, re.DOTALL))
    _, _, absent = tables.pop("facts").partition("Not run:")
    assert set(tables) == {"agreement", "stepping", "recording", "setup"}
    for mark, table in tables.items():
        for name in OTHERS if mark == "agreement" else PEERS:
            assert f"| {name} |" in table or f"{name}:" in absent
