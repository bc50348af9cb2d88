"""Plots that are kept with the file, coordinators of junctions, groups of the library."""

import warnings
from dataclasses import replace

import pytest

import dovetail as dv
from dovetail.drawing.sketch import PlotPanel
from dovetail.studio.document import EditedDocument
from dovetail.studio.folder import WorkFolder
from dovetail.studio.library import FolderLibrary
from dovetail.studio.picture import picture_of
from dovetail.studio.solving import coordinators


@pytest.fixture
def document(folder):
    found = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    found.open("oscillator.yaml")
    return found


def test_plots_are_saved_follow_names_and_can_be_undone(document, folder):
    panels = [{"signals": ["mass.x", "spring.force"]}, {"signals": ["mass.v"], "over": "mass.x"}]
    document.do({"do": "plots", "panels": panels})
    assert [p["over"] for p in picture_of(document)["plots"]] == ["", "mass.x"]
    document.do({"do": "set", "name": "mass.m", "value": 3.0})
    assert picture_of(document)["plots"] == [{"over": "", **panels[0]}, panels[1]]
    document.do({"do": "rename", "part": "mass", "to": "body"})
    document.save()
    text = (folder / "oscillator.yaml").read_text()
    assert "plots:" in text and "[body.x, spring.force]" in text
    again = dv.open(folder / "oscillator.yaml")
    assert again.sketch.plots == document.system.sketch.plots
    assert again.sketch.plots[1].over == "body.x"
    document.do({"do": "remove", "parts": ["spring"]})
    assert document.system.sketch.plots[0].signals == ("body.x",)
    for _ in range(4):
        document.undo()
    assert document.system.sketch.plots == ()
    with pytest.raises(dv.DrawingError, match="there is no signal 'ghost"):
        document.do({"do": "plots", "panels": [{"signals": ["ghost.y"]}]})


def test_a_file_says_plots_shortly_and_is_told_what_is_wrong(folder):
    path = folder / "oscillator.yaml"
    drawn = path.read_text()
    path.write_text(drawn + "plots:\n  - mass.x\n  - {signals: [mass.v], over: mass.x}\n")
    assert [p.signals for p in dv.open(path).sketch.plots] == [("mass.x",), ("mass.v",)]
    assert dv.open(path).fingerprint() == dv.open(folder / "oscillator.yaml").fingerprint()
    path.write_text(drawn + "plots:\n  - {over: mass.x}\n")
    with pytest.raises(dv.FileError, match="signals"):
        dv.open(path)


def test_a_junction_is_given_a_coordinator_and_keeps_it_when_a_port_comes(document, folder):
    for name, model in (("d", "damper"), ("h", "holder"), ("e", "damper")):
        document.do({"do": "add", "name": name, "model": f"models.py:{model}"})
    document.do({"do": "join", "ports": ["d.flange", "e.flange"]})
    name = "d.flange = e.flange"
    ways = {one["model"] for one in coordinators()}
    assert ways == {"sliding_mode", "iterated_junction"}
    for way in ways:
        document.do({"do": "coordinate", "junction": name, "coordinator": way})
        (bond, _) = picture_of(document)["bonds"]
        assert bond["coordinator"] == way
    document.do({"do": "coordinate", "junction": name,
                 "coordinator": "sliding_mode(time_scale=0.1)"})  # fmt: skip
    (junction,) = document.system.junctions
    assert junction.coordinator == dv.SlidingMode(time_scale=0.1)
    document.save("joined.yaml")
    assert dv.open(folder / "joined.yaml").junctions[0].coordinator == junction.coordinator
    document.do({"do": "coordinate", "junction": name})
    assert document.system.junctions[0].coordinator is None
    for given, text in (("newton", "coordinator"), ("sliding_mode(time_scale=-1)", "time_scale")):
        with pytest.raises(dv.DovetailError, match=text):
            document.do({"do": "coordinate", "junction": name, "coordinator": given})
    with pytest.raises(dv.DrawingError, match="there is no junction"):
        document.do({"do": "coordinate", "junction": "x = y", "coordinator": "sliding_mode"})


def test_models_are_grouped_by_kind_without_being_run(folder):
    (folder / "more.py").write_text(
        "import dovetail as dv\n"
        "def pump() -> dv.Dynamic:\n    return made(1)\n"
        "def made(k) -> dv.Dynamic:\n    raise SystemExit\n"
        "def worded(*, k) -> dv.Dynamic:\n    raise SystemExit\n"
        "wind = dv.Source(outputs=['y'], function=lambda t, p: [t])\n"
        "raise SystemExit('this is not run')\n"
    )
    (folder / "road.csv").write_text("time,y\n0,1\n1,2\n")
    library = FolderLibrary(WorkFolder.of(folder), is_trusted=False)
    found = {offer.name: offer.group for offer in library.offers()}
    assert found == {
        "mass": "Dynamic", "damper": "Dynamic", "pump": "Dynamic", "spring": "Algebraic",
        "holder": "Algebraic", "wind": "Sources", "road": "Data", "oscillator": "Systems",
    }  # fmt: skip


@pytest.fixture
def tables(tmp_path):
    """Two tables and a wire between them: what every kind of file can hold."""
    (tmp_path / "a.csv").write_text("time,y\n0,0\n1,2\n")
    system = dv.System("tables")
    system.add("a", dv.load(tmp_path / "a.csv"))
    system.add("b", dv.load(tmp_path / "a.csv"))
    system.looks.place("a", 0, 0, 120, 80)
    system.looks.place("b", 300, 20, 120, 80)
    system.looks.turn("b", 90)
    system.looks.colour("a", "green")
    system.looks.note("two of a kind", (0, 200, 120, 30))
    plots = (PlotPanel(("a.y",)), PlotPanel(("a.y", "b.y"), "b.y"))
    system.sketch = replace(system.sketch, plots=plots)
    return system


@pytest.mark.parametrize("suffix", [".ssp", ".msim", ".yaml"])
def test_plots_and_looks_are_kept_by_every_kind_of_file(tables, tmp_path, suffix):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MasterSim's defaults
        tables.save(tmp_path / f"kept{suffix}")
    again = dv.open(tmp_path / f"kept{suffix}")
    assert again.sketch.plots == tables.sketch.plots
    assert again.sketch.boxes["b"] == tables.sketch.boxes["b"]
    assert again.sketch.colours == {"a": "green"}
    assert [m.text for m in again.sketch.marks] == ["two of a kind"]


def test_a_damaged_comment_of_a_mastersim_project_is_told_with_its_line(tables, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables.save(tmp_path / "kept.msim")
    text = (tmp_path / "kept.msim").read_text()
    for wrong in ("# dovetail plots [[", "# dovetail layout {}, {}", "# dovetail look {'a'}"):
        (tmp_path / "bad.msim").write_text(f"{text}{wrong}\n")
        line = text.count("\n") + 1
        with pytest.raises(dv.FileError, match=rf"bad.msim:{line}: .*damaged; take it out"):
            dv.open(tmp_path / "bad.msim")
    (tmp_path / "bad.msim").write_text(f'{text}# dovetail plots {{"a": 1}}\n')
    with pytest.raises(dv.FileError, match="'plots' must be a list"):
        dv.open(tmp_path / "bad.msim")
    (tmp_path / "gone.msim").write_text(f'{text}# dovetail plots [["ghost.y", "b.y"]]\n')
    assert dv.open(tmp_path / "gone.msim").sketch.plots == (PlotPanel(("b.y",)),)
