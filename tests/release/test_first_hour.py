"""An engineer's first hour, typed line by line, with nothing installed but what the wheel says.

One test, since it is one story: the wheel is built once, and later lines use what earlier ones
have written.
"""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from docs.pages import ROOT as SOURCES
from docs.pages import blocks
from fmus.build import build as build_fmu
from packaging.utils import canonicalize_name
from release.boxes import ROOT, bare, build, core_environment

SIGNALS = "Zeit [s];u\n0;0,0\n1;1,0\n3;-1,0\n10;0,0\n"
DRIVEN = """\
dovetail: 1
parts: {signals: signals.csv, linear: linear.fmu}
connections: [signals.u -> linear.u]
run: {stop: 5, step: 0.05}
"""
COUPLED = """
import dovetail as dv

system = dv.System("two")
system.add("body", dv.load("body.fmu"), mass="8 t")
system.add("spring", dv.load("spring.fmu"))
for wire in ("position", "velocity"):
    system.connect(f"body.{wire}", f"spring.{wire}")
system.connect("spring.force", "body.force")
system.save("two.ssp")
"""
INSTALLED = "import importlib.metadata as m; print(*{d.name for d in m.distributions()})"


@dataclass(frozen=True)
class Desk:
    """A folder to work in, and the programs of one environment, and no others."""

    folder: Path
    programs: Path

    def types(self, line: str, code: int = 0) -> str:
        """Type a line; both streams of what came back."""
        words = shlex.split(line)
        done = subprocess.run(
            [str(self.programs / words[0]), *words[1:]],
            cwd=self.folder,
            env=bare(self.folder, self.programs) | {"COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, f"$ {line}\n{done.returncode}\n{done.stdout}"
        return done.stdout

    def writes(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def column(self, name: str, variable: str) -> list[float]:
        """A column of a result that was written as CSV."""
        with open(self.folder / name, newline="") as file:
            rows = list(csv.reader(file))
        [place] = [i for i, title in enumerate(rows[0]) if title.split(" [")[0] == variable]
        return [float(row[place]) for row in rows[1:]]

    def has(self, name: str, begin: bytes) -> bool:
        return (self.folder / name).read_bytes().lstrip().startswith(begin)


def test_the_first_hour(tmp_path: Path) -> None:
    build(ROOT, tmp_path / "dist", "--wheel")
    [wheel] = (tmp_path / "dist").glob("*.whl")
    programs, sizes = core_environment(wheel, tmp_path / "core")
    work = tmp_path / "work"
    work.mkdir()
    desk = Desk(work, programs)
    installed = desk.types(f"python -c '{INSTALLED}'").split()
    assert {canonicalize_name(name) for name in installed} == set(sizes)
    _the_demo_and_ten_lines(desk)
    _an_fmu(desk)
    _an_ssp_checked_and_run_as_recommended(desk)
    _a_table_as_people_have_it(desk)
    _a_sweep_and_its_picture(desk)
    _the_tab_key(desk)
    with_plots, _ = core_environment(wheel, tmp_path / "plots", "plot")
    _pictures_with_the_extra(Desk(work, with_plots))


def _the_demo_and_ten_lines(desk: Desk) -> None:
    assert "What happened" in desk.types("dovetail demo")
    assert desk.has("dovetail-demo/demo.html", b"<!")
    page = blocks(SOURCES / "README.md")
    drawing, look, *_ = [b.text for b in page if b.language == "python"]
    shown = next(b.text for b in page if b.language == "text" and "largest error" in b.text)
    desk.writes("ten_lines.py", drawing)
    desk.writes("look.py", f"from ten_lines import result\n{look.replace('.png', '.html')}")
    said = desk.types("python look.py")
    assert shown.splitlines()[0] in said
    assert desk.has("oscillator.html", b"<!")


def _an_fmu(desk: Desk) -> None:
    for name in ("vanderpol", "linear", "body", "spring"):
        build_fmu(name, 2, desk.folder).rename(desk.folder / f"{name}.fmu")
    assert "mu    parameter" in desk.types("dovetail describe vanderpol.fmu")
    said = desk.types("dovetail run vanderpol.fmu --set mu=2 --output run.csv")
    assert "How far to believe it" in said
    assert len(desk.column("run.csv", "vanderpol.x1")) == 101
    assert desk.types("dovetail plot run.csv --output run.html").strip() == "run.html"
    said = desk.types("dovetail plot run.csv --output run.png", code=2)
    assert "which is not installed: pip install 'dovetail[plot]'" in said


def _an_ssp_checked_and_run_as_recommended(desk: Desk) -> None:
    desk.writes("draw.py", COUPLED)
    assert desk.types("python draw.py") == ""
    said = desk.types("dovetail check two.ssp")
    assert "cycle: body, spring depend on each other" in said
    assert "Recommended: GaussSeidel(extrapolation=1) with StepDoubling(" in said
    found = json.loads(desk.types("dovetail run two.ssp --stop 10 --recommended --quiet --json"))
    assert found["algorithm"].startswith("GaussSeidel(max_iterations=1, ")
    assert found["controller"].startswith("StepDoubling(")
    assert found["windows"] > 0
    desk.types("dovetail draw two.ssp --output two.svg")
    assert desk.has("two.svg", b"<svg")


def _a_table_as_people_have_it(desk: Desk) -> None:
    desk.writes("signals.csv", SIGNALS)
    desk.writes("driven.yaml", DRIVEN)
    desk.types("dovetail run driven.yaml --quiet --output driven.csv")
    inputs = desk.column("driven.csv", "linear.u")
    assert max(inputs) > 0.9
    assert min(inputs) < -0.9


def _a_sweep_and_its_picture(desk: Desk) -> None:
    ends = []
    for mass in ("4 t", "8 t", "16 t"):
        file = f"m{mass.split()[0]}.csv"
        line = f"dovetail run two.ssp --stop 5 --step 0.02 --set 'body.mass={mass}' -q -o {file}"
        assert desk.types(line) == ""
        ends.append(desk.column(file, "body.position")[-1])
    assert len({round(end, 3) for end in ends}) == 3
    said = desk.types("dovetail run two.ssp --set body.mas=3", code=2)
    assert "Did you mean 'mass'?" in said
    desk.types("dovetail plot m4.csv m8.csv m16.csv body.position --output sweep.html")
    assert desk.has("sweep.html", b"<!")


def _the_tab_key(desk: Desk) -> None:
    script = desk.types("dovetail --show-completion bash")
    done = subprocess.run(["/bin/bash", "-n"], input=script, text=True, check=False)
    assert done.returncode == 0
    assert "complete " in script


def _pictures_with_the_extra(desk: Desk) -> None:
    desk.types("dovetail plot m4.csv m8.csv m16.csv body.position --output sweep.png")
    desk.types("dovetail draw two.ssp --output two.png")
    for name in ("sweep.png", "two.png"):
        assert desk.has(name, b"\x89PNG")
