"""What the page says to the drawing: every edit a command, refused whole or done whole."""

from dataclasses import replace

import pytest

import dovetail as dv
from dovetail.diagrams.arranging import arranged
from dovetail.drawing.sketch import Box
from dovetail.studio import paper
from dovetail.studio.checked import check_of, unsuitable_ends, ways_of
from dovetail.studio.code_text import as_python, as_yaml
from dovetail.studio.details import details_of
from dovetail.studio.document import EditedDocument
from dovetail.studio.folder import WorkFolder
from dovetail.studio.library import TrustNeeded
from dovetail.studio.picture import picture_of
from dovetail.studio.save_question import SaveQuestion
from dovetail.studio.table import ends_of
from dovetail.studio.templates import TEMPLATES, text_of


@pytest.fixture
def document(folder):
    return EditedDocument(WorkFolder.of(folder), is_trusted=True)


@pytest.fixture
def opened(document):
    document.open("oscillator.yaml")
    return document


OSCILLATOR = (
    {"do": "title", "name": "oscillator"},
    {"do": "add", "name": "mass", "model": "models.py:mass", "at": [0, 0]},
    {"do": "add", "name": "spring", "model": "models.py:spring", "at": [300, 0]},
    {"do": "connect", "source": "mass.x", "target": "spring.x"},
    {"do": "connect", "source": "spring.force", "target": "mass.force"},
    {"do": "settings", "run": {"stop": 10.0}},
)


def test_the_oscillator_of_the_readme_is_drawn_by_commands_and_saved_as_a_file(document, folder):
    for command in OSCILLATOR:
        document.do(command)
    document.save("made.yaml")
    saved = dv.open(folder / "made.yaml")
    assert [str(c) for c in saved.connections] == [
        "mass.x -> spring.x",
        "spring.force -> mass.force",
    ]
    assert saved.run_settings.stop == 10.0
    box = saved.sketch.boxes["spring"]
    assert (box.x1, box.y2) == (300, 0), "where it was put, y upwards"


def test_undo_goes_back_to_nothing_and_redo_to_the_end_again(document):
    for command in OSCILLATOR:
        document.do(command)
    last = document.system.fingerprint()
    for _ in OSCILLATOR:
        document.undo()
    assert not document.system.parts
    with pytest.raises(dv.OptionError, match="nothing to undo"):
        document.undo()
    for _ in OSCILLATOR:
        document.redo()
    assert document.system.fingerprint() == last


def test_a_refused_command_leaves_everything_as_it_was(opened):
    before = opened.system, opened.revision, opened.undoable
    for wrong, said in (
        ({"do": "connect", "source": "mass.v", "target": "spring.x"}, "is fed by 'mass.x' already"),
        ({"do": "connect", "source": "mass.v", "target": "mass.nothing"}, "is not an input"),
        ({"do": "set", "name": "mass.m", "value": "heavy"}, "heavy"),
        ({"do": "add", "name": "mass", "model": "models.py:mass"}, "is a part 'mass' already"),
        ({"do": "add", "name": "b", "model": "../models.py:mass"}, "outside the folder"),
        ({"do": "add", "name": "b", "model": "os:path"}, "is no file of this folder"),
        ({"do": "remove", "parts": ["mass", "ghost"]}, "there is no part 'ghost'"),
        ({"do": "explode"}, "this is no command"),
        ({"do": "move", "places": {"mass": [float("nan"), 0]}}, "this is no command"),
        ({"do": "settings", "run": {"stop": -1, "pace": 3}}, "pace"),
    ):
        with pytest.raises(dv.DovetailError, match=said):
            opened.do(wrong)
        assert (opened.system, opened.revision, opened.undoable) == before


def test_a_wire_gets_a_gain_and_units_that_convert_are_written_at_it(opened):
    opened.do({"do": "connect", "source": "mass.x", "target": "spring.x", "gain": 2.0,
               "instead": True})  # fmt: skip
    (wire,) = [w for w in picture_of(opened)["wires"] if w["target"] == "spring.x"]
    assert (wire["gain"], wire["label"]) == (2.0, "× 2")  # noqa: RUF001
    assert len(opened.system.connections) == 2


def test_open_inputs_find_the_one_output_of_their_name_as_one_step_of_undo(document):
    for command in OSCILLATOR[:3]:
        document.do(command)
    before = len(document._past)
    document.do({"do": "match"})
    wires = {str(c) for c in document.system.connections}
    assert wires == {"mass.x -> spring.x", "spring.force -> mass.force"}
    assert len(document._past) == before + 1
    document.undo()
    assert not document.system.connections
    document.do({"do": "match", "parts": ["spring"]})
    assert [str(c) for c in document.system.connections] == ["mass.x -> spring.x"]


