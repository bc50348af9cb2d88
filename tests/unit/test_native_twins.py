"""Python code and its twin in C name each other, and the tests that compare them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from catalogue import algorithms, brief
from problems import prey_predator_system

import dovetail
from dovetail.core.obstacle import Obstacle
from dovetail.topology.components import Structure

ROOT = Path(__file__).parents[2]
C_FILES = sorted(p for p in (ROOT / "native").glob("*.c") if p.name != "kernel.c")
PACKAGE = Path(dovetail.__file__).parent


def head(path: Path) -> str:
    """The comments that a C file begins with."""
    found = re.match(r"(\s*/\*.*?\*/)+", path.read_text(encoding="utf-8"), re.DOTALL)
    return " ".join(found.group().replace(" * ", " ").split()) if found else ""


def named(text: str, word: str) -> list[str]:
    """The files that a head names behind a word."""
    found = re.search(rf"{word} ((?:[\w/]+\.py(?:, )?)+)\.", text)
    return found.group(1).split(", ") if found else []


def twins_in(path: Path) -> set[str]:
    """The C files that a Python file names as its own."""
    text = " ".join(path.read_text(encoding="utf-8").split())
    sentences = re.findall(r"Native twins?: (.*?)\.(?: |\"\"\")", text)
    return {name for s in sentences for name in re.findall(r"native/\w+\.c", s)}


@pytest.mark.parametrize("path", C_FILES, ids=lambda p: p.name)
def test_a_c_file_names_its_twin_and_the_test_that_compares_them(path):
    text = head(path)
    if "No twin: " in text:
        return
    twins, tests = named(text, "Twin of"), named(text, "Same bits:")
    assert twins and tests, text
    assert [f for f in (*twins, *tests) if not (ROOT / f).is_file()] == []
    for test in tests:
        content = (ROOT / test).read_text(encoding="utf-8")
        assert re.search(r"\b(both|way|called_by|agree)\b", content), f"{test} knows one way only"


@pytest.mark.parametrize("path", C_FILES, ids=lambda p: p.name)
def test_an_algorithm_names_the_c_file_that_names_it(path):
    for twin in named(head(path), "Twin of"):
        if twin.startswith("src/dovetail/algorithms/") and not twin.endswith("iterative.py"):
            assert f"native/{path.name}" in twins_in(ROOT / twin), twin


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.stem)
def test_a_c_file_that_is_named_exists_and_names_it_too(path):
    mine = f"src/dovetail/{path.relative_to(PACKAGE).as_posix()}"
    for name in twins_in(path):
        assert (ROOT / name).is_file(), name
        assert mine in named(head(ROOT / name), "Twin of"), name


@pytest.mark.parametrize("algorithm", algorithms, ids=brief)
def test_who_has_a_schedule_names_a_twin_and_who_has_none_says_why(algorithm):
    found = algorithm.schedule(Structure.of(prey_predator_system()))
    doc = inspect.getdoc(type(algorithm)) or ""
    if isinstance(found, Obstacle):
        assert found.what and not found.part
    else:
        assert found is not None
        assert "Native twin" in doc
