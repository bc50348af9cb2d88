"""`dovetail check` ends with a recommendation, and `dovetail run --recommended` takes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cli.calling import Command

import dovetail as dv
from dovetail.formats.choices import from_text
from dovetail.formats.families import ALGORITHMS, CONTROLLERS


def test_check_ends_with_it(dovetail: Command) -> None:
    answer = dovetail("check", "predation.yaml")
    assert answer.code == 0
    last = answer.out.splitlines()[-1]
    assert last.startswith("Recommended: Missiles(rtol=1e-06")
    assert ", because cycles are solved in each window with the linearizations of the parts" in last
    assert "and every part can roll back" in last
    assert answer.out.count("Recommended") == 1


def test_it_can_be_applied(dovetail: Command) -> None:
    found = dovetail("check", "predation.yaml", "--json").json["recommendation"]
    assert set(found) == {"algorithm", "controller", "why"}
    by_word = dovetail("run", "predation.yaml", "--recommended", "--json").json
    given = "--algorithm", found["algorithm"], "--controller", found["controller"]
    by_name = dovetail("run", "predation.yaml", *given, "--json").json
    assert by_word["final"] == by_name["final"]
    assert "StepDoubling" in by_word["controller"]
    same = dv.simulate("predation.yaml", algorithm="recommended", quiet=True)
    assert by_word["final"] == same.final
    assert from_text(ALGORITHMS, found["algorithm"]) == dv.Missiles(rtol=1e-6, atol=1e-9)
    assert from_text(CONTROLLERS, found["controller"]).rtol == 2e-4


def test_windows_that_are_given_stay(dovetail: Command) -> None:
    found = dovetail("run", "predation.yaml", "--recommended", "--step", "0.5", "--json").json
    assert found["windows"] == 2
    assert "max_iterations=50" in found["algorithm"]


def test_two_algorithms_are_one_too_many(dovetail: Command) -> None:
    answer = dovetail("run", "predation.yaml", "--recommended", "--algorithm", "jacobi")
    assert answer.code == 2
    assert "give --recommended or --algorithm, not both" in answer.err


def test_a_drawing_that_cannot_be_run_gets_none(dovetail: Command, folder: Path) -> None:
    (folder / "void.yaml").write_text("{dovetail: 1, parts: {}}")
    answer = dovetail("check", "void.yaml", "--json")
    assert answer.code == 2
    assert answer.json["recommendation"] is None
    assert "Recommended" not in dovetail("check", "void.yaml").out


def test_an_fmu_without_a_default_experiment_asks_for_a_stop(
    dovetail: Command, archive: Callable[..., Path]
) -> None:
    path = archive("linear", edit=lambda text: text.replace("DefaultExperiment", "Annotations"))
    answer = dovetail("run", str(path))
    assert answer.code == 2
    assert "names none, so give --stop, such as --stop 10" in answer.err
