"""A system as a picture: what is in it, where it is, and that names do no harm."""

import re
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dovetail as dv
from dovetail.diagrams.arranging import arranged
from dovetail.diagrams.chart import Block, Chart, Link, Pin
from dovetail.diagrams.charting import chart_of
from dovetail.diagrams.layering import columns_of
from dovetail.diagrams.lettering import shortened, width_of
from dovetail.diagrams.paper import arranged_on_paper
from dovetail.drawing.sketch import Box, Mark, Sketch

SVG = "{http://www.w3.org/2000/svg}"


def lag(**options):
    return dv.Dynamic(
        states={"x": 1.0},
        inputs=["u"],
        outputs=["x"],
        derivatives=lambda t, x, u, p: [u.u - x.x],
        **options,
    )


def ring(count, name="ring"):
    system = dv.System(name)
    for k in range(count):
        system.add(f"part{k}", lag())
    for k in range(count):
        system.connect(f"part{k}.x", f"part{(k + 1) % count}.u")
    return system


def capacitor():
    pin = dv.Port("electrical", effort="v", flow="i")
    return dv.Dynamic(
        states={"v": 1.0},
        inputs=["i"],
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u.i],
        ports={"pin": pin},
    )


def texts(diagram):
    tree = ElementTree.fromstring(diagram.svg)
    return [element.text for element in tree.iter(f"{SVG}text")]


def clusters(diagram, role):
    tree = ElementTree.fromstring(diagram.svg)
    return [g for g in tree.iter(f"{SVG}g") if g.get("class") == f"dovetail-{role}"]


# What is shown --------------------------------------------------------------------------------


def test_parts_show_name_kind_and_ports():
    diagram = ring(2).draw()
    shown = texts(diagram)
    assert {"part0", "part1", "Dynamic", "u", "x"} <= set(shown)
    assert len(clusters(diagram, "block")) == 2
    assert len(clusters(diagram, "wire")) == 2
    assert "cycle 1: 2 parts depend on each other" in shown


def test_cycles_are_told_apart_by_number_and_colour():
    system = dv.System("two cycles")
    for name in "abcd":
        system.add(name, lag())
    for source, target in ("ab", "ba", "cd", "dc"):
        system.connect(f"{source}.x", f"{target}.u")
    chart = chart_of(system)
    assert [b.cycle for b in chart.blocks] == [0, 0, 1, 1]
    assert chart.cycles == (2, 2)
    diagram = system.draw()
    colours = {p.get("stroke") for g in clusters(diagram, "wire") for p in g.iter(f"{SVG}path")}
    assert len(colours) == 2
    assert {"1", "2"} <= set(texts(diagram))


def test_a_part_that_feeds_itself_is_a_cycle():
    system = dv.System("self")
    system.add("a", lag())
    system.connect("a.x", "a.u")
    chart = chart_of(system)
    assert chart.cycles == (1,)
    assert "cycle 1: one part feeds itself" in texts(system.draw())
    wire = arranged(chart).wires[0]
    assert len(wire) == 6, "out to the right, around, in from the left"


def test_the_cycles_are_those_of_the_check():
    system = ring(3)
    system.add("watch", lag())
    system.connect("part0.x", "watch.u")
    chart = chart_of(system)
    coloured = {b.name for b in chart.blocks if b.cycle is not None}
    assert [coloured] == [set(c) for c in system.check().cycles]


def test_what_happens_on_the_way_is_a_label():
    system = dv.System("labels")
    road = dv.Source(outputs=["v"], units={"v": "km/h"}, function=lambda t, p: [t])
    car = dv.Algebraic(
        inputs=["v", "w", "z"], outputs=["y"], units={"v": "m/s"}, function=lambda t, u, p: [u.v]
    )
    system.add("road", road)
    system.add("car", car)
    system.connect("road.v", "car.v")
    system.connect("road.v", "car.w", gain=-2.0, offset=1.5)
    system.connect("road.v", "car.z")
    labels = [link.label for link in chart_of(system).links]
    assert labels == ["km/h → m/s", "× -2  + 1.5", ""]  # noqa: RUF001
    assert labels[0] in texts(system.draw())


def test_ports_without_a_connection_are_counted_where_there_are_many():
    names = [f"in{k}" for k in range(30)]
    wide = dv.Algebraic(inputs=names, outputs=["y"], function=lambda t, u, p: [u.in3])
    system = dv.System("wide")
    system.add("wide", wide)
    system.add("lag", lag())
    system.connect("lag.x", "wide.in3")
    block = chart_of(system).blocks[0]
    assert [p.name for p in block.left] == ["in3"] and block.hidden_left == 29
    assert "+ 29 more" in texts(system.draw())


