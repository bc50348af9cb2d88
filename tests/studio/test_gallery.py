"""Examples to begin with: copies that run, in the folder and nowhere else."""

from pathlib import Path

import pytest

import dovetail as dv
from dovetail.studio.desk import Desk
from dovetail.studio.folder import WorkFolder
from dovetail.studio.gallery import EXAMPLES
from dovetail.studio.library import TrustNeeded

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def desk(tmp_path):
    made = Desk(WorkFolder.of(tmp_path), is_trusted=True, told=lambda run: None)
    yield made
    made.close()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_opens_as_a_copy_whose_check_has_nothing_against_it(desk, tmp_path, name):
    desk.ask("example", {"name": name})
    shown = desk.shown()
    assert shown["drawing"]["file"] == f"{name}/{EXAMPLES[name].system}"
    assert shown["drawing"]["saved"] and shown["check"]["ok"], shown["check"]["problems"]
    assert len(shown["drawing"]["blocks"]) >= 3
    assert {p.name for p in tmp_path.iterdir() if p.name[0] != "."} == {name}


def test_the_level_of_the_control_loop_is_where_it_is_wanted_in_the_end(desk, tmp_path):
    desk.ask("example", {"name": "control_loop"})
    result = dv.simulate(tmp_path / "control_loop" / "control_loop.yaml", quiet=True)
    level = result["tank.level"]
    before = level[result.time <= 60.0][-1]
    assert before == pytest.approx(0.8, abs=0.02), "50 s after the step, integral action"
    assert level[-1] == pytest.approx(0.8, abs=0.02), "60 s after twice as much flows out"
    assert result["pump.flow"][-1] == pytest.approx(4e-3 / 60, rel=0.2), "what flows out: 4 l/min"


def test_the_control_loop_with_fmus_does_what_that_of_python_does(desk, tmp_path):
    desk.ask("example", {"name": "control_loop_fmus"})
    kinds = {b["name"]: b["model"] for b in desk.shown()["drawing"]["blocks"]}
    assert (kinds["pump"], kinds["tank"]) == ("pump.fmu", "tank.fmu")
    place = tmp_path / "control_loop_fmus"
    found = dv.simulate(place / "control_loop_fmus.yaml", stop=20, quiet=True, verify=False)
    desk.ask("example", {"name": "control_loop"})
    same = dv.simulate(
        tmp_path / "control_loop" / "control_loop.yaml", stop=20, quiet=True, verify=False,
        algorithm=dv.GaussSeidel(), controller=dv.FixedStep(0.05),
    )  # fmt: skip
    assert found["tank.tank.level"][-1] == pytest.approx(same["tank.level"][-1], abs=1e-6)


def test_an_example_that_cannot_be_made_leaves_nothing(desk, tmp_path, monkeypatch):
    def refused(*given, **more):
        raise dv.FileError("pump.fmu", "no C compiler was found", "install gcc")

    monkeypatch.setattr("dovetail.exporting.whole_system.export", refused)
    with pytest.raises(dv.FileError, match="install gcc"):
        desk.ask("example", {"name": "control_loop_fmus"})
    assert not (tmp_path / "control_loop_fmus").exists()


def test_a_copy_that_was_changed_is_opened_as_it_is(desk, tmp_path):
    desk.ask("example", {"name": "quarter_car"})
    desk.ask("edit", {"command": {"do": "set", "name": "body.m", "value": 400}})
    desk.ask("save", {"despite": ["comments"]})
    desk.ask("new", {})
    desk.ask("example", {"name": "quarter_car"})
    assert desk.document.system.get("body.m") == 400


def test_nothing_is_written_over_and_nothing_outside_of_the_folder(
    desk, tmp_path, tmp_path_factory
):
    (tmp_path / "control_loop").mkdir()
    with pytest.raises(dv.FileError, match="no copy of the example"):
        desk.ask("example", {"name": "control_loop"})
    assert not list((tmp_path / "control_loop").iterdir())
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (tmp_path / "quarter_car").symlink_to(elsewhere)
    with pytest.raises(dv.FileError, match="outside the folder"):
        desk.ask("example", {"name": "quarter_car"})
    assert not list(elsewhere.iterdir())
    for wrong in ("../x", "", "files"):
        with pytest.raises(dv.OptionError, match="there is no example"):
            desk.ask("example", {"name": wrong})


def test_an_example_waits_for_trust_like_any_other_python(tmp_path):
    desk = Desk(WorkFolder.of(tmp_path), is_trusted=False, told=lambda run: None)
    with pytest.raises(TrustNeeded):
        desk.ask("example", {"name": "belt_drive"})
    desk.ask("trust", {})
    assert desk.shown()["drawing"]["file"] == "belt_drive/drive.yaml"
    desk.close()


def test_the_pressures_of_the_air_conditioner_meet_and_no_refrigerant_is_lost(desk, tmp_path):
    desk.ask("example", {"name": "air_conditioner"})
    drawing = desk.shown()["drawing"]
    solved = {b["junction"]: b["coordinator"] for b in drawing["bonds"]}
    assert len(solved) == 2 and set(solved.values()) == {"sliding_mode(time_scale=0.1)"}
    assert drawing["plots"][0]["signals"] == ["indoor1.P", "indoor2.P", "accumulator.P"]
    found = dv.simulate(
        tmp_path / "air_conditioner" / "air_conditioner.yaml", stop=1.0, quiet=True, verify=False
    )
    assert abs(found["indoor1.P"][0] - found["accumulator.P"][0]) > 40e3, "apart at the start"
    for k in "12":
        assert abs(found[f"indoor{k}.P"][-1] - found["accumulator.P"][-1]) < 10.0
    charge = sum(found[f"{n}.mass"] for n in ("indoor1", "indoor2", "outdoor", "accumulator"))
    assert charge.max() - charge.min() < 1e-5


def test_the_refrigerant_of_the_wheel_is_that_of_the_examples():
    shipped = ROOT / "src" / "dovetail" / "demo" / "gallery" / "air_conditioner"
    source = ROOT / "examples" / "air_conditioner"
    assert (shipped / "refrigerant.py").read_bytes() == (source / "models.py").read_bytes()
    assert (shipped / "r22.json").read_bytes() == (source / "r22.json").read_bytes()


@pytest.mark.parametrize("file", ["models.py", "quarter_car.yaml", "road.csv"])
def test_the_quarter_car_of_the_wheel_is_that_of_the_examples(file):
    shipped = ROOT / "src" / "dovetail" / "demo" / "gallery" / "quarter_car" / file
    assert shipped.read_bytes() == (ROOT / "examples" / "quarter_car" / file).read_bytes()
