"""Commands on groups, on wires as a table, and on how a drawing looks."""

import json
from pathlib import Path

import pytest

import dovetail as dv
from dovetail.fmi.documentation import documentation_of, plain_text
from dovetail.studio.desk import Desk
from dovetail.studio.document import EditedDocument
from dovetail.studio.folder import WorkFolder
from dovetail.studio.picture import picture_of
from dovetail.studio.questions import documentation, links, ruled_out


@pytest.fixture
def opened(folder):
    document = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    document.open("oscillator.yaml")
    return document


@pytest.fixture
def desk(folder):
    found = Desk(WorkFolder.of(folder), is_trusted=True, told=lambda run: None)
    found.do_open("oscillator.yaml")
    yield found
    found.close()


def block(document, name, inside=()):
    shown = picture_of(document, inside=inside)["blocks"]
    return next(b for b in shown if b["name"] == name)


def place(document, name):
    shown = block(document, name)
    return shown["x"], shown["y"]


def test_a_group_is_one_step_of_undo_and_comes_back_after_a_crash(opened, folder):
    before = opened.system.fingerprint()
    opened.do({"do": "group", "parts": ["mass", "spring"], "name": "car"})
    assert list(opened.system.parts) == ["car"]
    opened.do({"do": "set", "name": "mass.m", "value": 7, "inside": ["car"]})
    opened.do({"do": "rename", "part": "mass", "to": "body", "inside": ["car"]})
    opened.do({"do": "rename", "part": "car", "to": "truck"})
    assert opened.system.parts["truck"].model.system.name == "truck"
    again = EditedDocument(WorkFolder.of(folder), is_trusted=True)  # as after kill -9
    again.open("oscillator.yaml")
    assert again.system.get("truck.body.m") == 7.0
    for _ in range(3):
        again.undo()
    again.do({"do": "ungroup", "part": "car"})
    assert again.system.fingerprint() == before
    again.undo()
    again.undo()
    assert again.system.fingerprint() == before


def test_inside_a_group_everything_is_about_what_is_in_it(desk):
    desk.do_edit({"do": "add", "name": "other", "model": "models.py:spring"})
    desk.do_edit({"do": "connect", "source": "mass.x", "target": "other.x"})
    desk.do_edit({"do": "group", "parts": ["mass", "spring"], "name": "car"})
    desk.do_enter(["car"])
    drawing = desk.shown()["drawing"]
    assert drawing["inside"] == ["car"]
    assert [b["name"] for b in drawing["blocks"]] == ["mass", "spring"]
    pins = {p["name"]: p for b in drawing["blocks"][:1] for p in b["right"]}
    assert pins["x"]["signal"] == "car.mass.x", "what a run calls it"
    assert pins["x"]["outside"] == ["other.x"]
    assert desk.do_inspect("mass")["name"] == "mass"
    assert [i["end"] for i in desk.do_ends()["inputs"]] == ["mass.force", "spring.x"]
    assert desk.do_targets("mass.x")["spring.x"].startswith("'spring.x' is fed by")
    desk.do_edit({"do": "set", "name": "mass.m", "value": 5})
    desk.do_edit({"do": "group", "parts": ["mass"], "name": "deep"})
    desk.do_enter(["car", "deep"])
    assert desk.shown()["drawing"]["wires"] == []
    assert desk.document.system.get("car.deep.mass.m") == 5.0
    desk.do_edit({"do": "settings", "run": {"stop": 3.0}})
    desk.do_edit({"do": "plots", "panels": [{"signals": ["car.deep.mass.x"]}]})
    assert desk.document.system.run_settings.stop == 3.0, "of the whole drawing, wherever one is"
    assert desk.shown()["drawing"]["settings"] == {"stop": 3.0}
    assert desk.shown()["drawing"]["plots"][0]["signals"] == ["car.deep.mass.x"]
    for _ in range(3):
        desk.do_undo()
    assert desk.shown()["drawing"]["inside"] == ["car"], "the inner group is gone"
    with pytest.raises(dv.OptionError, match=r"'spring' is no group"):
        desk.do_enter(["spring"])
    desk.do_open("oscillator.yaml")
    assert desk.shown()["drawing"]["inside"] == []


