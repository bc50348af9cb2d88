"""Tables as parts: how they go from row to row, and what they do beyond their data."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import dovetail as dv
from dovetail.core.errors import DrawingError, PartFailed
from dovetail.models.pchip import pchip_derivatives
from dovetail.models.table_curves import TableCurves

TIMES, VALUES = [0.0, 1.0, 2.5, 4.0], [0.0, 2.0, 1.0, 5.0]


def alone(table: dv.Table, stop: float, size: float, start: float = 0.0) -> dv.Result:
    system = dv.System("alone")
    system.add("it", table)
    options: dict[str, Any] = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(size)}
    return dv.simulate(system, start=start, stop=stop, quiet=True, **options)


def curve(way: str, outside: str = "hold", times: Any = TIMES, values: Any = VALUES) -> TableCurves:
    return TableCurves(np.array(times), np.array(values)[:, None], (way,), outside)


# between rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["hold", "previous", "constant"])
def test_held_columns_jump_where_they_change(word: str) -> None:
    table = dv.Table(time=TIMES, columns={"a": VALUES, "b": [1.0, 1, 1, 1]}, interpolation=word)
    assert table.jumps == (1.0, 2.5, 4.0)
    result = alone(table, 4.0, 0.75)
    assert result.statistics.events == 3
    right = np.searchsorted(TIMES, result.time, side="right") - 1
    last = np.append(np.diff(result.time) > 0, True)  # right of each jump
    assert result["it.a"][last].tolist() == np.array(VALUES)[right][last].tolist()


def test_each_column_may_have_its_own_interpolation() -> None:
    table = dv.Table(
        time=[0.0, 1.0, 2.0],
        columns={"a": [0.0, 1.0, 4.0], "b": [0.0, 1.0, 4.0], "c": [0.0, 1.0, 4.0]},
        interpolation={"b": "cubic", "c": "hold"},
    )
    assert table.ways == {"a": "linear", "b": "cubic", "c": "hold"}
    result = alone(table, 2.0, 0.5)
    assert result.at(0.5, "it.a") == 0.5
    assert 0 < result.at(0.5, "it.b") < 0.5
    assert result.at(0.5, "it.c") == 0.0


def test_cubics_are_those_of_fritsch_and_butland() -> None:
    times = np.cumsum(np.random.default_rng(1).uniform(0.1, 2.0, 30))
    values = np.random.default_rng(2).normal(size=30).cumsum()
    ours = TableCurves(times, values[:, None], ("cubic",), "hold")
    theirs = PchipInterpolator(times, values)
    at = np.linspace(times[0], times[-1], 501)[:-1]
    assert [ours.values(t)[0] for t in at] == pytest.approx(theirs(at), abs=1e-12)
    assert [ours.rates(t)[0] for t in at] == pytest.approx(theirs.derivative()(at), abs=1e-10)


def test_cubics_do_not_bridge_jumps() -> None:
    times, values = [0.0, 1, 1, 2, 3], [0.0, 1, 5, 5, 5]
    slopes = pchip_derivatives(np.array(times), np.array(values)[:, None])[:, 0]
    assert slopes.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    cubic = curve("cubic", times=times, values=values)
    assert cubic.values(0.5)[0] == 0.5
    assert cubic.values(1.5)[0] == 5.0


@pytest.mark.parametrize(("way", "order"), [("hold", 1), ("linear", 2), ("cubic", 3)])
def test_the_order_of_each_interpolation(way: str, order: int) -> None:
    """On a smooth curve that rises: e^t; PCHIP is of third order there."""

    def error(rows: int) -> float:
        t = np.linspace(0.0, 1.0, rows + 1)
        found = curve(way, times=t, values=np.exp(t))
        at = np.linspace(0.1, 0.9, 397)
        return max(abs(found.values(x)[0] - math.exp(x)) for x in at)

    observed = math.log2(error(40) / error(80))
    assert observed == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("way", ["hold", "linear", "cubic"])
@pytest.mark.parametrize("outside", ["hold", "linear", "periodic"])
def test_derivatives_are_those_of_the_values(way: str, outside: str) -> None:
    found = curve(way, outside)
    for t in (-1.3, 0.2, 1.7, 3.3, 5.1, 9.2):
        difference = (found.values(t + 1e-6) - found.values(t - 1e-6)) / 2e-6
        assert found.rates(t) == pytest.approx(difference, abs=1e-6)


def test_parts_that_use_derivatives_get_those_of_the_curve() -> None:
    """The integral of a cubic, by cubic inputs, is exact between rows that fit the windows."""
    times = np.linspace(0.0, 2.0, 9)
    table = dv.Table(time=times, columns={"v": np.exp(-times)}, interpolation="cubic")
    system = dv.System("travel")
    system.add("speed", table)
    model = dv.Dynamic(
        states={"x": 0.0}, inputs=["v"], outputs=["x"], derivatives=lambda t, x, u, p: [u.v]
    )
    system.add("way", model)
    system.connect("speed.v", "way.v")
    result = dv.simulate(
        system,
        stop=1.75,
        algorithm=dv.GaussSeidel(max_iterations=3, inputs="hermite"),
        controller=dv.FixedStep(0.25),
        quiet=True,
    )
    exact = PchipInterpolator(times, np.exp(-times)).integrate(0.0, 1.75)
    assert result.final["way.x"] == pytest.approx(exact, abs=1e-9)


# beyond the data ----------------------------------------------------------------------------------


def test_a_table_goes_on_linear() -> None:
    table = dv.Table(time=[0.0, 1.0, 2.0], columns={"a": [0.0, 1.0, 4.0]}, outside="linear")
    result = alone(table, 3.0, 0.5, start=-1.0)
    assert result.at([-1.0, 0.5, 3.0], "it.a").tolist() == pytest.approx([-1.0, 0.5, 7.0])


def test_a_periodic_table_repeats_itself() -> None:
    table = dv.Table(
        time=[0.0, 0.1, 0.3, 0.7],
        columns={"a": [0.0, 1.0, -1.0, 0.0], "n": [1, 2, 3, 1]},
        types={"n": "integer"},
        outside="periodic",
    )
    result = alone(table, 7.0, 0.033, start=-1.4)
    phase = np.mod(result.time + 1e-9, 0.7)
    inside = (np.abs(phase - 0.7) > 1e-6) & (phase > 1e-6)
    exact = np.interp(phase, [0.0, 0.1, 0.3, 0.7], [0.0, 1.0, -1.0, 0.0])
    assert result["it.a"][inside] == pytest.approx(exact[inside], abs=1e-6)
    # each jump of n is an event, right of it n is the next: thousands of roundings in between
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    steps = np.rint(np.mod(result.time[right], 0.7) * 10) % 7
    meant = {0: 1, 1: 2, 3: 3}
    assert [meant[int(s)] for s in steps] == result["it.n"][right].tolist()
    assert len(right) == 3 * 12  # twelve periods, and three jumps in each


def test_a_periodic_table_jumps_at_its_seam() -> None:
    table = dv.Table(time=[0.0, 1.0], columns={"a": [0.0, 2.0]}, outside="periodic")
    result = alone(table, 3.5, 0.25)
    at = result.time == 2.0
    assert result["it.a"][at].tolist() == pytest.approx([2.0, 0.0], abs=1e-12)
    assert result.final["it.a"] == 1.0
    with pytest.raises(dv.ModelError, match="needs rows at two different times"):
        dv.Table(time=[0.0], columns={"a": [1.0]}, outside="periodic")


def test_a_checkpoint_of_a_periodic_table(tmp_path: Path) -> None:
    system = dv.System("alone")
    system.add("it", dv.Table(time=[0.0, 1.0], columns={"a": [0.0, 2.0]}, outside="periodic"))
    options: dict[str, Any] = {
        "stop": 5.0,
        "quiet": True,
        "algorithm": dv.GaussSeidel(),
        "controller": dv.FixedStep(0.4),
    }
    whole = dv.simulate(system, **options)
    with dv.Session(system, **options) as session:
        while session.time < 2.5:
            session.advance()
        session.checkpoint(tmp_path / "run.checkpoint")
    with dv.Session(system, **options, resume=tmp_path / "run.checkpoint") as session:
        again = session.run()
    assert again["it.a"].tolist() == whole["it.a"].tolist()


def test_outside_can_be_an_error() -> None:
    table = dv.Table(time=[0.0, 1.0], columns={"a": [0.0, 2.0]}, outside="error")
    assert alone(table, 1.0, 0.1).final["it.a"] == pytest.approx(2.0)
    with pytest.raises(DrawingError, match="'it' has data from 0 to 1 s, but the run goes from 0"):
        alone(table, 2.0, 0.1)
    inner = dv.System("inner")
    inner.add("it", table)
    with pytest.raises(PartFailed, match="its data go from 0 to 1 s, and outside='error'"):
        table.instantiate("it")._values(1.5, None)


# said before a run --------------------------------------------------------------------------------


def drawn(model: Any) -> dv.System:
    system = dv.System("it")
    system.add("road", model)
    return system


def test_data_shorter_than_the_run_are_said_in_check() -> None:
    table = dv.Table(time=[1.0, 2.0], columns={"a": [0.0, 2.0]})
    system = drawn(table)
    said = "'road' has data from 1 to 2 s, but the run goes from 0 to 5 s"
    assert said not in str(system.check())
    held = "its first values hold before 1 s, its last after 2 s (outside='hold')."
    assert f"note: {said}: {held}" in str(system.check(span=(0.0, 5.0)))
    assert "has data" not in str(system.check(span=(1.0, 2.0)))
    for outside in ("linear", "periodic"):
        assert "has data" not in str(drawn(replace(table, outside=outside)).check(span=(0.0, 5.0)))
    report = drawn(replace(table, outside="error")).check(span=(0.0, 5.0))
    assert not report.ok
    assert f"error: {said}; run it within the data" in str(report)


def test_one_row_lasts_for_ever() -> None:
    constant = dv.Table(time=[0.0], columns={"a": [2.0]})
    assert "has data" not in str(drawn(constant).check(span=(0.0, 5.0)))


def test_data_inside_other_parts_are_looked_at() -> None:
    inner = drawn(dv.Table(time=[0.0, 2.0], columns={"a": [0.0, 2.0]}))
    said = "'whole' contains 'road' has data from 0 to 2 s"
    for model in (dv.Nested(inner), dv.merge(inner)):
        outer = dv.System("outer")
        outer.add("whole", model)
        assert said in str(outer.check(span=(0.0, 5.0)))


def test_data_shorter_than_the_run_are_said_at_its_start(capsys: Any) -> None:
    system = drawn(dv.Table(time=[0.0, 2.0], columns={"a": [0.0, 2.0]}))
    dv.simulate(system, stop=5.0, controller=dv.FixedStep(0.5))
    assert "dovetail: 'road' has data from 0 to 2 s" in capsys.readouterr().err


# in files of systems ------------------------------------------------------------------------------


@pytest.fixture
def road(tmp_path: Path) -> Path:
    path = tmp_path / "road.csv"
    path.write_text("time;h (mm);gear\n0;1,5;1\n1;;2\n2;2,5;2\n")
    return path


OPTIONS: dict[str, Any] = {
    "missing": "interpolate",
    "interpolation": {"h": "cubic"},
    "outside": "periodic",
    "hold": ["gear"],
}


@pytest.mark.parametrize("suffix", [".yaml", ".ssp"])
def test_options_of_a_table_survive_in_a_file(tmp_path: Path, road: Path, suffix: str) -> None:
    system = drawn(dv.load(road, **OPTIONS))
    system.save(tmp_path / f"it{suffix}")
    again = dv.open(tmp_path / f"it{suffix}").parts["road"].model
    assert isinstance(again, dv.Table)
    assert again.ways == {"h": "cubic", "gear": "hold"}
    assert (again.outside, again.data["h"].tolist()) == ("periodic", [1.5, 2.0, 2.5])


def test_options_in_yaml(tmp_path: Path, road: Path) -> None:
    text = (
        "dovetail: 1\nparts:\n  road: {model: road.csv, options: {missing: drop, outsid: hold}}\n"
    )
    (tmp_path / "it.yaml").write_text(text)
    with pytest.raises(DrawingError, match=r"it.yaml:3: 'outsid' is no option of a table. Did you"):
        dv.open(tmp_path / "it.yaml")
    (tmp_path / "it.yaml").write_text(text.replace("outsid", "outside"))
    table = dv.open(tmp_path / "it.yaml").parts["road"].model
    assert isinstance(table, dv.Table)
    assert table.times.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("option", [{"outside": "linear"}, {"interpolation": "hold"}])
def test_mastersim_has_no_options_for_tables(tmp_path: Path, option: dict[str, str]) -> None:
    (tmp_path / "road.csv").write_text("time,h\n0,1\n1,2\n")
    system = drawn(dv.load(tmp_path / "road.csv", **option))
    with pytest.raises(DrawingError, match=f"has the option '{next(iter(option))}', and MasterSim"):
        system.save(tmp_path / "it.msim")


def test_a_table_in_a_python_file_keeps_its_notes(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text(
        "import dovetail as dv\n"
        "road = dv.Table(time=[0, 2], columns={'a': [0.0, 2.0]}, notes=['was measured'])\n"
    )
    said = str(drawn(dv.load(f"{tmp_path}/models.py:road")).check(span=(0.0, 5.0)))
    assert "'road' was measured." in said
    assert "'road' has data from 0 to 2 s" in said
