"""What is given away: a wheel and an sdist that hold what they must, and run elsewhere.

Few tests, each a story, since building takes seconds and workers would build once each.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from fmus.build import build as build_fmu
from release.boxes import ROOT, bare, build, call, environment_with, metadata

import dovetail as dv

LOOK = """
from pathlib import Path
import sys
import dovetail
from dovetail.fmi.kernel import kernel
assert Path(dovetail.__file__).is_relative_to(sys.prefix), dovetail.__file__
print(dovetail.__version__, "compiled" if kernel() else "python")
"""

WITHOUT_ZIG = """
import shutil, sys
sys.modules["ziglang"] = None
which = shutil.which
shutil.which = lambda name, *more, **how: None if "zig" in name else which(name, *more, **how)
"""

LIBRARIES = ("kernel", "shim", "beside")


@pytest.mark.skipif(sys.platform != "linux", reason="names of Linux")
def test_both_packages_are_whole_and_the_wheel_runs_where_there_is_no_compiler(tmp_path):
    dist = tmp_path / "dist"
    build(ROOT, dist)
    [sdist], [wheel] = dist.glob("*.tar.gz"), dist.glob("*.whl")
    assert sdist.name == f"dovetail-{dv.__version__}.tar.gz"
    _the_wheel_serves_every_python(wheel)
    _the_wheel_holds_what_it_needs(wheel)
    _the_sdist_holds_the_sources(sdist)
    programs = environment_with(wheel, tmp_path / "empty")
    elsewhere = bare(tmp_path, programs)  # no compiler is on this path
    seen = call(programs / "python", "-c", LOOK, folder=tmp_path, environment=elsewhere).stdout
    assert seen.split() == [dv.__version__, "compiled"]
    said = call(programs / "dovetail", "demo", folder=tmp_path, environment=elsewhere).stdout
    assert "What happened" in said
    said = _an_fmu_runs(programs, tmp_path)
    assert "kernel" not in said
    for name in ("demo.png", "demo.html"):
        assert (tmp_path / "dovetail-demo" / name).is_file()


def test_without_a_compiler_the_sdist_says_so_and_becomes_a_wheel_of_python_alone(tmp_path):
    """Built from the sdist, and not from here, where it would take the kernel away."""
    dist = tmp_path / "dist"
    build(ROOT, dist, "--sdist")
    [sdist] = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / sdist.name.removesuffix(".tar.gz")
    empty = tmp_path / "nothing"
    empty.mkdir()
    (empty / "sitecustomize.py").write_text(WITHOUT_ZIG)
    nowhere = bare(tmp_path, empty) | {"PYTHONPATH": str(empty)}
    said = build(source, dist, "--wheel", environment=nowhere)
    assert "the native kernel was not built (no C compiler was found)" in said
    assert "Install a C compiler" in said
    assert "uPlot" not in said, "the sdist brings it along, so npm is not needed"
    [wheel] = dist.glob("*.whl")
    assert wheel.name == f"dovetail-{dv.__version__}-py3-none-any.whl"
    programs = environment_with(wheel, tmp_path / "empty")
    elsewhere = bare(tmp_path, programs)
    seen = call(programs / "python", "-c", LOOK, folder=tmp_path, environment=elsewhere).stdout
    assert seen.split()[-2:] == [dv.__version__, "python"]
    said = _an_fmu_runs(programs, tmp_path)
    assert said.count("native kernel was not built when it was installed") == 1
    assert "kernel" not in _an_fmu_runs(programs, tmp_path, DOVETAIL_KERNEL="python")


def _an_fmu_runs(programs: Path, folder: Path, **more: str) -> str:
    """Run an FMU that needs no compiler any more."""
    fmu = build_fmu("vanderpol", 2, folder)
    environment = bare(folder, programs) | more
    said = call(programs / "dovetail", "run", fmu, folder=folder, environment=environment).stdout
    assert "How far to believe it" in said
    return said


def _the_wheel_serves_every_python(wheel: Path) -> None:
    tag = re.fullmatch(r"dovetail-[\d.]+-py3-none-manylinux_2_(\d+)_\w+\.whl", wheel.name)
    assert tag, wheel.name
    with zipfile.ZipFile(wheel) as archive:
        kernel = b"".join(archive.read(f"dovetail/_{n}.so") for n in LIBRARIES)
    needed = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", kernel)}
    assert max(needed) <= int(tag[1])


def _the_wheel_holds_what_it_needs(wheel: Path) -> None:
    """All modules and data files of the package, and nothing of this machine."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = ROOT / "src"
    wanted = {
        path.relative_to(package).as_posix()
        for path in (package / "dovetail").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    libraries = {f"dovetail/_{n}.so" for n in LIBRARIES}
    wanted = {n for n in wanted if not n.startswith(tuple(f"dovetail/_{n}." for n in LIBRARIES))}
    inside = {name for name in names if name.startswith("dovetail/")}
    sources = (ROOT / "native").rglob("*.[ch]")  # exports for other machines are compiled of them
    native = {f"dovetail/native/{p.relative_to(ROOT / 'native').as_posix()}" for p in sources}
    assert inside == wanted | libraries | native
    told = metadata(wheel)
    assert told["Name"] == "dovetail"
    assert told["Version"] == dv.__version__
    assert told["License-Expression"] == "BSD-3-Clause"
    assert told["Requires-Python"] == ">=3.11"
    assert told["Description-Content-Type"] == "text/markdown"
    assert told.get_payload().startswith("# Dovetail")
    licences = f"dovetail-{dv.__version__}.dist-info/licenses"
    assert {f"{licences}/LICENSE", f"{licences}/THIRD_PARTY.md"} <= names
    assert {f"dovetail/results/pictures/web/{n}" for n in ("uPlot.iife.min.js", "LICENSE")} <= names
    assert {f"dovetail/studio/page/{n}" for n in ("index.html", "licences.txt")} <= names


def _the_sdist_holds_the_sources(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    found = (p for p in (ROOT / "native").rglob("*") if p.is_file())
    wanted = {path.relative_to(ROOT).as_posix() for path in found}
    wanted |= {"LICENSE", "README.md", "CHANGELOG.md", "hatch_build.py", "pyproject.toml"}
    wanted |= {"Makefile", "docs/start.md", "examples/README.md", "tests/catalogue.py"}
    wanted |= {"THIRD_PARTY.md", "web/package.json", "web/package-lock.json"}
    wanted |= {"src/dovetail/results/pictures/web/uPlot.iife.min.js"}  # so that it needs no npm
    wanted |= {f"src/dovetail/studio/page/{n}" for n in ("index.html", "made-from.txt")}
    assert wanted <= names
    assert not [n for n in names if n.startswith((".venv", "build/", ".git/"))]
    assert not [n for n in names if n.endswith((".so", ".pyc"))]
