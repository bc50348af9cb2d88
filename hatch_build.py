"""Builds the native kernel when Dovetail is installed, and brings in the script of its pages.

Looks for a C compiler: $CC, cc, gcc, clang, zig, or the one in the `ziglang` package. Without any,
the package installs all the same and uses its Python path.

The script that draws interactive plots is uPlot, in the version that `web/package-lock.json` pins
by its hash. `npm ci` fetches it, unless it is there already, as in an sdist. Without npm the
package installs all the same and draws to .png, .svg and .pdf only.

The kernel is a plain C library that knows nothing of Python, so one wheel serves all versions of
Python. Its tag names the oldest C library that it runs with.

`DOVETAIL_TARGET=linux_aarch64`, or another name of `TARGETS`, makes the wheel for that platform
with the `ziglang` package, whatever this machine is; `make package` does that for all of them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = {"win32": "_kernel.dll", "darwin": "_kernel.dylib"}.get(sys.platform, "_kernel.so")
FLAGS = (
    "-std=c11", "-D_GNU_SOURCE", "-O3", "-fPIC", "-shared", "-fvisibility=hidden",
    "-ffp-contract=off", "-fno-math-errno", "-pthread",
)  # fmt: skip
PAGES = Path("src", "dovetail", "results", "pictures", "web")  # where the script belongs
SCRIPT = ("dist/uPlot.iife.min.js", "dist/uPlot.min.css", "LICENSE", "package.json")
OLDEST_GLIBC = 17  # 2.17, of 2012: installers know no older ones on most processors


class Target(NamedTuple):
    """A platform that wheels are made for from any machine: how zig and installers name it."""

    triple: str
    tag: str
    library: str = "_kernel.so"
    without: tuple[str, ...] = ()  # of FLAGS
    besides: tuple[str, ...] = ()
    is_experimental: bool = True  # nobody has run it there


MACOS = ("_kernel.dylib", (), ("-install_name", "@rpath/_kernel.dylib"))
TARGETS = {
    "linux_x86_64": Target("x86_64-linux-gnu.2.17", "linux_x86_64", is_experimental=False),
    "linux_aarch64": Target("aarch64-linux-gnu.2.17", "linux_aarch64", is_experimental=False),
    "win_amd64": Target("x86_64-windows-gnu", "win_amd64", "_kernel.dll", ("-fPIC", "-pthread")),
    "macosx_x86_64": Target("x86_64-macos.11.0", "macosx_11_0_x86_64", *MACOS),
    "macosx_arm64": Target("aarch64-macos.11.0", "macosx_11_0_arm64", *MACOS),
}


def compilers() -> list[list[str]]:
    """Command lines of C compilers worth trying, best first."""
    found = [shlex.split(os.environ["CC"])] if os.environ.get("CC") else []
    found += [[path] for name in ("cc", "gcc", "clang") if (path := shutil.which(name))]
    return found + zig()


def zig() -> list[list[str]]:
    """Command lines of zig as a C compiler, which compiles for other platforms too."""
    found = []
    if importlib.util.find_spec("ziglang"):
        found.append([sys.executable, "-m", "ziglang", "cc"])
    # A build that pip isolates does not see the packages of the environment, but its programs.
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    programs = (shutil.which(name, path=beside) for name in ("zig", "python-zig"))
    return found + [[path, "cc"] for path in programs if path]


def build(source: Path, target: Path) -> str:
    """Compile the kernel; empty if that worked, else what went wrong."""
    unknown = TARGETS["win_amd64"].without if sys.platform == "win32" else ()
    return compiled(source, target, compilers(), [flag for flag in FLAGS if flag not in unknown])


def build_for(wanted: Target, source: Path, target: Path) -> str:
    """Compile the kernel for a platform; empty if that worked, else what went wrong.

    `-s` leaves out what debuggers want, and with it the paths of this machine.
    """
    known = [flag for flag in FLAGS if flag not in wanted.without]
    flags = ["-target", wanted.triple, *known, *wanted.besides, "-s"]
    found = zig()
    return compiled(source, target, found, flags) if found else "zig was not found"


def compiled(source: Path, target: Path, tried: list[list[str]], flags: list[str]) -> str:
    """Compile with the first compiler that can; empty if one could, else what went wrong."""
    problem = "no C compiler was found"
    # pip leads Python away from the packages of the environment, where a compiler may live
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for compiler in tried:
        beside = target.with_name(f"{target.stem}.building{target.suffix}")
        command = [*compiler, *flags, "-o", str(beside), str(source)]
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


def platform(kernel: Path, name: str = "") -> str:
    """The systems that the kernel runs on, in the language of wheels; `name` is another one."""
    name = name or re.sub(r"[-.]", "_", sysconfig.get_platform())
    needed = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", kernel.read_bytes())}
    if name.startswith("linux_") and needed:
        oldest = max(needed | {OLDEST_GLIBC})
        return name.replace("linux_", f"manylinux_2_{oldest}_", 1)
    return name


def fetch(source: Path, target: Path) -> str:
    """Bring uPlot into the package; empty if it is there, else what went wrong."""
    wanted = ("package.json", "package-lock.json")
    if _version_in(target / "package.json") == _pinned(source / "package-lock.json"):
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm was not found"
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]
    options += ["--fetch-retries=1", "--fetch-timeout=30000", "--loglevel=error"]
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            shutil.copy(source / name, folder)
        try:
            done = subprocess.run(
                [npm, "ci", *options], cwd=folder, capture_output=True, text=True, timeout=180,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"npm cannot be run: {error}"
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
            return f"npm failed: {(lines or ['it said nothing'])[0]}"
        target.mkdir(parents=True, exist_ok=True)
        for name in SCRIPT:  # package.json last: with it all is there
            shutil.copy(Path(folder, "node_modules", "uplot", name), target)
    return ""


def _version_in(path: Path) -> str | None:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError):
        return None


def _pinned(path: Path) -> str:
    packages = json.loads(path.read_text(encoding="utf-8"))["packages"]
    return str(packages["node_modules/uplot"]["version"])


class KernelHook(BuildHookInterface):  # type: ignore[misc]
    """Hatchling calls this for wheels, editable installs and sdists."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the kernel and the script of the pages where the package looks for them."""
        self._pages(build_data)
        if self.target_name != "sdist":
            self._kernel(build_data)

    def _pages(self, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        problem = fetch(root / "web", root / PAGES)
        if problem:
            self.app.display_warning(
                f"uPlot was not brought in ({problem}); plots become .png, .svg and .pdf files, "
                "but no HTML pages. Install Node.js with npm, and reinstall."
            )
            return
        build_data["artifacts"].append(f"{PAGES.as_posix()}/*")

    def _kernel(self, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        target = root / "src" / "dovetail" / NAME
        if asked := os.environ.get("DOVETAIL_TARGET"):
            return self._for_another_platform(asked, root / "native" / "kernel.c", build_data)
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

    def _for_another_platform(self, asked: str, source: Path, build_data: dict[str, Any]) -> None:
        """Put a kernel for another platform into the wheel, and leave the one of this machine."""
        wanted = TARGETS.get(asked)
        if wanted is None:
            names = ", ".join(TARGETS)
            raise ValueError(f"DOVETAIL_TARGET is '{asked}', which is none of {names}")
        self._kept = tempfile.TemporaryDirectory()  # until the wheel is written
        target = Path(self._kept.name, wanted.library)
        problem = build_for(wanted, source, target)
        if problem:
            raise RuntimeError(
                f"the native kernel for {asked} was not built ({problem}); "
                "`pip install ziglang` brings a compiler for all platforms"
            )
        build_data["tag"] = f"py3-none-{platform(target, wanted.tag)}"
        build_data["pure_python"] = False
        build_data["force_include"][str(target)] = f"dovetail/{wanted.library}"
