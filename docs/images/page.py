"""Takes the pictures of the studio in docs/studio.md: python docs/images/page.py

    python docs/images/page.py                      all of them, 1280 x 720, light
    python docs/images/page.py FOLDER 2560 1440 dark   the same elsewhere, to be looked at

studio.png             the belt drive while it runs: values on its wires, plots that grow
studio-verdict.png     its verdict: the weakest connection marked, and the recommendation
studio-drawing.png     the air conditioner: two junctions, each with a coordinator
studio-benchmark.png   algorithms tried on the control loop
studio-sweep.png       two values of its controller swept

It needs a Chromium, as the tests of the page do: tests/studio/chromium.py.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.sync_api import Page, sync_playwright  # noqa: E402
from studio.chromium import ARGUMENTS, chromium  # noqa: E402
from studio.serving import Studio  # noqa: E402

PATIENCE = 300_000  # ms


def example(page: Page, title: str) -> None:
    """An example on the paper, seen whole."""
    page.get_by_role("button", name="New", exact=True).click()
    page.locator(".gallery button").filter(has=page.get_by_text(title, exact=True)).click()
    page.locator(".block").first.wait_for()
    page.locator(".folder").evaluate("e => { e.style.visibility = 'hidden'; }")  # a path of ours
    page.keyboard.press("f")
    page.wait_for_timeout(800)


def drawing(page: Page, place: Path, end: str) -> None:
    """The air conditioner with its two junctions."""
    example(page, "Air conditioner")
    page.get_by_role("tab", name="Check").click()
    page.wait_for_timeout(300)
    page.screenshot(path=place / f"studio-drawing{end}.png")


def running(page: Page, place: Path, end: str) -> None:
    """The belt drive in the middle of a run that keeps step with the clock, and its verdict."""
    example(page, "Belt drive")
    page.get_by_role("tab", name="Run").click()
    page.get_by_label("in real time").click()
    page.get_by_label("Times as fast as the clock").fill("0.1")
    page.get_by_label("Times as fast as the clock").press("Enter")
    page.get_by_role("button", name="▶ Run").click()
    page.locator(".progress", has_text="t = 0.4").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Mark this point").click()
    page.get_by_role("button", name="⟲").wait_for()
    page.wait_for_timeout(600)
    page.screenshot(path=place / f"studio{end}.png")
    page.get_by_label("in real time").click()
    page.locator(".which", has_text="finished").wait_for(timeout=PATIENCE)
    page.get_by_role("tab", name="Verdict").click()
    page.get_by_role("tab", name="Check").click()
    page.get_by_role("button", name="Ask the parts").click()
    page.get_by_role("button", name="Apply").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(800)
    page.screenshot(path=place / f"studio-verdict{end}.png")


def studies(page: Page, place: Path, end: str) -> None:
    """Algorithms tried on the control loop, and a sweep of two values."""
    example(page, "Control loop")
    page.get_by_role("button", name="Study", exact=True).click()
    page.keyboard.press("f")
    page.get_by_role("button", name="Try all").click()
    page.get_by_role("button", name="Apply").last.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(500)
    page.screenshot(path=place / f"studio-benchmark{end}.png")
    for k, (name, values) in enumerate(
        (("controller.gain", "0.5, 2, 8"), ("pump.delay", "0.5, 2"))
    ):
        if k > 0:
            page.get_by_role("button", name="and another").click()
        page.get_by_label("What is varied").nth(k).fill(name)
        page.get_by_label("Its values").nth(k).fill(values)
    page.get_by_label("Signals to draw").fill("tank.level, pump.flow")
    page.get_by_role("button", name="Make 6 runs").click()
    page.locator(".sweep svg").nth(11).wait_for(timeout=PATIENCE)
    page.wait_for_timeout(500)
    page.screenshot(path=place / f"studio-sweep{end}.png")


def main(place: Path, width: int = 1280, height: int = 720, scheme: str = "light") -> None:
    """Pictures of the page at this size."""
    found = chromium()
    if isinstance(found, str):
        raise SystemExit(found)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        studio = Studio(Path(scratch), None)
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        size = {"width": width, "height": height}
        page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
        page.set_default_timeout(PATIENCE)
        page.goto(f"{studio.address}/#{studio.token}")
        page.locator(".toolbar").wait_for()
        for take in (drawing, running, studies):
            take(page, place, "" if scheme == "light" else f"-{scheme}")
        browser.close()
        studio.end()


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]) if given else HERE, *map(int, given[1:3]), *given[3:4])
