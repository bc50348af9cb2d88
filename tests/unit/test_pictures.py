"""Pictures: what is grouped, what is thinned, and that no name can do harm."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.core.errors import DovetailError, FileError, OptionError
from dovetail.results.pictures.decimate import changes, outline
from dovetail.results.pictures.page import curves_of, page, script_safe, sheet_facts
from dovetail.results.pictures.panels import COLOURS, MOST_PANELS, Panel
from dovetail.results.pictures.sheet import Sheet
from dovetail.results.result import Result, UnknownVariable

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    'a"b\\c',
    "$x_1$ $",
    "_hidden",
    "per%cent %{y}",
    "日本語",
    "{{library}}",
    "line\nbreak",
)


@pytest.fixture
def result() -> Result:
    time = np.concatenate([np.linspace(0, 1, 50), np.linspace(1, 2, 50)])
    late = np.arange(100) >= 50
    values: dict[str, Any] = {
        "ball.h": np.abs(np.sin(3 * time)),
        "ball.v": np.where(late, 3 - time, -time),
        "prey.x": time,
        "ball.n": late.astype(int),
        "ball.up": late,
        "mode": np.where(late, "up", "down"),
    }
    units = {"ball.h": "m", "ball.v": "m/s"}
    return Result.of(time, values, units, {"system": "ball", "algorithm": "Jacobi()"})


def hostile() -> Result:
    values = {name: np.linspace(0, k + 1, 9) for k, name in enumerate(HOSTILE)}
    units = {name: HOSTILE[k - 1] for k, name in enumerate(HOSTILE) if k % 2}
    facts = {"system": HOSTILE[0], "algorithm": HOSTILE[1], "finished": False}
    return Result.of(np.linspace(0, 1, 9), values | {"s": list(HOSTILE[:9])}, units, facts)


def sheet_of(result: Result, *names: str, title: str | None = None) -> Sheet:
    return Sheet.of({"": result}, names, title=title)


def panels(result: Result, most: int) -> list[Panel]:
    return sheet_of(result).panels(most)


# what to draw -------------------------------------------------------------------------------------


def test_units_share_panels_and_what_is_no_number_goes_into_lanes(result: Result) -> None:
    stack = panels(result, 10)
    found = [(p.group, p.label, p.names, p.lanes) for p in stack]
    assert found == [
        ("m", "ball.h [m]", ["ball.h"], False),
        ("m/s", "ball.v [m/s]", ["ball.v"], False),
        ("prey", "prey.x", ["prey.x"], False),
        ("integer", "ball.n", ["ball.n"], False),
        ("", "", ["ball.up", "mode"], True),
    ]
    colours = [p.colour(k) for p in stack for k in range(len(p.traces))]
    assert colours == list(COLOURS[:6])


@pytest.mark.parametrize("parts", [1, 6, 7, 40])
def test_there_are_never_too_many_panels(parts: int) -> None:
    names = [f"part{k}.x" for k in range(parts)]
    units = {f"part{k}.x": f"unit{k}" for k in range(0, parts, 2)}
    result = Result.of([0.0, 1.0], {n: [0.0, 1.0] for n in names} | {"b": [True, False]}, units)
    stack = panels(result, 100)
    assert len(stack) <= MOST_PANELS
    assert sorted(t.column.name for p in stack for t in p.traces) == sorted(result.names)
    assert stack[-1].lanes


def test_what_does_not_fit_is_counted() -> None:
    result = Result.of([0.0, 1.0], {f"a.x{k}": [0.0, 1.0] for k in range(50)})
    (panel,) = panels(result, 12)
    assert (len(panel.traces), panel.left_out) == (12, 38)


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["a.x"], "a.x [m]"),
        (["a.x", "b.y"], "a.x, b.y [m]"),
        ([f"part_{k}.position" for k in range(9)], "position [m]"),
        ([f"part_{k}.x_{k}" for k in range(9)], "part_0.x_0, part_1.x_1, … [m]"),
    ],
)
def test_axes_say_which_variables_they_show(names: list[str], label: str) -> None:
    values = {name: [0.0, k + 1.0] for k, name in enumerate(names)}
    result = Result.of([0.0, 1.0], values, dict.fromkeys(names, "m"))
    (panel,) = panels(result, 12)
    assert panel.label == label
    assert result.plot().axes[0].get_ylabel() == label


def test_no_peak_is_lost() -> None:
    values = np.sin(np.linspace(0, 50, 1_000_003))
    values[123_457], values[-2] = 9.0, -9.0
    rows = outline(values, 4000)
    assert len(rows) <= 4010
    assert {0, 123_457, len(values) - 2, len(values) - 1} <= set(rows.tolist())
    assert np.all(np.diff(rows) > 0)


def test_gaps_stay_gaps() -> None:
    values = np.zeros(100_000)
    values[5000:5003] = np.nan
    values[70_000] = np.inf
    rows = outline(values, 1000)
    assert {5000, 70_000} <= set(rows.tolist())
    assert outline(np.full(100_000, np.nan), 1000).size > 0


def test_few_points_are_all_drawn() -> None:
    assert outline(np.zeros(10), 10).tolist() == list(range(10))


def test_held_values_are_drawn_where_they_change() -> None:
    values = np.array(["a", "a", "b", "b", "a", "a"], dtype=object)
    assert changes(values, 100).tolist() == [0, 2, 4, 5]
    often = np.arange(1000) % 2 == 0
    rows = changes(often, 100)
    assert 50 <= len(rows) <= 100
    for part in np.array_split(rows, 10):
        assert {True, False} == set(often[part].tolist()), "thinning hides no change of value"


# drawn by matplotlib ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_are_files(result: Result, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"picture{suffix}"
    assert result.plot("ball.*", path=path) is None
    begin = path.read_bytes()[:8]
    assert begin.startswith((b"\x89PNG", b"<?xml", b"%PDF"))


def test_without_a_path_the_figure_comes_back(result: Result) -> None:
    made = result.plot("ball.h", "ball.v", title="A ball")
    assert [axes.get_ylabel() for axes in made.axes] == ["ball.h [m]", "ball.v [m/s]"]
    assert made.axes[-1].get_xlabel() == "time [s]"
    assert made._repr_png_().startswith(b"\x89PNG")
    texts = [text.get_text() for text in made.axes[0].texts]
    assert texts == ["A ball", "Jacobi()"]


def test_pyplot_is_left_alone(result: Result) -> None:
    before = "matplotlib.pyplot" in sys.modules
    result.plot("ball.h")
    assert ("matplotlib.pyplot" in sys.modules) == before


def test_a_jump_is_a_gap_with_a_dotted_line(result: Result) -> None:
    (axes,) = result.plot("ball.v").axes
    curve, jump = axes.get_lines()
    assert np.isnan(curve.get_ydata()).sum() == 1
    assert jump.get_linestyle() == ":"
    assert list(jump.get_xdata()) == [1.0, 1.0]
    assert list(jump.get_ydata()) == [-1.0, 2.0]


def test_a_continuous_curve_has_no_gap_at_an_event(result: Result) -> None:
    (axes,) = result.plot("prey.x").axes
    (curve,) = axes.get_lines()
    assert not np.isnan(curve.get_ydata()).any()


def test_discrete_values_are_steps(result: Result) -> None:
    for name in ("ball.n", "ball.up", "mode"):
        (axes,) = result.plot(name).axes
        assert axes.get_lines()[0].get_drawstyle() == "steps-post"


def test_every_name_is_in_the_legend() -> None:
    made = hostile().plot()
    shown = [
        t.get_text() for axes in made.axes if axes.get_legend() for t in axes.get_legend().texts
    ]
    assert " _hidden" in shown
    assert " $x_1$ $" in shown
    assert len(shown) == len(HOSTILE)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".html"])
def test_hostile_names_do_not_stop_a_picture(tmp_path: Path, suffix: str) -> None:
    hostile().plot(path=tmp_path / f"picture{suffix}", title=HOSTILE[0])
    assert (tmp_path / f"picture{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("rows", [1, 2])
def test_short_results_can_be_drawn(tmp_path: Path, rows: int) -> None:
    values: dict[str, Any] = {"a.x": [1.0] * rows, "a.s": ["x"] * rows, "a.b": [True] * rows}
    result = Result.of(np.arange(rows), values)
    for suffix in (".png", ".html"):
        result.plot(path=tmp_path / f"short{suffix}")


def test_values_that_are_no_numbers_can_be_drawn(tmp_path: Path) -> None:
    values = {"a.x": [np.nan, np.inf, 1.0], "a.y": [np.nan] * 3, "a.z": [1e300, -1e300, 0.0]}
    result = Result.of([0.0, 1.0, 2.0], values)
    for suffix in (".png", ".html"):
        result.plot(path=tmp_path / f"odd{suffix}")


# the page -----------------------------------------------------------------------------------------


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]


def shown(text: str) -> dict[str, Any]:
    """The sheet inside a page, as a browser would read it."""
    found = re.search(r"const sheet = (.*);\n", text)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def facts(sheet: Sheet) -> dict[str, Any]:
    stack = sheet.panels(30)
    return sheet_facts(sheet, stack, curves_of(stack))


def curves(found: dict[str, Any]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What a page draws: x and y of each curve by name."""
    arrays = [np.frombuffer(b64decode(text), "<f8") for text in found["arrays"]]
    return {
        curve["name"]: (arrays[curve["x"]], arrays[curve["y"]])
        for panel in found["panels"]
        for curve in panel["curves"]
    }


