"""`analyze` tells time scales, and `run --integrator` uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.calling import Command

STIFF = """\
import dovetail as dv

pair = dv.Dynamic(
    states={"fast": 1.0, "slow": 1.0},
    outputs=["fast", "slow"],
    derivatives=lambda t, x, u, p: [-1000 * (x.fast - x.slow), -x.slow + 0.001 * x.fast],
)
gain = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [2 * u.a])
system = dv.System("stiff")
system.add("pair", pair)
run = {"stop": 1, "controller": {"fixed_step": 0.1}}
"""


@pytest.fixture(autouse=True)
def stiff(folder: Path) -> None:
    (folder / "stiff.py").write_text(STIFF)


def test_a_report_names_states_bounds_and_the_cut(dovetail: Command) -> None:
    answer = dovetail("analyze", "stiff.py:pair")
    assert answer.code == 0, answer.err
    assert "2 states at the start; alpha 0.5, probe euler" in answer.out
    assert "fast  0.0015 s  (fast by itself)" in answer.out
    assert "1 state below, 1 above" in answer.out
    assert "not a proof" in answer.out


def test_a_step_a_picture_and_cycles_can_be_asked_for(dovetail: Command, folder: Path) -> None:
    words = ("--step", "0.1", "--cycles", "2", "--output", "cut.png")
    answer = dovetail("analyze", "stiff.py:pair", *words)
    assert answer.code == 0, answer.err
    assert "At steps of 0.1 s" in answer.out
    assert "  fast  fast" in answer.out
    assert "0.0015 s  fast by itself" in answer.out
    assert (folder / "cut.png").read_bytes().startswith(b"\x89PNG")


def test_it_is_one_json_object_for_programs(dovetail: Command) -> None:
    answer = dovetail("analyze", "stiff.py:pair", "--json", "--step", "0.1", "--stop", "1")
    assert answer.code == 0, answer.err
    told = answer.json
    assert told["bounds"]["fast"] == pytest.approx(0.0015, rel=1e-6)
    assert told["cycles"] == 3
    assert told["points"] == 11
    assert told["partition"]["fast"] == ["fast"]
    assert told["partition"]["radius"]["euler"] <= 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("stiff.py:gain",), "cannot be analyzed: it has no continuous states"),
        (("stiff.py:pair", "--alpha", "0"), "alpha must be above zero"),
        (("stiff.py:pair", "--probe", "heum"), "'heum' is no probe. Did you mean 'heun'?"),
        (("stiff.py:pair", "--rule", "x"), "rule must be 'exact' or 'published'"),
        (("stiff.py:pair", "--step", "0"), "the step must be above zero"),
        (("stiff.py:pair", "--stop", "0"), "stop must be after the start"),
        (("stiff.py:pair", "--cycles", "-1"), "--cycles must not be below zero"),
        (("stiff.py:pair", "-o", "cut.gif"), "a picture is a .png, .svg or .pdf file"),
        (("nothing.fmu",), "nothing.fmu"),
    ],
)
def test_what_is_wrong_is_said(dovetail: Command, words: tuple[str, ...], told: str) -> None:
    answer = dovetail("analyze", *words)
    assert answer.code == 2
    assert told in answer.err


def test_a_run_can_use_another_integrator_inside(dovetail: Command) -> None:
    answer = dovetail("run", "stiff.py", "--integrator", "mixed-euler", "--quiet", "--json")
    assert answer.code == 0, answer.err
    # ten steps of 0.1: implicit for the fast state, explicit for the slow one
    fast, slow = 1.0, 1.0
    for _ in range(10):
        slow += 0.1 * (-slow + 0.001 * fast)
        fast = (fast + 100 * slow) / 101
    assert answer.json["final"]["pair.slow"] == pytest.approx(slow, rel=1e-8)
    assert answer.json["final"]["pair.fast"] == pytest.approx(fast, rel=1e-8)


def test_its_effort_is_told(dovetail: Command) -> None:
    answer = dovetail("run", "stiff.py", "--integrator", "mixed(0.05)")
    assert "in 'pair': 20 steps" in answer.out
    assert "Newton iterations" in answer.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mixt", "Did you mean 'mixed'?"),
        ("mixed(a)", "'a' is not a step in seconds"),
        ("mixed 0.1 s", "write a name, or a name and a step"),
    ],
)
def test_an_integrator_that_is_none_is_told(dovetail: Command, text: str, told: str) -> None:
    answer = dovetail("run", "stiff.py", "--integrator", text)
    assert answer.code == 2
    assert told in answer.err


def test_a_system_without_integrators_is_told(dovetail: Command, folder: Path) -> None:
    (folder / "none.py").write_text(
        "import dovetail as dv\n"
        "system = dv.System('none')\n"
        "system.add('clock', dv.Source(outputs=['y'], function=lambda t, p: [t]))\n"
        "run = {'stop': 1, 'controller': {'fixed_step': 0.1}}\n"
    )
    answer = dovetail("run", "none.py", "--integrator", "radau")
    assert answer.code == 2
    assert "no part of 'none' has an integrator inside" in answer.err


def test_check_gives_advice(dovetail: Command) -> None:
    answer = dovetail("check", "predation.yaml")
    assert answer.code == 0
    assert "Advice, from the start values and no promise:" in answer.out
    assert "prey, predator: loop gain 0.113 over 0.1 s" in answer.out
