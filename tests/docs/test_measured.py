"""Tables of measurements on the pages are what the benchmarks print."""

from __future__ import annotations

import importlib.util
import re

import pytest
from docs.pages import ROOT


def test_the_quickest_table_of_choosing_is_what_its_benchmark_prints():
    """The other two take a minute; `python benchmarks/choosing.py --write` makes all three."""
    path = ROOT / "benchmarks" / "choosing.py"
    spec = importlib.util.spec_from_file_location("choosing", path)
    assert spec is not None and spec.loader is not None
    choosing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(choosing)
    page = choosing.PAGE.read_text(encoding="utf-8")
    block = page.split("<!-- measured: gain -->", 1)[1]
    shown = re.findall(r"^\|.*", block.split("<!-- end", 1)[0], re.MULTILINE)
    for line, printed in zip(shown, choosing.gain_table(), strict=True):
        if "Anderson" not in line and "IqnIls" not in line:
            assert line == printed
            continue
        # Their least squares are LAPACK's and BLAS's, whose last bits depend on the processor, and
        # decide whether one of the 20 windows takes an advance more: 0.05 each, two windows at the
        # most.
        (title, *cells), (name, *counts) = (r.strip("| ").split(" | ") for r in (line, printed))
        assert title == name
        assert [float(c) for c in cells] == pytest.approx([float(c) for c in counts], abs=0.11)
    for name in choosing.TABLES:
        assert f"<!-- measured: {name} -->" in page
