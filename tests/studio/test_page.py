"""The page in a browser, used as a person uses it: mouse, keys, and what is to be read."""

import math
import shutil
import subprocess

import pytest

import dovetail as dv
from dovetail.studio.server.serving import SITE

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
expect = sync_api.expect


def connect(page, source, target):
    """Drag a wire from one pin to another."""
    ends = []
    for text, sort in ((source, "out"), (target, "in")):
        part, _, name = text.partition(".")
        pin = page.locator(
            f'.react-flow__handle[data-nodeid="{part}"][data-handleid="{sort}:{name}"]'
        )
        box = pin.bounding_box()
        ends.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move((ends[0][0] + ends[1][0]) / 2, ends[0][1] + 30, steps=4)
    page.mouse.move(*ends[1], steps=4)


def test_the_oscillator_is_drawn_run_read_broken_mended_and_opened_again(opened, folder):
    (folder / "oscillator.yaml").unlink()
    _, page = opened(folder)
    for name, x, y in (("mass", 60, 120), ("spring", 420, 260)):
        page.get_by_role("button", name=f"{name} models.py").drag_to(
            page.locator(".react-flow__pane"), target_position={"x": x, "y": y}
        )
        expect(page.locator(f'.react-flow__node[data-id="{name}"]')).to_be_visible()
    page.get_by_role("tab", name="Check").click()
    expect(page.get_by_text("'spring.x' is not connected")).to_be_visible()
    page.keyboard.press("f")
    page.wait_for_timeout(400)

    connect(page, "mass.v", "spring.x")  # of another unit: it says so, and nothing is drawn
    expect(page.locator(".hint")).to_contain_text("'mass.v' cannot feed 'spring.x'")
    page.mouse.up()
    expect(page.locator(".wire")).to_have_count(0)
    connect(page, "mass.x", "spring.x")
    expect(page.locator('.pin.fits[data-nodeid="spring"]')).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".wire")).to_have_count(1)
    connect(page, "spring.force", "mass.force")
    page.mouse.up()
    expect(page.locator(".wire")).to_have_count(2)

    page.get_by_role("tab", name="Run").click()
    page.get_by_label("Stop time in s").fill("10")
    page.keyboard.press("Control+Enter")  # what was typed counts, though the field has the focus
    expect(page.locator(".which")).to_contain_text("finished")
    shown = page.locator(".wirewords:not(.mark)").first
    assert float(shown.text_content()) == pytest.approx(math.cos(20), abs=2e-3), (
        "x(10), on its wire"
    )
    expect(page.locator(".panel canvas").first).to_be_visible()
    page.get_by_role("tab", name="Verdict").click()
    expect(page.get_by_role("heading", name="trusted")).to_be_visible()
    expect(page.locator(".weakest")).to_have_count(1)

    page.locator(".wire").first.click(force=True)
    page.keyboard.press("Delete")
    expect(page.locator(".wire")).to_have_count(1)
    page.get_by_role("tab", name="Check").click()
    expect(page.get_by_text("is not connected")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.locator(".wire")).to_have_count(2)

    page.keyboard.press("Control+s")
    page.get_by_label("File name").fill("drawn.yaml")
    page.get_by_label("File name").press("Enter")
    expect(page.get_by_text("Saved as drawn.yaml.")).to_be_visible()
    saved = dv.open(folder / "drawn.yaml")
    assert {str(c) for c in saved.connections} == {
        "mass.x -> spring.x",
        "spring.force -> mass.force",
    }
    assert saved.run_settings.stop == 10.0
    page.reload()
    expect(page.locator(".wire")).to_have_count(2)
    expect(page.locator(".file")).to_have_text("drawn.yaml")


