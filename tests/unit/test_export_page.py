"""The page about exports says what is written: every field, in its order and form."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

from dovetail.exporting.block import VERSION, ExportBlock
from dovetail.runplan.layout import FORMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "design" / "exports.md").read_text(encoding="utf-8")
READER = (ROOT / "native" / "shim" / "block.c").read_text(encoding="utf-8")
SHOWN = {"<f8": "f64[]", "<i4": "i32[]", "<u4": "u32[]", "text": "text"}


def forms():
    hints = get_type_hints(ExportBlock)
    kinds = [(f.name, hints[f.name]) for f in fields(ExportBlock)]
    return [(name, "real" if k is float else SHOWN[FORMS[k]]) for name, k in kinds]


def test_the_page_has_every_field_in_order():
    assert re.findall(r"^\| `(\w+)` \| (\S+) \|", PAGE, re.M) == forms()


def test_the_reader_in_c_asks_for_the_same_fields():
    asked = re.findall(r'(?:texts_of|real|wholes|reals|references|array_of)\(.*?"(\w+)"', READER)
    assert {name for name, _ in forms()} == set(asked)
    assert f"BLOCK_VERSION = {VERSION}" in READER
