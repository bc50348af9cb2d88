"""What a study shows: pictures, lazy signals, its cost before it is made, points from a file."""

import numpy as np
import pytest
from studies import corner

import dovetail as dv
from dovetail.studies import study as study_module
from dovetail.studies.lazy import lazy_signal


@pytest.fixture(scope="module")
def grid():
    vary = {"strut.d": [500.0, 1000.0, 1500.0], "body.m": [250.0, 300.0, 350.0]}
    return dv.sweep(corner.system(), vary, jobs=0, **corner.RUN)


@pytest.mark.parametrize(("kind", "panels"), [("lines", 1), ("map", 1), ("scatter", 9), (None, 1)])
def test_a_study_is_drawn(grid, kind, panels, tmp_path):
    figure = grid.plot("body.x", kind, at="min", path=tmp_path / "study.png")
    assert (tmp_path / "study.png").read_bytes()[:4] == b"\x89PNG"
    bars = {"map", "lines", None}
    assert len(figure.axes) == panels + (kind in bars)  # and the bar of colours
    if kind == "lines":
        assert len(figure.axes[0].lines) == 9


def test_a_tornado_has_the_strongest_first(grid):
    """A damper three times as strong does more to the lowest point than 40 % of mass."""
    figure = grid.plot("body.x", "tornado", at="min")
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    places = figure.axes[0].get_yticks()
    assert labels[int(np.argmax(places))] == "strut.d"


def test_what_cannot_be_drawn_is_refused(grid):
    with pytest.raises(dv.DovetailError, match=r"body\.y.*was not recorded"):
        grid.plot("body.y")
    with pytest.raises(dv.OptionError, match="drawn as lines, map, scatter, tornado, not 'pie'"):
        grid.plot("body.x", "pie")
    with pytest.raises(dv.OptionError, match="at is one of"):
        grid.plot("body.x", at="median")


def test_large_signals_stay_on_disk_until_they_are_computed(monkeypatch, tmp_path):
    monkeypatch.setattr(study_module, "LARGE", 0)
    monkeypatch.setattr("dovetail.studies.lazy.CHUNK", 4)
    vary = {"strut.d": [500.0, 1000.0, 1500.0], "body.m": [250.0, 300.0, 350.0]}
    study = dv.sweep(corner.system(), vary, jobs=0, store=tmp_path / "study", **corner.RUN)
    lazy = study.data["body.x"]
    assert type(lazy.data).__module__.startswith("dask") and lazy.data.numblocks[0] >= 2
    assert np.array_equal(lazy.compute().values, study["body.x"])
    some = lazy_signal(tmp_path / "study", "body.x", (3, 3), 5)[1, 2].compute()
    assert np.array_equal(some, study["body.x"][1, 2])


def test_the_cost_is_told_before_a_study_is_made(tmp_path):
    marks = corner.Marks(tmp_path / "marks")
    vary = {"strut.d": [500.0 + k for k in range(40)]}
    given = {"jobs": 2, "store": tmp_path / "study", **corner.RUN}
    study = dv.sweep(corner.system(marks), vary, explain=True, **given)
    assert marks.count == 1 and study.estimate.missing == 40
    assert study.estimate.duration == pytest.approx(20 * study.estimate.seconds)
    assert "40 runs: one takes" in str(study.estimate)
    whole = dv.sweep(corner.system(marks), vary, **given)
    assert marks.count == 40 and not whole.failed and whole.estimate is None
    again = dv.sweep(corner.system(marks), vary, explain=True, **given)
    assert "all of which are there" in str(again.estimate) and marks.count == 40


def test_points_come_from_a_file(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("strut.d,body.x\n500,0.04\n1500,5 cm\n\n", encoding="utf-8")
    study = dv.sweep(corner.system(), path, jobs=0, **corner.RUN)
    same = dv.sweep(
        corner.system(),
        {("strut.d", "body.x"): [(500.0, 0.04), (1500.0, 0.05)]},
        jobs=0,
        **corner.RUN,
    )
    assert not study.failed and np.array_equal(study["body.x"], same["body.x"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no runs"),
        ("strut.d,body.m\n", "has no runs"),
        ("strut.d,body.m\n1\n", "line 2 has 1 values for 2 names"),
        ("strut.d,strut.d\n1,2\n", "'strut.d' is varied twice"),
        ("strut.q\n1\n", "is not a parameter"),
    ],
)
def test_files_that_are_no_points_are_refused(text, message, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(dv.DovetailError, match=message):
        dv.sweep(corner.system(), path, jobs=0, **corner.RUN)
    with pytest.raises(dv.FileError):
        dv.sweep(corner.system(), tmp_path / "none.csv", jobs=0, **corner.RUN)
