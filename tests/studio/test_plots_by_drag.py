"""Signals that are dragged into plots, marks of a run that is over, a first visit."""

import re

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
expect = sync_api.expect


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def take(page, name):
    """Begin a wire at an output."""
    part, _, pin = name.partition(".")
    handle = f'.react-flow__handle[data-nodeid="{part}"][data-handleid="out:{pin}"]'
    x, y = middle(page.locator(handle).bounding_box())
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 40, steps=3)


def let_fall(page, place):
    page.mouse.move(*middle(place.bounding_box()), steps=3)
    page.mouse.up()


def test_signals_are_dragged_into_plots_between_them_and_out_and_a_mark_outlives_its_run(
    opened, folder
):
    _, page = opened(folder / "oscillator.yaml")
    page.wait_for_timeout(400)  # until the drawing was fitted
    panels, beside = page.locator(".panel"), page.locator(".plots .drophere")
    take(page, "mass.x")
    let_fall(page, page.locator(".canvas .drophere", has_text="to plot mass.x"))
    expect(panels).to_have_count(1)
    expect(page.locator(".wire")).to_have_count(2)  # none more, and none less
    page.wait_for_timeout(500)  # the drawing is fitted above the plots
    take(page, "spring.force")
    let_fall(page, panels)
    expect(panels).to_contain_text("mass.x, spring.force: run it")
    take(page, "mass.v")
    let_fall(page, beside)
    expect(panels).to_have_count(2)

    page.get_by_role("tab", name="Run").click()
    page.get_by_label("in real time").click()
    page.get_by_label("Times as fast as the clock").fill("2")
    page.get_by_label("Times as fast as the clock").press("Enter")
    page.get_by_role("button", name="▶ Run").click()
    page.get_by_role("button", name="Mark this point").click()
    expect(page.get_by_role("button", name="⟲")).to_be_visible()
    page.get_by_label("in real time").click()
    expect(page.locator(".which")).to_contain_text("run 1 of oscillator: finished")
    names = panels.first.locator(".u-series")
    page.mouse.move(*middle(names.nth(2).bounding_box()))
    page.mouse.down()
    page.mouse.move(600, 560, steps=3)
    let_fall(page, beside)
    expect(panels).to_have_count(3)
    expect(names).to_have_count(2)  # time, and one signal
    panels.last.locator(".u-series").nth(1).click(button="right")
    page.get_by_role("menuitem", name="Take spring.force out of this plot").click()
    expect(panels).to_have_count(2)

    page.get_by_role("button", name="⟲").click()
    expect(page.locator(".which")).to_contain_text("run 2 of oscillator: paused")
    page.get_by_role("button", name="▶ Go on").click()
    expect(page.locator(".which")).to_contain_text("run 2 of oscillator: finished")


def test_a_tour_in_a_folder_without_trust_begins_when_it_is_given(opened, tmp_path):
    _, page = opened(tmp_path, trusted=False)
    expect(page.get_by_role("tab", name="Check", exact=True)).to_be_visible()  # nothing is wrong
    page.get_by_role("button", name=re.compile("A tour")).click()
    page.get_by_role("dialog").get_by_role("button", name="Trust it").click()
    expect(page.get_by_role("dialog", name="Tour: Models")).to_be_visible()
    expect(page.locator(".block")).to_have_count(5)
