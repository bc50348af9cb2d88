"""Builds the native kernel when Dovetail is installed.

Looks for a C compiler: $CC, cc, gcc, clang, or the one in the `ziglang` package. Without any,
the package installs all the same and uses its Python path.
"""

from __future__ import annotations

import importlib.util
import os
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


def compilers() -> list[list[str]]:
    """Command lines of C compilers worth trying, best first."""
    found = [shlex.split(os.environ["CC"])] if os.environ.get("CC") else []
    found += [[path] for name in ("cc", "gcc", "clang") if (path := shutil.which(name))]
    if importlib.util.find_spec("ziglang"):
        found.append([sys.executable, "-m", "ziglang", "cc"])
    return found


def build(source: Path, target: Path) -> str:
    """Compile the kernel; empty if that worked, else what went wrong."""
    problem = "no C compiler was found"
    for compiler in compilers():
        beside = target.with_name(f"{target.stem}.building{target.suffix}")
        command = [*compiler, *FLAGS, "-o", str(beside), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            beside.replace(target)
            return ""
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        problem = f"{' '.join(compiler)} failed: {lines[0]}"
    return problem


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
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        build_data["artifacts"].append(f"src/dovetail/{NAME}")