def test_a_group_and_how_all_of_it_looks_are_kept_by_yaml_and_by_ssp(opened, folder, archive):
    for name in ("a", "b"):
        (folder / f"{name}.fmu").write_bytes(Path(archive("linear", 2)).read_bytes())
    opened.new()
    opened.do({"do": "add", "name": "a", "model": "a.fmu", "at": [0, 0]})
    opened.do({"do": "add", "name": "b", "model": "b.fmu", "at": [400, 100]})
    opened.do({"do": "connect", "source": "a.y", "target": "b.u"})
    opened.do({"do": "bend", "wire": "b.u", "points": [[300, 50], [300, 150]]})
    opened.do({"do": "pin", "name": "b.u", "at": [0.5, 0.0]})
    opened.do({"do": "turn", "parts": ["b"]})
    opened.do({"do": "mirror", "parts": ["a"]})
    opened.do({"do": "paint", "parts": ["a"], "colour": "green"})
    opened.do({"do": "note", "text": "look", "at": [0, 300, 200, 80], "colour": "red"})
    opened.do({"do": "group", "parts": ["a", "b"], "name": "both"})
    opened.do({"do": "note", "text": "all", "at": [0, 0, 50, 20], "inside": ["both"]})
    for name in ("kept.yaml", "kept.ssp"):
        opened.save(name)
        found = dv.open(folder / name)
        inner, first = found.parts["both"].model.system, opened.system.parts["both"].model.system
        assert found.sketch.marks == opened.system.sketch.marks, name
        assert inner.sketch.marks == first.sketch.marks, name
        for what in ("boxes", "lines", "points", "colours"):
            kept, wanted = getattr(inner.sketch, what), getattr(first.sketch, what)
            assert set(kept) == set(wanted), (name, what)
            for key, value in wanted.items():
                assert kept[key] == value, (name, what)


def test_pins_are_where_they_were_put_also_on_blocks_that_are_turned_and_mirrored(opened):
    opened.do({"do": "turn", "parts": ["mass"], "quarters": 1})
    seen = {p["name"]: p["at"] for p in block(opened, "mass")["left"]}
    assert seen["force"] == [0.5, 1.0], "inputs are at the bottom after a quarter to the left"
    assert {p["at"][1] for p in block(opened, "mass")["right"]} == {0.0}
    opened.do({"do": "mirror", "parts": ["mass"], "across": "x"})
    assert {p["name"]: p["at"] for p in block(opened, "mass")["left"]}["force"] == [0.5, 0.0]
    for at in ([0.25, 0.0], [1.0, 0.75], [0.0, 0.1]):
        opened.do({"do": "pin", "name": "mass.force", "at": at})
        found = {p["name"]: p["at"] for p in block(opened, "mass")["left"]}["force"]
        assert found == pytest.approx(at), "where the mouse let it go"
    assert all("at" not in p for p in block(opened, "spring")["left"]), "others are in their rows"
    opened.do({"do": "mirror", "parts": ["spring"], "across": "y"})
    opened.do({"do": "mirror", "parts": ["spring"], "across": "x"})
    (x, y) = block(opened, "spring")["left"][0]["at"]
    assert x == 1.0 and y * block(opened, "spring")["height"] == pytest.approx(63.75), "in its row"
    opened.do({"do": "pin", "name": "mass.force", "at": None})
    assert not opened.system.sketch.points


def test_a_block_that_is_turned_stays_where_it_is_moved_to(opened):
    opened.do({"do": "turn", "parts": ["spring"]})
    opened.do({"do": "move", "places": {"spring": [321, 123]}})
    assert place(opened, "spring") == pytest.approx((321, 123))
    opened.do({"do": "turn", "parts": ["spring"], "quarters": -1})
    assert not opened.system.sketch.boxes["spring"].rotation


