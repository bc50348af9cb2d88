"""`dovetail check --plan`: what native code is told, for people and as bytes."""

from __future__ import annotations

import json

import pytest

from dovetail.cli.main import main
from dovetail.runplan.reading import read
from dovetail.runplan.writing import digest

RING = """\
dovetail: 1
name: ring
parts:
  a: {model: linear.fmu}
  b: {model: linear.fmu}
connections:
  - {from: a.y, to: b.u, gain: 0.5}
  - b.y -> a.u
run: {stop: 1, algorithm: jacobi, controller: {fixed_step: 0.1}}
"""


@pytest.fixture
def drawn(archive, tmp_path, monkeypatch):
    (tmp_path / "linear.fmu").write_bytes(archive("linear", 2).read_bytes())
    (tmp_path / "ring.yaml").write_text(RING)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_is_printed_written_and_named_alike(drawn, capsys):
    assert main(["check", "ring.yaml", "--plan", "--plan-file", "ring.plan"]) == 0
    shown = capsys.readouterr().out
    block = (drawn / "ring.plan").read_bytes()
    assert f"sha256 {digest(block)}" in shown
    assert "output 0 'a.y' to input 1 'b.u', times 0.5 plus 0.0" in shown
    assert "It can be run with" not in shown
    assert main(["check", "ring.yaml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["plan"]
    assert told == {"version": 1, "bytes": len(block), "sha256": digest(block)}


def test_options_of_the_run_are_in_it(drawn, capsys):
    options = ["--step", "0.05", "--stop", "3", "--algorithm", "newton"]
    assert main(["check", "ring.yaml", *options, "--plan-file", "x.plan"]) == 0
    assert "Newton() with FixedStep runs natively" in capsys.readouterr().out
    plan = read((drawn / "x.plan").read_bytes())
    assert (plan.grid.size, plan.grid.stop) == (0.05, 3.0)
    assert plan.cycles is not None


def test_windows_that_python_makes_have_members_only(drawn, capsys):
    way = "step_doubling(extrapolate=true)"
    assert main(["check", "ring.yaml", "--controller", way, "--plan"]) == 0
    assert "for windows that are asked for one by one" in capsys.readouterr().out


def test_windows_that_follow_an_error_name_their_controller(drawn, capsys):
    words = ["--controller", "step_doubling(rtol=1e-3)", "--algorithm", "jacobi"]
    assert main(["check", "ring.yaml", *words, "--plan"]) == 0
    shown = capsys.readouterr().out
    assert "windows are doubling" in shown and "rtol 0.001, atol 1e-06, order 1" in shown


def test_what_has_nothing_native_says_why(drawn, capsys):
    (drawn / "models.py").write_text(
        'import dovetail as dv\nclock = dv.Source(outputs=["y"], function=lambda t, p: [t])\n'
    )
    (drawn / "alone.yaml").write_text(
        "dovetail: 1\nname: alone\nparts: {one: models.py:clock}\n"
        "run: {stop: 1, algorithm: jacobi, controller: {fixed_step: 0.1}}\n"
    )
    assert main(["check", "alone.yaml", "--plan"]) == 2
    error = capsys.readouterr().err
    assert "'alone' has no plan: it runs from Python because part 'one' is no FMU" in error
    assert main(["check", "alone.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"] is None


def test_a_place_that_cannot_be_written_is_named(drawn, capsys):
    assert main(["check", "ring.yaml", "--plan-file", "no/where.plan"]) == 2
    assert "no/where.plan: it cannot be written" in capsys.readouterr().err
