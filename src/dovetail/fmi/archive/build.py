"""Making the binary of an FMU from its sources, with the compiler of this machine."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from ...core.errors import FileError
from ...xml import cache
from ..description.fmu import FmuDescription
from ..description.interface import FmuInterface
from . import headers
from .archive import Archive, Binary
from .platforms import Platform
from .recipe import FileSet, Recipe, SourceMissing, recipe

LONGEST = 600.0  # seconds for one file
_COMPILERS = {"C": ("CC", "cc", "gcc", "clang"), "C++": ("CXX", "c++", "g++", "clang++")}
_ZIG = {"C": "cc", "C++": "c++"}
_LANGUAGE = re.compile(r"C(\+\+)?(\d\d)", re.IGNORECASE)
_FLAGS = ("-O2", "-fPIC", "-w")
_USUAL = ("-lm", "-ldl", "-lpthread") if sys.platform == "linux" else ("-lm",)
_PLAIN_NAMES = (  # functions without the model identifier in front; old headers know only the last
    "-DFMI2_OVERRIDE_FUNCTION_PREFIX",
    "-DFMI3_OVERRIDE_FUNCTION_PREFIX",
    "-DFMI2_FUNCTION_PREFIX=",
)


def built(archive: Archive, fmu: FmuDescription, interface: FmuInterface) -> Binary:
    """The shared library, compiled now or earlier; its note says so."""
    work = _planned(archive, fmu, interface)
    name = f"{interface.model_identifier}{Platform.here().suffix}"

    def make(folder: Path) -> None:
        objects = [
            _compiled(archive, work.compilers[one.language_of(file)], one, file, folder)
            for one in work.plan.sets
            for file in one.files
        ]
        command = [*work.linker, *_linking(), *map(str, objects), *_libraries(work.plan)]
        _run(archive, [*command, *_USUAL, "-o", str(folder / name)], folder)
        for one in objects:
            one.unlink()

    key = _key(archive, work.plan, work.compilers.values())
    folder = cache.made_once(cache.folder() / "built" / key, make)
    return Binary(folder / name, f"it {work.note}")


def announced(archive: Archive, fmu: FmuDescription, interface: FmuInterface) -> str:
    """What is to be said about an FMU that must be compiled; nothing if that cannot be done."""
    try:
        return _planned(archive, fmu, interface).note
    except FileError:
        return ""  # it is reported when it is tried


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be compiled, and with what."""

    plan: Recipe
    compilers: Mapping[str, tuple[str, ...]]

    @property
    def linker(self) -> tuple[str, ...]:
        return self.compilers.get("C++") or self.compilers["C"]

    @property
    def note(self) -> str:
        here = Platform.here()
        text = f"is compiled from its sources with {' '.join(self.linker)}, as it has no binary"
        left = self.plan.ignored
        out = f"; these compiler options were left out: {' '.join(left)}" if left else ""
        return f"{text} for {here}{out}"


def _planned(archive: Archive, fmu: FmuDescription, interface: FmuInterface) -> _Work:
    if fmu.version == "1.0":
        besides = "and FMI 1 does not say how to make one"
        raise archive.no_binary(interface.model_identifier, fmu.version, besides)
    try:
        plan = recipe(archive, fmu, interface)
    except SourceMissing as error:
        besides = f"and cannot be compiled: {error.what}"
        raise archive.no_binary(interface.model_identifier, fmu.version, besides) from error
    languages = {one.language_of(file) for one in plan.sets for file in one.files}
    compilers = {language: _compiler(archive, language) for language in sorted(languages)}
    return _Work(plan, compilers)