def test_a_junction_stays_where_it_is_put_and_its_ports_may_change(opened):
    for name, model in (("a", "damper"), ("b", "holder"), ("c", "damper")):
        opened.do({"do": "add", "name": name, "model": f"models.py:{model}", "at": [0, 0]})
    opened.do({"do": "join", "ports": ["a.flange", "b.flange"]})
    (name,) = [j.name for j in opened.system.junctions]
    opened.do({"do": "move", "places": {name: [700, 50], "c": [10, 20]}})
    assert place(opened, name) == pytest.approx((700, 50))
    opened.do({"do": "move", "places": {"a": [-300, 0]}})
    assert place(opened, name) == pytest.approx((700, 50)), "it does not follow its blocks"
    opened.do({"do": "join", "ports": ["a.flange", "c.flange"]})
    (more,) = [j.name for j in opened.system.junctions]
    assert place(opened, more) == pytest.approx((700, 50))
    opened.do({"do": "arrange"})
    assert not opened.system.sketch.joints
    with pytest.raises(dv.DrawingError, match="no part 'nothing'"):
        opened.do({"do": "move", "places": {"nothing": [0, 0]}})


def test_wires_keep_their_corners_until_a_part_at_their_end_moves(opened):
    opened.do({"do": "bend", "wire": "spring.x", "points": [[10, 20], [30, 40]]})
    wires = {w["target"]: w for w in picture_of(opened)["wires"]}
    assert wires["spring.x"]["way"] == [[10, 20], [30, 40]]
    assert "way" not in wires["mass.force"]
    opened.do({"do": "move", "places": {"spring": [500, 500]}})
    assert not opened.system.sketch.lines
    with pytest.raises(dv.DrawingError, match=r"no wire ends at 'mass.x'"):
        opened.do({"do": "bend", "wire": "mass.x", "points": [[0, 0]]})


def test_notes_are_written_changed_and_removed(opened):
    opened.do({"do": "note", "text": "one", "at": [1, 2, 30, 40]})
    opened.do({"do": "note", "text": "two", "at": [5, 6, 70, 80], "colour": "blue"})
    opened.do({"do": "note", "text": "first", "at": [0, 2, 30, 40], "number": 0})
    shown = picture_of(opened)["marks"]
    assert [(m["text"], m["x"], m["colour"]) for m in shown] == [
        ("first", 0, ""),
        ("two", 5, "blue"),
    ]
    opened.do({"do": "remove", "notes": [0]})
    assert [m["text"] for m in picture_of(opened)["marks"]] == ["two"]
    for wrong, said in (
        ({"do": "remove", "notes": [4]}, "there is no note 4"),
        ({"do": "note", "text": "x", "at": [0, 0, 1, 1], "number": 4}, "there is no note 4"),
        ({"do": "note", "text": "x", "at": [0, 0, 1, 1], "colour": "pink"}, "no command"),
    ):
        with pytest.raises(dv.DovetailError, match=said):
            opened.do(wrong)


def test_a_paste_has_its_middle_where_it_was_asked_for_and_brings_all_that_is_between(opened):
    for name, model in (("a", "damper"), ("b", "holder")):
        opened.do({"do": "add", "name": name, "model": f"models.py:{model}", "at": [0, 300]})
    opened.do({"do": "join", "ports": ["a.flange", "b.flange"]})
    opened.do({"do": "paint", "parts": ["a"], "colour": "red"})
    opened.do({"do": "mirror", "parts": ["b"]})
    steps = len(opened._past)
    opened.do({"do": "copy", "parts": ["mass", "spring", "a", "b"], "at": [1000, 900]})
    assert len(opened._past) == steps + 1
    assert len(opened.system.junctions) == 2
    assert len([c for c in opened.system.connections if not c.junction]) == 4
    copies = [block(opened, n) for n in ("mass2", "spring2", "a2", "b2")]
    left, right = min(b["x"] for b in copies), max(b["x"] + b["width"] for b in copies)
    assert (left + right) / 2 == pytest.approx(1000)
    sketch = opened.system.sketch
    assert sketch.colours == {"a": "red", "a2": "red"}
    assert sketch.boxes["b2"].x1 > sketch.boxes["b2"].x2