def test_an_input_that_two_outputs_would_suit_is_left_open(document):
    for name, model in (("a", "mass"), ("b", "mass"), ("spring", "spring")):
        document.do({"do": "add", "name": name, "model": f"models.py:{model}"})
    document.do({"do": "match"})
    wires = {str(c) for c in document.system.connections}
    assert wires == {"spring.force -> a.force", "spring.force -> b.force"}, "x is of a and of b"
    with pytest.raises(dv.DrawingError, match="exactly one output of its name"):
        document.do({"do": "match"})
    with pytest.raises(dv.DrawingError, match="no part 'ghost'"):
        document.do({"do": "match", "parts": ["ghost"]})


def test_the_connect_table_lists_inputs_with_their_source_and_leaves_power_ports_out(opened):
    opened.do({"do": "add", "name": "d", "model": "models.py:damper"})
    found = ends_of(opened.system)
    assert [(i["end"], i["unit"], i["fed"]) for i in found["inputs"]] == [
        ("mass.force", "N", "spring.force"),
        ("spring.x", "m", "mass.x"),
    ]
    feeds = {o["end"]: o["feeds"] for o in found["outputs"]}
    assert feeds == {"mass.x": 1, "mass.v": 0, "spring.force": 1, "d.w": 0}


def test_power_ports_meet_in_a_junction_and_a_third_one_comes_to_it(document):
    for name, model in (("a", "damper"), ("b", "holder"), ("c", "damper")):
        document.do({"do": "add", "name": name, "model": f"models.py:{model}"})
    pins = {b["name"]: b["right"] for b in picture_of(document)["blocks"]}
    assert [p["name"] for p in pins["a"] if p["kind"] == "power"] == ["flange"]
    assert unsuitable_ends(document.system, "a.flange")["b.flange"] == ""
    document.do({"do": "join", "ports": ["a.flange", "b.flange"]})
    document.do({"do": "join", "ports": ["a.flange", "c.flange"]})
    (junction,) = document.system.junctions
    assert sorted(map(str, junction.ends)) == ["a.flange", "b.flange", "c.flange"]
    shown = picture_of(document)
    assert sum(b.get("junction", False) for b in shown["blocks"]) == 1
    assert len(shown["bonds"]) == 3
    document.do({"do": "remove", "junctions": [junction.name]})
    assert not document.system.junctions


def test_the_python_it_shows_makes_the_same_drawing_and_run(opened, folder, archive, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "a.fmu").write_bytes(archive("linear", 2).read_bytes())
    options = {"logging": True}
    opened.do({"do": "add", "name": "a", "model": "a.fmu", "options": options, "values": {"a": -2}})
    opened.do({"do": "connect", "source": "mass.x", "target": "spring.x", "gain": 2.0,
               "instead": True})  # fmt: skip
    way = {"gauss_seidel": {"max_iterations": 5}}
    run = {"stop": 0.1, "algorithm": way, "controller": {"fixed_step": 0.05}, "record": ["mass.*"]}
    opened.do({"do": "settings", "run": run})
    names: dict = {}
    exec(as_python(opened), names)
    assert names["system"].fingerprint() == opened.system.fingerprint()
    assert list(names["result"]) == ["mass.x", "mass.v", "mass.force"]
    assert as_yaml(opened) == (opened.save() or (folder / "oscillator.yaml").read_text())
    opened.do({"do": "settings", "run": {"stop": 0.1, "estimators": {"mass": "costarica"}}})
    opened.save()
    exec(as_python(opened), names)  # longer than one line: opened from its file
    assert names["system"].run_settings.estimators


def test_every_end_that_does_not_fit_says_why(opened):
    opened.do({"do": "remove", "wires": ["spring.x"]})
    reasons = unsuitable_ends(opened.system, "mass.v")
    assert reasons["mass.force"].startswith("'mass.force' is fed by 'spring.force' already")
    assert "'mass.v' cannot feed 'spring.x'" in reasons["spring.x"], "m/s is no length"
    assert unsuitable_ends(opened.system, "mass.x")["spring.x"] == ""