def _compiler(archive: Archive, language: str) -> tuple[str, ...]:
    """The command of a compiler: the one that is set, one of the machine, or that of `ziglang`."""
    variable, *usual = _COMPILERS[language]
    chosen = shlex.split(os.environ.get(variable, ""))
    if chosen:
        if shutil.which(chosen[0]) is None:
            what = f"the compiler '{chosen[0]}' of {variable} is not there"
            raise FileError(archive.source, what, f"set {variable} to one that is")
        return tuple(chosen)
    for name in usual:
        found = shutil.which(name)
        if found is not None:
            return (found,)
    if find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", _ZIG[language])
    what = f"it must be compiled, and no {language} compiler was found"
    raise FileError(archive.source, what, f"install gcc or clang, or set {variable}")


def _compiled(
    archive: Archive, compiler: Sequence[str], one: FileSet, file: Path, folder: Path
) -> Path:
    """The object file of a source file."""
    target = folder / f"{sha256(os.fsencode(file)).hexdigest()[:16]}.o"
    sources = archive.directory / "sources"
    arguments = [*_FLAGS, *_standard(one, file), *one.options, *_PLAIN_NAMES]
    arguments += [f"-D{name}" if v is None else f"-D{name}={v}" for name, v in one.definitions]
    arguments += [f"-I{place}" for place in (*one.include, sources)]
    arguments += ["-idirafter", str(headers.folder()), "-c", str(file), "-o", str(target)]
    _run(archive, [*compiler, *arguments], sources)
    return target


def _standard(one: FileSet, file: Path) -> tuple[str, ...]:
    """The language asked for, with what is usual on this system besides."""
    found = _LANGUAGE.fullmatch(one.language.strip())
    if found is None or bool(found[1]) != (one.language_of(file) == "C++"):
        return ()
    return (f"-std=gnu{found[1] or ''}{found[2]}",)


def _linking() -> tuple[str, ...]:
    """How a library is linked: its own functions come first, and none is missing."""
    strict = ("-Wl,-Bsymbolic", "-Wl,--no-undefined") if sys.platform == "linux" else ()
    return ("-shared", "-fPIC", *strict)


def _libraries(plan: Recipe) -> list[str]:
    return [f"-l{one}" if isinstance(one, str) else str(one) for one in plan.libraries]


def _run(archive: Archive, command: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        what = f"compiling it took longer than {LONGEST:g} s"
        raise FileError(archive.source, what, "ask for a binary for this machine") from error
    except OSError as error:
        what = f"the compiler '{command[0]}' cannot be run: {error.strerror or error}"
        raise FileError(archive.source, what, "set CC to another one") from error
    if done.returncode != 0:
        failed = f"its sources cannot be compiled: {_first_error(done.stderr, archive)}"
        what = f"{archive.elsewhere()}, and {failed}"
        raise FileError(archive.source, what, "ask for a binary for this machine")


def _first_error(output: bytes, archive: Archive) -> str:
    """The line that matters, with short paths."""
    lines = output.decode(errors="replace").replace(f"{archive.directory}{os.sep}", "").splitlines()
    reported = [line.strip() for line in lines if line.strip() and "ld returned" not in line]
    for sign in ("error:", "undefined", "cannot find"):
        for line in reported:
            if sign in line:
                return line[:300]
    return reported[0][:300] if reported else "the compiler does not say why"


def _key(archive: Archive, plan: Recipe, compilers: Iterable[Sequence[str]]) -> str:
    """A name for the result that changes with all it is made from."""
    found = sha256(repr((str(Platform.here()), _FLAGS, _PLAIN_NAMES, _linking(), plan)).encode())
    for compiler in compilers:
        found.update(_version(compiler))
    sources = archive.directory / "sources"
    for file in sorted(p for p in sources.rglob("*") if p.is_file()):
        found.update(os.fsencode(file.relative_to(sources)) + b"\0")
        found.update(sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _version(compiler: Sequence[str]) -> bytes:
    """What distinguishes compilers."""
    try:
        answer = subprocess.run(
            [*compiler, "--version"], capture_output=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return repr(compiler).encode()
    return repr(compiler).encode() + answer.stdout
