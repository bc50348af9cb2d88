"""The chart of docs/choosing.md is the one that its program draws, and names what there is."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest
from docs.pages import ROOT

import dovetail as dv

IMAGES = ROOT / "docs" / "images"


@pytest.fixture
def chart(monkeypatch):
    place = importlib.util.spec_from_file_location("chart", IMAGES / "chart.py")
    module = importlib.util.module_from_spec(place)
    monkeypatch.setitem(sys.modules, "chart", module)  # dataclasses look for it there
    place.loader.exec_module(module)
    return module


def test_the_picture_is_what_the_program_draws(chart, tmp_path):
    chart.decision_chart(tmp_path / "choosing.svg")
    kept = (IMAGES / "choosing.svg").read_text(encoding="utf-8")
    assert (tmp_path / "choosing.svg").read_text(encoding="utf-8") == kept


def test_every_answer_is_something_that_can_be_written(chart):
    answers = [t.answer for t in (*chart.TURNS, chart.WINDOWS)] + [chart.REST, chart.FIXED]
    known = vars(dv.rootfinders) | {n: getattr(dv, n) for n in dv.__all__}
    known |= {"size": 0.1, "rtol": 1e-4, "atol": 1e-6}
    for code, words in answers:
        for call in code.split(" or "):
            assert eval(call, {}, known) is not None
        named = re.findall(r"\b([A-Z][a-z]+[A-Z]\w*)", words)
        assert set(named) <= set(known), named


def test_the_page_recommends_first_and_has_its_table_second():
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    places = [page.index(t) for t in ("--recommended", "images/choosing.svg", "| What you see |")]
    assert places == sorted(places)
    for name in ("check", "run"):
        assert f"dovetail {name} system.yaml" in page
