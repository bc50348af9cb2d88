"""A folder with models, as somebody has it who opens the studio; and a browser for its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio.chromium import ARGUMENTS, chromium
from studio.serving import Studio

from dovetail.studio.server.serving import SITE

SECONDS = 60_000  # ms to wait for something on a busy machine
MODELS = """\
import dovetail as dv

mass = dv.Dynamic(
    states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"], parameters={"m": 2.0},
    derivatives=lambda t, x, u, p: [x.v, u.force / p.m], units={"x": "m", "v": "m/s", "force": "N"},
)
spring = dv.Algebraic(
    inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x],
    units={"x": "m", "force": "N"},
)
damper = dv.Dynamic(
    states={"q": 0.0}, inputs=["F"], outputs=["w"], derivatives=lambda t, x, u, p: [u.F],
    output=lambda t, x, u, p: [x.q],
    ports={"flange": dv.Port("translational", effort="F", flow="w")},
    units={"F": "N", "w": "m/s"},
)
holder = dv.Algebraic(
    inputs=["w"], outputs=["F"], function=lambda t, u, p: [-u.w],
    ports={"flange": dv.Port("translational", effort="F", flow="w")},
    units={"F": "N", "w": "m/s"},
)
"""
DRAWN = """\
dovetail: 1
name: oscillator
parts:
  mass: {model: models.py:mass}
  spring: {model: models.py:spring}
connections:
  - mass.x -> spring.x
  - spring.force -> mass.force
run:
  stop: 10.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two Python models and a drawing of them."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "models.py").write_text(MODELS)
    (place / "oscillator.yaml").write_text(DRAWN)
    return place


@pytest.fixture(scope="module")
def browser():
    """A Chromium; tests are skipped by name where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    found = chromium()
    if isinstance(found, str):
        pytest.skip(found)
    if not (SITE / "index.html").exists():
        pytest.skip("the page was not built: install Node.js with npm, and reinstall Dovetail")
    sync_api.expect.set_options(timeout=SECONDS)
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield made
        made.close()


@pytest.fixture
def opened(browser):
    """Opens a studio on a folder, and pages of it; says what the pages complained about."""
    studios, complaints, contexts = [], [], []

    def page_of(studio):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SECONDS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.goto(f"{studio.address}/#{studio.token}")
        page.locator(".toolbar").wait_for()
        return page

    def start(target, **options):
        studios.append(Studio(target, None, **options))
        return studios[-1], page_of(studios[-1])

    start.page_of = page_of
    yield start
    for context in contexts:
        context.close()
    for studio in studios:
        assert "Traceback" not in studio.end()
    assert complaints == []
