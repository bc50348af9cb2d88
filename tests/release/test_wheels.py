"""Wheels for platforms that are not this one: what they hold, whether their names are true.

A driver in C steps two test FMUs through the kernel of each, where something here can run it. What
it prints is compared with this machine's, to the last bit: the kernel and the FMUs add, multiply
and divide in one order only, and nothing is contracted.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from release.binaries import Binary, read
from release.boxes import ROOT, bare, call, environment_with
from release.crossing import (
    ARM_LIBRARIES,
    build_hook,
    crossed,
    kernel_for,
    needs_arm,
    needs_wine,
    needs_zig,
    stepped,
    usual,
)

import dovetail as dv
from dovetail.fmi.kernel import SIGNATURES

TRACED = {f"dt_traced_{name}" for name in ("at", "in", "rates", "set", "get")}  # by their address
FUNCTIONS = {*SIGNATURES, "dt_logger1", "dt_logger2", "dt_logger3", *TRACED}
VERSION = dv.__version__
EPOCH = "1700000000"
LOOK = """
from dovetail.fmi.kernel import kernel
print("compiled" if kernel() else "python")
"""


def packaged(into: Path, *names: str) -> str:
    """What `release/package.py` says while it makes these."""
    command = [sys.executable, ROOT / "release" / "package.py", *names, "--into", into]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    return call(*command, folder=into.parent, environment=environment).stdout


def kernel_in(wheel: Path, folder: Path) -> Binary:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.startswith("dovetail/_kernel")]
        return read(Path(archive.extract(name, folder / wheel.stem)))


def contents(wheel: Path) -> dict[str, bytes]:
    """Everything in it, but the kernel, the libraries of exports, and what names them."""
    with zipfile.ZipFile(wheel) as archive:
        libraries = ("dovetail/_kernel", "dovetail/_shim", "dovetail/_beside")
        names = [n for n in archive.namelist() if not n.startswith(libraries)]
        names = [n for n in names if not n.endswith(("/WHEEL", "/RECORD"))]
        return {name: archive.read(name) for name in names}


@needs_zig
def test_wheels_for_linux_are_equal_but_for_the_kernel_and_their_names_are_true(tmp_path):
    dist = tmp_path / "dist"
    said = packaged(dist, "linux_x86_64", "linux_aarch64")
    assert re.search(r"^3 files in \d+ s$", said, re.M)
    wheels = {m: dist / f"{_stem()}-manylinux_2_17_{m}.whl" for m in ("x86_64", "aarch64")}
    assert {*dist.iterdir()} == {*wheels.values(), dist / f"dovetail-{VERSION}.tar.gz"}
    for machine, wheel in wheels.items():
        kernel = kernel_in(wheel, tmp_path)
        assert (kernel.system, kernel.machine) == ("linux", machine)
        assert kernel.exports == FUNCTIONS
        assert max(kernel.glibc) <= (2, 17)
        assert kernel.needs <= {"libc.so.6", "libm.so.6", "libpthread.so.0"}
    assert contents(wheels["x86_64"]) == contents(wheels["aarch64"])
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        programs = environment_with(wheels["x86_64"], tmp_path / "empty")
        elsewhere = bare(tmp_path, programs)
        seen = call(programs / "python", "-c", LOOK, folder=tmp_path, environment=elsewhere)
        assert seen.stdout.split() == ["compiled"]
        [kernel] = (tmp_path / wheels["x86_64"].stem).rglob("_kernel.so")
        made = tmp_path / "here" / "driver", *(tmp_path / "here" / f"linear{v}.so" for v in (2, 3))
        assert _here(tmp_path) == stepped([], kernel, made)  # by another compiler
    packaged(tmp_path / "again", "linux_x86_64")
    for path in (tmp_path / "again").iterdir():
        assert path.read_bytes() == (dist / path.name).read_bytes(), path.name


def test_a_platform_that_is_not_known_is_refused_with_those_that_are():
    done = subprocess.run(
        [sys.executable, ROOT / "release" / "package.py", "amiga"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "there is no platform 'amiga'; there are linux_x86_64, linux_aarch64" in done.stderr


def test_an_experimental_wheel_says_so_in_its_name_and_inside(tmp_path, monkeypatch):
    """By itself, since compiling for Windows takes a minute where it was never done."""
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    import package

    info = f"dovetail-{VERSION}.dist-info"
    about = b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-win_amd64\n"
    plain = tmp_path / f"{_stem()}-win_amd64.whl"
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("dovetail/__init__.py", b"")
        archive.writestr(f"{info}/METADATA", f"Name: dovetail\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", about)
        archive.writestr(f"{info}/RECORD", package._line(info, about) + b"\n")
    wheel = package.tagged(plain, package.BUILD_TAG)
    assert wheel.name == f"dovetail-{VERSION}-0experimental-py3-none-win_amd64.whl"
    assert not plain.exists()
    with zipfile.ZipFile(wheel) as archive:
        after = archive.read(f"{info}/WHEEL")
        assert b"\nBuild: 0experimental\nTag: py3-none-win_amd64\n" in after
        assert archive.read(f"{info}/RECORD") == package._line(info, after) + b"\n"
    elsewhere = [
        "--platform",
        "win_amd64",
        "--only-binary",
        ":all:",
        "--target",
        tmp_path / "there",
    ]
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
    call(*pip, *elsewhere, wheel, folder=tmp_path)  # an installer takes it
    assert (tmp_path / "there" / info / "WHEEL").read_bytes() == after


def test_what_is_experimental_is_what_nobody_has_run():
    targets = build_hook().TARGETS
    assert [name for name, one in targets.items() if not one.is_experimental] == [
        "linux_x86_64",
        "linux_aarch64",
    ]
    assert {one.library for one in targets.values()} == {
        "_kernel.so",
        "_kernel.dll",
        "_kernel.dylib",
    }


@needs_zig
@needs_arm
def test_the_kernel_for_aarch64_steps_fmus_to_the_same_bits(tmp_path):
    triple = build_hook().TARGETS["linux_aarch64"].triple
    kernel, made = kernel_for("linux_aarch64", tmp_path), crossed(triple, ".so", tmp_path)
    printed = stepped(["qemu-aarch64", "-L", ARM_LIBRARIES], kernel, made)
    assert printed == _here(tmp_path)


@pytest.mark.platforms
@needs_zig
@needs_wine
def test_the_kernel_for_windows_steps_fmus_to_the_same_bits_under_wine(tmp_path):
    triple = build_hook().TARGETS["win_amd64"].triple
    kernel, made = kernel_for("win_amd64", tmp_path), crossed(triple, ".dll", tmp_path)
    seen = read(kernel)
    assert (seen.system, seen.machine, seen.exports) == ("windows", "x86_64", FUNCTIONS)
    assert {n for n in seen.needs if not n.startswith("api-ms-win-crt-")} == {"kernel32.dll"}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as prefix:  # 700 MB
        quiet = {"WINEPREFIX": prefix, "WINEDEBUG": "-all", "DISPLAY": ""}
        quiet |= {"WINEDLLOVERRIDES": "mscoree=;mshtml=;winemenubuilder.exe="}
        printed = stepped(["wine"], kernel, made, {**os.environ, **quiet})
    assert printed == _here(tmp_path)


@pytest.mark.platforms
@needs_zig
@pytest.mark.parametrize(
    ("name", "machine"), [("macosx_x86_64", "x86_64"), ("macosx_arm64", "aarch64")]
)
def test_the_kernels_for_macos_are_what_their_names_say(name, machine, tmp_path):
    """Nothing here can run them."""
    seen = read(kernel_for(name, tmp_path))
    assert (seen.system, seen.machine) == ("darwin", machine)
    assert seen.exports >= FUNCTIONS
    assert seen.needs == {"/usr/lib/libSystem.B.dylib"}
    assert seen.facts["name"] == "@rpath/_kernel.dylib"
    oldest = re.fullmatch(r"macosx_(\d+)_(\d+)_\w+", build_hook().TARGETS[name].tag)
    assert oldest and seen.facts["oldest"] == (int(oldest[1]), int(oldest[2]))
    assert machine != "aarch64" or seen.facts["signed"]  # without, it would not be loaded


def _stem() -> str:
    return f"dovetail-{VERSION}-py3-none"


def _here(folder: Path) -> list[str]:
    """What the driver prints on this machine, with the kernel that is installed here."""
    own = folder / "here"
    own.mkdir()
    printed = stepped([], Path(dv.__file__).parent / "_kernel.so", usual(own))
    assert len(printed) > 100
    assert printed[-2:] == ["1\tall\t7 of nine,  2.50, 100% sure", "1\tall\tfrom nowhere: %s"]
    return printed
