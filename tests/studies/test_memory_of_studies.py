"""However many runs a study has, its processes stay as large as they were."""

import subprocess
import sys
from pathlib import Path

import pytest
from fmus import build

SCRIPT = """
import resource, sys
sys.path.insert(0, {tests!r})
import dovetail as dv
model, system = dv.load({path!r}), dv.System("ring")
for name in ("a", "b"):
    system.add(name, model)
system.connect("a.y", "b.u")
system.connect("b.y", "a.u")
values = [-1.0 + 1e-6 * k for k in range({runs})]
ways = dict(algorithm=dv.Jacobi(), stop=0.2, step=0.1, times=2, jobs=2, store={store!r})
study = dv.sweep(system, {{"a.a": values}}, **ways)
assert len(study) == {runs} and not study.failed and not study.remarks
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
FEW, MANY = 400, 3400
EACH = 2.0  # kB: keys, numbers and rows that are read back take 1 kB; one lost FMU instance 260
SLACK = 3000  # kB: what the allocators of two equal runs of a process differ by


def largest(runs, path, store):
    """Of the process that keeps the study, and of those that make runs; in kB."""
    tests = str(Path(__file__).parents[1])
    text = SCRIPT.format(tests=tests, path=str(path), runs=runs, store=str(store))
    words = [sys.executable, "-c", text]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    return [int(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="sizes are in other units elsewhere")
def test_three_thousand_runs_more_take_no_more_memory(tmp_path):
    path = build.build("linear", 2, tmp_path)
    few = largest(FEW, path, tmp_path / "few")
    many = largest(MANY, path, tmp_path / "many")
    allowed = SLACK + EACH * (MANY - FEW)
    assert many[0] - few[0] < allowed and many[1] - few[1] < allowed, (few, many)
