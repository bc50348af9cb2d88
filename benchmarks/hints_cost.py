"""What the cheap warnings cost a fused run of near-free FMUs.

    python benchmarks/hints_cost.py [PARTS ...]

The ring of benchmarks/fmu.py, Jacobi, with the kernel as it is and with one that is compiled
without what the warnings add up in every window. Instructions per FMU and window, counted by
valgrind (callgrind) as the slope between a run and one three times as long; they do not depend on
how busy the machine is. And the ratio of process times, in turns, the least of some rounds each:
what others do on the machine only adds to them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SIZES = (2, 10, 100, 1000)
STEP, ROUNDS, LONGER = 0.01, 12, 60
_COUNTED = re.compile(r"^ *([\d,]+) .*(?:_kernel|linear)\.so\]", re.MULTILINE)
_SUMS = {  # what native/witness.c would be without them
    r"^ +sum_each\(s->pairs, .*;\n": "",
    r"^ +sum_all\(s\);\n": "",
    r"gap = step\[j\] = value": "gap = value",
    r"^ +if \(!\(j & 1\)\) step.*;\n": "",
    r"^ +for .*\n +steps\[k\] = .*;\n": "",
    r"step = steps\[j\] = now": "step = now",
    r"double gap = fabs\(step\[j\]\);": "double gap = fabs(now[j] - used[j]);",
    r"\*restrict now, const double \*restrict step": "*restrict now, const double *restrict used",
    r"\(double \*\)\(s->step \+ begin\)": "(double *)(s->used + begin)",
}


def run(library: str, n: int, windows: int, counted: bool) -> None:
    """A child: prints the seconds of both runs, or has them counted one by one."""
    sys.path.insert(0, str(ROOT / "tests" / "fmus"))
    import dovetail as dv
    from dovetail.fmi.model import Fmu

    fmu, system = Fmu(library), dv.System("ring")
    for k in range(n):
        system.add(f"part{k}", fmu)
    for k in range(n):
        system.connect(f"part{k}.y", f"part{(k + 1) % n}.u")
    me = str(os.getpid())
    for count in (windows, 3 * windows):
        with dv.Session(
            system,
            stop=STEP * count,
            record="part0.y",
            quiet=True,
            algorithm=dv.Jacobi(),
            controller=dv.FixedStep(STEP),
        ) as session:
            if counted:
                subprocess.run(["callgrind_control", "-i", "on", me], check=True, stdout=2)
            begin = time.process_time()
            session.run()
            print(time.process_time() - begin, flush=True)
            if counted:
                subprocess.run(["callgrind_control", "-i", "off", me], check=True, stdout=2)
                subprocess.run(["callgrind_control", "-d", me], check=True, stdout=2)


def without(folder: Path) -> Path:
    """A copy of the package whose kernel adds nothing up."""
    sys.path.insert(0, str(ROOT))
    import hatch_build

    native, package = folder / "native", folder / "dovetail"
    shutil.copytree(ROOT / "native", native)
    shutil.copytree(ROOT / "src" / "dovetail", package)
    empty = (native / "witness.c").read_text()
    for old, new in _SUMS.items():
        empty, count = re.subn(old, new, empty, flags=re.MULTILINE)
        assert count == 1, f"the sums have moved: {old}"
    (native / "witness.c").write_text(empty)
    failed = hatch_build.build(native / "kernel.c", package / "_kernel.so")
    assert not failed, failed
    return folder


def child(source: Path, library: Path, n: int, windows: int, counts: Path | None) -> list[float]:
    """Seconds, or instructions, of a run and of one three times as long."""
    command = [sys.executable, __file__, "--child", str(library), str(n), str(windows)]
    if counts is not None:
        out = counts / "counts"
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-instr=no"]
        command = [*valgrind, f"--callgrind-out-file={out}", *command, "counted"]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    if counts is None:
        return [float(line) for line in done.stdout.split()]
    found = []
    for k in (1, 2):  # of the kernel and the FMUs; Python is busy before and after
        command = ["callgrind_annotate", "--threshold=100", f"{out}.{k}"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found.append(float(sum(int(n.replace(",", "")) for n in _COUNTED.findall(text))))
    return found


def main() -> None:
    sys.path.insert(0, str(ROOT / "tests" / "fmus"))
    import build

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = Path(build.build("linear", 2, folder))
        ways = {"with": ROOT / "src", "without": without(folder)}
        print(f"{'parts':>6} {'with':>9} {'without':>9} {'ratio':>7} {'time ratio':>11}")
        for n in [int(word) for word in sys.argv[1:]] or SIZES:
            windows = max(20_000 // n, 500)
            slope = {}
            for way, source in ways.items():
                short, long = child(source, library, n, windows, folder)
                slope[way] = (long - short) / (2 * windows * n)
            least = dict.fromkeys(ways, np.inf)
            for k in range(ROUNDS):
                for way in sorted(ways, reverse=bool(k % 2)):
                    short, long = child(ways[way], library, n, LONGER * windows, None)
                    least[way] = min(least[way], long - short)
            with_, without_ = slope["with"], slope["without"]
            print(
                f"{n:6d} {with_:9.1f} {without_:9.1f} {with_ / without_:7.3f} "
                f"{least['with'] / least['without']:11.3f}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), "counted" in sys.argv)
    else:
        main()
