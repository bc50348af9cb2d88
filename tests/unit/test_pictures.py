"""Pictures: what is grouped, what is thinned, and that no name can do harm."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.core.errors import FileError, OptionError
from dovetail.results.pictures.decimate import changes, outline
from dovetail.results.pictures.page import figure, page, script_safe
from dovetail.results.pictures.panels import COLOURS, MOST_PANELS, panels
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


# what to draw -------------------------------------------------------------------------------------


def test_units_share_panels_and_what_is_no_number_goes_into_lanes(result: Result) -> None:
    stack = panels(result, result.names, 10)
    found = [(p.label, [c.name for c in p.columns], p.lanes) for p in stack]
    assert found == [
        ("m", ["ball.h"], False),
        ("m/s", ["ball.v"], False),
        ("prey", ["prey.x"], False),
        ("integer", ["ball.n"], False),
        ("", ["ball.up", "mode"], True),
    ]
    colours = [p.colour(k) for p in stack for k in range(len(p.columns))]
    assert colours == list(COLOURS[:6])


@pytest.mark.parametrize("parts", [1, 6, 7, 40])
def test_there_are_never_too_many_panels(parts: int) -> None:
    names = [f"part{k}.x" for k in range(parts)]
    units = {f"part{k}.x": f"unit{k}" for k in range(0, parts, 2)}
    result = Result.of([0.0, 1.0], {n: [0.0, 1.0] for n in names} | {"b": [True, False]}, units)
    stack = panels(result, result.names, 100)
    assert len(stack) <= MOST_PANELS
    assert sorted(c.name for p in stack for c in p.columns) == sorted(result.names)
    assert stack[-1].lanes


def test_what_does_not_fit_is_counted() -> None:
    result = Result.of([0.0, 1.0], {f"a.x{k}": [0.0, 1.0] for k in range(50)})
    (panel,) = panels(result, result.names, 12)
    assert (len(panel.columns), panel.left_out) == (12, 38)


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
    assert len(changes(np.arange(1000) % 2 == 0, 100)) == 100


# drawn by matplotlib ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_are_files(result: Result, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"picture{suffix}"
    assert result.plot("ball.*", path=path) is None
    begin = path.read_bytes()[:8]
    assert begin.startswith((b"\x89PNG", b"<?xml", b"%PDF"))


def test_without_a_path_the_figure_comes_back(result: Result) -> None:
    made = result.plot("ball.h", "ball.v", title="A ball")
    assert [axes.get_ylabel() for axes in made.axes] == ["m", "m/s"]
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
    """The figure inside a page, as a browser would read it."""
    found = re.search(r"const figure = (.*);\n", text)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def numbers(packed: dict[str, str]) -> np.ndarray:
    return np.frombuffer(b64decode(packed["bdata"]), "<f8")


def test_a_page_stands_alone(result: Result) -> None:
    text = page(result, result.names, None)
    elements = Elements(text)
    assert elements.tags.count("script") == 2
    assert elements.sources == []
    assert "default-src 'none'" in text
    assert "sendChartToCloud" not in text[text.index("const figure") :]
    assert len(text) > 1_000_000  # the library is in it


def test_hostile_names_stay_text() -> None:
    result = hostile()
    text = page(result, result.names, HOSTILE[0])
    elements = Elements(text)
    assert elements.tags.count("script") == 2
    assert "img" not in elements.tags
    assert "alert(1)</script>" not in text
    names = [trace["name"] for trace in shown(text)["data"]]
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in names
    assert not any("<" in name for name in names)
    assert "{{library}}" in names
    assert "the run did not reach its end" in text
    assert [t["meta"] for t in shown(text)["data"]][-1] == "s"
    for trace in shown(text)["data"]:
        assert trace["hovertemplate"].count("%{") == 1


def test_json_in_a_script_cannot_end_it() -> None:
    text = script_safe({"</script>": "<!--"})
    assert "<" not in text and ">" not in text
    assert json.loads(text) == {"</script>": "<!--"}


def test_panels_are_stacked_over_one_time_axis(result: Result) -> None:
    made = figure(result, panels(result, result.names, 30))
    assert {trace["xaxis"] for trace in made["data"]} == {"x"}
    domains = [made["layout"][f"yaxis{n}"]["domain"] for n in ("", 2, 3, 4, 5)]
    for above, below in pairwise(domains):
        assert below[1] < above[0]
    assert domains[0][1] == 1.0 and domains[-1][0] == pytest.approx(0.0)
    assert made["layout"]["xaxis"]["anchor"] == "y5"
    assert made["layout"]["xaxis"]["range"] == [0.0, 2.0]


def test_numbers_on_a_page_are_exact(result: Result) -> None:
    made = figure(result, panels(result, ["ball.v"], 30))
    assert np.array_equal(numbers(made["data"][0]["y"]), result["ball.v"])
    assert np.array_equal(numbers(made["data"][0]["x"]), result.time)


def test_a_million_rows_still_open() -> None:
    time = np.linspace(0, 1, 1_000_000)
    result = Result.of(time, {f"a.x{k}": np.sin((k + 1) * 100 * time) for k in range(3)})
    made = figure(result, panels(result, result.names, 30))
    for trace in made["data"]:
        assert len(numbers(trace["x"])) <= 4010
    assert len(json.dumps(made)) < 500_000


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