def test_a_part_that_crashes_in_a_run_leaves_the_page_and_the_drawing(opened, folder, archive):
    (folder / "crash.fmu").write_bytes(archive("crash", 2).read_bytes())
    (folder / "c.yaml").write_text(
        "dovetail: 1\nparts:\n  it: crash.fmu\nrun: {stop: 1.0, step: 0.01}\n"
    )
    _, page = opened(folder / "c.yaml")
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".toast")).to_contain_text("segmentation fault")
    page.get_by_role("tab", name="Run").click()
    page.get_by_label("each FMU in a process of its own").check()
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".toast").last).to_contain_text("part 'it' failed while advancing")
    page.locator(".block").click()
    page.get_by_label("it.at").fill("7")
    page.get_by_label("it.at").press("Enter")
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".which")).to_contain_text("finished")


def test_two_pages_show_one_drawing(opened, folder):
    studio, one = opened(folder / "oscillator.yaml", trusted=False)
    one.get_by_role("button", name="Trust it").last.click()
    expect(one.locator(".block")).to_have_count(2)
    two = opened.page_of(studio)
    expect(two.get_by_text("2 pages")).to_be_visible()
    two.get_by_text("mass", exact=True).last.click()
    two.get_by_label("mass.m").fill("5")
    two.get_by_label("mass.m").press("Enter")
    expect(one.locator(".file")).to_have_text("oscillator.yaml •")
    one.keyboard.press("Control+z")
    expect(two.locator(".file")).to_have_text("oscillator.yaml")


def test_wires_are_drawn_by_names_and_ticks_in_the_table_and_a_model_is_replaced(opened, folder):
    drawn = (folder / "oscillator.yaml").read_text()
    begin, end = drawn.index("connections:"), drawn.index("run:")
    (folder / "open.yaml").write_text(drawn[:begin] + drawn[end:])
    _, page = opened(folder / "open.yaml")
    page.get_by_role("button", name="Connect", exact=True).click()
    inputs = page.get_by_role("region", name="Inputs")
    expect(inputs.locator(".open")).to_have_count(2)
    page.get_by_role("button", name="Connect by names").click()
    expect(page.locator(".wire")).to_have_count(2)
    expect(inputs).to_contain_text("← spring.force")
    page.get_by_role("button", name="spring.x").click()
    outputs = page.get_by_role("region", name="Outputs")
    tick = outputs.get_by_label("mass.x")
    expect(tick).to_be_checked()
    expect(outputs.get_by_label("mass.v")).to_be_disabled()  # of another unit
    tick.click()
    expect(page.locator(".wire")).to_have_count(1)
    expect(inputs.locator(".open")).to_have_count(1)
    tick.click()
    expect(page.locator(".wire")).to_have_count(2)
    page.locator('.react-flow__node[data-id="spring"] header').click()
    page.get_by_label("Replace the model of spring").select_option("models.py:mass")
    expect(page.locator(".toast")).to_contain_text("x")  # it has no such input: nothing is done
    expect(page.locator(".wire")).to_have_count(2)
    (folder / "stiff.py").write_text(
        "import dovetail as dv\nstiff = dv.Algebraic(inputs=['x'], outputs=['force'],"
        " function=lambda t, u, p: [-20 * u.x], units={'x': 'm', 'force': 'N'})\n"
    )
    page.get_by_title("Look into the folder again").click()
    page.get_by_label("Replace the model of spring").select_option("stiff.py:stiff")
    expect(page.locator('.react-flow__node[data-id="spring"]')).to_contain_text("stiff.py:stiff")
    expect(page.locator(".wire")).to_have_count(2)


def test_an_empty_paper_offers_examples_and_opens_a_copy_once_it_is_trusted(opened, tmp_path):
    _, page = opened(tmp_path, trusted=False)
    page.get_by_role("button", name="Quarter car").click()
    page.get_by_role("dialog").get_by_role("button", name="Trust it").click()
    expect(page.locator(".file")).to_have_text("quarter_car/quarter_car.yaml")
    expect(page.locator(".block")).to_have_count(3)
    assert (tmp_path / "quarter_car" / "road.csv").is_file()
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.locator(".gallery button")).to_have_count(6)  # five, and a tour