def test_parts_are_copied_out_of_a_group_and_into_one(opened):
    opened.do({"do": "group", "parts": ["mass", "spring"], "name": "car"})
    opened.do({"do": "copy", "parts": ["mass", "spring"], "source": ["car"], "at": [50, 60]})
    assert set(opened.system.parts) == {"car", "mass", "spring"}
    assert len(opened.system.connections) == 2
    opened.do({"do": "copy", "parts": ["mass"], "source": [], "at": [0, 0], "inside": ["car"]})
    assert set(opened.system.parts["car"].model.system.parts) == {"mass", "spring", "mass2"}


def test_links_are_written_as_csv_and_drawn_from_one_all_or_none(opened):
    system = opened.system.copy()
    system.disconnect("spring.x")
    system.connect("mass.x", "spring.x", gain=0.1, offset=-2.0, convert=False)
    text = system.links()
    assert text.splitlines()[0] == "source,target,gain,offset,convert"
    assert "mass.x,spring.x,0.1,-2.0,false" in text
    other = opened.system.copy()
    other.link(text)
    assert set(other.links().splitlines()) == set(text.splitlines())
    opened.do({"do": "add", "name": "s", "model": "models.py:spring"})
    opened.do({"do": "links", "text": "target\tsource\ns.x\tmass.x\n"})
    assert len(opened.system.connections) == 3
    opened.do({"do": "links", "text": "source;target;gain\nmass.x;s.x;4\n", "instead": True})
    (wire,) = opened.system.connections
    assert (str(wire.target), wire.gain) == ("s.x", 4.0)
    before = opened.system
    for wrong, said in (
        (
            "source,target\nmass.x,s.x\nmass.v,spring.x\nmass.q,spring.x\n",
            r"line 3: 'mass.v' cannot",
        ),
        ("from,to\na,b\n", "must name the columns source, target"),
        ("source,target,gain\nmass.x,s.x,big\n", "line 2: the gain must be a number, not 'big'"),
        ("source,target,convert\nmass.x,s.x,perhaps\n", "'convert' must be true or false"),
        ("source,target,what\nmass.x,s.x,1\n", "column 'what' means nothing"),
        ("source,target\nmass.x,s.x,1\n", "line 2 has more cells"),
        ("", "must name the columns"),
    ):
        with pytest.raises(dv.DrawingError, match=said):
            opened.do({"do": "links", "text": wrong})
        assert opened.system is before


def test_places_of_a_file_that_has_none_are_not_written_until_something_is_moved(opened, folder):
    opened.do({"do": "set", "name": "mass.m", "value": 3})
    opened.save()
    assert "layout" not in (folder / "oscillator.yaml").read_text()
    opened.do({"do": "paint", "parts": ["mass"], "colour": "red"})
    opened.do({"do": "group", "parts": ["spring"], "name": "g"})
    opened.save()
    text = (folder / "oscillator.yaml").read_text()
    assert "layout" not in text and "colours" in text
    opened.do({"do": "move", "places": {"mass": [0, 0]}})
    opened.save()
    assert "layout" in (folder / "oscillator.yaml").read_text()


def test_the_inspector_tells_what_a_part_rules_out_and_what_its_fmu_brings_to_read(
    desk, folder, archive
):
    from zipfile import ZipFile

    from dovetail.fmi.model import Fmu

    path = folder / "told.fmu"
    path.write_bytes(Path(archive("linear", 2)).read_bytes())
    page = "<html><head><style>p {}</style></head><body><h1>Gain</h1><p>It has<br>a gain &gt; 1."
    with ZipFile(path, "a") as file:
        file.writestr(
            "documentation/index.html", page + "<script>alert(1)</script><ul><li>a<li>b</ul>"
        )
    desk.do_edit({"do": "add", "name": "told", "model": "told.fmu"})
    text = documentation(desk, "told")
    assert "Gain" in text and "It has\na gain > 1." in text and "- a" in text
    assert "alert" not in text and "<" not in text
    assert documentation(desk, "mass") == ""
    assert documentation_of(Fmu(str(archive("linear", 2)))).count("documentation") == 0
    assert desk.do_inspect("told")["has_documentation"]
    out = ruled_out(desk, "told")
    assert all("'told'" in line for line in out)
    assert plain_text("<p>a</p>\n\n\n<p>b") == "a\n\nb"
    assert links(desk).splitlines()[1] == "mass.x,spring.x,1.0,0.0,true"
    with pytest.raises(dv.OptionError, match="no part 'ghost'"):
        documentation(desk, "ghost")


