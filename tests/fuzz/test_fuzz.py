"""Damaged files end in a result or in a sentence: some of each kind, other ones by hand.

`python benchmarks/fuzz.py --count 1000000 --seconds 36000` is the long run.
"""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from fuzz.running import Finding, Plan, attack
from fuzz.targets import TARGETS, made

SECONDS = 25.0  # for all targets together

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")


def test_damaged_files_end_in_a_result_or_in_a_sentence():
    plan = Plan(tuple(TARGETS), 0, 150, SECONDS / len(TARGETS))
    counts, findings = Counter[str](), []
    for found in attack(plan):
        if isinstance(found, Finding):
            findings.append(f"{found.place} (number {found.number})\n{found.what}")
        else:
            counts[found[0]] += found[1]
    assert not findings, "\n".join(findings)
    assert set(counts) == set(TARGETS)
    assert min(counts.values()) > 0


def test_an_input_is_known_by_its_number():
    for name in ("csv", "osp", "log", "fmu"):
        assert made(name, 7) == made(name, 7)
        assert len({made(name, k) for k in range(30)}) > 20


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.filterwarnings("ignore")
def test_what_is_damaged_is_read_as_long_as_it_is_whole(name, tmp_path, monkeypatch):
    """Damage to a file that is refused anyway would show little."""
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "cache"))
    target = TARGETS[name]
    for number, whole in enumerate(target.seeds()):
        home = tmp_path / str(number)
        path = home / target.file
        path.parent.mkdir(parents=True)
        for other, content in target.beside().items():
            (home / other).write_bytes(content)
        path.write_bytes(whole)
        target.attempt(path)
