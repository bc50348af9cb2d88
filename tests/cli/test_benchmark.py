"""`dovetail benchmark`: what a person types, and what comes back."""

from pathlib import Path

import pytest
from cli.calling import Command

import dovetail as dv
from dovetail.studies.benchmarking import candidates as tried

WORDS = ("benchmark", "predation.yaml", "--cost", "evaluations", "--tolerance", "0.01")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two algorithms, which take a second instead of a minute."""
    forms = (dv.GaussSeidel(extrapolation=1), dv.GaussSeidel(100, inputs="ramp"))
    monkeypatch.setattr(tried, "_FORMS", forms)
    monkeypatch.setattr(tried, "_ESTIMATED", ())
    monkeypatch.setattr(tried, "_STEERED", ())


def test_the_recommendation_is_shown_drawn_and_written(
    dovetail: Command, folder: Path, few: None
) -> None:
    before = (folder / "predation.yaml").read_text()
    answer = dovetail(*WORDS, "--output", "precision.png", "--apply")
    assert answer.code == 0, answer.err
    assert "Recommended: " in answer.out and "Written into predation.yaml" in answer.out
    assert (folder / "precision.png").read_bytes()[:4] == b"\x89PNG"
    made = dv.open(folder / "predation.yaml").run_settings
    assert made.algorithm != dv.Jacobi() and made.stop == 1.0
    after = (folder / "predation.yaml").read_text()
    assert after.partition("run:")[0] == before.partition("run:")[0]


def test_programs_get_every_run(dovetail: Command, folder: Path, few: None) -> None:
    answer = dovetail(*WORDS, "--json")
    assert answer.code == 0 and answer.json["recommended"]["error"] <= 0.01
    assert len(answer.json["runs"]) >= 3 and "merged" in answer.json["reference"]
    assert dv.open(folder / "predation.yaml").run_settings.algorithm == dv.Jacobi()


def test_what_is_wrong_is_said(dovetail: Command, folder: Path) -> None:
    answer = dovetail("benchmark", "predation.yaml", "--cost", "money")
    assert answer.code == 2 and "cost is 'seconds' or 'evaluations'" in answer.err