@pytest.mark.parametrize("inside", ["car", [1], [["a"]], ["x"] * 50, None])
def test_a_command_in_no_group_is_refused(opened, inside):
    before = opened.system
    with pytest.raises(dv.DovetailError):
        opened.do({"do": "title", "name": "t", "inside": inside})
    with pytest.raises(dv.DovetailError, match=r"no part 'ghost'"):
        opened.do({"do": "title", "name": "t", "inside": ["ghost"]})
    assert opened.system is before
    assert json.dumps(picture_of(opened))


GEOMETRY = """\
<ssd:ElementGeometry x1="{x1}" y1="0" x2="{x2}" y2="20" rotation="{turned}"/>"""
NOTE = (
    '<ssd:GraphicalElements><ssd:Note x1="0" y1="60" x2="40" y2="70" text="two gains"/>'
    "</ssd:GraphicalElements>"
)


def test_the_geometry_of_an_ssp_is_shown_and_kept_when_it_is_saved(folder, archive):
    from zipfile import ZipFile

    from ssp.texts import component, document, system, wire

    def placed(name, x1, x2, turned):
        ends = "".join(
            f'<ssd:Connector name="{n}" kind="{k}"><ssc:Real/>'
            f'<ssd:ConnectorGeometry x="{x}" y="{y}"/></ssd:Connector>'
            for n, k, x, y in (("u", "input", 0, 0.25), ("y", "output", 0.5, 1))
        )
        box = GEOMETRY.format(x1=x1, x2=x2, turned=turned)
        found = component(name, "linear", ends)
        return found.replace("</ssd:Component>", f"{box}</ssd:Component>")

    bend = '<ssd:ConnectionGeometry pointsX="10 70" pointsY="40 45"/>'
    text = document(
        system(
            placed("one", 0, 20, 0), placed("two", 80, 60, 90), wires=wire("one/y", "two/u", bend),
            rest=f'<ssd:SystemGeometry x1="0" y1="0" x2="100" y2="80"/>{NOTE}',
        )
    )  # fmt: skip
    with ZipFile(folder / "drawn.ssp", "w") as file:
        file.writestr("SystemStructure.ssd", text)
        file.write(archive("linear", 2), "resources/linear.fmu")
    found = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    found.open("drawn.ssp")
    scale = found.scale
    assert {p["name"]: p["at"] for p in block(found, "one")["left"]}["u"] == [0.0, 0.75]
    assert {p["name"]: p["at"] for p in block(found, "one")["right"]}["y"] == [0.5, 0.0]
    two = {
        p["name"]: p["at"] for p in (*block(found, "two")["left"], *block(found, "two")["right"])
    }
    assert two["u"] == [0.75, 0.0], "mirrored to the right side, then turned to the top"
    assert two["y"] == [0.0, 0.5]
    shown = picture_of(found)
    assert shown["wires"][0]["way"] == [[10 * scale, -40 * scale], [70 * scale, -45 * scale]]
    assert shown["marks"][0]["text"] == "two gains"
    first = found.system.sketch
    found.do({"do": "set", "name": "one.u", "value": 2})
    found.save()
    again = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    again.open("drawn.ssp")
    assert again.system.sketch == first
    again.do({"do": "move", "places": {"one": [500, 500]}})
    again.do({"do": "mirror", "parts": ["two"]})
    again.save()
    moved = dv.open(folder / "drawn.ssp").sketch
    assert (moved.boxes["two"].x1, moved.boxes["two"].x2) == (60, 80), "it is turned as before"
    assert moved.boxes["two"].rotation == 90
    assert (moved.marks, moved.points, moved.canvas) == (first.marks, first.points, first.canvas)
    assert not moved.lines, "the corners were drawn for the old place"
