"""The story of the thesis in a browser: parts of two servers become a run, and a file."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from machines import offered, serving

import dovetail as dv

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
expect = sync_api.expect

FLANGE = dv.Port("translational", effort="F", flow="w")
ROTOR = dv.Dynamic(
    states={"w": 0.0, "x": 0.0},
    inputs={"F": 0.0, "load": 0.0},
    outputs=["w", "x"],
    parameters={"m": 2.0},
    derivatives=lambda t, x, u, p: [(u.F + u.load) / p.m, x.w],
    ports={"flange": FLANGE},
    units={"F": "N", "w": "m/s", "x": "m", "load": "N"},
)
SPRING = dv.Algebraic(
    inputs={"x": 0.0, "rest": 0.0},
    outputs=["force"],
    parameters={"k": 8.0},
    function=lambda t, u, p: [p.k * (u.rest - u.x)],
    units={"x": "m", "rest": "m", "force": "N"},
)
WAVE = dv.Source(outputs=["level"], function=lambda t, p: [math.sin(5.0 * t)], units={"level": "m"})
PLACES = {
    "rotor": [(650, 60), (1000, 60), (650, 420), (1000, 420)],
    "spring": [(330, 60), (330, 300), (330, 540), (330, 760)],
    "wave": [(60, 120), (60, 600)],
}
WIRES = {
    "spring.rest": "wave.level", "spring2.rest": "wave.level",
    "spring3.rest": "wave2.level", "spring4.rest": "wave2.level",
    "spring2.x": "rotor2.x", "spring3.x": "rotor3.x", "spring4.x": "rotor4.x",
    "rotor2.load": "spring2.force", "rotor3.load": "spring3.force", "rotor4.load": "spring4.force",
}  # fmt: skip


def drag(page, source, target):
    """From one handle to another, by the mouse."""
    ends = []
    for part, handle in (source, target):
        box = page.locator(
            f'.react-flow__handle[data-nodeid="{part}"][data-handleid="{handle}"]'
        ).bounding_box()
        ends.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move((ends[0][0] + ends[1][0]) / 2, ends[0][1] + 30, steps=3)
    page.mouse.move(*ends[1], steps=3)
    page.mouse.up()


def list_server(page, address):
    page.get_by_role("button", name="Part server …").click()
    page.get_by_role("dialog").get_by_label("Address").fill(address)
    page.get_by_role("button", name="List its parts").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def place_all(page):
    pane = page.locator(".react-flow__pane")
    for name, spots in PLACES.items():
        for k, (x, y) in enumerate(spots):
            offer = page.locator(".library .offer", has_text=name)
            offer.drag_to(pane, target_position={"x": x, "y": y})
            label = name if k == 0 else f"{name}{k + 1}"
            expect(page.locator(f'.react-flow__node[data-id="{label}"]')).to_be_visible()
    page.locator(".canvas").click(position={"x": 700, "y": 900})
    page.keyboard.press("f")
    page.wait_for_timeout(400)


def menu(page, place, item):
    place.click(button="right")
    page.get_by_role("menuitem", name=item, exact=True).click()


def connect_all(page):
    """Two wires and both junctions by the mouse, the other wires in the table."""
    drag(page, ("rotor", "out:x"), ("spring", "in:x"))
    drag(page, ("spring", "out:force"), ("rotor", "in:load"))
    expect(page.locator(".wire")).to_have_count(2)
    page.get_by_role("button", name="Connect", exact=True).click()
    inputs, outputs = (page.get_by_role("region", name=n) for n in ("Inputs", "Outputs"))
    for target, source in WIRES.items():
        inputs.get_by_role("button", name=target).click()
        outputs.get_by_label(source).click()
    expect(page.locator(".wire")).to_have_count(12)
    page.get_by_role("button", name="Close the connect table").click()
    page.keyboard.press("f")
    page.wait_for_timeout(400)
    for count, (a, b) in enumerate((("rotor", "rotor2"), ("rotor3", "rotor4"))):
        drag(page, (a, "port:flange"), (b, "port:flange"))
        expect(page.locator(".junction")).to_have_count(count + 1)
    for a, b in (("rotor", "rotor2"), ("rotor3", "rotor4")):
        node = page.locator(f'.react-flow__node[data-id="{a}.flange = {b}.flange"]')
        menu(page, node, "Solve it by sliding mode")
        expect(page.get_by_title("Undo coordinate (Ctrl+Z)")).to_be_visible()
        page.wait_for_timeout(300)
        node.click(button="right")
        expect(page.get_by_role("menuitem", name="✓ Solve it by sliding mode")).to_be_visible()
        page.keyboard.press("Escape")


def choose_and_run(page):
    """What is plotted and recorded by right clicks, the settings, and the run."""
    for name, item in (
        ("rotor.x", "Plot rotor.x"), ("rotor2.x", "Plot rotor2.x in the last plot"),
        ("rotor.x", "Record only rotor.x"), ("rotor2.x", "Record rotor2.x"),
    ):  # fmt: skip
        menu(page, page.locator(f'[data-signal="{name}"]'), item)
        done = "settings" if "Record" in item else "plots"
        expect(page.get_by_title(f"Undo {done} (Ctrl+Z)")).to_be_visible()
    page.locator('.react-flow__node[data-id="spring2"] header').click()
    page.get_by_label("spring2.k").fill("20")
    page.get_by_label("spring2.k").press("Enter")
    page.get_by_role("tab", name="Run").click()
    for label, text in (("Stop time in s", "0.4"), ("Windows in s", "0.02"),
                        ("Algorithm", "gauss_seidel")):  # fmt: skip
        page.get_by_label(label, exact=True).fill(text)
        page.keyboard.press("Enter")
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".which")).to_contain_text("finished")


def check_plot(page):
    """Both curves are in the one plot, and in the drawing that is saved of it."""
    expect(page.locator(".panel")).to_have_count(1)
    expect(page.locator(".panel .u-legend")).to_contain_text("rotor2.x")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    drawn = ElementTree.fromstring(saved.value.path().read_text("utf-8"))
    words = [e.text or "" for e in drawn.iter() if e.tag.endswith("text")]
    assert {"rotor.x in m", "rotor2.x in m", "time in s"} <= set(words)
    curves = [e.get("d") for e in drawn.iter() if e.get("stroke-width") == "1.5"]
    assert len(curves) == 2 and all(c.count("L") == 20 for c in curves)


def test_parts_of_two_servers_become_a_drawing_a_run_plots_and_a_file(opened, tmp_path):
    with (
        serving(offered(ROTOR, "rotor"), offered(WAVE, "wave")) as (one, _),
        serving(offered(SPRING, "spring")) as (two, _),
    ):
        _, page = opened(tmp_path, trusted=False)
        page.set_viewport_size({"width": 1920, "height": 1080})
        for address in (one, two):
            list_server(page, address)
        expect(page.get_by_role("region", name="Part servers").locator(".offer")).to_have_count(3)
        page.get_by_placeholder("Find a model").fill("spr")
        expect(page.locator(".library .offer")).to_have_count(1)
        page.get_by_placeholder("Find a model").fill("")
        place_all(page)
        expect(page.locator(".block")).to_have_count(10)
        connect_all(page)
        choose_and_run(page)
        check_plot(page)

        page.keyboard.press("Control+s")
        page.get_by_label("File name").fill("story.yaml")
        page.get_by_label("File name").press("Enter")
        expect(page.get_by_text("Saved as story.yaml.")).to_be_visible()
        (rows,) = (tmp_path / "runs").iterdir()
        kept, drawing = dv.read(rows), dv.open(tmp_path / "story.yaml")
        assert set(kept.names) == {"rotor.x", "rotor2.x"}, "what was chosen, and nothing else"
        apart = np.abs(kept["rotor.x"] - kept["rotor2.x"]).max()
        assert apart < 0.02 * np.ptp(kept["rotor.x"]), "one body, though one spring is stiffer"
        assert [j.coordinator for j in drawing.junctions] == [dv.SlidingMode()] * 2

        page.get_by_role("button", name="New", exact=True).click()
        expect(page.locator(".block")).to_have_count(0)
        page.get_by_role("button", name="Open", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="story.yaml").click()
        expect(page.locator(".block")).to_have_count(10)
        expect(page.locator(".wire")).to_have_count(12)
        expect(page.locator(".junction")).to_have_count(2)
        expect(page.locator(".panel")).to_have_count(1)
        expect(page.locator(".file")).to_have_text("story.yaml")
