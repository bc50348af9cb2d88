"""`dovetail draw` makes a picture of any system file, and says what is wrong with others."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.calling import Command


def test_a_system_is_drawn_into_this_folder(dovetail: Command, folder: Path) -> None:
    answer = dovetail("draw", "predation.yaml")
    assert (answer.code, answer.out, answer.err) == (0, "predation.svg\n", "")
    shown = ElementTree.parse(folder / "predation.svg").getroot().itertext()
    assert {"prey", "predator", "preys"} <= set(shown)


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG")])
def test_the_suffix_decides(dovetail: Command, folder: Path, name: str, start: bytes) -> None:
    answer = dovetail("draw", "predation.yaml", "-o", name)
    assert (answer.code, answer.out) == (0, f"{name}\n")
    assert (folder / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("gone.yaml",), "gone.yaml"),
        (("models.py",), "there is no 'system' in it"),
        (("predation.yaml", "-o", "a.doc"), "is no diagram by its name; use one of .svg, .png"),
        (("predation.yaml", "-o", "gone/a.svg"), "cannot be written: No such file"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    dovetail: Command, arguments: tuple[str, ...], what: str
) -> None:
    answer = dovetail("draw", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert what in answer.err and "Traceback" not in answer.err
