"""What the studio costs: opening, editing with the check, following a run, curves.

    python benchmarks/studio.py            all figures
    python benchmarks/studio.py edit       one of: open, edit, groups, follow, curves, pan, memory

Times are of this machine as busy as it is; runs are compared in turns. Frames are counted in the
Chromium of the tests of the page, which draws without a graphics card.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "studio"))

from dovetail.studio.checked import check_of  # noqa: E402
from dovetail.studio.curves import Curves  # noqa: E402
from dovetail.studio.document import EditedDocument  # noqa: E402
from dovetail.studio.feed import RunFeed  # noqa: E402
from dovetail.studio.folder import WorkFolder  # noqa: E402
from dovetail.studio.picture import picture_of  # noqa: E402
from dovetail.studio.runs import StudioRuns  # noqa: E402

MODELS = """\
import dovetail as dv

part = dv.Dynamic(
    states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=lambda t, x, u, p: [u.u - x.x]
)
"""


def chain(folder: Path, parts: int) -> EditedDocument:
    """A drawing of this many parts, each fed by the one before."""
    (folder / "m.py").write_text(MODELS)
    names = [f"p{k}" for k in range(parts)]
    wires = "".join(f"  - {a}.x -> {b}.u\n" for a, b in pairwise(names))
    drawn = "".join(f"  {name}: m.py:part\n" for name in names)
    (folder / "chain.yaml").write_text(
        f"dovetail: 1\nparts:\n{drawn}connections:\n{wires}run: {{stop: 1}}\n"
    )
    document = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    document.open("chain.yaml")
    return document


def processor_seconds(process_id: int) -> float:
    """What a process has taken of processors so far."""
    words = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    """What processes that have ended took of processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def opening(folder: Path) -> None:
    """The air conditioner from a cold start: to its drawing, and to its blocks in a browser."""
    from serving import Studio

    home = ROOT / "src" / "dovetail" / "demo" / "gallery" / "air_conditioner"
    shutil.copytree(home, folder / "demo")
    taken, worked, painted = [], [], []
    with a_browser() as browser:
        for _ in range(3):
            began = time.perf_counter()
            studio = Studio(folder / "demo" / "air_conditioner.yaml", None)
            with studio.page():
                taken.append(time.perf_counter() - began)
                worked.append(processor_seconds(studio.process.pid))
            if browser is not None:
                page = browser.new_page(viewport={"width": 1280, "height": 720})
                began = time.perf_counter()
                page.goto(f"{studio.address}/#{studio.token}")
                page.locator(".block").nth(7).wait_for()
                painted.append(time.perf_counter() - began)
                page.close()
            studio.end()
    print(
        f"open the air conditioner, from nothing to its drawing: {statistics.median(taken):.2f} s, "
        f"{statistics.median(worked):.2f} s of them on a processor"
    )
    if painted:
        print(f"from there to its blocks in the browser: {statistics.median(painted):.2f} s")


MANY = """\
import dovetail as dv

many = dv.Source(
    outputs=[f"y{k}" for k in range(20)],
    function=lambda t, p: [(k + 1) * (t % 0.01) for k in range(20)],
)
"""
HEAP = "() => performance.memory.usedJSHeapSize / 2 ** 20"


def remembering(folder: Path, rows: int = 1_000_000) -> None:
    """A run of many rows of 20 signals, all plotted while it goes on: the page's memory."""
    from serving import Studio

    (folder / "m.py").write_text(MANY)
    (folder / "many.yaml").write_text(
        "dovetail: 1\nparts: {many: m.py:many}\n"
        f"run: {{stop: 1, controller: {{fixed_step: {1 / rows!r}}}}}\n"
        f"plots: [[{', '.join(f'many.y{k}' for k in range(20))}]]\n"
    )
    studio = Studio(folder / "many.yaml", None)
    with a_browser("--enable-precise-memory-info") as browser:
        if browser is None:
            return
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{studio.address}/#{studio.token}")
        page.get_by_role("button", name="▶ Run").click()
        page.locator(".panel canvas").wait_for(timeout=120_000)
        heaps = []
        while not page.locator(".which", has_text="finished").count():
            heaps.append(page.evaluate(HEAP))
            page.wait_for_timeout(1000)
        print(
            f"{rows:,} rows of 20 signals followed: the page took {heaps[0]:.0f} MB at first, "
            f"{max(heaps):.0f} MB at most, {page.evaluate(HEAP):.0f} MB at the end"
        )
    studio.end()


