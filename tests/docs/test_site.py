"""The site builds without a single warning, and needs nothing from elsewhere."""

from __future__ import annotations

import json
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
    _search_works_from_a_disk(tmp_path)
    _what_a_page_names_is_there(tmp_path)
    _formulas_are_drawn_by_the_browser(tmp_path)
    _numbers_do_not_break(tmp_path)


def _every_page_is_there(site):
    sources = sorted((ROOT / "docs").rglob("*.md"))
    built = {p.relative_to(site).as_posix() for p in site.rglob("*.html")}
    wanted = {p.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for p in sources}
    assert wanted <= built


def _nothing_is_loaded_from_elsewhere(site):
    """No script, style, font, picture or frame of a page has an address of the network."""
    loaded = re.compile(
        r"<(?:script|link|img|iframe|source|video|object|embed)\b[^>]*?"
        r'\b(?:src|srcset|href|data)=["\']?((?:https?:)?//[^"\'\s>]+)'
    )
    styled = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")
    found = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found |= {(page.name, url) for url in loaded.findall(text) + styled.findall(text)}
        assert 'class="mermaid"' not in text, "the theme would fetch what draws it"
    for sheet in site.rglob("*.css"):
        found |= {(sheet.name, url) for url in styled.findall(sheet.read_text(encoding="utf-8"))}
    assert not found


def _what_a_page_names_is_there(site):
    """Scripts, styles, pictures of every page, and files that styles name."""
    named = re.compile(r'<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"#?]+)"')
    for page in site.rglob("*.html"):
        if page.name == "404.html":  # its addresses begin at the root of a server
            continue
        for address in named.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / address).exists(), f"{page.name}: {address}"
    sheet = site / "web" / "style.css"
    for address in re.findall(r'url\("([^"]+)"\)', sheet.read_text(encoding="utf-8")):
        assert (sheet.parent / address).exists(), address


def _formulas_are_drawn_by_the_browser(site):
    """MathML, with no script to make it and no source of a formula left over."""
    pages = {p: p.read_text(encoding="utf-8") for p in site.rglob("*.html")}
    assert not [p.name for p, text in pages.items() if 'class="arithmatex"' in text]
    for name in ("papers/costarica.html", "papers/ecco.html", "papers/structure.html"):
        text = pages[site / name]
        assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in text
        assert not re.search(r"\$[^$<>]*\\[a-z]+", text), f"a formula of {name} was not found"


def _numbers_do_not_break(site):
    text = (site / "peers.html").read_text(encoding="utf-8")
    cells = re.findall(r"<td[^>]*>([^<]*\d[ \N{NO-BREAK SPACE}](?:s|ns|MB))</td>", text)
    assert len(cells) > 40
    assert not [c for c in cells if " " in c]
    assert '<span class="number">3e-14</span>' in text
    style = (site / "web" / "style.css").read_text(encoding="utf-8")
    for rule in (r"\.number", r":is\(td, th\) code", r'td\[style\*="right"\]'):
        assert re.search(rf"{rule} {{ white-space: nowrap; }}", style)
    code = (site / "choosing.html").read_text(encoding="utf-8")
    assert "fall_back_size=1e-3" in re.sub(r"<[^>]+>", "", code), "code is left as it is"
    assert not re.search(r"<code>[^<]*<span class=.number", code)


def _the_reference_shows_signatures_and_docstrings(site):
    page = (site / "reference.html").read_text(encoding="utf-8")
    assert not [name for name in dv.__all__ if f'id="dovetail.{name}"' not in page]
    assert "A drawing: parts and the connections between them." in page


def _search_works_from_a_disk(site):
    """The index is a script, since pages on a disk fetch nothing; so is the worker's stand-in."""
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    head, _, data = index.partition(" = ")
    assert head == "var __index"
    text = " ".join(entry["text"] for entry in json.loads(data)["docs"])
    for word in ("Richardson", "checkpoint", "Anderson", "mismatch"):
        assert word in text
    home = (site / "index.html").read_text(encoding="utf-8")
    [settings] = re.findall(r'<script id="__config"[^>]*>(.*?)</script>', home, re.S)
    assert (site / json.loads(settings)["search"]).exists()
    [before] = re.findall(r'<script src="web/iframe-worker.js"></script>(.*)', home, re.S)
    assert "assets/javascripts/bundle" in before, "the theme must find it when it begins"
