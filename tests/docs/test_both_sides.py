"""Pages for those who come from another tool: ten scripts and more, each beside ours."""

from __future__ import annotations

import ast
import re

import pytest
from docs.both_sides import PEERS, missing
from docs.pages import ROOT, blocks

PAGES = list(PEERS)
LONGEST = 62  # columns that fit into half a page


def scripts(page: str, tool: str) -> list[str]:
    """The blocks that begin with the name of a tool."""
    head = f"# {tool}\n"
    return [b.text for b in blocks(ROOT / page) if b.text.startswith(head)]


@pytest.mark.parametrize("page", PAGES)
def test_the_scripts_of_the_other_tool_run_here(page):
    """They have been run by test_code_blocks, and compared: this says where they were not."""
    reason = missing(page)
    if reason:
        pytest.skip(reason)
    assert not [b.line for b in blocks(ROOT / page) if b.language == "python" and b.exempt]


def test_fmpy_is_always_there():
    """Skipping all of them would go unnoticed."""
    assert missing("docs/from-fmpy.md") is None


@pytest.mark.parametrize("page", PAGES)
def test_ten_scripts_stand_beside_ours(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    pairs = re.findall(r'^<div class="beside" markdown>\n\n(.+?)\n\n</div>$', text, re.M | re.S)
    assert len(pairs) >= 10
    assert all(pair.count("```") == 4 for pair in pairs)
    assert text.count("<div") == len(pairs)


@pytest.mark.parametrize("page", PAGES)
def test_they_can_be_read_side_by_side(page):
    tool = PEERS[page][0]
    theirs, ours = scripts(page, tool), scripts(page, "Dovetail")
    assert len(theirs) >= 9
    assert len(ours) >= 9
    for text in (*theirs, *ours):
        ast.parse(text)
        assert max(map(len, text.splitlines())) <= LONGEST


@pytest.mark.parametrize("page", PAGES)
def test_the_menu_leads_to_them(page):
    assert page.removeprefix("docs/") in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert page.removeprefix("docs/") in (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert page in (ROOT / "README.md").read_text(encoding="utf-8")
