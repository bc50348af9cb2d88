"""The runner for systems tells those that agree from those that differ or cannot be run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fmus"))
import build
from benchmarks.crosscheck.systems.__main__ import is_obtainable, is_settled, summary, table
from benchmarks.crosscheck.systems.files import found
from benchmarks.crosscheck.systems.outcome import BY_LOOP, judged
from benchmarks.crosscheck.systems.worker import _short

pytest.importorskip("fmpy")
LIMIT = 120.0
WIRES = {"{f}.a.y": ["{f}.b.u"], "{f}.b.y": ["{f}.a.u"]}


@pytest.fixture
def placed(tmp_path):
    """A multi-model of two test FMUs in a checkout, with what lies beside it."""

    def put(name="linear", *, rows="", **more):
        folder = tmp_path / "checkout"
        folder.mkdir(exist_ok=True)
        fmu = build.build(name, 2, tmp_path / "built", model_exchange=False)
        data = {"fmus": {"{f}": str(fmu)}, "connections": WIRES, "endTime": 0.2, **more}
        data.setdefault("algorithm", {"type": "fixed-step", "size": 0.1})
        (folder / "mm.json").write_text(json.dumps(data))
        if rows:
            (folder / "expectedoutputs.csv").write_text(rows)
        return next(found([folder]))

    return put


def test_a_system_agrees_with_a_plain_loop(placed):
    outcome = judged(placed(), LIMIT)
    assert (outcome.verdict, outcome.facts["whose"]) == ("agrees", "a plain loop over FMPy")
    assert outcome.facts["off"]["deviation"] < 1e-12  # the same steps with the same inputs


def test_what_lies_beside_it_goes_first(placed):
    """Rows that no run makes: it differs, and a plain loop says whose fault that is."""
    outcome = judged(placed(rows="time,{f}.a.y\n0.0,1.0\n0.1,7.0\n0.2,1.0\n"), LIMIT)
    assert (outcome.verdict, outcome.facts["whose"]) == ("differs", "Maestro")
    assert f"from Maestro in `a.y`. {BY_LOOP}" in outcome.why


def test_one_that_cannot_be_opened_says_why_without_folders(placed, tmp_path):
    outcome = judged(placed(connections={"{g}.a.y": ["{f}.b.u"]}), LIMIT)
    assert outcome.verdict == "cannot run"
    assert "there is no FMU '{g}'" in outcome.why and str(tmp_path) not in outcome.why


def test_one_that_hangs_is_given_up(placed):
    outcome = judged(placed("hang", connections={"{f}.a.x": ["{f}.b.u"]}), 10.0)
    assert (outcome.verdict, outcome.why) == ("cannot run", "too long")


def test_the_table_has_a_row_for_each_and_counts_them(placed):
    row = judged(placed(), LIMIT).cells()
    assert "1 system: 1 agrees. 1 are systems whose files are all there" in summary([row])
    assert summary([row]).endswith("1 of these (100.0 %) agree, or it is known why not.")
    assert table([row]).splitlines()[2].startswith("| checkout/mm.json | Maestro | agrees |")


def test_a_message_names_no_folder_of_the_machine(placed):
    """SSPs are unpacked into a cache, which a message names; places in the checkout stay."""
    file = placed()
    error = ValueError(f"{file.checkout}/a/b.ssd:3: /anywhere/.cache/0f/x.fmu: no binary")
    assert _short(error, file) == "a/b.ssd:3: x.fmu: no binary"


def test_what_cannot_be_obtained_does_not_count_and_what_is_not_explained_does():
    """A share of what could run, and no reason that says that it is not known."""
    rows = [
        [
            "a/x.ssd",
            "SSP",
            "cannot run",
            "x.fmu: it has binaries for win64, but none for this machine",
        ],
        ["a/y.ssd", "SSP", "differs", "3 % of its range from Maestro in `y`. Not explained."],
        ["a/z.ssd", "SSP", "differs", f"3 % of its range from Maestro in `y`. {BY_LOOP}, to 0 %"],
        ["a/w.ssd", "SSP", "agrees", "Maestro, to 0 % of its range"],
        ["oms/x/embrace/SystemStructure.ssd", "SSP", "differs", "the reason is not known"],
    ]
    assert [is_obtainable(row) for row in rows] == [False, True, True, True, True]
    assert [is_settled(row) for row in rows] == [False, False, True, True, False]
