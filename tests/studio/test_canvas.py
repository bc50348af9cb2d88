"""The canvas used by hand: groups, pins and junctions that move, wires that are copied and bent."""

import os
from pathlib import Path

import pytest

import dovetail as dv

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
expect = sync_api.expect
SHOTS = os.environ.get("STUDIO_SHOTS")  # a folder for pictures, to be looked at

SEVERAL = """\
dovetail: 1
name: several
parts:
  mass: {model: models.py:mass}
  spring: {model: models.py:spring}
  other: {model: models.py:spring}
  d: {model: models.py:damper}
  h: {model: models.py:holder}
connections:
  - {from: mass.x, to: spring.x, gain: 2.0}
  - spring.force -> mass.force
junctions:
  - [d.flange, h.flange]
run: {stop: 1.0, algorithm: GaussSeidel, step: 0.05}
layout:
  mass: [0, 0, 150, 120]
  spring: [300, 0, 150, 110]
  other: [300, 200, 150, 110]
  d: [0, 260, 130, 90]
  h: [560, 260, 130, 90]
look:
  notes:
    - {text: An oscillator and a damper, at: [0, -90, 260, 50]}
    - {text: the damper, at: [-30, 225, 760, 150], colour: green}
"""


def node(page, name):
    return page.locator(f'.react-flow__node[data-id="{name}"]')


def pin(page, end, sort):
    part, _, name = end.partition(".")
    handle = f'.react-flow__handle[data-nodeid="{part}"][data-handleid="{sort}:{name}"]'
    box = page.locator(handle).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end, *, key=None):
    if key:
        page.keyboard.down(key)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 9, steps=3)
    page.mouse.move(*end, steps=3)
    page.mouse.up()
    if key:
        page.keyboard.up(key)


def shot(page, name):
    """A picture for whoever wants to look at it."""
    if SHOTS:
        for theme, width, height in (("light", 1280, 720), ("dark", 2560, 1440)):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": height})
            page.keyboard.press("f")
            page.wait_for_timeout(500)
            page.screenshot(path=Path(SHOTS) / f"{name}-{theme}-{width}.png")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 720})
        page.keyboard.press("f")
        page.wait_for_timeout(500)


@pytest.fixture
def several(opened, folder):
    (folder / "several.yaml").write_text(SEVERAL)
    _, page = opened(folder / "several.yaml")
    expect(page.locator(".block")).to_have_count(5)
    page.wait_for_timeout(400)  # until the drawing was fitted
    return page


def test_parts_become_a_group_are_looked_into_and_come_out_again(several, folder):
    page = several
    node(page, "mass").locator("header").click()
    node(page, "spring").locator("header").click(modifiers=["Control"])
    page.keyboard.press("Control+g")
    page.get_by_label("New name").fill("car")
    page.get_by_label("New name").press("Enter")
    expect(node(page, "car")).to_contain_text("group of 2 parts")
    expect(page.locator(".wire")).to_have_count(0)
    page.get_by_title("Fit View").click()
    start = pin(page, "car.mass.x", "out")
    drag(page, start, pin(page, "other.x", "in"))
    expect(page.locator(".wire")).to_have_count(1)
    shot(page, "group")
    node(page, "car").locator("header").dblclick()
    expect(page.get_by_role("navigation", name="Groups")).to_contain_text("car")
    expect(page.locator(".block")).to_have_count(2)
    expect(page.locator(".wire")).to_have_count(2)
    expect(page.locator(".beyond")).to_have_text("→ other.x")
    shot(page, "inside")
    node(page, "mass").locator("header").click()
    page.get_by_label("mass.m").fill("5")
    page.get_by_label("mass.m").press("Enter")
    expect(page.locator(".file")).to_contain_text("•")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".which")).to_contain_text("finished")
    expect(page.locator(".wirewords").first).to_contain_text("2")
    page.get_by_role("navigation", name="Groups").get_by_role("button").click()
    expect(page.locator(".block")).to_have_count(4)
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved as several.yaml.")).to_be_visible()
    saved = dv.open(folder / "several.yaml")
    assert saved.get("car.mass.m") == 5.0
    node(page, "car").locator("header").click()
    page.keyboard.press("Control+Shift+G")
    expect(page.locator(".block")).to_have_count(5)
    expect(page.locator(".wire")).to_have_count(3)


