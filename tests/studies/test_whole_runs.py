"""Runs that are made whole in one native call: the bits of those that Python begins."""

from itertools import product

import pytest
from fmus import build

import dovetail as dv
from dovetail.drawing.run_settings import RunSettings
from dovetail.fmi.native.whole_runs import NativeWholeRuns
from dovetail.run.repeated_rows import Unusual
from dovetail.run.repeated_run import RepeatedRun

WAYS = [dv.Jacobi(), dv.GaussSeidel(), dv.Jacobi(extrapolation=2)]
SPANS = [(0.25, 1.3), (0.0, 1.0), (0.0, 0.05)]  # the step divides the second, and is the third


@pytest.fixture
def called(monkeypatch):
    """What came of each native call."""
    found, run = [], NativeWholeRuns.run

    def noted(self, values, held):
        found.append(run(self, values, held))
        return found[-1]

    monkeypatch.setattr(NativeWholeRuns, "run", noted)
    return found


def line(folder, version=2, count=3, **options):
    """FMUs one behind the other; the last one feeds the first one, and nothing feeds the second."""
    drawn, loaded = dv.System("line"), dv.load(build.build("linear", version, folder, **options))
    for k in range(count):
        drawn.add(f"p{k}", loaded)
    drawn.connect("p1.y", "p0.u")
    drawn.connect("p0.y", "p2.u", gain=-0.5, offset=0.25)
    return drawn


def lane_of(drawn, given, way=WAYS[0], span=SPANS[1]):
    asked = RunSettings(*span, algorithm=way, controller=dv.FixedStep(0.05))
    lane = RepeatedRun.of(drawn, asked, given)
    assert lane is not None
    return lane


def facts(lane, values):
    """All bits of a run, and what is counted."""
    made = lane.run(values)
    return made.rows.tobytes(), made.doubtful, made.windows, made.evaluations


@pytest.mark.parametrize(("version", "feedthrough"), [(1, False), (2, True), (3, False)])
def test_a_run_in_one_call_has_the_bits_of_one_that_python_begins(
    version, feedthrough, called, tmp_path
):
    strict = {} if version == 1 else {"strict": True}
    drawn = line(tmp_path, version, feedthrough=feedthrough, **strict)
    given = {"p0": ("a", "x"), "p1": ("u",), "p2": ("c", "drive")}
    points = [(-1.0, 0.0, 0.0, 1.0), (-0.3, 2.0, 0.7, 0.5), (-1.0, 0.0, -0.0, 1.0)]
    for way, span in product(WAYS, SPANS):
        lanes = [lane_of(drawn, given, way, span) for _ in range(2)]
        lanes[1]._otherwise = float("inf")  # Python begins all of its runs
        for a, x, u, c in [*points, *points]:
            values = {"p0": {"a": a, "x": x}, "p1": {"u": u}, "p2": {"c": c, "drive": 1.5}}
            one, other = (facts(lane, values) for lane in lanes)
            assert one == other
        for lane in lanes:
            lane.close()
    assert called == ["made"] * (5 * len(WAYS) * len(SPANS))


def test_a_run_that_fails_in_its_midst_leaves_the_next_one_alone(called, tmp_path):
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build("error", 2, tmp_path)))
    lane = lane_of(drawn, {"a": ("at",)})
    before = facts(lane, {"a": {"at": 7.0}})
    for _ in range(2):
        assert facts(lane, {"a": {"at": 7.0}}) == before
        with pytest.raises(Unusual):
            lane.run({"a": {"at": 0.4}})
    assert facts(lane, {"a": {"at": 7.0}}) == before
    assert called == ["made", "out of the ordinary", "out of the ordinary"]
    lane.close()


def test_outputs_that_are_known_late_are_for_python(called, tmp_path):
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build("shy", 2, tmp_path)))
    lane = lane_of(drawn, {"a": ("x",)})
    for x in (0.5, 1.0, 0.5):
        alone = dv.simulate(drawn, values={"a.x": x}, stop=1.0, step=0.05, verify=False, quiet=True)
        rows = lane.run({"a": {"x": x}}).rows
        assert rows[:, 1].tobytes() == alone["a.y"].tobytes()
    assert set(called) == {"not so"}
    lane.close()


@pytest.mark.parametrize("flaw", ["deaf", "limits"])
def test_values_that_were_not_taken_are_seen_where_runs_are_whole(flaw, tmp_path):
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build("linear", 2, tmp_path, flaw=flaw)))
    values = [1.0 + 0.01 * k for k in range(20)]
    values[13] = 7.0
    ways = {"stop": 1.0, "step": 0.1, "times": 4, "algorithm": dv.Jacobi()}
    honest = dv.sweep(drawn, {"a.drive": values}, jobs=0, **ways)
    study = dv.sweep(drawn, {"a.drive": values}, jobs=1, **ways)
    for one, other in zip(honest.rows, study.rows, strict=True):
        assert (one.status, one.reason, one.verdict) == (other.status, other.reason, other.verdict)
    assert (honest["a.y"] == study["a.y"])[[row.done for row in study.rows]].all()
    if flaw == "deaf":
        assert "it ignores 'drive'" in study.rows[13].reason


def test_constant_values_of_other_types_are_given_in_each_run(called, tmp_path):
    drawn = dv.System("one")
    drawn.add("a", dv.load(build.build("discard", 2, tmp_path)))
    drawn.set("a.ends", True)  # a Boolean
    lane = lane_of(drawn, {"a": ("x", "limit", "ends")})
    for x in (-1.0, -2.0, -1.0):
        values = {"x": x, "limit": 1.0, "ends": True}
        rows = lane.run({"a": values}).rows
        given = {f"a.{name}": value for name, value in values.items()}
        alone = dv.simulate(drawn, values=given, stop=1.0, step=0.05, verify=False, quiet=True)
        assert rows[:, 1].tobytes() == alone["a.y"].tobytes()
    assert called == ["made", "made"]
    lane.close()
