"""Which systems an export runs on, and its libraries for those that are not this one.

`ziglang`, of the extra `compiler`, compiles for all of them on any machine. Sources of the
libraries are in the package; what was made is kept in the cache.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from ..core.errors import InputError, OptionError, did_you_mean
from ..core.obstacle import Obstacle
from ..fmi.archive.platforms import Platform
from ..results.files.needs import LibraryMissing
from ..xml import cache
from .inner_part import InnerPart
from .shim import beside, shim

Library = Literal["shim", "beside"]
_FLAGS = (
    "-std=c11", "-D_GNU_SOURCE", "-O3", "-shared", "-fvisibility=hidden", "-ffp-contract=off",
    "-fno-math-errno", "-s",
)  # fmt: skip
_EQUATIONS = ("-std=c11", "-O2", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-s")
_POSIX = ("-fPIC", "-pthread")
_LINUX = (*_POSIX, "-Wl,-Bsymbolic", "-ldl")
_LONGEST = 900.0  # seconds for one library, the first time for a platform


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """A kind of machine, how zig names it, and flags that it wants."""

    platform: Platform
    triple: str
    flags: tuple[str, ...] = ()

    def place(self, version: str, identifier: str) -> str:
        """Where its library is in an FMU of this version."""
        folder = self.platform.folders(version)[0]
        return f"binaries/{folder}/{identifier}{self.platform.suffix}"


TARGETS: Mapping[str, ExportTarget] = {
    str(one.platform): one
    for one in (
        ExportTarget(Platform("x86_64", "linux"), "x86_64-linux-gnu.2.17", _LINUX),
        ExportTarget(Platform("aarch64", "linux"), "aarch64-linux-gnu.2.17", _LINUX),
        ExportTarget(Platform("x86_64", "windows"), "x86_64-windows-gnu"),
        ExportTarget(Platform("aarch64", "darwin"), "aarch64-macos.11.0", _POSIX),
    )
}
UNTRIED = ("aarch64-darwin",)  # nothing that makes or tests Dovetail runs these


@dataclass(frozen=True)
class ExportPlatforms:
    """Those of one export: this machine first, unless it was left out."""

    targets: tuple[ExportTarget, ...]
    is_all: bool = False  # as far as parts have binaries

    @staticmethod
    def of(wanted: str | Sequence[str] | None) -> ExportPlatforms:
        """What `platforms=` says; nothing: this machine."""
        here = str(Platform.here())
        if wanted is None:
            return ExportPlatforms((TARGETS.get(here, ExportTarget(Platform.here(), "")),))
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        if names == ["all"]:
            names = [here, *(name for name in TARGETS if name != here)]
            return ExportPlatforms(tuple(TARGETS[n] for n in names if n in TARGETS), is_all=True)
        for name in names:
            if name not in TARGETS:
                hint = did_you_mean(str(name), TARGETS)
                raise OptionError(
                    f"platforms are 'all', or some of {', '.join(TARGETS)}, not {name!r}.{hint}"
                )
        if not names:
            raise OptionError("an export is for one platform at least; leave platforms= out")
        return ExportPlatforms(tuple(TARGETS[n] for n in dict.fromkeys(names)))

    def for_parts(self, parts: Sequence[InnerPart]) -> tuple[ExportPlatforms, list[Obstacle]]:
        """Those for which all FMUs inside have binaries, and where one lacks it that was named."""
        kept, against = list[ExportTarget](), list[Obstacle]()
        for target in self.targets:
            lacking = [one for one in parts if not _has(one, target)]
            if not lacking:
                kept.append(target)
            elif not self.is_all:
                what = f"has no binary for {target.platform}"
                change = "get one from its supplier, or leave that platform out"
                against += [Obstacle(what, one.name, change) for one in lacking]
        return ExportPlatforms(tuple(kept)), against

    def libraries(self, which: Library, fmi: int, identifier: str) -> dict[str, bytes]:
        """The library of the export for each, by its place in the archive."""
        return {
            target.place(f"{fmi}.0", identifier): _library(which, target).read_bytes()
            for target in self.targets
        }

    def of_part(self, part: InnerPart) -> dict[str, Path]:
        """Libraries of a compiled model for platforms that are not this one."""
        if not part.is_equations:
            return {}
        others = [t for t in self.targets if t.platform != Platform.here()]
        name = part.model.interface.model_identifier
        source = part.model.archive.directory / "sources" / f"{name}.c"
        return {t.place("2.0", name): _equations(source, t) for t in others}


def _has(part: InnerPart, target: ExportTarget) -> bool:
    if part.is_equations or target.platform == Platform.here():
        return True
    found, model = target.platform, part.model
    name = f"{model.interface.model_identifier}{found.suffix}"
    folders = found.folders(model.fmu.version)
    return any((model.archive.directory / "binaries" / f / name).is_file() for f in folders)


def _library(which: Library, target: ExportTarget) -> Path:
    if target.platform == Platform.here():
        return shim() if which == "shim" else beside()
    folder = sources()
    read = sha256()
    for file in sorted(folder.rglob("*.[ch]")):
        read.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return _made(folder / which / f"{which}.c", target, _FLAGS, read.hexdigest())


def _equations(source: Path, target: ExportTarget) -> Path:
    return _made(source, target, _EQUATIONS, sha256(source.read_bytes()).hexdigest())


def sources() -> Path:
    """The C sources: in the package, or beside it where it is developed."""
    package = Path(__file__).parents[1]
    for found in (package / "native", package.parents[1] / "native"):
        if (found / "shim" / "shim.c").is_file():
            return found
    raise InputError("the C sources of exports are not in this installation; reinstall Dovetail")


def _made(source: Path, target: ExportTarget, flags: tuple[str, ...], text: str) -> Path:
    if find_spec("ziglang") is None:
        raise LibraryMissing("ziglang", "compiler", "or export for this machine alone")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target.triple]
    key = sha256(repr((target.triple, flags, target.flags, text)).encode()).hexdigest()
    name = f"{source.stem}{target.platform.suffix}"

    def make(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        more = () if target.platform.system == "windows" else ("-lm",)
        words = [*command, *flags, *target.flags, "-o", str(folder / name), str(source), *more]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=_LONGEST, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"zig cannot compile for {target.platform}: {error}") from error
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            reason = (lines or done.stderr.splitlines() or ["it said nothing"])[0]
            raise InputError(f"zig failed for {target.platform}: {reason}")

    return cache.made_once(cache.folder() / "crossed" / key, make) / name
