"""The demo shows what it says it shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli.calling import Command
from unit.test_pictures import curves, shown

from dovetail import formats
from dovetail.demo import show
from dovetail.demo.picture import draw_page
from dovetail.demo.runs import Runs


def test_the_demo_runs_explains_and_draws(dovetail: Command, folder: Path) -> None:
    answer = dovetail("demo")
    assert answer.code == 0
    files = folder / "dovetail-demo"
    names = ["demo.html", "demo.png", "drive.yaml", "models.py", "reference.yaml"]
    assert sorted(p.name for p in files.iterdir()) == names
    for name in names:
        assert f"dovetail-demo/{name}" in answer.out
    assert "What happened" in answer.out
    assert "dovetail run dovetail-demo/drive.yaml --algorithm gauss_seidel" in answer.out
    assert (files / "demo.png").stat().st_size > 50_000
    assert "machine.belt, loose" in (files / "demo.html").read_text()
    assert (files / "demo.html").stat().st_size < 500_000


def test_without_uplot_the_demo_draws_its_picture(
    dovetail: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dovetail.results.pictures.uplot.FOLDER", "nowhere")
    answer = dovetail("demo")
    assert answer.code == 0
    assert "demo.html is missing: an interactive plot needs uPlot" in answer.out
    assert (folder / "dovetail-demo" / "demo.png").is_file()
    (folder / "run.csv").write_text("time [s],a.x\n0,1\n1,2\n")
    answer = dovetail("plot", "run.csv", "-o", "page.html")
    assert answer.code == 2
    assert "install Node.js with npm and reinstall Dovetail, or draw a .png" in answer.err


def test_the_page_of_the_demo_has_every_value_of_every_run(tmp_path: Path) -> None:
    runs = Runs.of(Path(show.__file__).parent / "files")
    draw_page(runs, tmp_path / "demo.html")
    drawn = curves(shown((tmp_path / "demo.html").read_text()))
    assert len(drawn) == 9
    for run, result in runs.named().items():
        for name in ("machine.speed", "machine.belt", "motor.current"):
            x, y = drawn[f"{name}, {run}"]
            assert np.array_equal(x, result.time)
            assert np.array_equal(y, result[name])
    loose = drawn["motor.current, loose"][1]
    assert f"it reaches {abs(loose).max():.0f} A" in " ".join(show.lesson(runs).split())


def test_loose_coupling_is_wrong_and_strong_is_right() -> None:
    runs = Runs.of(Path(show.__file__).parent / "files")
    assert runs.error(runs.loose) > 1.0
    assert runs.error(runs.strong) < 0.01
    assert runs.window == pytest.approx(5.0)
    assert runs.loose.verdict is not None
    assert runs.strong.verdict is not None
    assert runs.loose.verdict.mismatch > 0.1
    assert runs.strong.verdict.mismatch < 1e-4


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_demo_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = show.wrapped(show.STORY.format(window=5.0))
    assert max(map(len, text.splitlines())) <= min(columns, 96)
    assert "    profile ──> controller" in text
    assert "every 5 ms" in " ".join(text.split())


def test_what_the_demo_leaves_can_be_run(dovetail: Command) -> None:
    show.unpack(Path("here"))
    answer = dovetail("run", "here/drive.yaml", "--stop", "0.05", "--json")
    assert answer.code == 0
    assert dovetail("check", "here/reference.yaml").code == 0


def test_changed_files_are_left_alone(folder: Path) -> None:
    assert show.unpack(folder / "here") == []
    changed = folder / "here" / "drive.yaml"
    changed.write_text(changed.read_text().replace("stop: 0.8", "stop: 0.4"))
    assert show.unpack(folder / "here") == ["drive.yaml"]
    assert formats.read(changed).run_settings.stop == 0.4


def test_a_folder_that_cannot_be_is_told(dovetail: Command, folder: Path) -> None:
    (folder / "file").touch()
    answer = dovetail("demo", "--folder", "file")
    assert answer.code == 2
    assert "file: cannot be written to" in answer.err
