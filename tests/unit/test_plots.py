"""Plots as they are asked for: names, x-y, several results, own axes, curves on each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from unit.test_pictures import curves, facts

import dovetail as dv
from dovetail.results.pictures.overlay import named
from dovetail.results.pictures.sheet import Sheet


def run(scale: float = 1.0, rows: int = 101, **more: Any) -> dv.Result:
    time = np.linspace(0, 2, rows)
    values = {
        "body.x": scale * np.sin(3 * time),
        "body.v": 3 * scale * np.cos(3 * time),
        "wheel.v": 3 * scale * np.cos(3 * time),
        "body.n": np.arange(rows) // 50,
        "mode": np.where(time < 1, "slow", "fast"),
    }
    units = {"body.x": "m", "body.v": "m/s", "wheel.v": "m/s"}
    return dv.Result.of(time, values, units, {"system": "car", "finished": True, **more})


def entries(axes: Any) -> list[str]:
    """The legend."""
    return [text.get_text().strip() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize(
    "asked",
    [(["body.x", "wheel.v"],), ("body.x", "wheel.v"), ("body.x, wheel.v",), ((["body.x"]), "w*")],
    ids=["list", "several", "commas", "both"],
)
def test_variables_are_named_in_every_way(asked: Any) -> None:
    labels = [axes.get_ylabel() for axes in run().plot(*asked).axes]
    assert labels == ["body.x [m]", "wheel.v [m/s]"]


def test_y_names_variables_too() -> None:
    assert [a.get_ylabel() for a in run().plot(y=["body.x"]).axes] == ["body.x [m]"]


@pytest.mark.parametrize("wrong", [[1, 2], [None], 3.0])
def test_names_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(dv.OptionError, match=r"named by text, such as 'prey\.\*', not by"):
        run().plot(wrong)


# x-y ----------------------------------------------------------------------------------------------


def test_one_variable_over_another() -> None:
    result = run()
    (axes,) = result.plot(x="body.x", y="body.v").axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("body.x [m]", "body.v [m/s]")
    assert np.array_equal(axes.get_lines()[0].get_xdata(), result["body.x"])
    assert np.array_equal(axes.get_lines()[0].get_ydata(), result["body.v"])


def test_several_variables_over_one(tmp_path: Path) -> None:
    above, below = run().plot(x="body.x", y=["*.v", "body.n"]).axes
    assert entries(above) == ["body.v", "wheel.v = body.v"]
    assert below.get_ylabel() == "body.n"
    run().plot(x="body.x", y="*.v", path=tmp_path / "xy.html")
    assert '"over_time":false' in (tmp_path / "xy.html").read_text()


def test_over_everything_leaves_out_what_is_not_numeric() -> None:
    shown = [a.get_ylabel() for a in run().plot(x="body.x").axes]
    assert shown == ["body.v, wheel.v [m/s]", "body.n"]
    with pytest.raises(dv.OptionError, match="'mode' is not numeric, so x-y has no place"):
        run().plot(x="body.x", y="mode")
    with pytest.raises(dv.OptionError, match="'mode' is not numeric"):
        run().plot(x="mode", y="body.x")
    with pytest.raises(dv.DovetailError, match=r"'body.z' was not recorded. Did you mean 'body.x'"):
        run().plot(x="body.z", y="body.x")


def test_time_may_be_named() -> None:
    assert run().plot("body.x", x="time").axes[0].get_xlabel() == "time [s]"


def test_no_extreme_of_a_long_x_y_plot_is_lost() -> None:
    time = np.linspace(0, 1, 300_000)
    x, y = np.cos(90 * time), np.sin(90 * time)
    x[1234], y[98_765] = 5.0, -7.0
    result = dv.Result.of(time, {"a.x": x, "a.y": y})
    drawn = result.plot(x="a.x", y="a.y").axes[0].get_lines()[0]
    assert 5.0 in drawn.get_xdata() and -7.0 in drawn.get_ydata()
    px, py = curves(facts(Sheet.of({"": result}, ("a.y",), "a.x")))["a.y"]
    assert px.max() == 5.0 and py.min() == -7.0
    assert len(px) < 150_000


def test_a_jump_of_an_x_y_plot_is_a_gap() -> None:
    result = dv.Result.of([0.0, 1.0, 1.0, 2.0], {"a.x": [0.0, 1.0, 5.0, 6.0], "a.y": [1.0] * 4})
    curve, jump = result.plot(x="a.x", y="a.y").axes[0].get_lines()
    assert np.isnan(curve.get_ydata()).sum() == 1
    assert list(jump.get_xdata()) == [1.0, 5.0]


# several results ----------------------------------------------------------------------------------


def test_results_are_drawn_over_each_other(tmp_path: Path) -> None:
    a, b = run(), run(2.0, rows=31)
    assert dv.plot([a, b], "body.x", path=tmp_path / "overlay.png") is None
    assert (tmp_path / "overlay.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = dv.plot({"loose": a, "strong": b}, "body.x").axes
    assert axes.get_ylabel() == "body.x [m]"
    assert entries(axes) == ["loose", "strong"]
    assert [len(line.get_xdata()) for line in axes.get_lines()] == [101, 31]
    (axes,) = dv.plot({"loose": a, "strong": b}, "*.v").axes
    assert entries(axes)[0] == "body.v, loose"
    dv.plot({"loose": a, "strong": b}, "*.v", path=tmp_path / "overlay.html")
    assert "body.v, loose" in (tmp_path / "overlay.html").read_text()


def test_runs_are_named_by_what_distinguishes_them(tmp_path: Path) -> None:
    run().save(tmp_path / "a.csv")
    run().save(tmp_path / "b.csv")
    assert list(named([tmp_path / "a.csv", str(tmp_path / "b.csv")])) == ["a", "b"]
    assert list(named([run(), run(system="bus")])) == ["car", "bus"]
    common = {"controller": "FixedStep(0.1)"}
    made = [run(algorithm="Jacobi()", **common), run(algorithm="Newton()", **common)]
    assert list(named(made)) == ["Jacobi()", "Newton()"]
    assert list(named([run(), run()])) == ["run 1", "run 2"]
    below = dv.plot(made, "body.x").axes[0].texts[1].get_text()
    assert below == "FixedStep(0.1)", "what they have in common stands below the title"


def test_what_one_of_them_lacks_is_said() -> None:
    other = dv.Result.of([0.0, 1.0], {"body.x": [0.0, 1.0]}, {"body.x": "m"})
    made = dv.plot({"a": run(), "b": other}, "body.x", "body.v")
    assert "b has no body.v" in made.axes[0].texts[1].get_text()
    with pytest.raises(dv.DovetailError, match=r"'body.y' was not recorded"):
        dv.plot([run(), other], "body.y")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([], "dv.plot was given no result"),
        ({}, "dv.plot was given no result"),
        (3, "draws results, such as"),
        ([3], "draws results or their files, not int"),
    ],
)
def test_what_is_no_result_is_refused(wrong: Any, sentence: str) -> None:
    with pytest.raises(dv.OptionError, match=sentence):
        dv.plot(wrong)


# size and axes ------------------------------------------------------------------------------------


def test_the_size_is_in_inches(tmp_path: Path) -> None:
    assert tuple(run().plot("body.x", size=(7, 3)).get_size_inches()) == (7.0, 3.0)
    run().plot("body.x", size=(7, 3), path=tmp_path / "page.html")
    assert "width: 672px" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("wrong", [(1200, 800), (0, 3), (3,), "7x3", (1, float("nan")), 5])
def test_sizes_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(dv.OptionError, match=r"size is .*inches"):
        run().plot("body.x", size=wrong)


def test_one_panel_goes_onto_axes_of_the_user() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert run().plot("body.x", ax=left, title="Mine") is left
    run().plot(x="body.x", y="body.v", ax=right)
    assert (left.get_title(), left.get_ylabel()) == ("Mine", "body.x [m]")
    assert right.get_xlabel() == "body.x [m]"
    assert entries(left) == ["body.x"]
    assert left.spines["top"].get_visible(), "its looks are the user's"


def test_axes_with_too_little_room_say_so(tmp_path: Path) -> None:
    axes = Figure().subplots()
    message = r"one panel, and these variables need 2 \(body.x \[m\], body.v \[m/s\]\)"
    with pytest.raises(dv.OptionError, match=message):
        run().plot("body.x", "body.v", ax=axes)
    assert not axes.get_lines()
    with pytest.raises(dv.OptionError, match="ax or path, not both"):
        run().plot("body.x", ax=axes, path=tmp_path / "x.png")
    with pytest.raises(dv.OptionError, match="ax or size, not both"):
        run().plot("body.x", ax=axes, size=(3, 3))
    with pytest.raises(dv.OptionError, match="ax must be one axes of matplotlib, not ndarray"):
        run().plot("body.x", ax=np.array([axes]))


# curves that lie on each other --------------------------------------------------------------------


def test_equal_curves_are_both_seen_and_said_to_be_equal() -> None:
    (axes,) = run().plot("*.v").axes
    below, above = axes.get_lines()
    assert entries(axes) == ["body.v", "wheel.v = body.v"]
    assert below.get_linewidth() > 2 * above.get_linewidth()
    assert above.is_dashed() and not below.is_dashed()


def test_curves_that_no_eye_can_tell_apart_are_said_to_be_near() -> None:
    (axes,) = dv.plot({"a": run(), "b": run(1.001), "c": run(1.1), "d": run()}, "body.x").axes
    assert entries(axes) == ["a", "b ≈ a", "c", "d = a"]
    (axes,) = dv.plot({"a": run(rows=2001), "b": run(rows=501)}, "body.x").axes
    assert entries(axes) == ["a", "b ≈ a"], "with rows of their own"


def test_a_difference_between_the_points_drawn_is_no_equality() -> None:
    time = np.linspace(0, 1, 50_000)
    one = np.sin(40 * time)
    other = one.copy()
    other[777] += 1e-9
    (axes,) = dv.Result.of(time, {"a.x": one, "b.x": other}, {"a.x": "m", "b.x": "m"}).plot().axes
    assert entries(axes) == ["a.x", "b.x ≈ a.x"]


def test_three_equal_curves_are_all_seen() -> None:
    values = {name: [0.0, 1.0, 0.5] for name in ("a.x", "a.y", "a.z")}
    (axes,) = dv.Result.of([0.0, 1.0, 2.0], values).plot().axes
    assert entries(axes) == ["a.x", "a.y = a.x", "a.z = a.x"]
    found = facts(Sheet.of({"": dv.Result.of([0.0, 1.0, 2.0], values)}, ()))
    dashes = [(c["dashes"], c["offset"]) for c in found["panels"][0]["curves"]]
    assert dashes == [(None, 0.0), ((5.0, 10.0), 0.0), ((5.0, 10.0), 5.0)]


# without matplotlib -------------------------------------------------------------------------------


def test_without_matplotlib_pages_are_drawn_and_pictures_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run().plot(path=tmp_path / "page.html")
    for path in (None, tmp_path / "picture.png"):
        with pytest.raises(dv.DovetailError, match="this needs matplotlib, which is not installed"):
            run().plot(path=path)
