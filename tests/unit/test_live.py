"""A plot that grows while a run goes on: what it shows, what it costs; it changes nothing."""

from __future__ import annotations

import sys
from io import StringIO
from time import thread_time
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

import dovetail as dv
from dovetail.core.description import Kind
from dovetail.core.notebook import in_notebook
from dovetail.observe.live import choosing, view, window
from dovetail.observe.live.braille import BrailleCanvas
from dovetail.observe.live.envelope import Envelope
from dovetail.observe.live.frame import LiveFrame, panels_of
from dovetail.observe.live.notebook import NotebookScreen
from dovetail.observe.live.terminal import TerminalScreen, picture
from dovetail.observe.live.vector import svg
from dovetail.observe.live.view import LiveTitle, LiveView
from dovetail.results.recorders.base import Column


class Memo:
    """A screen that keeps what it is shown."""

    takes_terminal = False

    def __init__(self) -> None:
        self.frames: list[LiveFrame] = []
        self.last: LiveFrame | None = None

    def show(self, frame: LiveFrame) -> None:
        self.frames.append(frame)

    def close(self, frame: LiveFrame | None) -> None:
        self.last = frame


def system(name: str = "oscillator") -> dv.System:
    mass = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        units={"x": "m", "v": "m/s", "force": "N"},
        derivatives=lambda t, x, u, p: [x.v, u.force / 2.0],
    )
    spring = dv.Algebraic(
        inputs=["x"],
        outputs=["force"],
        units={"x": "m", "force": "N"},
        function=lambda t, u, p: [-8.0 * u.x],
    )
    made = dv.System(name)
    made.add("mass", mass)
    made.add("spring", spring)
    made.connect("mass.x", "spring.x")
    made.connect("spring.force", "mass.force")
    return made


OPTIONS: dict[str, Any] = {
    "stop": 2.0,
    "algorithm": dv.GaussSeidel(),
    "controller": dv.FixedStep(0.02),
    "quiet": True,
}


@pytest.fixture
def memo(monkeypatch: pytest.MonkeyPatch) -> Memo:
    """What is shown, and every row at once."""
    made = Memo()
    monkeypatch.setattr(choosing, "screen_for", lambda on: made)
    monkeypatch.setattr(view, "FIRST", 0.0)
    monkeypatch.setattr(view, "EVERY", 0.0)
    monkeypatch.setattr(view, "SHARE", 0)
    return made


# what is seen -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("live", "names"),
    [
        (["mass.x", "spring.force"], ["mass.x", "spring.force"]),
        ("mass.*", ["mass.x", "mass.v", "mass.force"]),
        (dv.LivePlot("mass.v"), ["mass.v"]),
    ],
)
def test_every_row_is_seen_while_the_run_goes_on(memo: Memo, live: Any, names: list[str]) -> None:
    result = dv.simulate(system(), **OPTIONS, live=live)
    assert len(memo.frames) >= 100, "a picture for each window, since nothing holds it back here"
    shown = {c.name: c for panel in memo.frames[-1].panels for c in panel.curves}
    assert set(shown) == set(names)
    assert memo.last is not None and memo.last.time == 2.0
    for curve in (c for panel in memo.last.panels for c in panel.curves):
        assert np.array_equal(curve.times, result.time)
        assert np.array_equal(curve.low, result[curve.name])
        assert np.array_equal(curve.high, result[curve.name])


def test_all_of_it_with_true(memo: Memo) -> None:
    result = dv.simulate(system(), **OPTIONS, live=True)
    assert memo.last is not None
    assert {c.name for p in memo.last.panels for c in p.curves} == set(result.names)
    assert [p.unit for p in memo.last.panels] == ["m", "m/s", "N"]


def test_a_run_is_the_same_with_and_without_it(memo: Memo, tmp_path: Any) -> None:
    plain = dv.simulate(system(), **OPTIONS)
    file, same = dv.File(tmp_path / "run.csv"), dv.File(tmp_path / "same.csv")
    for recorder, again in ((dv.Memory(),) * 2, (dv.Sampling(0.1),) * 2, (file, same)):
        watched = dv.simulate(system(), **OPTIONS, live=True, recorder=recorder)
        other = dv.simulate(system(), **OPTIONS, recorder=again)
        assert watched.names == plain.names
        for name in watched.names:
            assert np.array_equal(watched[name], other[name])


def test_native_runs_are_seen_too(memo: Memo, archive: Any) -> None:
    made = dv.System("two")
    for name in ("a", "b"):
        made.add(name, dv.load(archive("vanderpol")))
    options = {**OPTIONS, "controller": dv.FixedStep(0.01), "algorithm": dv.Jacobi()}
    plain = dv.simulate(made, **options)
    watched = dv.simulate(made, **options, live="a.*")
    assert watched.statistics.native_windows == plain.statistics.native_windows > 100
    assert memo.last is not None
    for curve in (c for panel in memo.last.panels for c in panel.curves):
        assert np.array_equal(watched[curve.name], plain[curve.name])
        assert np.array_equal(curve.low, plain[curve.name])
        assert np.array_equal(curve.times, plain.time)