def test_pins_junctions_blocks_and_notes_are_moved_by_hand_and_saved(several, folder):
    page = several
    x, y = pin(page, "mass.force", "in")
    box = node(page, "mass").bounding_box()
    drag(page, (x, y), (box["x"] + box["width"] / 2, box["y"] + box["height"] + 3), key="Alt")
    expect(page.locator(".pinname.bottom")).to_have_text("force")
    junction = page.locator(".junction").bounding_box()
    start = junction["x"] + 2, junction["y"] + junction["height"] / 2
    drag(page, start, (start[0] + 40, start[1] - 60))
    node(page, "other").locator("header").click()
    page.keyboard.press("x")
    page.get_by_title("Turn by a quarter").click()
    page.get_by_role("button", name="purple").click()
    expect(page.locator(".block.paint-purple")).to_have_count(1)
    page.mouse.move(900, 130)
    page.keyboard.press("n")
    page.get_by_label("Text of the note").fill("watch this")
    page.get_by_label("Text of the note").press("Escape")
    expect(page.get_by_text("watch this")).to_be_visible()
    shot(page, "moved")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved as several.yaml.")).to_be_visible()
    sketch = dv.open(folder / "several.yaml").sketch
    assert sketch.points["mass.force"] == (pytest.approx(0.5, abs=0.051), 0.0)
    assert set(sketch.joints) == {"d.flange"}
    other = sketch.boxes["other"]
    assert other.x1 > other.x2 and other.rotation == 90.0
    assert sketch.colours == {"other": "purple"}
    assert [m.text for m in sketch.marks][2:] == ["watch this"]
    page.get_by_text("watch this").click()
    page.keyboard.press("Delete")
    expect(page.get_by_text("watch this")).to_have_count(0)


def test_a_wire_is_copied_bent_and_changed_where_it_is(several):
    page = several
    drag(page, pin(page, "spring.x", "in"), pin(page, "other.x", "in"), key="Shift")
    expect(page.locator(".wire")).to_have_count(3)
    expect(page.locator(".wirewords")).to_have_text(["× 2", "× 2"])  # noqa: RUF001
    a, b = pin(page, "mass.x", "out"), pin(page, "spring.x", "in")
    page.mouse.dblclick((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    page.get_by_label("gain on the wire").fill("3")
    page.get_by_label("gain on the wire").press("Enter")
    expect(page.locator(".wirewords")).to_have_text(["× 2", "× 3"])  # noqa: RUF001
    page.mouse.click((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, button="right")
    page.get_by_role("menuitem", name="Bend it here").click()
    expect(page.locator(".corner")).to_have_count(1)
    corner = page.locator(".corner").bounding_box()
    start = corner["x"] + 6, corner["y"] + 6
    drag(page, start, (start[0], start[1] - 50))
    shot(page, "bent")
    page.keyboard.press("w")
    expect(page.locator(".wire:not(.selected)")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".wire")).to_have_count(0)
    node(page, "mass").hover()
    expect(page.locator(".wire.lit")).to_have_count(3)


def test_a_paste_lands_at_the_mouse_and_is_one_step(several):
    page = several
    node(page, "d").locator("header").click()
    node(page, "h").locator("header").click(modifiers=["Control"])
    page.keyboard.press("Control+c")
    page.mouse.move(760, 620)
    page.keyboard.press("Control+v")
    expect(page.locator(".block")).to_have_count(7)
    expect(page.locator(".junction")).to_have_count(2)
    boxes = [node(page, name).bounding_box() for name in ("d2", "h2")]
    middle = (boxes[0]["x"] + boxes[1]["x"] + boxes[1]["width"]) / 2
    assert middle == pytest.approx(760, abs=12)
    page.keyboard.press("Control+z")
    expect(page.locator(".block")).to_have_count(5)


def test_wires_go_out_and_in_as_a_csv(several, folder):
    page = several
    page.get_by_role("button", name="Connect", exact=True).click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Links out").click()
    saved.value.save_as(folder / "links.csv")
    text = (folder / "links.csv").read_text()
    assert text.splitlines()[:2] == [
        "source,target,gain,offset,convert",
        "mass.x,spring.x,2.0,0.0,true",
    ]
    (folder / "links.csv").write_text("source;target\nmass.x;other.x\nmass.nothing;spring.x\n")
    page.get_by_label("A CSV with links").set_input_files(folder / "links.csv")
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()
    expect(page.locator(".toast")).to_contain_text("line 3: 'mass.nothing' is not an output")
    expect(page.locator(".wire")).to_have_count(2)
    (folder / "links.csv").write_text("source;target\nmass.x;other.x\n")
    page.get_by_label("A CSV with links").set_input_files(folder / "links.csv")
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()
    expect(page.locator(".wire")).to_have_count(1)
