"""Cost before a run grows with parts and connections, and each model is asked once."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from typing import Any

import pytest

import dovetail as dv
from dovetail.check import outlook
from dovetail.drawing.alike import Likes, answers

LAG = dv.Dynamic(
    states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=lambda t, x, u, p: [u.u - x.x]
)
GAIN = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.5 * u.u])


def chain(n: int) -> dv.System:
    system = dv.System("chain")
    for k in range(n):
        system.add(f"p{k}", LAG)
    for k in range(1, n):
        system.connect(f"p{k - 1}.x", f"p{k}.u")
    return system


def ring(n: int) -> dv.System:
    system = chain(n)
    system.connect(f"p{n - 1}.x", "p0.u")
    return system


def through(n: int) -> dv.System:
    """Loops with direct feedthrough, one beside the other."""
    system = dv.System("through")
    for k in range(n):
        system.add(f"a{k}", GAIN)
        system.add(f"b{k}", GAIN)
        system.connect(f"a{k}.y", f"b{k}.u")
        system.connect(f"b{k}.y", f"a{k}.u")
    return system


def calls(work: Callable[[], Any]) -> int:
    """How many functions are called, of Python and of C."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined]


@pytest.mark.parametrize("drawn", [chain, ring, through])
def test_calls_of_a_check_grow_linearly(drawn):
    few, many = drawn(100), drawn(400)
    few.check()  # whatever is imported or remembered once
    assert calls(many.check) < 4.4 * calls(few.check)


def test_names_are_not_all_hashed_again_for_each_part():
    """Tuples of names know no hash of theirs: a cache by them costs all names each time."""

    class Name(str):
        hashed = 0

        def __hash__(self) -> int:
            Name.hashed += 1
            return super().__hash__()

    def drawn(n: int) -> dv.System:
        system = dv.System("names")
        for k in range(n):
            system.add(Name(f"p{k}"), LAG)
        return system

    counts = []
    for n in (50, 200):
        system = drawn(n)
        Name.hashed = 0
        system.check()
        counts.append(Name.hashed)
    assert counts[1] < 4.4 * counts[0]


def test_parts_of_one_file_share_a_model(tmp_path, archive):
    path = archive("linear")
    lines = [f"  p{k}: {{model: {path}}}" for k in range(3)]
    lines += [f"  q{k}: {{model: {path}, options: {{logging: true}}}}" for k in range(2)]
    file = tmp_path / "net.yaml"
    file.write_text("dovetail: 1\nparts:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    parts = dv.open(file).parts
    assert parts["p0"].model is parts["p1"].model is parts["p2"].model
    assert parts["q0"].model is parts["q1"].model is not parts["p0"].model


def test_likes_are_models_with_their_parts():
    system = chain(3)
    system.add("g", GAIN)
    found = [(likes.model, likes.names) for likes in Likes.of(system.parts.values())]
    assert found == [(LAG, ("p0", "p1", "p2")), (GAIN, ("g",))]


def test_models_that_come_again_are_asked_once():
    asked = []
    told = answers([LAG, GAIN, LAG], lambda m: asked.append(m) or type(m).__name__)
    assert told == ["Dynamic", "Algebraic", "Dynamic"]
    assert asked == [LAG, GAIN]


def test_a_report_names_no_thousands_of_parts():
    said = str(ring(30).check())
    assert "p18, p19 and 10 more depend on each other" in said


def test_no_part_of_a_very_large_system_is_started_for_its_report(monkeypatch):
    assert "No advice on cycles" not in str(ring(12).check())
    monkeypatch.setattr(outlook, "_MOST_PARTS", 10)
    said = str(ring(12).check())
    assert "No advice on cycles: it would start all 12 parts; report.outlook.advice asks" in said
