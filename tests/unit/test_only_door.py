"""Algorithms know the parts of a run through their attempt alone."""

import ast
from pathlib import Path

import pytest

import dovetail.algorithms

FILES = sorted(Path(dovetail.algorithms.__file__).parent.glob("*.py"))


def reached(tree):
    """Attributes and names that lead past the attempt, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.strip("_") == "assembly":
            yield node.lineno, node.attr
        if isinstance(node, ast.Attribute) and node.attr in ("subsystems", "rehearsals"):
            yield node.lineno, node.attr
        if isinstance(node, ast.Name) and node.id == "Assembly":
            yield node.lineno, node.id


def test_there_are_algorithms():
    assert {"jacobi", "gauss_seidel", "iterative"} <= {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_algorithm_reaches_past_its_attempt(path):
    assert not list(reached(ast.parse(path.read_text(encoding="utf-8"))))


def test_a_way_past_it_would_be_seen():
    found = list(reached(ast.parse("attempt.assembly.coordinator\nattempt._assembly\nAssembly.of")))
    assert [what for _, what in sorted(found)] == ["assembly", "_assembly", "Assembly"]