def test_a_tuned_parameter_is_marked():
    gain = dv.Algebraic(
        inputs=["u"],
        outputs=["y"],
        parameters={"k": dv.Variable("k", start=1.0, variability="tunable")},
        function=lambda t, u, p: [p.k * u.u],
    )
    system = dv.System("tuned")
    system.add("gain", gain)
    system.add("lag", lag())
    system.connect("lag.x", "gain.k")
    pins = {p.name: p.kind for p in chart_of(system).blocks[0].left}
    assert pins == {"u": "signal", "k": "tuned"}
    assert "a parameter that a link sets during the run" in texts(system.draw())


def test_junctions_are_nodes_between_ports():
    system = dv.System("junction")
    for name in "abc":
        system.add(name, capacitor())
    system.join("a.pin", "b.pin", "c.pin")
    chart = chart_of(system)
    assert [b.is_junction for b in chart.blocks] == [False, False, False, True]
    assert [link.is_bond for link in chart.links] == [True] * 3
    assert [p.kind for p in chart.blocks[0].right] == ["power"]
    assert "i" not in {p.name for p in chart.blocks[0].left}, "the junction feeds it"
    assert "power ports that meet" in texts(system.draw())


def test_a_nested_system_says_how_many_parts_are_in_it():
    outer = dv.System("outer")
    outer.add("inner", dv.Nested(ring(3)))
    assert chart_of(outer).blocks[0].kind == "Nested, 3 parts"


def test_names_that_mean_something_elsewhere_are_text(tmp_path):
    system = dv.System("</title><script>alert(1)</script>\x00\x1b")
    name = '"><script>alert(2)</script>&\x07'
    system.add(name, lag())
    system.connect(f"{name}.x", f"{name}.u")
    diagram = system.draw(tmp_path / "hostile.svg")
    ElementTree.parse(tmp_path / "hostile.svg")
    assert "<script" not in diagram.svg
    assert "<script" not in system._repr_html_()
    found = [element.text for element in ElementTree.fromstring(diagram.svg).iter(f"{SVG}title")]
    assert any("<script>alert(2)</script>&?" in text for text in found)


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_names_that_no_font_has_are_drawn(tmp_path, suffix):
    system = dv.System("電気 $x_1$ \x00\ud800")
    system.add("部品 $\\frac{", lag())
    system.draw(tmp_path / f"names.{suffix}")
    ElementTree.fromstring(system.draw().svg)


# Where it is ----------------------------------------------------------------------------------


def test_links_lead_to_the_right_but_for_one_of_each_loop():
    chain = [(0, 1), (1, 2), (2, 3)]
    assert columns_of(4, chain) == [0, 1, 2, 3]
    assert columns_of(4, [*chain, (3, 0)]) == [0, 1, 2, 3]
    assert columns_of(3, [(0, 0), (1, 1)]) == [0, 0, 0]


def test_what_feeds_one_part_stands_beside_it():
    assert columns_of(5, [(0, 1), (1, 2), (2, 3), (4, 3)]) == [0, 1, 2, 3, 2]


def test_a_long_row_is_broken_like_text():
    plan = arranged(chart_of(ring(20)))
    rows = {place.y for place in plan.places}
    assert 2 <= len(rows) <= 5
    assert 0.8 < plan.width / plan.height < 4


@pytest.mark.parametrize(
    ("count", "edges", "highest"),
    [
        (3, [(2, 1), (1, 1), (2, 2), (2, 0)], 300),
        (3, [(2, 1), (2, 2), (1, 2), (0, 2), (2, 2), (0, 0)], 400),
        (5, [(0, 0), (2, 3), (2, 0), (4, 1), (4, 2)], 320),
    ],
)
def test_parts_with_loops_stay_close(count, edges, highest):
    """A lane above its block that wanted to be below it once pushed both away, sweep by sweep."""
    left, right = tuple(map(Pin, "abc")), tuple(map(Pin, "xy"))
    blocks = tuple(Block(f"p{k}", "", left, right) for k in range(count))
    links = tuple(Link((a, k % 2), (b, k % 3)) for k, (a, b) in enumerate(edges))
    assert arranged(Chart("", blocks, links)).height < highest


@pytest.mark.parametrize("count", [0, 1, 2])
def test_small_systems_are_drawn(count):
    ElementTree.fromstring(ring(count).draw().svg if count else dv.System("none").draw().svg)


