"""Exports for platforms that are not this one: what they hold, and the same bits where they run.

A C program that knows nothing but FMI 2 steps them, under qemu and Wine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fmus import build as fmus
from fmus.models import MODELS, table
from release.binaries import read
from release.boxes import ROOT, call
from release.crossing import ARM_LIBRARIES, build_hook, needs_arm, needs_wine, needs_zig

import dovetail as dv
from dovetail.exporting import platforms

ALL = tuple(platforms.TARGETS)
STEP = 0.1


def both(folder: Path, wanted: str) -> dv.System:
    """An FMU with binaries for this machine and another, and a compiled model."""
    inner = fmus.build("linear", 2, folder)
    if wanted:
        target = platforms.TARGETS[wanted]
        options = fmus.options_of("linear", 2)
        text = folder / "inner.c"
        model = MODELS["linear"]
        text.write_text(fmus.source(model, table(model, 2, options), 2, options))
        suffix = target.platform.suffix
        library = folder / f"linear{suffix}"
        more = [] if suffix == ".dll" else ["-fPIC", "-lm"]
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", target.triple]
        flags = ["-std=c11", "-O3", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-w"]
        call(*zig, *flags, f"-I{fmus.HERE}", "-o", library, text, *more, folder=folder)
        identifier = dv.load(str(inner)).interface.model_identifier
        with zipfile.ZipFile(inner, "a") as archive:
            archive.write(library, target.place("2.0", identifier))
    system = dv.System("both")
    system.add("fmu", dv.load(str(inner)), x=2.0, a=-1.0, b=0.5, drive=1.0)
    system.add(
        "law",
        dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [0.25 - 0.5 * u.a]),
    )
    system.connect("fmu.y", "law.a")
    system.connect("law.b", "fmu.u")
    return system


def stepped(path: Path, wanted: str, folder: Path, runner: list[str | Path], **more) -> list[float]:
    """What the C program prints on that platform."""
    target = platforms.TARGETS[wanted]
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "it")
    found = dv.load(str(path)).fmu
    driver = folder / ("step.exe" if target.platform.system == "windows" else "step")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", target.triple]
    call(*zig, "-std=c11", "-D_GNU_SOURCE", "-w", "-o", driver, ROOT / "tests/exporting/step.c",
         folder=folder)  # fmt: skip
    library = folder / "it" / target.place("2.0", found.co_simulation.model_identifier)
    reference = next(v.reference for v in found.variables if v.name == "fmu.y")
    words = [*runner, driver, library, found.token, folder / "it" / "resources", reference]
    done = subprocess.run(
        [str(w) for w in words], capture_output=True, text=True, check=False, cwd=folder, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [float.fromhex(line) for line in done.stdout.split()]


def agrees(folder: Path, wanted: str, runner: list[str | Path], **more) -> bool:
    system = both(folder, wanted)
    names = [str(platforms.Platform.here()), wanted]
    options = {"step": STEP, "algorithm": dv.GaussSeidel(), "platforms": names}
    path = system.export(folder / "both.fmu", **options)
    drawn = dv.simulate(str(path), stop=2.0, step=STEP, quiet=True, verify=False)
    found = stepped(path, wanted, folder, runner, **more)
    return np.array_equal(found, np.asarray(drawn["both.fmu.y"][:])[1:])


@pytest.mark.platforms
@needs_zig
@needs_arm
def test_an_export_for_aarch64_steps_to_the_same_bits(tmp_path):
    assert agrees(tmp_path, "aarch64-linux", ["qemu-aarch64", "-L", ARM_LIBRARIES])


@pytest.mark.platforms
@needs_zig
@needs_wine
def test_an_export_for_windows_steps_to_the_same_bits_under_wine(tmp_path):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as prefix:
        quiet = {"WINEPREFIX": prefix, "WINEDEBUG": "-all", "DISPLAY": ""}
        quiet |= {"WINEDLLOVERRIDES": "mscoree=;mshtml=;winemenubuilder.exe="}
        assert agrees(tmp_path, "x86_64-windows", ["wine"], env={**os.environ, **quiet})


@pytest.mark.platforms
@needs_zig
def test_exports_for_all_platforms_hold_what_their_folders_say(tmp_path):
    model = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [2.0 * u.a])
    for beside in (False, True):
        path = dv.export(
            model, tmp_path / f"it{beside}.fmu", step=STEP, platforms="all", beside=beside
        )
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / path.stem)
        for name, target in platforms.TARGETS.items():
            seen = read(tmp_path / path.stem / target.place("2.0", path.stem))
            assert f"{seen.machine}-{seen.system}" == name
            assert "fmi2DoStep" in seen.exports and "fmi3DoStep" in seen.exports
            libraries = list((tmp_path / path.stem / "resources").rglob("binaries/*/equations_*"))
            assert len(libraries) == (0 if beside else len(ALL))


def test_all_are_those_for_which_fmus_inside_have_binaries(tmp_path):
    system = both(tmp_path, "")
    path = system.export(tmp_path / "it.fmu", step=STEP, platforms="all")
    with zipfile.ZipFile(path) as archive:
        names = {n.split("/")[1] for n in archive.namelist() if n.startswith("binaries/")}
    assert names == {platforms.Platform.here().folders("2.0")[0]}
    with pytest.raises(dv.ExportRefused) as error:
        system.export(tmp_path / "it.fmu", step=STEP, platforms=["x86_64-windows"])
    assert "part 'fmu' has no binary for x86_64-windows; get one from its supplier" in str(error)
    with pytest.raises(dv.OptionError, match="platforms are 'all', or some of x86_64-linux"):
        system.export(tmp_path / "it.fmu", step=STEP, platforms="win64")


def test_libraries_for_other_platforms_are_made_as_those_for_this_one():
    hook = build_hook()
    known = {*platforms._FLAGS, *platforms._POSIX} - {"-s"}
    assert known == set(hook.FLAGS)
    triples = {one.triple for one in hook.TARGETS.values()}
    assert {one.triple for one in platforms.TARGETS.values()} <= triples
    assert set(platforms.UNTRIED) == {"aarch64-darwin"}
    assert (platforms.sources() / "beside" / "beside.c").is_file()
