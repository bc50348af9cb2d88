"""Wheels, sdists, and empty environments to try them in."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
OTHERS = sysconfig.get_path("purelib")  # where the libraries are that Dovetail builds on


def call(
    *command: str | Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    errors: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed; what it said, both streams as one, or without `errors`."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors else subprocess.PIPE,
        text=True,
        timeout=600,
        check=False,
    )
    told = f"{done.stdout}{done.stderr or ''}"
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{told}"
    return done


def bare(folder: Path, *places: Path) -> dict[str, str]:
    """An environment with a home of its own and nothing else on the path."""
    return {"HOME": str(folder), "PATH": os.pathsep.join(map(str, places)), "LANG": "C.UTF-8"}


def build(
    source: Path, into: Path, *which: str, environment: Mapping[str, str] | None = None
) -> str:
    """`python -m build`, with the tools that are here; what it said."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", into, *which, source]
    return call(*command, folder=into.parent, environment=environment).stdout


def environment_with(wheel: Path, folder: Path) -> Path:
    """An environment with Dovetail from this wheel; where its programs are.

    The libraries it builds on are those of the environment that runs the tests: installing them
    anew takes half a minute and proves nothing about the wheel. Dovetail itself is not among them:
    the line that leads to this checkout is not followed from there.
    """
    programs = _with_wheel(wheel, folder)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(f"{OTHERS}\n")
    return programs


def _with_wheel(wheel: Path, folder: Path) -> Path:
    call(sys.executable, "-m", "venv", "--without-pip", folder, folder=folder.parent)
    programs = folder / "bin"
    options = ["--no-deps", "--no-index", "--quiet", "--no-compile", "--no-warn-script-location"]
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "install", *options]
    call(*pip, wheel, folder=folder.parent)
    return programs


def core_environment(wheel: Path, folder: Path, extra: str = "") -> tuple[Path, dict[str, int]]:
    """An environment with this wheel and what it requires, with one extra or none: nothing else.

    Where its programs are, and the bytes of each package in it, without byte code. The libraries
    are links into the environment that runs the tests.
    """
    programs = _with_wheel(wheel, folder)
    [packages] = folder.glob("lib/python*/site-packages")
    sizes = {"dovetail": _size(packages / "dovetail")}
    waiting = [(text, extra) for text in metadata(wheel).get_all("Requires-Dist", [])]
    while waiting:
        text, asked = waiting.pop()
        wanted = Requirement(text)
        name = canonicalize_name(wanted.name)
        if name in sizes or not (wanted.marker is None or wanted.marker.evaluate({"extra": asked})):
            continue
        found = distribution(name)
        tops = {path.parts[0] for path in found.files or ()} - {"..", "__pycache__"}
        for top in tops:
            (packages / top).symlink_to(Path(str(found.locate_file(top))))
        sizes[name] = sum(_size(packages / top) for top in tops)
        waiting += [(text, "") for text in found.requires or []]
    return programs, sizes


def _size(place: Path) -> int:
    files = place.rglob("*") if place.is_dir() else [place]
    return sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc")


def metadata(wheel: Path) -> Message:
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())
