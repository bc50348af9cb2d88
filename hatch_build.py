"""Builds the native kernel when Dovetail is installed, and brings in the script of its pages.

Beside it the shim, the library that every exported system is run by, and the one of Python models
that run beside their importer.

Looks for a C compiler: $CC, cc, gcc, clang, zig, or the one in the `ziglang` package. Without any,
the package installs all the same and uses its Python path.

The script that draws interactive plots is uPlot, in the version that `web/package-lock.json` pins
by its hash. `npm ci` fetches it, unless it is there already, as in an sdist. Without npm the
package installs all the same and draws to .png, .svg and .pdf only.

The page of `dovetail studio` is built from `web/studio` with Vite, all of whose packages are
pinned in the lock file there. It is built in `build/studio`, again only when its sources have
changed; an sdist holds what was built. Without npm the package installs without that page.

The kernel is a plain C library that knows nothing of Python, so one wheel serves all versions of
Python. Its tag names the oldest C library that it runs with.

`DOVETAIL_TARGET=linux_aarch64`, or another name of `TARGETS`, makes the wheel for that platform
with the `ziglang` package, whatever this machine is; `make package` does that for all of them.
"""

from __future__ import annotations

import hashlib
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
STUDIO = Path("src", "dovetail", "studio", "page")  # where the page of the studio belongs
MADE_FROM = "made-from.txt"  # in it: a hash of its sources
QUIET = (
    "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--fetch-retries=1",
    "--fetch-timeout=30000", "--loglevel=error",
)  # fmt: skip
SCRIPT = ("dist/uPlot.iife.min.js", "dist/uPlot.min.css", "LICENSE", "package.json")
SHIM, BESIDE = NAME.replace("_kernel", "_shim"), NAME.replace("_kernel", "_beside")
SHIM_FLAGS = ("-Wl,-Bsymbolic", "-ldl") if sys.platform.startswith("linux") else ()
OLDEST_GLIBC = 17  # 2.17, of 2012: installers know no older ones on most processors


class Target(NamedTuple):
    """A platform that wheels are made for from any machine: how zig and installers name it."""

    triple: str
    tag: str
    library: str = "_kernel.so"
    without: tuple[str, ...] = ()  # of FLAGS
    besides: tuple[str, ...] = ()
    is_experimental: bool = True  # nobody has run it there

    @property
    def shim(self) -> str:
        """The library of exported systems."""
        return self.library.replace("_kernel", "_shim")

    @property
    def beside(self) -> str:
        """The library of exported Python models that run beside their importer."""
        return self.library.replace("_kernel", "_beside")

    @property
    def shim_flags(self) -> tuple[str, ...]:
        """What it takes besides."""
        return self._flags_of("_shim")

    @property
    def beside_flags(self) -> tuple[str, ...]:
        """The same of the other one."""
        return self._flags_of("_beside")

    def _flags_of(self, name: str) -> tuple[str, ...]:
        names = tuple(flag.replace("_kernel", name) for flag in self.besides)
        return (*names, "-Wl,-Bsymbolic", "-ldl") if "linux" in self.triple else names


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


def build(source: Path, target: Path, besides: tuple[str, ...] = ()) -> str:
    """Compile the kernel or the shim; empty if that worked, else what went wrong."""
    unknown = TARGETS["win_amd64"].without if sys.platform == "win32" else ()
    flags = [flag for flag in FLAGS if flag not in unknown]
    return compiled(source, target, compilers(), [*flags, *besides])


def build_for(
    wanted: Target, source: Path, target: Path, besides: tuple[str, ...] | None = None
) -> str:
    """Compile for a platform; empty if that worked, else what went wrong.

    `-s` leaves out what debuggers want, and with it the paths of this machine.
    """
    known = [flag for flag in FLAGS if flag not in wanted.without]
    more = wanted.besides if besides is None else besides
    flags = ["-target", wanted.triple, *known, *more, "-s"]
    found = zig()
    return compiled(source, target, found, flags) if found else "zig was not found"


