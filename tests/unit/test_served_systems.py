"""Whole systems over `dovetail serve` with TLS: the bits of one process, killed in between."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from example_modules import EXAMPLES, example
from machines import certificates, user_options

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

PARTS = """
import sys

sys.path.insert(0, {folder!r})
from run import COORDINATORS, PARTS

globals().update(PARTS | COORDINATORS)
"""
OSCILLATORS = (1, 2, 3)  # versions of FMI


@pytest.fixture(scope="module")
def folder(tmp_path_factory, archive):
    """What is served: the parts of three systems, each with its state."""
    found = tmp_path_factory.mktemp("served")
    (found / "cooling.py").write_text(PARTS.format(folder=str(EXAMPLES / "air_conditioner")))
    for name in ("models.py", "road.csv"):
        shutil.copy(EXAMPLES / "quarter_car" / name, found / name)
    names = [f"cooling.py:{name}" for name in cooling().parts]
    names += ["models.py:wheel", "models.py:body"]
    for version in OSCILLATORS:
        name = f"linear{version}.fmu"
        shutil.copy(archive("linear", version), found / name)
        names.append(name)
    lines = [f"'{name}': {{state: true, name: {name.replace(':', ' ')}}}" for name in names]
    (found / "publish.yaml").write_text("\n".join([*lines, "road.csv: {state: true}"]) + "\n")
    return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return certificates(tmp_path_factory.mktemp("lab"))


@contextmanager
def served(folder, lab, port):
    """The command, until it is killed."""
    given = {"cert": "server.pem", "key": "server-key.pem", "ca": "ca.pem"}
    words = [w for name, file in given.items() for w in (f"--{name}", str(lab / file))]
    command = [sys.executable, "-m", "dovetail", "serve", str(folder), "--host", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--port", str(port), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert any("Ctrl-C ends it" in line for line in process.stdout)
            yield
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(10)


def cooling():
    with example("air_conditioner") as run:
        return run.drawing(apart=True)


def car():
    return dv.open(EXAMPLES / "quarter_car" / "quarter_car.yaml")


def fmus(archive, versions):
    system = dv.System("versions")
    for version in versions:
        system.add(f"v{version}", dv.load(archive("linear", version)), x=float(version))
    for version, other in zip(versions, versions[1:] + versions[:1], strict=True):
        system.connect(f"v{version}.y", f"v{other}.u")
    return system


def test_three_systems_are_killed_and_go_on_with_the_bits_of_one_process(
    folder, lab, archive, tmp_path
):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    there = dv.RemoteHost(f"dovetail://127.0.0.1:{port}", **user_options(lab))
    sweep, together = dv.GaussSeidel(), dv.Jacobi()
    runs = {
        "cooling": (cooling, 0.01, sweep, 0.04),
        "car": (car, 0.005, sweep, 0.3),
        "three": (lambda: fmus(archive, OSCILLATORS), 0.01, together, 0.2),
        "two": (lambda: fmus(archive, OSCILLATORS[1:]), 0.01, together, 0.2),
        "iterated": (lambda: fmus(archive, OSCILLATORS[1:]), 0.01, dv.Newton(), 0.1),
    }
    for is_second in (False, True):
        with served(folder, lab, port):
            for name, (drawing, step, algorithm, stop) in runs.items():
                kept = None if name == "three" else tmp_path / name  # FMI 1 keeps no state
                end = stop if is_second else stop / 2
                ways = {"algorithm": algorithm, "controller": dv.FixedStep(step), "quiet": True}
                here = dv.Session(drawing(), stop=end, **ways).run()
                more = {"resume": kept} if is_second and kept else {}
                with dv.Session(drawing(), stop=end, placement={"*": there}, **ways, **more) as run:
                    found = run.run(checkpoint=kept)
                assert here.time[-1] == found.time[-1] == pytest.approx(end)
                for each in here.names:
                    rows = len(found[each])
                    assert np.array_equal(here[each][-rows:], found[each]), (name, each)
