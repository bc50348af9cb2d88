"""Tables of measurements on the pages are what the benchmarks print."""

from __future__ import annotations

import importlib.util

from docs.pages import ROOT


def test_the_quickest_table_of_choosing_is_what_its_benchmark_prints():
    """The other two take a minute; `python benchmarks/choosing.py --write` makes all three."""
    path = ROOT / "benchmarks" / "choosing.py"
    spec = importlib.util.spec_from_file_location("choosing", path)
    assert spec is not None and spec.loader is not None
    choosing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(choosing)
    page = choosing.PAGE.read_text(encoding="utf-8")
    assert "\n".join(choosing.gain_table()) in page
    for name in choosing.TABLES:
        assert f"<!-- measured: {name} -->" in page
