"""Nothing is left behind, however often and however many; and threads change no bit."""

from __future__ import annotations

import gc
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from conformance.fleet import alone, counting, counts, is_clean, ring, run, same

import dovetail as dv
from dovetail.fmi.native import batch as batches


def resident():
    """Bytes of memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize("version", [2, 3])
def test_many_rounds_leave_nothing(archive, way, version, tmp_path, monkeypatch):
    """A quarter of a megabyte for each instance and each state: what is lost would be seen."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    path = archive("leak", version)
    kept = counting(dv.load(path))
    modes = [
        {"algorithm": dv.Jacobi()},
        {"algorithm": dv.GaussSeidel(3)},
        {"controller": dv.StepDoubling(1e-3, 1e-3, first_size=0.1)},
    ]

    def rounds(n):
        for k in range(n):
            model = dv.load(path)
            system = alone(model)
            system.add("other", model)
            system.connect("part.y", "other.u")
            run(system, 0.2, **modes[k % 3])
        gc.collect()

    rounds(12)
    before = resident()
    rounds(75)
    assert resident() - before < 20e6
    assert not any(counts(kept).values())
    assert not list(tmp_path.iterdir())


def held():
    """Open files, threads, and what lies in the folders for temporary files and archives."""
    folders = [Path(tempfile.gettempdir()), Path(os.environ["DOVETAIL_CACHE"])]
    return (
        len(os.listdir("/proc/self/fd")),
        len(os.listdir("/proc/self/task")),
        [sorted(p.name for p in folder.iterdir()) for folder in folders],
    )


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_a_thousand_rounds_are_flat(archive, tmp_path, monkeypatch):
    """Load, run, close, in turns with everything that holds something of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths = [archive("leak", version) for version in (2, 3)]
    kept = [counting(dv.load(path)) for path in paths]
    threaded = batches.FmuBatch.threads
    modes = [dv.Jacobi(), dv.GaussSeidel(3), dv.Newton(), dv.Iterative(inputs="hold")]

    def rounds(n):
        for k in range(n):
            model = dv.load(paths[k % 2])
            system = alone(model)
            system.add("other", model)
            system.connect("part.y", "other.u")
            system.connect("other.y", "part.u", gain=-0.1)
            options = {"controller": dv.FixedStep(0.1), "algorithm": modes[k % 4]}
            with dv.Session(system, stop=0.2, quiet=True, **options) as session:
                if k % 3 == 0:
                    threaded(session.assembly.batch, 2)
                session.run()
        gc.collect()

    rounds(50)
    before, memory = held(), resident()
    rounds(1000)
    assert held() == before
    assert resident() - memory < 8e6  # an instance or a state has a quarter of a megabyte
    assert is_clean(*kept)


@pytest.mark.parametrize("version", [2, 3])
def test_failed_rounds_leave_nothing(fmu, way, version):
    model = fmu("error", version)
    for k in range(20):
        with suppress(dv.PartFailed):
            run(alone(model), 1.0, algorithm=dv.GaussSeidel(1 + k % 3))
    assert counts(model)["instances"] == counts(model)["states"] == 0


def test_a_thousand_parts(fmu):
    model = fmu("linear", 2)
    system = ring(model, 1000)
    result = run(system, 0.2, record="p0.y")
    assert result.finished
    assert result.statistics.evaluations == 2000
    assert is_clean(model)


@pytest.mark.parametrize(
    ("version", "algorithm"),
    [(1, dv.Jacobi()), *((v, a) for v in (2, 3) for a in (dv.Jacobi(), dv.Jacobi(5), dv.Newton()))],
)
def test_threads_change_no_bit(fmu, monkeypatch, version, algorithm):
    model = fmu("linear", version)
    one = run(ring(model, 7), algorithm=algorithm)
    born = batches.FmuBatch.__init__
    used = []

    def threaded(self, *arguments):
        born(self, *arguments)
        used.append(self.threads(2))

    monkeypatch.setattr(batches.FmuBatch, "__init__", threaded)
    assert same(one, run(ring(model, 7), algorithm=algorithm))
    assert used == [2]
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Jacobi(3, on_limit="accept")])
@pytest.mark.parametrize(("work", "threads"), [(0.0, 1), (3e4, 2)])
def test_threads_are_for_long_steps(fmu, monkeypatch, algorithm, work, threads):
    """Many rounds take a fraction of a millisecond; none, a few nanoseconds."""
    model, used = fmu("busy", 2), []
    monkeypatch.setattr(batches.FmuBatch, "threads", lambda batch, n: used.append(n) or 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    system = dv.System("busy")
    for k in range(4):
        system.add(f"p{k}", model, work=work)
        if k:
            system.connect(f"p{k}.y", f"p{k - 1}.u")
    system.connect("p0.y", "p3.u")
    run(system, 2.0, algorithm=algorithm)
    assert set(used) == {threads}


@pytest.mark.parametrize("version", [2, 3])
def test_a_failure_on_a_thread_is_told(fmu, monkeypatch, version):
    born = batches.FmuBatch.__init__

    def threaded(self, *arguments):
        born(self, *arguments)
        self.threads(2)

    monkeypatch.setattr(batches.FmuBatch, "__init__", threaded)
    model = fmu("error", version)
    system = dv.System("threads")
    for k in range(6):
        system.add(f"p{k}", model, at=0.5 if k == 3 else 9.0)
    with pytest.raises(dv.PartFailed, match=r"'p3' .* at t = 0\.5 s: .*valve is stuck") as caught:
        run(system, 1.0)
    assert caught.value.result.time[-1] == pytest.approx(0.5)
    assert counts(model)["instances"] == 0
