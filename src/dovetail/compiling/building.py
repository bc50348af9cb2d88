"""From C to a library: once for each text, kept in the cache."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from ..core.errors import InputError
from ..fmi.archive.platforms import Platform
from ..xml import cache

_FLAGS = ("-std=c11", "-O2", "-shared", "-fvisibility=hidden", "-ffp-contract=off")
_LONGEST = 300.0  # seconds


def built(text: str) -> tuple[Path, str]:
    """The folder with `binaries/` and `sources/` for this text, and the name of the library."""
    here, command = Platform.here(), _compiler()
    flags = _FLAGS if here.system == "windows" else (*_FLAGS, "-fPIC")
    key = sha256(repr((str(here), command, flags, text)).encode()).hexdigest()
    name = f"equations_{key[:12]}"

    def make(folder: Path) -> None:
        source = folder / "sources" / f"{name}.c"
        target = folder / "binaries" / here.folders("2.0")[0] / f"{name}{here.suffix}"
        for path in (source, target):
            path.parent.mkdir(parents=True)
        source.write_text(text, encoding="ascii")
        _run([*command, *flags, "-o", str(target), str(source), "-lm"])

    return cache.made_once(cache.folder() / "equations" / key, make), name


def library_in(folder: Path, name: str) -> Path:
    """The library of a folder that was built here."""
    here = Platform.here()
    return folder / "binaries" / here.folders("2.0")[0] / f"{name}{here.suffix}"


def _compiler() -> tuple[str, ...]:
    """$CC, a compiler of the machine, or that of the package `ziglang`."""
    if chosen := shlex.split(os.environ.get("CC", "")):
        return tuple(chosen)
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return (found,)
    if find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    raise InputError(
        "a Python model is to be compiled, and no C compiler was found; install gcc or clang, or "
        "`pip install ziglang`, or set CC"
    )


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"the compiler {command[0]} cannot be run: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        reason = (lines or done.stderr.splitlines() or ["it said nothing"])[0]
        raise InputError(f"the compiler {command[0]} failed on a traced model: {reason}")
