"""Makes what is given away: the sdist, and from it a wheel for each platform.

    python release/package.py                  everything, into dist
    python release/package.py linux_aarch64    the sdist and this wheel

Wheels for Linux go to `dist`. Those for Windows and macOS go to `dist/experimental`, and a build
tag in their names says the same: their kernels are compiled here, and nobody has run them there.

Equal sources give equal files: times in them are SOURCE_DATE_EPOCH, or the time of the last commit.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hatch_build import TARGETS  # noqa: E402

BUILD_TAG = "0experimental"  # must begin with a digit; pip shows it in the name
FIRST = 315532800  # seconds until 1980, where the times in archives begin


def package(dist: Path, names: Sequence[str]) -> list[Path]:
    """The files that were made; each is reported with the time it took."""
    dist.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch()}
    with tempfile.TemporaryDirectory() as scratch:
        sdist = _built(ROOT, Path(scratch, "sdist"), "--sdist", environment)
        made = [_moved(sdist, dist, begun)]
        with tarfile.open(made[0]) as archive:
            archive.extractall(scratch, filter="data")
        source = Path(scratch, made[0].name.removesuffix(".tar.gz"))
        for name in names:
            since = time.monotonic()
            aimed = {**environment, "DOVETAIL_TARGET": name}
            wheel = _built(source, Path(scratch, name), "--wheel", aimed)
            folder = dist
            if TARGETS[name].is_experimental:
                wheel, folder = tagged(wheel, BUILD_TAG), dist / "experimental"
            made.append(_moved(wheel, folder, since))
    print(f"{len(made)} files in {time.monotonic() - begun:.0f} s")
    return made


def epoch() -> str:
    """The time to write into archives, in seconds since 1970."""
    if chosen := os.environ.get("SOURCE_DATE_EPOCH"):
        return chosen
    command = ["git", "log", "-1", "--format=%ct"]
    try:
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:  # no git
        return str(FIRST)
    return said.stdout.strip() or str(FIRST)


def tagged(wheel: Path, build: str) -> Path:
    """The same wheel with a build tag in its name and in what it says of itself."""
    project, version, *tags = wheel.name.split("-")
    target = wheel.with_name("-".join([project, version, build, *tags]))
    info = f"{project}-{version}.dist-info"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        before = old.read(f"{info}/WHEEL")
        after = before.replace(b"Tag: ", b"Build: " + build.encode() + b"\nTag: ", 1)
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename == f"{info}/WHEEL":
                data = after
            elif entry.filename == f"{info}/RECORD":
                data = data.replace(_line(info, before), _line(info, after))
            new.writestr(entry, data)
    wheel.unlink()
    return target


def _line(info: str, data: bytes) -> bytes:
    """What RECORD has about the file WHEEL."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{info}/WHEEL,sha256={digest},{len(data)}".encode()


def _built(source: Path, into: Path, which: str, environment: dict[str, str]) -> Path:
    """The one file that `python -m build` makes."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", into, which, source]
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        told = [line for line in lines if "not built" in line] or lines
        raise SystemExit(told[-1].removeprefix("RuntimeError: ") if told else "build said nothing")
    [made] = into.iterdir()
    return made


def _moved(made: Path, folder: Path, since: float) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / made.name
    target.write_bytes(made.read_bytes())
    seconds, size = time.monotonic() - since, target.stat().st_size // 1024
    print(f"{target}  {size} kB, {seconds:.0f} s", flush=True)
    return target


def main(arguments: Sequence[str] | None = None) -> None:
    """The command: see the top of this file."""
    parser = argparse.ArgumentParser(description="Makes the sdist and the wheels.")
    parser.add_argument("names", nargs="*", metavar="PLATFORM", help=", ".join(TARGETS))
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="a folder; dist by itself")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in TARGETS]
    if unknown:
        parser.error(f"there is no platform '{unknown[0]}'; there are {', '.join(TARGETS)}")
    package(given.into, given.names or list(TARGETS))


if __name__ == "__main__":
    main()