def test_a_copy_takes_values_and_the_wires_between_along(opened):
    opened.do({"do": "set", "name": "mass.m", "value": "3"})
    opened.do({"do": "copy", "parts": ["mass", "spring"]})
    wires = {str(c) for c in opened.system.connections}
    assert {"mass2.x -> spring2.x", "spring2.force -> mass2.force"} <= wires
    assert opened.system.get("mass2.m") == 3.0
    opened.undo()
    assert list(opened.system.parts) == ["mass", "spring"], "a paste is one undo"


def test_the_check_names_the_part_and_variable_of_each_problem(opened):
    assert check_of(opened.system)["ok"]
    assert check_of(opened.system)["cycles"] == [["mass", "spring"]]
    opened.do({"do": "remove", "wires": ["mass.force"]})
    (problem,) = check_of(opened.system)["problems"]
    assert (problem["part"], problem["variable"]) == ("mass", "force")
    assert "mass.force" in problem["what"]
    assert any(way["able"] for way in ways_of(opened.system))


def test_the_inspector_knows_units_values_and_what_a_part_can_do(opened):
    opened.do({"do": "set", "name": "mass.x", "value": "20 cm"})
    found = details_of(opened.system, "mass")
    values = {v["name"]: v for v in found["parameters"]}
    assert (values["x"]["value"], values["x"]["unit"], values["x"]["start"]) == (0.2, "m", 1.0)
    assert {"what": "can roll back", "able": True} in found["abilities"]
    opened.do({"do": "set", "name": "mass.x", "value": None})
    assert opened.system.get("mass.x") == 1.0


def test_places_are_kept_once_something_is_moved_and_not_before(opened, folder):
    opened.do({"do": "set", "name": "mass.m", "value": 3})
    opened.save()
    assert "layout" not in (folder / "oscillator.yaml").read_text()
    shown = {b["name"]: b for b in picture_of(opened)["blocks"]}
    opened.do({"do": "move", "places": {"mass": [500, 250]}})
    opened.save()
    opened.open("oscillator.yaml")
    again = {b["name"]: b for b in picture_of(opened)["blocks"]}
    assert (again["mass"]["x"], again["mass"]["y"]) == (500, 250)
    assert again["spring"] == {
        **again["spring"],
        "x": shown["spring"]["x"],
        "y": shown["spring"]["y"],
    }


def test_places_in_small_units_survive_as_yaml(opened, folder):
    box = Box(0.001, 0.002, 0.003, 0.0045)
    opened.system.sketch = replace(opened.system.sketch, boxes={"mass": box})
    opened.system.save(folder / "small.yaml")
    found = dv.open(folder / "small.yaml").sketch.boxes["mass"]
    corners = (found.x1, found.y1, found.x2, found.y2)
    assert corners == pytest.approx((0.001, 0.002, 0.003, 0.0045), rel=1e-5), "six digits are kept"


def test_an_ssp_keeps_its_geometry_through_the_studio(opened, folder, archive):
    (folder / "a.fmu").write_bytes(archive("linear", 2).read_bytes())
    opened.new()
    opened.do({"do": "add", "name": "a", "model": "a.fmu", "at": [10, 20]})
    opened.do({"do": "add", "name": "b", "model": "a.fmu", "at": [400, 20]})
    opened.save("pair.ssp")
    before = dv.open(folder / "pair.ssp").sketch
    opened.open("pair.ssp")
    opened.do({"do": "move", "places": {"b": [450, 120]}})
    opened.save()
    after = dv.open(folder / "pair.ssp").sketch
    assert after.boxes["a"] == before.boxes["a"]
    assert after.boxes["b"].x1 > before.boxes["b"].x1


def test_edits_that_were_not_saved_survive_a_kill_with_their_history(opened, folder):
    opened.do({"do": "set", "name": "mass.m", "value": 3})
    opened.do({"do": "move", "places": {"mass": [500, 250]}})
    opened.save()
    opened.do({"do": "rename", "part": "mass", "to": "body"})
    opened.undo()
    opened.do({"do": "rename", "part": "mass", "to": "bob"})
    again = EditedDocument(WorkFolder.of(folder), is_trusted=True)  # as after kill -9
    again.open("oscillator.yaml")
    assert "bob" in again.system.parts
    assert not again.is_saved
    assert "had not been saved" in again.notes[-1]
    again.undo()
    assert again.is_saved
    again.undo()
    again.undo()
    assert again.system.get("mass.m") == 2.0, "also what was done before it was saved"


def test_edits_of_a_drawing_without_a_file_survive_too(document, folder):
    for command in OSCILLATOR:
        document.do(command)
    again = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    assert again.system.fingerprint() == document.system.fingerprint()


