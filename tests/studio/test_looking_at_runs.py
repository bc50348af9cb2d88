"""What the page shows of runs that are over, in a browser."""

import re
import shutil
from pathlib import Path

import pytest

import dovetail.demo

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
expect = sync_api.expect
DEMO = Path(dovetail.demo.__file__).parent / "files"


def finished(page):
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".which")).to_contain_text(": finished")


def test_the_verdict_shows_cost_windows_and_events_and_an_event_leads_to_its_plot(opened, tmp_path):
    shutil.copytree(DEMO, tmp_path / "drive")
    _, page = opened(tmp_path / "drive" / "drive.yaml")
    finished(page)
    page.get_by_role("tab", name=re.compile("Verdict")).click()
    bar = page.locator(".flame")
    expect(bar.locator(".whole")).to_contain_text("run:")
    expect(bar.locator("li")).to_have_count(6)  # five parts, and all else
    expect(page.get_by_role("heading", name=re.compile(r"Events \(\d+\)"))).to_be_visible()
    events = page.get_by_role("list", name="Events").get_by_role("button")
    jumping = events.filter(has_text="→").first
    expect(jumping).to_contain_text(": ")
    expect(page.get_by_role("heading", name=re.compile("^Windows"))).to_be_visible()
    jumping.click()
    expect(page.get_by_role("tab", name="Plots")).to_have_attribute("aria-selected", "true")
    zoomed = page.get_by_role("button", name="whole")
    expect(zoomed).to_have_count(page.locator(".panel").count())  # all show that moment
    zoomed.first.click()
    expect(zoomed).to_have_count(page.locator(".panel").count() - 1)
