"""FMI 3: what an FMU shows inside its steps, kept with the result."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from conformance.fleet import is_clean, run, same
from conformance.test_intermediate import driven, loop

import dovetail as dv

SWEPT = dv.GaussSeidel(inputs="ramp")
SHOWN = {"load": {"intermediate": True}}


def agree_at_window_ends(result, part, variable="y"):
    """Every window left its middle and its end, once, and the end is what was recorded."""
    inside = result.intermediate[part]
    ends = result.time[1:]
    middles = (result.time[:-1] + result.time[1:]) / 2
    assert inside.time == pytest.approx(np.sort([*middles, *ends]), abs=1e-12)
    name = f"{part}.{variable}"
    found = np.interp(ends, inside.time, inside[name])
    assert found == pytest.approx(result[name][1:], abs=1e-12)
    return inside


@pytest.mark.parametrize("event_mode", [False, True])
def test_values_inside_steps_are_kept(fmu, way, event_mode):
    model = fmu("derivatives", 3, strict=True, event_mode=event_mode, **SHOWN)
    result = run(driven(model), algorithm=SWEPT)
    inside = agree_at_window_ends(result, "part")
    assert inside.names == ["part.y", "part.w"]
    assert inside["part.y"] == pytest.approx(1.5 * inside.time**2, abs=1e-12)
    assert inside["part.w"] == pytest.approx(6 * inside.time, abs=1e-12)
    plain = run(driven(fmu("derivatives", 3, strict=True, event_mode=event_mode)), algorithm=SWEPT)
    assert same(result, plain)
    assert plain.intermediate == {}
    assert is_clean(model)


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": dv.GaussSeidel(9, "ramp")},
        {"algorithm": dv.Newton(inputs="ramp")},
        {
            "algorithm": dv.GaussSeidel(9, "ramp"),
            "controller": dv.StepDoubling(1e-4, 1e-4, first_size=0.5),
        },
    ],
    ids=["iterated", "newton", "step doubling"],
)
def test_attempts_that_are_dropped_leave_nothing(fmu, options):
    model = fmu("derivatives", 3, strict=True, **SHOWN)
    result = run(loop(model), **options)
    assert result.statistics.evaluations > 2 * result.statistics.windows
    inside = result.intermediate["first"]
    assert np.all(np.diff(inside.time) > 0)
    assert inside["first.y"] == pytest.approx(np.cos(inside.time), abs=5e-3)
    at_ends = np.interp(result.time[1:], inside.time, inside["first.y"])
    assert at_ends == pytest.approx(result["first.y"][1:], abs=1e-12)
    if "controller" in options:
        assert result.statistics.rejected_by_error > 0
    else:
        agree_at_window_ends(result, "first")
    assert is_clean(model)


def test_a_resumed_run_has_all_of_them(fmu, tmp_path):
    model = fmu("derivatives", 3, **SHOWN)
    options = {"algorithm": SWEPT, "controller": dv.FixedStep(0.1), "quiet": True}
    whole = dv.simulate(loop(model), stop=1.0, **options)
    with dv.Session(loop(model), stop=1.0, **options) as session:
        for _ in range(4):
            session.advance()
        session.checkpoint(tmp_path / "run.checkpoint")
    resumed = dv.simulate(loop(model), stop=1.0, resume=tmp_path / "run.checkpoint", **options)
    for part in ("first", "second"):
        assert np.array_equal(whole.intermediate[part].time, resumed.intermediate[part].time)
        name = f"{part}.y"
        assert np.array_equal(whole.intermediate[part][name], resumed.intermediate[part][name])


SUFFIXES = [".parquet", ".arrow", ".csv", ".tsv", ".h5", ".mat"]


@pytest.mark.parametrize("how", ["saved", "recorded", "sampled"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_they_are_columns_in_files_beside_the_file(fmu, tmp_path, suffix, how):
    path = tmp_path / f"run{suffix}"
    recorder = {
        "saved": dv.Memory(),
        "recorded": dv.File(path),
        "sampled": dv.Sampling(0.2, dv.File(path)),
    }[how]
    system = driven(fmu("derivatives", 3, **SHOWN))
    result = run(system, algorithm=SWEPT, recorder=recorder)
    if how == "saved":
        result.save(path)
    assert "intermediate" not in result.facts
    assert {p.name for p in tmp_path.iterdir()} == {path.name, f"run.inside.part{suffix}"}
    again, found = dv.read(path).intermediate["part"], result.intermediate["part"]
    assert np.array_equal(again.time, found.time)
    assert np.array_equal(again["part.y"], found["part.y"])
    assert len(found) > 10
    assert np.array_equal(dv.read(tmp_path / f"run.inside.part{suffix}").time, found.time)
    dv.read(path).save(tmp_path / f"copy{suffix}")
    copy = dv.read(tmp_path / f"copy{suffix}").intermediate["part"]
    assert np.array_equal(copy["part.y"], found["part.y"])


def test_a_run_that_shows_nothing_takes_the_old_ones_away(fmu, tmp_path):
    path, other = tmp_path / "run.csv", tmp_path / "run.inside.part.parquet"
    run(driven(fmu("derivatives", 3, **SHOWN)), algorithm=SWEPT, recorder=dv.File(path))
    other.write_bytes(b"of another run")
    strangers = [tmp_path / f"run.inside.{name}csv" for name in ("", "story.", "a.b.")]
    for one in strangers:
        one.write_text("time,chapter\n0,1\n")
    run(driven(fmu("derivatives", 3)), algorithm=SWEPT, recorder=dv.File(path))
    assert dv.read(path).intermediate == {}
    assert not (tmp_path / "run.inside.part.csv").exists()
    assert other.exists()
    assert all(one.exists() for one in strangers)


def test_files_that_have_them_among_their_facts_are_read(fmu, tmp_path):
    """As version 0.1.0 wrote them."""
    result = run(driven(fmu("derivatives", 3, **SHOWN)), algorithm=SWEPT)
    found = result.intermediate["part"]
    told = {"time": found.time.tolist(), "values": {"part.y": found["part.y"].tolist()}}
    facts = {**result.facts, "intermediate": {"part": {**told, "units": {"part.y": "m"}}}}
    plain = dv.Result.of(result.time, {"part.y": result["part.y"]}, facts=facts)
    plain.save(tmp_path / "old.parquet")
    again = dv.read(tmp_path / "old.parquet").intermediate["part"]
    assert np.array_equal(again["part.y"], found["part.y"])
    assert again.units == {"part.y": "m"}
    assert [p.name for p in tmp_path.iterdir()] == ["old.parquet"]


def test_a_recorder_that_knows_nothing_of_them_gets_them_as_facts(fmu):
    class Plain:
        """A recorder as a user may have written it."""

        def open(self, columns):
            inner = dv.Memory().open(columns)
            return type("Recording", (), {n: getattr(inner, n) for n in ("row", "block", "close")})

    result = run(driven(fmu("derivatives", 3, **SHOWN)), algorithm=SWEPT, recorder=Plain())
    told = result.facts["intermediate"]["part"]["values"]["part.y"]
    assert told == result.intermediate["part"]["part.y"].tolist()


def test_they_come_out_of_nested_systems_and_yaml_files(fmu, tmp_path):
    model = fmu("derivatives", 3, load={"intermediate": ["y"]})
    inner = driven(model)
    outer = dv.System("outer")
    outer.add("group", dv.Nested(inner, algorithm=SWEPT))
    inside = run(outer).intermediate["group.part"]
    assert inside.names == ["group.part.y"]
    assert inside["group.part.y"] == pytest.approx(1.5 * inside.time**2, abs=1e-12)
    loop(model).save(tmp_path / "loop.yaml")
    again = dv.open(tmp_path / "loop.yaml")
    assert run(again, algorithm=SWEPT).intermediate["second"].names == ["second.y"]


def test_what_is_not_shown_is_refused(fmu):
    with pytest.raises(dv.FileError, match="asks for values inside its steps, but it shows none"):
        fmu("derivatives", 3, intermediate_update=False, **SHOWN)
    with pytest.raises(dv.FileError, match="'q' is not shown inside its steps; it shows 'u', 'y'"):
        fmu("derivatives", 3, load={"intermediate": "y, q"})
    with pytest.raises(dv.OptionError, match="must be True, False or names of variables, not 3"):
        fmu("derivatives", 3, load={"intermediate": 3})
    with pytest.raises(dv.FileError, match="but it shows none"):
        fmu("linear", 2, **SHOWN)


def test_a_failure_to_read_ends_the_step_not_the_process(fmu, monkeypatch):
    from dovetail.fmi.calls.instance import CallFailed
    from dovetail.fmi.parts.reporting import Reporter

    def refused(*arguments):
        raise CallFailed("fmi3GetFloat64", 3, ())

    model = fmu("derivatives", 3, **SHOWN)
    before = Reporter.__init__

    def broken(self, *arguments):
        before(self, *arguments)
        self._channels = [SimpleNamespace(get=refused)]

    monkeypatch.setattr(Reporter, "__init__", broken)
    with pytest.raises(dv.RunError, match=r"'part'.*stepping.*fmi3GetFloat64"):
        run(driven(model), algorithm=SWEPT)
