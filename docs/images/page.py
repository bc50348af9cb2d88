"""Takes the picture of the studio in docs/studio.md: python docs/images/page.py [WIDTH HEIGHT]

It needs a Chromium, as the tests of the page do: tests/studio/chromium.py.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.sync_api import Page, sync_playwright  # noqa: E402
from studio.chromium import ARGUMENTS, chromium  # noqa: E402
from studio.serving import Studio  # noqa: E402


def take(page: Page, place: Path, scheme: str) -> None:
    """Run the belt drive, and look at it near its end and at its verdict."""
    page.locator(".block").first.wait_for()
    page.locator(".folder").evaluate("e => { e.style.visibility = 'hidden'; }")  # a path of ours
    page.get_by_role("button", name="▶ Run").click()
    page.locator(".which", has_text="finished").wait_for()
    page.wait_for_timeout(1500)
    page.screenshot(path=place / f"studio{scheme}.png")
    page.get_by_role("tab", name="Verdict").click()
    page.get_by_role("button", name="Ask the parts").click()
    page.get_by_role("button", name="Apply").wait_for()
    page.screenshot(path=place / f"studio-verdict{scheme}.png")


def main(place: Path, width: int = 1280, height: int = 720, dark: bool = False) -> None:
    """Pictures of the page at this size."""
    found = chromium()
    if isinstance(found, str):
        raise SystemExit(found)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch, "belt-drive")
        shutil.copytree(ROOT / "src" / "dovetail" / "demo" / "files", folder)
        studio = Studio(folder / "drive.yaml", None)
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        scheme = "dark" if dark else "light"
        size = {"width": width, "height": height}
        page = browser.new_page(viewport=size, color_scheme=scheme)
        page.goto(f"{studio.address}/#{studio.token}")
        take(page, place, "-dark" if dark else "")
        browser.close()
        studio.end()


if __name__ == "__main__":
    main(HERE, *map(int, sys.argv[1:3]))
