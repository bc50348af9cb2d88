"""Kernels, test FMUs and their driver for other platforms, and what runs them here."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from fmus import build as fmus
from fmus.models import MODELS, table
from release.boxes import ROOT, call

import dovetail as dv
from dovetail.cli.native_plan import block_of
from dovetail.drawing.run_settings import RunSettings

MODEL = "linear"
ARM_LIBRARIES = Path("/usr/aarch64-linux-gnu")  # where Debian puts them
FMU_FLAGS = ("-std=c11", "-O3", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-w", "-s")
DRIVER_FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O3", "-ffp-contract=off", "-w", "-s")

needs_zig = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None,
    reason="there is no ziglang, which compiles for other platforms: pip install ziglang",
)
needs_arm = pytest.mark.skipif(
    shutil.which("qemu-aarch64") is None or not ARM_LIBRARIES.is_dir(),
    reason="nothing runs programs for aarch64 here: apt install qemu-user libc6-arm64-cross",
)
needs_wine = pytest.mark.skipif(
    shutil.which("wine") is None,
    reason="nothing runs programs for Windows here: apt install wine wine64",
)


def build_hook() -> ModuleType:
    """`hatch_build.py` as a module."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kernel_for(name: str, folder: Path) -> Path:
    """The kernel for a platform of `TARGETS`."""
    hook = build_hook()
    path = folder / hook.TARGETS[name].library
    assert hook.build_for(hook.TARGETS[name], ROOT / "native" / "kernel.c", path) == ""
    return path


def crossed(triple: str, suffix: str, folder: Path) -> list[Path]:
    """The driver, and the test FMU for FMI 2 and for FMI 3."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", triple]
    windows = suffix == ".dll"
    return _made(zig, folder, ".exe" if windows else "", suffix, [] if windows else ["-fPIC"])


def usual(folder: Path) -> list[Path]:
    """The same for this machine, by its own compiler."""
    return _made(["cc"], folder, "", ".so", ["-fPIC"])


def _made(
    compiler: Sequence[str], folder: Path, ending: str, suffix: str, more: Sequence[str]
) -> list[Path]:
    made = [folder / f"driver{ending}"]
    threads = ["-pthread", "-ldl", "-lm"] if more else []
    source, native = ROOT / "tests" / "release" / "driver.c", ROOT / "native"
    command = [*compiler, *DRIVER_FLAGS, f"-I{native}", "-o", made[0], source, *threads]
    call(*command, folder=folder)
    for version in (2, 3):
        model, options = MODELS[MODEL], fmus.options_of(MODEL, version)
        text = folder / f"{MODEL}{version}.c"
        text.write_text(fmus.source(model, table(model, version, options), version, options))
        made.append(folder / f"{MODEL}{version}{suffix}")
        flags = [*FMU_FLAGS, *more, f"-I{fmus.HERE}", "-o", made[-1], text]
        call(*compiler, *flags, *(["-lm"] if more else []), folder=folder)
    return made


def plans(folder: Path) -> list[Path]:
    """The plans that the driver runs, made here: they are the same for all platforms."""
    system = dv.System("couple")
    for name, version in (("two", 2), ("three", 3)):
        system.add(name, dv.load(fmus.build(MODEL, version, folder)))
    system.connect("three.y", "two.u")
    system.connect("two.y", "three.u", gain=0.5, offset=0.25)
    system.run_settings = RunSettings(stop=30.0, controller=dv.FixedStep(0.01))
    made = []
    for algorithm in (dv.Jacobi(), dv.GaussSeidel(), dv.Newton()):
        system.run_settings = RunSettings(algorithm=algorithm).over(system.run_settings)
        made.append(folder / f"{type(algorithm).__name__}.plan")
        made[-1].write_bytes(block_of(system))
    return made


def stepped(
    runner: Sequence[str | Path],
    kernel: Path,
    made: Sequence[Path],
    environment: Mapping[str, str] | None = None,
) -> list[str]:
    """What the driver prints."""
    driver, *libraries = made
    words: list[str | Path] = [*runner, driver, kernel]
    for version, library in zip((2, 3), libraries, strict=True):
        words += [library, fmus._token(MODELS[MODEL], version)]
    words += plans(driver.parent)
    done = call(*words, folder=driver.parent, environment=environment, errors=False)
    return done.stdout.splitlines()