@contextmanager
def a_browser(*more: str) -> Iterator[Any]:
    """The Chromium of the tests; None where there is none."""
    from chromium import ARGUMENTS, chromium
    from playwright.sync_api import sync_playwright

    found = chromium()
    if isinstance(found, str):
        print(f"no browser: {found}")
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*ARGUMENTS, *more])
        yield browser
        browser.close()


def editing(folder: Path) -> None:
    """An edit with its drawing and its check."""
    for parts in (10, 100, 300):
        place = folder / str(parts)
        place.mkdir()
        document = chain(place, parts)
        document.do({"do": "move", "places": {"p0": [0, 0]}})
        taken = []
        for k in range(20):
            began = time.perf_counter()
            document.do({"do": "set", "name": "p3.x", "value": 1.0 + k})
            picture_of(document)
            check_of(document.system)
            taken.append(time.perf_counter() - began)
        print(
            f"{parts} parts: an edit with drawing and check {1e3 * statistics.median(taken):.1f} ms"
        )
    place = folder / "tangled"
    place.mkdir()
    document = chain(place, 300)
    for k in range(2, 300, 2):  # every second part is fed from far away
        document.system.disconnect(f"p{k}.u")
        document.system.connect(f"p{(7 * k + 14) % 300}.x", f"p{k}.u")
    for what in ("the first picture", "an edit of a value"):
        began = time.perf_counter()
        document.do({"do": "set", "name": "p3.x", "value": 2.0 + len(what)})
        picture_of(document)
        taken = time.perf_counter() - began
        print(f"300 tangled parts without places: {what} {1e3 * taken:.0f} ms")


def collapsing(folder: Path, groups: int = 50, each: int = 100) -> None:
    """Thousands of parts in groups: until they are on the page, an edit, a look inside."""
    (folder / "m.py").write_text(MODELS)
    inner = [f"        p{k}: m.py:part" for k in range(each)] + ["      connections:"]
    inner += [f"        - p{k}.x -> p{k + 1}.u" for k in range(each - 1)]
    lines = ["dovetail: 1", "parts:"]
    for g in range(groups):
        lines += [f"  g{g}:", f"    names: {{u: p0.u, x: p{each - 1}.x}}"]
        lines += ["    system:", "      parts:", *inner]
    lines += ["connections:", *(f"  - g{g}.x -> g{(g + 1) % groups}.u" for g in range(groups))]
    (folder / "groups.yaml").write_text("\n".join([*lines, "run: {stop: 1}"]) + "\n")
    document = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    began = time.perf_counter()
    document.open("groups.yaml")
    picture_of(document)
    check_of(document.system)
    opened = time.perf_counter() - began
    taken = []
    for k in range(5):
        began = time.perf_counter()
        document.do({"do": "set", "name": "p5.x", "value": 2.0 + k, "inside": ["g3"]})
        picture_of(document, inside=["g3"])
        check_of(document.system)
        taken.append(time.perf_counter() - began)
    print(
        f"{groups * each} parts in {groups} groups: opened in {opened:.1f} s, an edit inside one "
        f"of them with drawing and check {1e3 * statistics.median(taken):.0f} ms"
    )


def following(folder: Path) -> None:
    """The same run, followed and not followed, in turns: what it took of clock and processor."""
    document = chain(folder, 5)
    document.do({"do": "settings", "run": {"stop": 0.5, "step": 5e-4}})
    seconds: dict[bool, list[float]] = {False: [], True: []}
    worked: dict[bool, list[float]] = {False: [], True: []}
    runs, look = StudioRuns(document.folder, lambda run: None), RunFeed.look
    for turn in range(16):
        watched = bool(turn % 2)
        RunFeed.look = look if watched else lambda feed: False  # type: ignore[method-assign]
        before = children_seconds()
        run = runs.start(document.system, verify=False)
        run.ready.wait()
        seconds[watched].append(run.facts["seconds"])
        worked[watched].append(children_seconds() - before)
    RunFeed.look = look  # type: ignore[method-assign]
    alone, seen = (statistics.median(seconds[w]) for w in (False, True))
    print(
        f"a run of {alone:.1f} s is slowed by being followed by {100 * (seen / alone - 1):+.1f} %"
    )
    alone, seen = (min(worked[w]) for w in (False, True))  # what others take is least there
    print(f"its process takes {100 * (seen / alone - 1):+.1f} % more of a processor, at the least")


