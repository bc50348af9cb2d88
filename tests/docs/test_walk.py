"""The walk through the house names files that are there, and in them what is there."""

from __future__ import annotations

import ast
import re
from functools import cache

from docs.pages import ROOT

PAGE = ROOT / "docs" / "design" / "walk.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILE = re.compile(r"`((?:src/dovetail|native|tests|docs|benchmarks)/[\w/.]+)`")
NAME = re.compile(r"`(_?[A-Za-z]\w*(?:\.\w+)?)`")
ROWS = re.findall(r"^\| `(src/dovetail/[\w/]+\.py)` \| (.+?) \| .+ \|$", TEXT, re.M)
STEPS = [(file, name) for file, who in ROWS for name in NAME.findall(who)]


@cache
def defined(file: str) -> frozenset[str]:
    """Classes and functions of a module, and methods as Class.method."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = (n for n in node.body if isinstance(n, ast.FunctionDef))
            found |= {f"{node.name}.{n.name}" for n in inner}
    return frozenset(found)


def test_every_file_is_there():
    assert not [file for file in sorted(set(FILE.findall(TEXT))) if not (ROOT / file).is_file()]


def test_every_step_is_made_where_it_is_said():
    assert not [f"{name} is not in {file}" for file, name in STEPS if name not in defined(file)]


def test_every_row_of_every_table_is_a_step():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    assert len(rows) == len(ROWS) > 40
    assert all(NAME.findall(who) for _, who in ROWS)


def test_methods_in_the_text_are_those_of_a_file_that_is_named():
    files = [f for f in FILE.findall(TEXT) if f.startswith("src/") and f.endswith(".py")]
    known = frozenset().union(*map(defined, files))
    methods = {n for n in NAME.findall(TEXT) if re.match(r"_?[A-Z]\w*[a-z]\w*\.", n)}
    assert methods <= known, methods - known


def test_each_of_the_four_has_its_walk():
    for what in ("One value", "One event", "One rejected window", "One checkpoint"):
        section = TEXT.split(f"\n## {what}\n", 1)[1].split("\n## ", 1)[0]
        assert section.count("\n| `src/dovetail/") >= 8, what
