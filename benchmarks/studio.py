"""What the studio costs: opening, editing with the check, following a run, curves.

    python benchmarks/studio.py            all figures
    python benchmarks/studio.py edit       one of: open, edit, follow, curves

Times are of this machine as busy as it is; runs are compared in turns. Frames per second of a page
are not measured here.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

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


def opening(folder: Path) -> None:
    """From the command to the first drawing on a page, without a browser."""
    from serving import Studio

    shutil.copytree(ROOT / "src" / "dovetail" / "demo" / "files", folder / "demo")
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        studio = Studio(folder / "demo" / "drive.yaml", None)
        with studio.page():
            taken.append(time.perf_counter() - began)
        studio.end()
    print(f"open the belt drive, from nothing to its drawing: {statistics.median(taken):.2f} s")


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


def following(folder: Path) -> None:
    """The same run, followed and not followed, in turns; what it says that it took."""
    document = chain(folder, 5)
    document.do({"do": "settings", "run": {"stop": 1.0, "step": 5e-4}})
    seconds: dict[bool, list[float]] = {False: [], True: []}
    runs, look = StudioRuns(document.folder, lambda run: None), RunFeed.look
    for turn in range(10):
        watched = bool(turn % 2)
        RunFeed.look = look if watched else lambda feed: False  # type: ignore[method-assign]
        run = runs.start(document.system, verify=False)
        run.ready.wait()
        seconds[watched].append(run.facts["seconds"])
    RunFeed.look = look  # type: ignore[method-assign]
    alone, seen = (statistics.median(seconds[w]) for w in (False, True))
    print(
        f"a run of {alone:.1f} s is slowed by being followed by {100 * (seen / alone - 1):+.1f} %"
    )


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


def main(wanted: str = "") -> None:
    """All figures, or one."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, measure in (("open", opening), ("edit", editing), ("follow", following)):
            if wanted in ("", name):
                (folder / name).mkdir()
                measure(folder / name)
    if wanted in ("", "curves"):
        curving()


if __name__ == "__main__":
    main(*sys.argv[1:2])