def compiled(source: Path, target: Path, tried: list[list[str]], flags: list[str]) -> str:
    """Compile with the first compiler that can; empty if one could, else what went wrong."""
    problem = "no C compiler was found"
    # pip leads Python away from the packages of the environment, where a compiler may live
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for compiler in tried:
        beside = target.with_name(f"{target.stem}.building{target.suffix}")
        command = [*compiler, *flags, "-o", str(beside), str(source), "-lm"]
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


def platform(kernel: Path, name: str = "", *others: Path) -> str:
    """The systems that the kernel runs on, in the language of wheels; `name` is another one."""
    name = name or re.sub(r"[-.]", "_", sysconfig.get_platform())
    read = b"".join(library.read_bytes() for library in (kernel, *others))
    needed = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", read)}
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
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            shutil.copy(source / name, folder)
        try:
            done = subprocess.run(
                [npm, "ci", *QUIET], cwd=folder, capture_output=True, text=True, timeout=180,
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


def build_page(source: Path, bench: Path, target: Path) -> str:
    """Build the page of the studio into the package; empty if it is there, else what went wrong.

    `bench` is a folder to build in, which keeps what npm brought for the next time.
    """
    made_from = sources_of(source)
    try:
        if (target / MADE_FROM).read_text(encoding="utf-8").strip() == made_from:
            return ""
    except OSError:
        pass
    npm = shutil.which("npm")
    if npm is None:
        return "npm was not found"
    bring(source, bench)
    site = bench / "site"
    for words in (
        [npm, "ci", "--omit=dev", *QUIET],
        ["node", "node_modules/vite/bin/vite.js", "build", "--outDir", str(site), "--emptyOutDir"],
    ):
        is_there = words[1] == "ci" and lock_of(bench) == lock_of(bench / "node_modules")
        problem = "" if is_there else ran(words, bench)
        if problem:
            return problem
    (bench / "node_modules" / "lock.txt").write_text(lock_of(bench), encoding="utf-8")
    (site / "licences.txt").write_text(licences(bench), encoding="utf-8")
    (site / MADE_FROM).write_text(made_from + "\n", encoding="utf-8")  # last: with it all is there
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(site, target)
    return ""


def sources_of(source: Path) -> str:
    """A hash of all that the page is built from."""
    found = hashlib.sha256()
    for path in page_files(source):
        if path.parts[0] != "test":
            found.update(path.as_posix().encode() + b"\0" + (source / path).read_bytes() + b"\0")
    return found.hexdigest()


def page_files(source: Path) -> list[Path]:
    """The files of the page's sources, without what npm brings."""
    every = (p.relative_to(source) for p in source.rglob("*") if p.is_file())
    return sorted(p for p in every if not {"node_modules", "dist"} & set(p.parts))


def bring(source: Path, bench: Path) -> None:
    """The sources of the page, and only they, in the folder that it is built in."""
    bench.mkdir(parents=True, exist_ok=True)
    for old in ("src", "test"):
        shutil.rmtree(bench / old, ignore_errors=True)
    for path in page_files(source):
        (bench / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / path, bench / path)


def lock_of(folder: Path) -> str:
    """A hash of the lock file, or the one that was noted when its packages were brought."""
    try:
        if folder.name == "node_modules":
            return (folder / "lock.txt").read_text(encoding="utf-8")
        return hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    except OSError:
        return ""


def ran(words: list[str], folder: Path) -> str:
    """Run a command; empty if that worked, else what it said."""
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{Path(words[0]).name} cannot be run: {error}"
    if done.returncode == 0:
        return ""
    lines = [x for x in (done.stderr + done.stdout).splitlines() if "error" in x.lower()]
    return f"{Path(words[0]).name} failed: {(lines or ['it said nothing'])[0]}"


def licences(bench: Path) -> str:
    """The licences of all packages that are part of the page."""
    packages = json.loads((bench / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    found = []
    for place in _bundled(packages):
        texts = sorted((bench / place).glob("[Ll][Ii][Cc][Ee][Nn][SsCc][Ee]*"))
        text = texts[0].read_text(encoding="utf-8") if texts else packages[place]["license"]
        name = place.removeprefix("node_modules/")
        found.append(f"{name} {packages[place]['version']}\n\n{text.strip()}\n")
    return f"\n{'-' * 72}\n\n".join(found)


def _bundled(packages: dict[str, Any]) -> list[str]:
    """Where the packages lie that the page needs when it runs: all but Vite and what it needs."""
    wanted = [n for n in packages[""]["dependencies"] if n != "vite"]
    found = list[str]()
    while wanted:
        place = f"node_modules/{wanted.pop()}"
        if place in packages and place not in found:
            found.append(place)
            wanted += packages[place].get("dependencies", {})
            wanted += packages[place].get("peerDependencies", {})
    return sorted(p for p in found if not p.startswith("node_modules/@types/"))


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
            if version == "standard":  # what exports for other platforms are compiled from
                build_data["force_include"][str(Path(self.root, "native"))] = "dovetail/native"

    def _pages(self, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        problem = fetch(root / "web", root / PAGES)
        if problem:
            self.app.display_warning(
                f"uPlot was not brought in ({problem}); plots become .png, .svg and .pdf files, "
                "but no HTML pages. Install Node.js with npm, and reinstall."
            )
        else:
            build_data["artifacts"].append(f"{PAGES.as_posix()}/*")
        problem = build_page(root / "web" / "studio", root / "build" / "studio", root / STUDIO)
        if problem:
            self.app.display_warning(
                f"the page of the studio was not built ({problem}); `dovetail studio` is not "
                "there, and all else is. Install Node.js 20.19 or newer with npm, and reinstall."
            )
        else:
            build_data["artifacts"].append(f"{STUDIO.as_posix()}/**")

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
            target.with_name(SHIM).unlink(missing_ok=True)
            target.with_name(BESIDE).unlink(missing_ok=True)
            return
        shim, beside = target.with_name(SHIM), target.with_name(BESIDE)
        for library, source, what in (
            (shim, "shim/shim.c", "systems"),
            (beside, "beside/beside.c", "Python models that run beside their importer"),
        ):
            problem = build(root / "native" / source, library, SHIM_FLAGS)
            if problem:
                self.app.display_warning(
                    f"a library of exports was not built ({problem}): {what} cannot be exported "
                    "as FMUs."
                )
                library.unlink(missing_ok=True)
        found = [library for library in (target, shim, beside) if library.exists()]
        build_data["tag"] = f"py3-none-{platform(target, '', *found)}"
        build_data["pure_python"] = False
        build_data["artifacts"] += [f"src/dovetail/{library.name}" for library in found]

    def _for_another_platform(self, asked: str, source: Path, build_data: dict[str, Any]) -> None:
        """Put a kernel for another platform into the wheel, and leave the one of this machine."""
        wanted = TARGETS.get(asked)
        if wanted is None:
            names = ", ".join(TARGETS)
            raise ValueError(f"DOVETAIL_TARGET is '{asked}', which is none of {names}")
        self._kept = tempfile.TemporaryDirectory()  # until the wheel is written
        target = Path(self._kept.name, wanted.library)
        shim, beside = target.with_name(wanted.shim), target.with_name(wanted.beside)
        problem = (
            build_for(wanted, source, target)
            or build_for(wanted, source.parent / "shim" / "shim.c", shim, wanted.shim_flags)
            or build_for(wanted, source.parent / "beside" / "beside.c", beside, wanted.beside_flags)
        )
        if problem:
            raise RuntimeError(
                f"the native kernel for {asked} was not built ({problem}); "
                "`pip install ziglang` brings a compiler for all platforms"
            )
        build_data["tag"] = f"py3-none-{platform(target, wanted.tag, shim, beside)}"
        build_data["pure_python"] = False
        build_data["force_include"][str(target)] = f"dovetail/{wanted.library}"
        for library in (shim, beside):
            build_data["force_include"][str(library)] = f"dovetail/{library.name}"
