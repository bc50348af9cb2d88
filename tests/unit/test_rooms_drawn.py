"""The drawing of the rooms in CONTRIBUTING.md is the house as it stands."""

import re
from pathlib import Path

from unit.test_import_direction import LAYERS, RANK, ROOT

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
DRAWING = TEXT.split("```text\nsrc/dovetail/\n", 1)[1].split("```", 1)[0]
# A room ends in a slash, a module of the root does not; what is not indented is not the package.
LINES = re.findall(r"^  (\w+)(/?)\s{1,}(\S.*)$", DRAWING, re.M)


def test_every_line_is_one_room_with_a_word_about_it():
    indented = [line for line in DRAWING.splitlines() if line.startswith(" ")]
    assert len(LINES) == len(indented)
    names = [name for name, _, _ in LINES]
    assert len(set(names)) == len(names)


def test_every_room_is_drawn_and_none_that_is_not_there():
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert {name for name, slash, _ in LINES if slash} == rooms


def test_every_module_of_the_root_is_drawn():
    modules = {path.stem for path in ROOT.glob("*.py")}
    assert {name for name, slash, _ in LINES if not slash} == modules


def test_rooms_stand_in_the_order_of_imports():
    ranks = [RANK["dovetail" if name == "__init__" else name] for name, _, _ in LINES]
    assert ranks == sorted(ranks)
    assert set(ranks) == set(range(len(LAYERS)))


def test_inner_rooms_that_are_named_are_there():
    inner = [(name, room) for name, _, said in LINES for room in re.findall(r"\b(\w+)/", said)]
    assert inner
    assert not [f"{name}/{room}" for name, room in inner if not (ROOT / name / room).is_dir()]


def test_what_lies_beside_the_package_is_there():
    beside = re.findall(r"^(\w+)/", DRAWING, re.M)
    assert {"native", "tests", "docs"} <= set(beside)
    assert all((Path(__file__).parents[2] / name).is_dir() for name in beside)


def test_the_page_on_the_design_lists_the_layers():
    page = Path(__file__).parents[2] / "docs" / "design" / "index.md"
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", page.read_text(encoding="utf-8"), re.M)
    assert [int(number) for number, _ in rows] == [*range(1, len(LAYERS) + 1)]
    for (_, said), layer in zip(rows, LAYERS, strict=True):
        names = [n.removesuffix(".py") for n in re.findall(r"`(?:dovetail/)?(\w+(?:\.py)?)`", said)]
        assert ["dovetail" if n == "__init__" else n for n in names] == layer.split()