def test_a_torn_or_foreign_journal_does_no_harm(opened, folder):
    opened.do({"do": "set", "name": "mass.m", "value": 3})
    place = opened.journal.place
    place.write_text(place.read_text() + '{"do": "set", "na')
    again = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    again.open("oscillator.yaml")
    assert again.system.get("mass.m") == 3.0
    (folder / "oscillator.yaml").write_text((folder / "oscillator.yaml").read_text() + "\n")
    again = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    again.open("oscillator.yaml")
    assert again.system.get("mass.m") == 2.0, "the file was changed by another program"
    assert place.with_name(place.name + ".old").exists(), "but the edits are not thrown away"


def test_links_that_a_stranger_left_in_the_folder_lead_to_no_other_file(folder):
    outside = folder.parent / "mine.txt"
    outside.write_text("mine")
    for name in (
        ".oscillator.dovetail-base.yaml", ".oscillator.yaml.dovetail-edits",
        ".oscillator.yaml.dovetail-edits.part", ".untitled.dovetail-edits",
        ".untitled.dovetail-edits.part",
    ):  # fmt: skip
        (folder / name).symlink_to(outside)
    document = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    document.open("oscillator.yaml")
    document.do({"do": "set", "name": "mass.m", "value": 3})
    document.save()
    document.save("other.yaml")
    document.close()
    assert outside.read_text() == "mine"


def test_saving_asks_before_something_is_lost(opened, folder):
    path = folder / "oscillator.yaml"
    opened.do({"do": "set", "name": "mass.m", "value": 3})
    path.write_text("# mine\n" + path.read_text())
    with pytest.raises(SaveQuestion, match="changed by another program"):
        opened.save()
    with pytest.raises(SaveQuestion, match="has comments"):
        opened.save(despite=["changed"])
    (folder / "other.yaml").write_text("dovetail: 1")
    with pytest.raises(SaveQuestion, match="is there already"):
        opened.save("other.yaml")
    with pytest.raises(dv.FileError, match=r"cannot be saved as '\.py'"):
        opened.save("models.py")


def test_python_of_a_folder_runs_only_when_the_user_trusts_it(folder):
    (folder / "models.py").write_text("open('ran', 'w').close()\nraise SystemExit")
    careful = EditedDocument(WorkFolder.of(folder))
    for way in (
        lambda: careful.open("oscillator.yaml"),
        lambda: careful.open("models.py"),
        lambda: careful.do({"do": "add", "name": "a", "model": "models.py:mass"}),
    ):
        with pytest.raises(TrustNeeded, match=r"models in models\.py are Python code"):
            way()
    careful.library.offers()
    assert not (folder / "ran").exists()
    assert not list(folder.glob("ran")), "nor anywhere else"


def test_paths_stay_inside_the_folder(folder):
    found = WorkFolder.of(folder)
    (folder / "way").symlink_to(folder.parent)
    for name in (
        "../x.fmu",
        "/etc/passwd",
        "way/x.fmu",
        "a/../../x",
        "",
        "a\0b",
        "..\\x",
        "x" * 300,
    ):
        with pytest.raises(dv.FileError, match=r"outside the folder|no name of a file"):
            found.inside(name)
    assert found.inside("a/b.fmu") == folder.resolve() / "a" / "b.fmu"


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_template_is_a_model_that_can_be_placed(document, folder, kind):
    (folder / "own.py").write_text(text_of(kind, "own"))
    assert "own.py:own" in [offer.model for offer in document.library.offers()]
    document.do({"do": "add", "name": "own", "model": "own.py:own"})
    assert picture_of(document)["blocks"][0]["right"], "it has outputs"


def test_a_layout_is_made_anew_for_other_wires_and_not_for_other_values(document, monkeypatch):
    made = []
    monkeypatch.setattr(paper, "arranged", lambda chart: made.append(chart) or arranged(chart))
    paper._laid_out.cache_clear()
    for name, model in (("a", "mass"), ("b", "spring")):
        document.do({"do": "add", "name": name, "model": f"models.py:{model}"})
    first = picture_of(document)["blocks"]
    count = len(made)
    document.do({"do": "set", "name": "a.m", "value": 7})
    assert picture_of(document)["blocks"] == first
    assert len(made) == count, "nothing that the layout depends on has changed"
    document.do({"do": "connect", "source": "b.force", "target": "a.force"})
    shown = {b["name"]: b["x"] for b in picture_of(document)["blocks"]}
    assert len(made) == count + 1 and shown["b"] < shown["a"], "from left to right"