def test_three_hundred_parts_are_drawn_in_time():
    system = ring(300)
    for k in range(0, 280, 7):
        system.add(f"watch{k}", lag())
        system.connect(f"part{k}.x", f"watch{k}.u")
    began = time.process_time()
    system.draw().svg  # noqa: B018
    assert time.process_time() - began < 2.0


def test_the_same_system_is_the_same_picture():
    assert ring(12).draw().svg == ring(12).draw().svg


def test_text_is_cut_to_its_room():
    assert shortened("short", 12, 100) == "short"
    cut = shortened("a very long name of a part", 12, 60)
    assert "…" in cut and width_of(cut, 12) <= 60
    assert cut.startswith("a ") and cut.endswith("t")


# Places from a file -----------------------------------------------------------------------------


def sketched():
    system = ring(2)
    boxes = {"part0": Box(0, 0, 10, 8), "part1": Box(40, 20, 50, 28)}
    points = {"part0.x": (1.0, 0.25), "part1.u": (0.0, 0.75)}
    lines = {"part1.u": ((20.0, 2.0), (20.0, 26.0))}
    system.sketch = Sketch(
        boxes=boxes, points=points, lines=lines, marks=(Mark(0, 30, 10, 34, "by hand"),)
    )
    return system


def test_places_of_a_file_are_kept():
    system = sketched()
    chart = chart_of(system)
    plan = arranged_on_paper(chart, system.sketch)
    first, second = plan.places
    assert second.x > first.x + first.width, "to the right"
    assert second.y + second.height < first.y, "y leads up in the file"
    scale = first.width / 10
    assert (second.x - first.x) / scale == pytest.approx(40, abs=0.01)
    wire = next(w for link, w in zip(chart.links, plan.wires, strict=True) if link.target[0] == 1)
    assert len(wire) == 4
    assert wire[0] == pytest.approx((first.x + first.width, first.y + 0.75 * first.height), abs=0.1)
    assert "by hand" in texts(system.draw())


@pytest.mark.parametrize(
    "boxes",
    [
        {},
        {"part0": Box(0, 0, 10, 8)},
        {"part0": Box(0, 0, 10, 8), "part1": Box(0, 0, 10, 8)},
        {"part0": Box(0, 0, 0, 8), "part1": Box(20, 0, 30, 8)},
        {"part0": Box(0, 0, 1, 1), "part1": Box(9e9, 0, 9e9 + 1, 1)},
        {"part0": Box(0, 0, float("nan"), 1), "part1": Box(9, 0, 10, 1)},
    ],
    ids=["none", "some", "stacked", "flat", "far apart", "nan"],
)
def test_places_that_are_no_help_are_not_used(boxes):
    system = ring(2)
    system.sketch = Sketch(boxes=boxes)
    assert arranged_on_paper(chart_of(system), system.sketch) is None
    ElementTree.fromstring(system.draw().svg)


# Files and notebooks ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_diagram_is_written_by_its_suffix(tmp_path, suffix, start):
    path = tmp_path / f"ring.{suffix}"
    diagram = ring(3).draw(path)
    assert path.read_bytes().startswith(start)
    assert repr(diagram) == "Diagram of System('ring': 3 parts, 3 connections)"


def test_a_file_that_is_no_picture_is_refused(tmp_path):
    with pytest.raises(dv.FileError, match=r"is no diagram by its name; use one of \.svg, \.png"):
        ring(2).draw(tmp_path / "ring.doc")
    with pytest.raises(dv.FileError, match="cannot be written: No such file or directory"):
        ring(2).draw(tmp_path / "gone" / "ring.svg")


def test_notebooks_show_the_system_itself():
    system = ring(2)
    assert system._repr_svg_() == system.draw().svg
    assert system.draw().svg in system._repr_html_()
    assert "<style" not in system._repr_html_() and "<script" not in system._repr_html_()
    assert not re.search(r"(href|src|url)\s*[=(]", system._repr_html_())


def test_examples_are_drawn(tmp_path):
    examples = Path(__file__).parents[2] / "examples"
    for path in (examples / "quarter_car" / "quarter_car.yaml", examples / "diode.py"):
        ElementTree.fromstring(dv.open(path).draw().svg)


def test_a_chart_by_hand():
    blocks = (Block("a", right=(Pin("y"),)), Block("b", left=(Pin("u"),)))
    plan = arranged(Chart("by hand", blocks, (Link((0, 0), (1, 0)),)))
    assert len(plan.wires[0]) == 2, "straight"
