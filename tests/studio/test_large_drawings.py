"""Drawings with so many wires that they are painted, in a browser."""

import re

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
expect = sync_api.expect
PARTS = 260


def mesh(folder):
    """A chain on a grid, drawn as its file has it: wires to the right lie between neighbours."""
    names = [f"p{k}" for k in range(PARTS)]
    (folder / "part.py").write_text(
        "import dovetail as dv\npart = dv.Dynamic(states={'x': 1.0}, inputs=['u'], outputs=['x'],"
        " derivatives=lambda t, x, u, p: [u.u - x.x])\n"
    )
    wires = [f"  - p{k}.x -> p{k + 1}.u" for k in range(PARTS - 1)]
    places = [f"  p{k}: [{240 * (k % 20)}, {190 * (k // 20)}, 150, 130]" for k in range(PARTS)]
    lines = ["dovetail: 1", "parts:", *(f"  {n}: part.py:part" for n in names)]
    lines += ["connections:", *wires, "layout:", *places, "run: {stop: 1}"]
    (folder / "mesh.yaml").write_text("\n".join(lines) + "\n")
    return folder / "mesh.yaml"


def test_a_wire_among_hundreds_is_found_by_the_mouse_and_blocks_seen_from_afar_are_selected(
    opened, folder
):
    _, page = opened(mesh(folder))
    layer = page.get_by_role("img", name=f"{PARTS - 1} wires")
    expect(layer).to_be_visible()
    viewport = page.locator(".react-flow__viewport")
    expect(viewport).to_have_attribute("style", re.compile(r"scale\(0\.[01]"))  # all of it fits
    expect(page.locator(".block")).to_have_count(0)  # it is seen from afar

    def place(x, y):  # of the paper, on the page
        return page.evaluate(
            """([x, y]) => {
                const m = new DOMMatrix(getComputedStyle(
                    document.querySelector(".react-flow__viewport")).transform);
                const box = document.querySelector(".react-flow").getBoundingClientRect();
                return [box.x + m.a * x + m.e, box.y + m.d * y + m.f];
            }""",
            [x, y],
        )

    page.mouse.click(*place(240 * 3 + 75, 190 * 2 + 65))
    expect(page.locator(".pane h2")).to_contain_text("p43")
    ends = [(240 * 4 + 155, 63.75), (240 * 5 - 5, 63.75)]  # of the wire from p4 to p5
    page.mouse.move(*place((ends[0][0] + ends[1][0]) / 2 - 9, ends[0][1]))
    page.mouse.click(*place((ends[0][0] + ends[1][0]) / 2, ends[0][1]))
    expect(page.locator(".pane")).to_contain_text("p4.x → p5.u")
    page.keyboard.press("Delete")
    expect(page.get_by_role("img", name=f"{PARTS - 2} wires")).to_be_visible()
    for _ in range(6):
        page.get_by_label("Zoom In").click()
    expect(page.locator(".block").first).to_be_visible()
    assert page.locator(".block").count() < PARTS, "only those that are seen"
