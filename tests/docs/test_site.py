"""The site builds without a single warning, and needs nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys

from docs.pages import ROOT

import dovetail as dv


def test_the_site_builds_strictly_and_stands_on_its_own(tmp_path):
    """One test, since building takes seconds: workers would build it once each."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    _every_page_is_there(tmp_path)
    _nothing_is_loaded_from_elsewhere(tmp_path)
    _the_reference_shows_signatures_and_docstrings(tmp_path)
    _search_knows_the_pages(tmp_path)


def _every_page_is_there(site):
    sources = sorted((ROOT / "docs").rglob("*.md"))
    built = {p.relative_to(site).as_posix() for p in site.rglob("*.html")}
    wanted = {p.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for p in sources}
    assert wanted <= built


def _nothing_is_loaded_from_elsewhere(site):
    loaded = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="((?:https?:)?//[^"]+)"')
    found = {
        (page.name, url)
        for page in site.rglob("*.html")
        for url in loaded.findall(page.read_text(encoding="utf-8"))
    }
    assert not found


def _the_reference_shows_signatures_and_docstrings(site):
    page = (site / "reference.html").read_text(encoding="utf-8")
    assert not [name for name in dv.__all__ if f'id="dovetail.{name}"' not in page]
    assert "A drawing: parts and the connections between them." in page


def _search_knows_the_pages(site):
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    for word in ("Richardson", "checkpoint", "Anderson", "mismatch"):
        assert word in index