def test_a_plot_is_drawn_over_a_signal_and_saved_as_picture_and_as_rows(opened, folder):
    _, page = opened(folder / "oscillator.yaml")
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".which")).to_contain_text("finished")
    page.get_by_role("button", name="Close this plot").first.click()
    page.locator('.react-flow__node[data-id="mass"] header').click(button="right")
    page.get_by_role("menuitem", name="Plot its outputs").click()
    plot = page.locator(".panel").last
    plot.get_by_label("Drawn over").select_option("mass.x")
    expect(plot.locator("canvas:visible")).to_have_count(1)
    expect(plot.locator(".u-legend:visible")).to_contain_text("mass.v")
    page.wait_for_timeout(300)
    with page.expect_download() as saved:
        plot.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename == "mass.v.png"
    blob = saved.value.path().read_bytes()
    assert blob[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(blob[16:20], "big") > 300, "as wide as the plot"
    colours = page.evaluate(
        """async (data) => {
            const image = await createImageBitmap(new Blob([new Uint8Array(data)]));
            const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
            pen.drawImage(image, 0, 0);
            const found = pen.getImageData(0, 0, image.width, image.height).data;
            let orange = 0;
            for (let i = 0; i < found.length; i += 4)
                if (found[i] === 0xd9 && found[i + 1] === 0x48 && found[i + 2] === 0x0f)
                    orange += 1;
            return [orange, found[3]];
        }""",
        list(blob),
    )
    assert colours[0] > 200 and colours[1] == 255, "the curve is on it, and paper behind it"
    with page.expect_download() as saved:
        plot.get_by_role("button", name="CSV").click()
    saved.value.save_as(folder / "saved.csv")
    rows = dv.read(folder / "saved.csv")
    energy = 8 * rows["mass.x"] ** 2 + 2 * rows["mass.v"] ** 2
    assert energy == pytest.approx(8, rel=1e-2), "an ellipse: mass 2, spring 8, from x = 1"


def test_commands_are_found_by_their_names_from_the_keyboard(opened, folder):
    _, page = opened(folder / "oscillator.yaml")
    expect(page.get_by_role("button", name="spring models.py")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="What to do")).to_be_focused()
    page.keyboard.type("add models spring")
    expect(page.locator("#palette [aria-selected=true]")).to_contain_text("spring")
    page.keyboard.press("Enter")
    expect(page.locator('.react-flow__node[data-id="spring2"]')).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="What to do")).to_be_focused()
    page.keyboard.type("names")
    expect(page.locator("#palette")).to_contain_text("inputs of spring2")
    page.keyboard.press("ArrowDown")  # the first is that for all parts
    expect(page.locator("#palette [aria-selected=true]")).to_contain_text("inputs of spring2")
    page.keyboard.press("Enter")
    expect(page.locator(".wire")).to_have_count(3)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="What to do")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="What to do")).to_be_focused()
    page.keyboard.type("undo match")
    expect(page.locator("#palette [aria-selected=true]")).to_contain_text("Undo")
    page.keyboard.press("Enter")
    expect(page.locator(".wire")).to_have_count(2)


def test_components_of_the_page():
    """The tests in `web/studio/test`, with the packages that its lock file pins."""
    from importlib import util

    root = SITE.parents[3]
    spec = util.spec_from_file_location("hatch_build", root / "hatch_build.py")
    build = util.module_from_spec(spec)
    spec.loader.exec_module(build)
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("Node.js with npm is not there")
    bench = root / "build" / "studio-tests"
    build.bring(root / "web" / "studio", bench)
    if not (bench / "node_modules" / "vitest").exists():
        assert build.ran([npm, "ci", *build.QUIET], bench) == ""
    for words in (
        ["node_modules/typescript/bin/tsc", "--noEmit"],
        ["node_modules/vitest/vitest.mjs", "run"],
    ):
        done = subprocess.run(
            [node, *words], cwd=bench, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
