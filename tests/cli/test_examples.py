"""Every example runs from the command line and from Python, and its numbers are right."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail import formats
from dovetail.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
SYSTEMS = [
    "two_mass_oscillator.py",
    "predation/predation.yaml",
    "thermostat.py",
    "diode.py",
    "multirate/motor.yaml",
    "multirate/electrics.yaml",
    "quarter_car/quarter_car.yaml",
    "drive/drive.yaml",
    "drive/drive.ssd",
    "drive/drive.msim",
]
SCRIPTS = [
    "two_mass_oscillator.py",
    "predation/run.py",
    "thermostat.py",
    "diode.py",
    "multirate/run.py",
    "quarter_car/run.py",
    "air_conditioner/run.py",
    "air_conditioner/heating.py",
    "drive/run.py",
    "part_in_c/run.py",
]
KINDS = ("yaml", "ssd", "msim", "py")
NO_EXAMPLES = ("models.py", "build.py")
BRIEFLY = {f"air_conditioner/{n}.py": ["1"] for n in ("run", "heating")}  # simulated seconds


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of them, in which FMUs are built: nothing is written beside the sources."""
    folder = tmp_path_factory.mktemp("copy") / "examples"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("resources", "__pycache__"))
    line = [sys.executable, str(folder / "drive" / "build.py")]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["resources/motor.fmu", "resources/governor.fmu"]
    return folder


def simulated(name: str, **changes: Any) -> dv.Result:
    return dv.simulate(EXAMPLES / name, quiet=True, record="*", **changes)


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_runs_from_the_command_line(
    name: str, examples: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(examples / name)]) == 0
    stop = formats.read(examples / name).run_settings.stop
    assert stop is not None
    briefly = 3 if name == "thermostat.py" else 0  # a tenth of it is all jump: doubtful
    assert main(["run", str(examples / name), "--stop", str(stop / 10)]) == briefly


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs_from_python(name: str, examples: Path) -> None:
    line = [sys.executable, "-W", "error", str(examples / name), *BRIEFLY.get(name, ())]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == ""


def test_every_example_is_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text()
    for name in (*SYSTEMS, *SCRIPTS):
        if name != "multirate/electrics.yaml":
            assert name in listed
    found = [p for kind in KINDS for p in EXAMPLES.rglob(f"*.{kind}")]
    names = {p.relative_to(EXAMPLES).as_posix() for p in found if p.name not in NO_EXAMPLES}
    assert names == {*SYSTEMS, *SCRIPTS}


def test_the_oscillator_swings_as_the_books_say() -> None:
    result = simulated("two_mass_oscillator.py")
    t = result.time
    exact = (np.cos(np.sqrt(10.0) * t) + np.cos(np.sqrt(20.0) * t)) / 2
    assert np.max(np.abs(result["left.x"] - exact)) < 5e-3


def test_the_animals_are_counted_right() -> None:
    result = simulated("predation/predation.yaml")
    assert result["prey.preys"][-1] == pytest.approx(0.81393, abs=2e-3)
    assert result["predator.predators"][-1] == pytest.approx(0.218192, abs=5e-4)


def test_the_room_is_warm_by_day_and_cool_by_night() -> None:
    result = simulated("thermostat.py")
    hours, room = result.time / 3600, result["room.temperature"]
    day = room[(hours > 8) & (hours < 22)]
    assert day.min() > 20.0
    assert day.max() < 22.0
    assert room[hours > 23.9].max() < 18.0
    assert set(result["thermostat.heating"].tolist()) == {False, True}
    assert 6 * 3600.0 in result.time[1:][np.diff(result.time) == 0]  # the jump has two rows


def test_the_diode_conducts_one_way() -> None:
    result = simulated("diode.py", rtol=1e-10, atol=1e-12)
    i, v = result["resistor.i"], result["diode.v"]
    assert np.max(np.abs(i - (result["source.v"] - v) / 10.0)) < 1e-8
    forward = i > 1e-3
    law = 0.05 * np.log1p(i[forward] / 1e-6)
    assert np.max(np.abs(v[forward] - law)) < 1e-8
    assert i.min() > -1e-3


def test_two_rates_give_what_one_gives() -> None:
    result = simulated("multirate/motor.yaml")

    def f(t: float, x: Any) -> list[float]:
        i_choke, v, i, speed = x
        return [
            (24.0 - v - 0.2 * i_choke) / 1e-3,
            (i_choke - i) / 1e-3,
            (v - 0.5 * i - 0.1 * speed) / 5e-3,
            (0.1 * i - 1e-3 * speed) / 5e-3,
        ]

    exact = solve_ivp(f, (0, 0.2), [0.0] * 4, rtol=1e-10, atol=1e-10, t_eval=result.time).y
    assert np.max(np.abs(result["flywheel.speed"] - exact[3])) < 5e-3 * np.ptp(exact[3])
    assert np.max(np.abs(result["electrics.i"] - exact[2])) < 2e-2 * np.ptp(exact[2])
    assert result.statistics.windows == 40


def test_the_car_rides_as_one_system_would() -> None:
    result = simulated("quarter_car/quarter_car.yaml")
    road = dv.load(EXAMPLES / "quarter_car/road.csv")
    assert isinstance(road, dv.Table)
    times, height = road.times, np.asarray(road.columns["height"]) / 1e3

    def f(t: float, x: Any) -> list[float]:
        z_w, v_w, z_b, v_b = x
        force = 18e3 * (z_w - z_b) + 1200.0 * (v_w - v_b)
        bump = float(np.interp(t, times, height))
        return [v_w, (180e3 * (bump - z_w) - force) / 40.0, v_b, force / 320.0]

    options = {"rtol": 1e-8, "atol": 1e-10, "max_step": 0.002}
    exact = solve_ivp(f, (0, 2), [0.0] * 4, t_eval=result.time, **options).y
    assert np.max(np.abs(result["body.z"] - exact[2])) < 1e-2 * np.ptp(exact[2])
    assert np.max(np.abs(result["wheel.z"] - exact[0])) < 2e-2 * np.ptp(exact[0])


def test_three_formats_are_one_system(examples: Path) -> None:
    """Nothing gets lost on the way: the numbers are equal to the bit."""
    files = ("drive.yaml", "drive.ssd", "drive.msim")
    runs = [dv.simulate(examples / "drive" / name, quiet=True) for name in files]
    for run in runs[1:]:
        for name in ("motor.speed", "motor.current", "governor.voltage"):
            assert np.array_equal(run[name], runs[0][name]), name


def test_the_governor_holds_the_speed(examples: Path) -> None:
    result = dv.simulate(examples / "drive/drive.yaml", quiet=True)

    def f(t: float, x: Any) -> list[float]:
        i, speed, integral = x
        voltage = 0.3 * (100.0 - speed) + integral
        load = float(np.interp(t, [1.0, 1.1], [0.0, 0.5]))
        return [(voltage - 0.5 * i - 0.1 * speed) / 5e-3, (0.1 * i - load) / 5e-3, 100.0 - speed]

    options = {"rtol": 1e-9, "atol": 1e-9, "max_step": 0.01}
    exact = solve_ivp(f, (0, 3), [0.0] * 3, t_eval=result.time, **options).y
    assert np.max(np.abs(result["motor.speed"] - exact[1])) < 1e-2 * np.ptp(exact[1])
    assert result["motor.speed"][-1] == pytest.approx(100.0, abs=0.1)