def test_a_run_that_fails_leaves_its_last_picture(memo: Memo) -> None:
    def derivatives(t: float, x: Any, u: Any, p: Any) -> list[float]:
        if t > 0.5:
            raise ValueError("enough")
        return [1.0]

    made = dv.System("mortal")
    made.add("part", dv.Dynamic(states={"x": 0.0}, outputs=["x"], derivatives=derivatives))
    with pytest.raises(dv.RunError):
        dv.simulate(made, **OPTIONS, live=True)
    assert memo.last is not None and 0.4 < memo.last.time <= 0.5


def test_it_goes_on_from_a_checkpoint(memo: Memo, tmp_path: Any) -> None:
    with dv.Session(system(), **OPTIONS, live=True) as session:
        for _ in range(50):
            session.advance()
        session.checkpoint(tmp_path / "half")
    result = dv.simulate(system(), **OPTIONS, live=True, resume=tmp_path / "half")
    assert np.array_equal(result["mass.x"], dv.simulate(system(), **OPTIONS)["mass.x"])
    assert memo.last is not None and memo.last.time == 2.0


@pytest.mark.parametrize(
    ("live", "sentence"),
    [
        ("mass.z", "live='mass.z' means no recorded variable. Did you mean 'mass.x'?"),
        (["*.w"], "live='*.w' means no recorded variable. Only what is recorded can be shown."),
        (3, "live names recorded variables, such as ['prey.*'], not 3"),
        ([1], "live names recorded variables, such as ['prey.*'], not (1,)"),
    ],
)
def test_what_cannot_be_shown_is_refused(memo: Memo, live: Any, sentence: str) -> None:
    with pytest.raises(dv.OptionError) as caught:
        dv.simulate(system(), **OPTIONS, live=live)
    assert str(caught.value) == sentence


def test_text_has_no_curve() -> None:
    columns = [Column("a.x"), Column("a.mode", Kind.STRING), Column("a.on", Kind.BOOLEAN)]
    assert [c.name for c in dv.LivePlot().watched(columns)] == ["a.x", "a.on"]
    with pytest.raises(dv.OptionError, match="means nothing with a numeric value"):
        dv.LivePlot("a.mode").watched(columns)


def test_discrete_values_are_seen() -> None:
    columns = [Column("a.x"), Column("a.n", Kind.INTEGER), Column("a.on", Kind.BOOLEAN)]
    screen = Memo()
    seen = LiveView(columns, columns, LiveTitle("s", (0.0, 3.0)), screen)
    seen.row(0.0, np.array([5.0]), (1, False))
    seen.row(1.0, np.array([6.0]), (2, True))
    seen.block(np.array([2.0, 3.0]), np.array([[7.0], [8.0]]), (3, True))
    seen.close()
    assert screen.last is not None
    shown = {c.name: c.low.tolist() for p in screen.last.panels for c in p.curves}
    assert shown == {"a.x": [5, 6, 7, 8], "a.n": [1, 2, 3, 3], "a.on": [0, 1, 1, 1]}


# how often ----------------------------------------------------------------------------------------