def test_a_page_stands_alone_and_is_small(result: Result) -> None:
    text = page(sheet_of(result))
    elements = Elements(text)
    assert elements.tags.count("script") == 2
    assert elements.sources == []
    assert "default-src 'none'" in text
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|importScripts|new Worker", text)
    assert not re.search(r"\bimport\s*[({\"']", text)
    assert "Copyright (c) 2022 Leon Sorokin" in text  # its licence asks for that
    data = sum(map(len, shown(text)["arrays"]))
    assert 50_000 < len(text) - data < 120_000


def test_hostile_names_stay_text() -> None:
    result = hostile()
    text = page(sheet_of(result, title=HOSTILE[0]))
    elements = Elements(text)
    assert elements.tags.count("script") == 2
    assert "img" not in elements.tags
    assert "alert(1)</script>" not in text
    assert set(curves(shown(text))) == {*HOSTILE, "s"}
    assert "the run did not reach its end" in text
    script = text[text.index("const sheet = ") :]
    assert "innerHTML" not in script and "insertAdjacentHTML" not in script


def test_json_in_a_script_cannot_end_it() -> None:
    text = script_safe({"</script>": "<!--"})
    assert "<" not in text and ">" not in text
    assert json.loads(text) == {"</script>": "<!--"}


def test_a_page_has_the_panels_and_colours_of_the_picture(result: Result) -> None:
    found = facts(sheet_of(result))
    made = result.plot()
    assert [p["label"] for p in found["panels"]] == [axes.get_ylabel() for axes in made.axes]
    assert [p["lanes"] for p in found["panels"]] == [False, False, False, False, True]
    drawn = [axes.get_lines()[0].get_color() for axes in made.axes]
    assert [p["curves"][0]["colour"] for p in found["panels"]] == drawn
    assert (found["x"], found["over_time"]) == ("time [s]", True)


