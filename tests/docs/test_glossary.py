"""The glossary has a line for every word that is used in a sense of its own."""

from __future__ import annotations

import re

from docs.pages import ROOT

TEXT = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| here"))
]
OURS = """
    part / system / drawing / window / segment / position / sweep / attempt / trial / commit /
    verdict / junction / bond / ledger / batch / estimator / rehearsal / coordinator / controller /
    algorithm / root finder / direct feedthrough / rollback / substeps / event / jump / forecast /
    defect / serialized state / checkpoint / session / result / recorder / witness / work-precision
"""


def test_every_word_has_a_line():
    listed = {re.sub(r" \(.*\)", "", w) for row in ROWS for w in row[0].split(", ")}
    wanted = {" ".join(word.split()) for word in OURS.split("/")}
    assert wanted <= listed, wanted - listed


def test_three_kinds_of_inputs_stand_beside_the_words_of_the_field():
    held = {row[0]: row[2] for row in ROWS}
    assert "zero-order hold" in held['constant inputs (`"hold"`)']
    assert "linear" in held['linear inputs (`"ramp"`)']
    assert "Hermite" in held['cubic inputs (`"hermite"`)']


def test_every_line_is_whole_and_no_word_stands_twice():
    assert all(len(row) == 6 and all(row) for row in ROWS)
    words = [row[0] for row in ROWS]
    assert len(set(words)) == len(words)


def test_the_first_page_and_the_menu_lead_to_it():
    assert "(glossary.md)" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert "glossary.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
