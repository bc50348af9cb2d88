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


def test_two_runs_are_compared_and_values_are_swept_and_taken(opened, folder):
    _, page = opened(folder / "oscillator.yaml")
    finished(page)
    page.locator('.react-flow__node[data-id="mass"] header').click()
    page.get_by_label("mass.m").fill("8")
    page.get_by_label("mass.m").press("Enter")
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".which")).to_contain_text("run 2 of oscillator: finished")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_label("Difference to run 1").check()
    rows = page.get_by_role("region", name="Differences").locator("tbody tr")
    expect(rows.first).to_contain_text("%")
    rows.get_by_role("button", name="mass.v").click()
    expect(page.get_by_role("img", name="mass.v in m/s")).to_be_visible()

    page.get_by_role("button", name="Study", exact=True).click()
    page.get_by_label("What is varied").fill("mass.m")
    page.get_by_label("Its values").fill("2 to 4 in 3")
    page.get_by_label("Signals to draw").fill("mass.x")
    page.get_by_role("button", name="Make 3 runs").click()
    swept = page.locator(".sweep tbody tr")
    expect(swept).to_have_count(3)
    expect(swept.nth(1)).to_contain_text("done")
    expect(page.get_by_role("img", name="mass.x of run 3")).to_be_visible()
    swept.nth(1).get_by_role("button", name="Take").click()
    expect(page.get_by_label("mass.m")).to_have_value("3")