def test_numbers_on_a_page_are_exact_and_both_sides_of_an_event_are_there(result: Result) -> None:
    x, y = curves(facts(sheet_of(result)))["ball.v"]
    assert np.array_equal(y, result["ball.v"])
    assert np.array_equal(x, result.time)
    assert list(y[x == 1.0]) == [-1.0, 2.0]


def test_equal_arrays_are_written_once(result: Result) -> None:
    twice = Result.of(result.time, {"a.x": result["prey.x"], "b.x": result["prey.x"]})
    assert len(facts(sheet_of(twice))["arrays"]) == 1  # prey.x is the time itself


def test_a_million_rows_still_open_without_losing_a_peak() -> None:
    time = np.linspace(0, 1, 1_000_000)
    values = {f"a.x{k}": np.sin((k + 1) * 100 * time) for k in range(3)}
    values["a.x1"][654_321], values["a.x2"][123_456] = 7.0, -9.0
    result = Result.of(time, values)
    text = page(sheet_of(result))
    drawn = curves(shown(text))
    for name, (x, y) in drawn.items():
        assert 50_000 < len(x) <= 100_010
        assert (y.min(), y.max()) == (result[name].min(), result[name].max())
    assert len(text) < 8_000_000
    assert "at most 10000" in text and "of 1000000 recorded points" in text
    inside = page(sheet_of(result), inline=True)
    assert len(inside) < 1_000_000, "a notebook stores it"
    assert curves(shown(inside))["a.x1"][1].max() == 7.0
    small = Result.of(time[:10_000], {"a.x": time[:10_000]})
    assert "recorded points" not in page(sheet_of(small)), "nothing is left out below that"


def test_without_uplot_a_page_is_refused_and_a_picture_drawn(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dovetail.results.pictures.uplot.FOLDER", "nowhere")
    with pytest.raises(DovetailError, match=r"needs uPlot.*install Node\.js.*or draw a \.png"):
        result.plot(path=tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
    result.plot(path=tmp_path / "picture.png")
    shown = result.plot("ball.h")._repr_mimebundle_()["text/html"]
    assert "<img" in shown and "needs uPlot" in shown


# in a notebook ------------------------------------------------------------------------------------


def test_a_notebook_shows_the_page_and_can_fall_back_on_a_picture() -> None:
    figure = hostile().plot(title=HOSTILE[0])
    shown = figure._repr_mimebundle_()
    assert b64decode(shown["image/png"]).startswith(b"\x89PNG")
    elements = Elements(shown["text/html"])
    assert elements.tags == ["div", "img", "script"]
    assert [source[:22] for source in elements.sources] == ["data:image/png;base64,"]
    inside = re.search(r"frame.srcdoc = (.*);\n", shown["text/html"])
    assert inside is not None
    assert Elements(json.loads(inside[1])).tags.count("script") == 2
    assert figure._repr_png_().startswith(b"\x89PNG")


# refused ------------------------------------------------------------------------------------------


def test_refusals(result: Result, tmp_path: Path) -> None:
    with pytest.raises(UnknownVariable, match=r"'ball.x' was not recorded. Did you mean"):
        result.plot("ball.x")
    with pytest.raises(FileError, match=r"use one of \.png, \.svg, \.pdf, \.html"):
        result.plot(path=tmp_path / "picture.gif")
    with pytest.raises(OptionError, match="no variable"):
        Result.of([0.0], {}).plot()
    with pytest.raises(OptionError, match="before its first row"):
        Result.of([], {"a.x": []}).plot()
    for suffix in (".png", ".html"):
        with pytest.raises(FileError, match="cannot be written"):
            result.plot(path=tmp_path / "missing" / f"picture{suffix}")
