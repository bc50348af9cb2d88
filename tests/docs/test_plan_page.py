"""The page about plans says what is written: every field, in its order and form."""

from __future__ import annotations

import re
from pathlib import Path

from dovetail.runplan.layout import HEADER, MAGIC, SECTION, SECTIONS, VERSION
from dovetail.runplan.plan import Calls, ControllerKind, MemberKind, SolverKind

PAGE = (Path(__file__).parents[2] / "docs" / "design" / "plan.md").read_text(encoding="utf-8")
READER = (Path(__file__).parents[2] / "native" / "plan_read.c").read_text(encoding="utf-8")
FORMS = {
    ("<i8", False): "whole",
    ("<f8", False): "real",
    ("<i4", True): "i32[]",
    ("<u4", True): "u32[]",
    ("<f8", True): "f64[]",
    ("text", True): "text",
}


def test_every_section_has_its_fields_in_their_order_and_form():
    titles = re.findall(r"^### (\w{4}): ", PAGE, re.M)
    assert titles == [s.tag.decode() for s in SECTIONS]
    for layout, text in zip(SECTIONS, re.split(r"^### ", PAGE, flags=re.M)[1:], strict=True):
        table = text.split("\n## ")[0]
        rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", table, re.M)
        assert rows == [(name, FORMS[form, array]) for name, form, array in layout.forms()]


def test_the_reader_in_c_knows_the_same_sections_and_numbers():
    tags = re.search(r"section_tags\[\w+\]\[5\] = \{(.*?)\}", READER, re.S)
    assert tags is not None
    assert re.findall(r'"(\w{4})"', tags[1]) == [s.tag.decode() for s in SECTIONS]
    wanted = {
        "PLAN_VERSION": VERSION,
        "PLAN_HEADER": HEADER.size,
        "PLAN_SECTION": SECTION.size,
        "CO_SIMULATION": MemberKind.CO_SIMULATION,
        "CALLS_ROLLBACK": Calls.ROLLBACK,
        "CALLS_DERIVATIVES": Calls.DERIVATIVES,
        "CALLS_INSIDE": Calls.INSIDE,
        "FIXED_WINDOWS": ControllerKind.FIXED,
        "LAST_CONTROLLER": max(ControllerKind),
    }
    assert {n: int(v) for n, v in re.findall(r"(\w+) = (\d+)[,\s}]", READER)}.items() >= {
        name: int(value) for name, value in wanted.items()
    }.items()
    control = (Path(__file__).parents[2] / "native" / "control.c").read_text()
    for controller in [k for k in ControllerKind if k]:
        assert f"{controller.name} = {controller.value}" in control
    finders = (Path(__file__).parents[2] / "native" / "rootfinders.c").read_text()
    for kind in SolverKind:
        assert f"{kind.name} = {kind.value}" in finders


def test_the_page_has_the_numbers_of_the_header():
    assert f"| magic | `{MAGIC.decode()}` in ASCII |" in PAGE
    assert f"| version, `u32` | {VERSION} |" in PAGE
    assert f"a header of {HEADER.size} bytes" in PAGE