def curving() -> None:
    """A million rows of twenty signals."""
    curves, rng = Curves([f"y{k}" for k in range(20)]), np.random.default_rng(1)
    rows = rng.standard_normal((10_000, 20))
    began = time.perf_counter()
    for k in range(100):
        curves.add(np.arange(10_000.0) + 10_000 * k, rows)
    taken = time.perf_counter() - began
    times, lines = curves.shown(curves.names)
    held = 8 * (times.size + lines.size)
    print(f"10^6 rows of 20 signals taken in within {taken:.2f} s, shown by {held / 2**20:.1f} MB")


PAN = """async () => {
    const pane = document.querySelector(".react-flow__pane");
    const box = pane.getBoundingClientRect();
    const at = (type, x, y) => pane.dispatchEvent(new MouseEvent(type, {
        bubbles: true, clientX: x, clientY: y, button: 0, buttons: 1, view: window}));
    const x = box.x + box.width / 2, y = box.y + 8;
    at("mousedown", x, y);
    const times = [];
    await new Promise((done) => {
        const turn = (now) => {
            times.push(now);
            if (now - times[0] > 4000) return done();
            const phase = (now - times[0]) / 400;
            at("mousemove", x + 260 * Math.sin(phase), y + 180 * Math.sin(0.7 * phase));
            requestAnimationFrame(turn);
        };
        requestAnimationFrame(turn);
    });
    at("mouseup", x, y);
    const gaps = times.slice(1).map((t, k) => t - times[k]).sort((a, b) => a - b);
    return [(times.length - 1) * 1000 / (times.at(-1) - times[0]),
            gaps[Math.floor(0.95 * gaps.length)]];
}"""


def meshed(folder: Path, parts: int, wires: int) -> None:
    """A drawing of this many parts on a grid, and wires to near and far ones."""
    inputs = -(-wires // parts)
    names = [f"u{k}" for k in range(inputs)]
    (folder / "m.py").write_text(
        "import dovetail as dv\n\npart = dv.Dynamic(states={'x': 1.0}, inputs="
        f"{names!r}, outputs=['x'], derivatives=lambda t, x, u, p: [u.u0 - x.x])\n"
    )
    lines = ["dovetail: 1", "parts:", *(f"  p{k}: m.py:part" for k in range(parts)), "connections:"]
    for k in range(wires):
        to, into = divmod(k, inputs)
        source = (to - 1, to - 40, to - 7 * into - 41)[into % 3] % parts
        lines.append(f"  - p{source}.x -> p{to}.u{into}")
    lines.append("layout:")
    lines += [f"  p{k}: [{240 * (k % 40)}, {190 * (k // 40)}, 150, 130]" for k in range(parts)]
    (folder / "mesh.yaml").write_text("\n".join([*lines, "run: {stop: 1}"]) + "\n")


def panning(folder: Path) -> None:
    """A thousand parts and three thousand wires, moved by the mouse: frames a second."""
    from chromium import ARGUMENTS, chromium
    from playwright.sync_api import sync_playwright
    from serving import Studio

    found = chromium()
    if isinstance(found, str):
        print(f"panning was not measured: {found}")
        return
    meshed(folder, 1000, 3000)
    studio = Studio(folder / "mesh.yaml", None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{studio.address}/#{studio.token}")
        page.locator(".wirelayer").wait_for(timeout=120_000)
        page.wait_for_timeout(2000)
        for what, closer in (("all of it in sight", 0), ("a tenth of it", 5), ("near", 5)):
            for _ in range(closer):
                page.get_by_role("button", name="zoom in").click()
                page.wait_for_timeout(100)
            page.wait_for_timeout(1000)
            rate, gap = page.evaluate(PAN)
            blocks = page.locator(".block").count()
            print(
                f"1,000 parts, 3,000 wires, {what} ({blocks} blocks in the page): "
                f"{rate:.0f} frames a second, 95 % of them within {gap:.0f} ms"
            )
        browser.close()
    studio.end()


def main(wanted: str = "") -> None:
    """All figures, or one."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, measure in (("open", opening), ("edit", editing), ("groups", collapsing),
                              ("follow", following), ("pan", panning),
                              ("memory", remembering)):  # fmt: skip
            if wanted in ("", name):
                (folder / name).mkdir()
                measure(folder / name)
    if wanted in ("", "curves"):
        curving()


if __name__ == "__main__":
    main(*sys.argv[1:2])
