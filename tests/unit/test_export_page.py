"""The page about exports says what is written: every field, in its order and form."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from dovetail.exporting.block import VERSION, ExportBlock
from dovetail.exporting.junction_block import VERSION as JUNCTIONS
from dovetail.exporting.junction_block import JunctionBlock
from dovetail.runplan.layout import FORMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "design" / "exports.md").read_text(encoding="utf-8")
SHIM = ROOT / "native" / "shim"
SHOWN = {"<f8": "f64[]", "<i4": "i32[]", "<u4": "u32[]", "text": "text"}


BLOCKS = {  # by what stands before the table
    "block.c": (ExportBlock, "BLOCK_VERSION", VERSION, PAGE.split("## Junctions")[0]),
    "junctions.c": (JunctionBlock, "JUNCTION_VERSION", JUNCTIONS, PAGE.split("## Junctions")[1]),
}


def forms(block):
    hints = get_type_hints(block)
    kinds = [(f.name, hints[f.name]) for f in fields(block)]
    return [(name, "real" if k is float else SHOWN[FORMS[k]]) for name, k in kinds]


@pytest.mark.parametrize("name", BLOCKS)
def test_the_page_has_every_field_in_order(name):
    block, _, _, text = BLOCKS[name]
    assert re.findall(r"^\| `(\w+)` \| (\S+) \|", text, re.M) == forms(block)


@pytest.mark.parametrize("name", BLOCKS)
def test_the_reader_in_c_asks_for_the_same_fields(name):
    block, constant, version, _ = BLOCKS[name]
    reader = (SHIM / name).read_text(encoding="utf-8")
    asked = re.findall(r'(?:texts_of|real|wholes|reals|references|array_of)\(.*?"(\w+)"', reader)
    assert {field for field, _ in forms(block)} == set(asked)
    assert f"{constant} = {version}" in reader
