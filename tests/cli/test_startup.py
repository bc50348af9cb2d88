"""Asking for help is quick: nothing heavy is imported for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dovetail

HEAVY = (
    "numpy",
    "scipy",
    "pyarrow",
    "yaml",
    "matplotlib",
    "rich",
)
COUNT = """\
import sys
from dovetail.cli.main import main
code = main({words!r})
print(code, len(sys.modules), *sorted(m for m in {heavy!r} if m in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["run", "--help"], ["demo", "--help"], ["compare", "--help"]],
    ids=" ".join,
)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    program = COUNT.format(words=words, heavy=HEAVY)
    line = [sys.executable, "-c", program]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    code, count, *heavy = done.stderr.split()
    assert code == "0"
    assert heavy == []
    assert (
        int(count) < 450
    )  # a bare Python has some 50; typer, and pydantic that it takes along, 150 to 300


def test_version(dovetail_version: str = dovetail.__version__) -> None:
    line = [str(Path(sys.executable).with_name("dovetail")), "--version"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout == f"dovetail {dovetail_version}\n"


def test_without_a_word_the_commands_are_listed() -> None:
    line = [sys.executable, "-m", "dovetail.cli"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    shown = done.stdout + done.stderr
    for command in ("run", "check", "describe", "plot", "compare", "demo"):
        assert f"  {command}  " in shown


def test_what_type_checkers_see_is_what_there_is() -> None:
    known = {*dovetail._HOME_OF, *dovetail._MODULES}
    assert {*dovetail.__all__, "open"} == known, "a star import leaves the builtin alone"
