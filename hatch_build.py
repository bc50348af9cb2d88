"""Builds the native kernel when Dovetail is installed.

Looks for a C compiler: $CC, cc, gcc, clang, zig, or the one in the `ziglang` package. Without any,
the package installs all the same and uses its Python path.

The kernel is a plain C library that knows nothing of Python, so one wheel serves all versions of
Python. Its tag names the oldest C library that it runs with.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = {"win32": "_kernel.dll", "darwin": "_kernel.dylib"}.get(sys.platform, "_kernel.so")
FLAGS = (
    "-std=c11", "-D_GNU_SOURCE", "-O3", "-fPIC", "-shared", "-fvisibility=hidden",
    "-ffp-contract=off", "-fno-math-errno", "-pthread",
)  # fmt: skip
OLDEST_GLIBC = 17  # 2.17, of 2012: installers know no older ones on most processors


def compilers() -> list[list[str]]:
    """Command lines of C compilers worth trying, best first."""
    found = [shlex.split(os.environ["CC"])] if os.environ.get("CC") else []
    found += [[path] for name in ("cc", "gcc", "clang") if (path := shutil.which(name))]
    if importlib.util.find_spec("ziglang"):
        found.append([sys.executable, "-m", "ziglang", "cc"])
    # A build that pip isolates does not see the packages of the environment, but its programs.
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    programs = (shutil.which(name, path=beside) for name in ("zig", "python-zig"))
    return found + [[path, "cc"] for path in programs if path]


def build(source: Path, target: Path) -> str:
    """Compile the kernel; empty if that worked, else what went wrong."""
    problem = "no C compiler was found"
    # pip leads Python away from the packages of the environment, where a compiler may live
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for compiler in compilers():
        beside = target.with_name(f"{target.stem}.building{target.suffix}")
        command = [*compiler, *FLAGS, "-o", str(beside), str(source)]
        try:
            done = subprocess.run(command, env=outside, capture_output=True, text=True, check=False)
        except OSError as error:
            problem = f"{' '.join(compiler)} cannot be run: {error.strerror}"
            continue
        if done.returncode == 0:
            beside.replace(target)
            return ""
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        told = next((line for line in lines if "error" in line.lower()), lines[0])
        problem = f"{' '.join(compiler)} failed: {told}"
    return problem


def platform(kernel: Path) -> str:
    """The systems that the kernel runs on, in the language of wheels."""
    name = re.sub(r"[-.]", "_", sysconfig.get_platform())
    needed = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", kernel.read_bytes())}
    if name.startswith("linux_") and needed:
        oldest = max(needed | {OLDEST_GLIBC})
        return name.replace("linux_", f"manylinux_2_{oldest}_", 1)
    return name


class KernelHook(BuildHookInterface):  # type: ignore[misc]
    """Hatchling calls this for wheels and editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the kernel beside the package's modules."""
        root = Path(self.root)
        target = root / "src" / "dovetail" / NAME
        problem = build(root / "native" / "kernel.c", target)
        if problem:
            self.app.display_warning(
                f"the native kernel was not built ({problem}); Dovetail uses its Python path, "
                "which is slower. Install a C compiler, or `pip install ziglang`, and reinstall."
            )
            target.unlink(missing_ok=True)
            return
        build_data["tag"] = f"py3-none-{platform(target)}"
        build_data["pure_python"] = False
        build_data["artifacts"].append(f"src/dovetail/{NAME}")
