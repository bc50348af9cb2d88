"""A Chromium to drive: that of the machine, else one that npm brings, whole in its archive."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "browser"
BENCH = HERE.parents[2] / "build" / "browser"
WAY = "apt install chromium, or Node.js with npm and a registry in reach"
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
UNPACK = """\
const fs = require('fs'), zlib = require('zlib');
fs.createReadStream(process.argv[1]).pipe(zlib.createBrotliDecompress())
  .pipe(fs.createWriteStream(process.argv[2], {mode: 0o755}));
"""


def chromium() -> Path | str:
    """Where it is; or why there is none, with the way to get it."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return Path(found)
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return f"there is no Chromium here: {WAY}"
    BENCH.mkdir(parents=True, exist_ok=True)
    with (BENCH / "lock").open("w") as lock:  # several test processes may want it at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _brought(BENCH / "chromium")


def _brought(target: Path) -> Path | str:
    if target.exists():
        return target
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return f"there is no Chromium here: {WAY}"
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, BENCH)
    packed = BENCH / "node_modules" / "@sparticuz" / "chromium" / "bin" / "chromium.br"
    beside = target.with_name("chromium.part")
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    for words in ([npm, "ci", *quiet], [node, "-e", UNPACK, str(packed), str(beside)]):
        done = subprocess.run(words, cwd=BENCH, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
            return f"no Chromium could be brought ({said}): {WAY}"
    beside.replace(target)
    return target