def test_pictures_cost_less_than_a_twentieth_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock of our own: a window takes 1 ms, a picture 30 ms."""
    now = [0.0]
    monkeypatch.setattr(view, "perf_counter", lambda: now[0])
    columns, drawn = [Column("a.x")], [0.0]

    class Slow(Memo):
        def show(self, frame: LiveFrame) -> None:
            now[0] += 0.03
            drawn.append(now[0])

    seen = LiveView(columns, columns, LiveTitle("s", (0.0, 1.0)), Slow())
    for k in range(20_000):
        now[0] += 0.001
        seen.row(k * 1e-4, np.array([1.0]), ())
    assert 0.03 * (len(drawn) - 1) < 0.05 * now[0]
    assert len(drawn) > 15
    assert np.diff(drawn).min() >= 0.1, "at most ten pictures a second"


def test_watching_a_row_costs_microseconds() -> None:
    columns = [Column(f"a.x{k}") for k in range(20)]
    seen = LiveView(columns, columns, LiveTitle("s", (0.0, 1.0)), Memo())
    row = np.zeros(20)
    begin = thread_time()
    for k in range(20_000):
        seen.row(k * 5e-5, row, ())
    assert thread_time() - begin < 20_000 * 50e-6  # some 2 us on a machine that is not busy


# what is kept -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[1] * 5000, [7, 1, 900, 3, 4000], [100_000], [2049]])
def test_an_envelope_has_every_extreme_and_stays_small(sizes: list[int]) -> None:
    generator = np.random.default_rng(3)
    rows = sum(sizes)
    times, values = np.arange(rows, dtype=float), generator.normal(size=(rows, 2))
    values[rows // 3, 0], values[rows // 2, 1] = 50.0, np.nan
    found, begin = Envelope(2, most=256), 0
    for size in sizes:
        found.add(times[begin : begin + size], values[begin : begin + size])
        begin += size
    assert 128 <= len(found.times) <= 256
    assert np.all(np.diff(found.times) > 0)
    ends = np.append(found.times[1:], rows).astype(int)
    for k, (first, last) in enumerate(zip(found.times.astype(int), ends, strict=True)):
        assert np.array_equal(found.low[k], np.nanmin(values[first:last], axis=0))
        assert np.array_equal(found.high[k], np.nanmax(values[first:last], axis=0))


# screens ------------------------------------------------------------------------------------------


def frame(names: tuple[str, ...] = ("a.x", "a.y"), rows: int = 50) -> LiveFrame:
    times = np.linspace(0, 1, rows)
    envelope = Envelope(len(names))
    envelope.add(times, np.column_stack([(k + 1) * times for k in range(len(names))]))
    panels = panels_of([Column(name, unit="m") for name in names], envelope)
    return LiveFrame("ramp", (0.0, 2.0), 1.0, panels)


def test_dots_lie_where_the_curve_is() -> None:
    canvas = BrailleCanvas(2, 1)
    canvas.draw(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 3.0]), (0.0, 3.0), 0)
    assert canvas.lines() == [[("⣠⠞", 0)]], "columns reach to their neighbours"
    canvas.draw(
        np.array([np.nan, np.nan, 0.0, 0.0]), np.array([np.nan, np.nan, 3.0, 3.0]), (0, 3), 1
    )
    assert canvas.lines() == [[("⣠", 0), ("⣿", 1)]]


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 5)])
def test_a_terminal_shows_names_curves_and_how_far_it_is(size: tuple[int, int]) -> None:
    text = picture(frame(), *size).plain
    assert "a.x" in text and "[m]" in text
    lines = text.splitlines()
    if size[0] >= 80:
        assert "ramp: t = 1 s, 50%" in lines[-1]
        assert max(map(len, lines)) < size[0]
        assert len(lines) < size[1]
        assert any(0x2800 < ord(c) <= 0x28FF for c in text)


def test_a_terminal_keeps_the_last_picture() -> None:
    out = StringIO()
    screen = TerminalScreen(Console(file=out, force_terminal=True, width=80, height=24))
    screen.show(frame())
    screen.close(frame())
    assert "50%" in out.getvalue()


def test_hostile_names_stay_text_in_a_notebook() -> None:
    names = ("</svg><script>alert(1)</script>", "a&b")
    drawn = svg(frame(names))
    tree = ElementTree.fromstring(drawn)
    texts = {element.text for element in tree.iter() if element.tag.endswith("text")}
    assert set(names) <= texts
    assert not [element for element in tree.iter() if element.tag.endswith("script")]
    assert len(drawn) < 40_000


def test_a_notebook_updates_one_output(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, Any]] = []

    class Handle:
        def update(self, data: Any, raw: bool) -> None:
            shown.append(("update", data))

    class Display:
        @staticmethod
        def display(data: Any, raw: bool, display_id: bool) -> Handle:
            shown.append(("display", data))
            return Handle()

    class Shell:
        kernel = object()

    class Package:
        display = Display
        get_ipython = staticmethod(Shell)

    monkeypatch.setitem(sys.modules, "IPython", Package)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "IPython.display", Display)  # type: ignore[arg-type]
    assert in_notebook()
    assert isinstance(choosing.screen_for("auto"), NotebookScreen)
    screen = NotebookScreen()
    screen.show(frame())
    screen.close(frame())
    assert [what for what, _ in shown] == ["display", "update"]
    assert all("<svg" in data["text/html"] for _, data in shown)


def test_a_window_is_drawn_into_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")  # those of other tests
    monkeypatch.setattr(window, "has_display", lambda: True)
    with pytest.raises(dv.OptionError, match="needs a toolkit for windows: pip install pyqt6"):
        window.WindowScreen()
    monkeypatch.setattr(window, "has_toolkit", lambda: True)
    monkeypatch.setattr("matplotlib.figure.Figure.show", lambda self: None)
    screen = window.WindowScreen()
    screen.show(frame())
    screen.close(frame())
    (number,) = pyplot.get_fignums()
    axes = pyplot.figure(number).axes[0]
    assert axes.get_title("left") == "ramp: t = 1 s, 50%"
    assert [len(line.get_xdata()) > 0 for line in axes.get_lines()] == [True, True]
    pyplot.close("all")
    screen.show(frame())  # closed by hand: nothing happens


def test_where_it_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(choosing, "in_notebook", lambda: False)
    monkeypatch.setattr(choosing, "is_terminal", lambda: True)
    assert isinstance(choosing.screen_for("auto"), TerminalScreen)
    monkeypatch.setattr(choosing, "is_terminal", lambda: False)
    if sys.platform == "linux":
        assert choosing.screen_for("auto") is None
        with pytest.raises(dv.OptionError, match="needs a display, and there is none"):
            choosing.screen_for("window")
        result = dv.simulate(system(), **{**OPTIONS, "quiet": False}, live=True)
        assert "no terminal, no notebook and no display" in capsys.readouterr().err
        assert result.finished
    with pytest.raises(dv.OptionError, match="shown on one of 'auto', 'terminal'"):
        dv.LivePlot("*", on="printer")  # type: ignore[arg-type]
