"""What is written as SSP opens again as the same drawing."""

import warnings
import zipfile
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ssp.drawings import drawings, plain, runs
from ssp.texts import binding, component, connectors, document, real, system, values, wire

import dovetail as dv
from dovetail import formats
from dovetail.drawing.sketch import Box, Mark, Outlet, Route

FLANGE = {"flange": dv.Port("translational", "force", "velocity", "position")}


def reopened(drawn, path, run=None):
    """Written and read, without a word of complaint."""
    if run is not None:
        drawn.run_settings = run
    drawn.save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return formats.read(path)


@pytest.fixture(scope="module")
def models(archive):
    """One of each kind of FMU, with all kinds of options."""
    return [
        dv.load(archive("linear", 2)),
        dv.load(archive("linear", 1)),
        dv.load(archive("linear", 3), tolerance=1e-5, internals=True),
        dv.load(archive("types", 2)),
        dv.load(archive("types", 3)),
        dv.load(archive("arrays", 3), structural={"n": 2}),
        dv.load(archive("body", 2), ports=FLANGE),
        dv.load(archive("body", 3), ports=FLANGE, logging=True),
        dv.load(archive("spring", 2)),
        dv.load(archive("ball", 2), kind="model exchange", solver="radau", rtol=1e-6),
        dv.load(archive("ball", 2), kind="co-simulation"),
    ]


@pytest.mark.parametrize("suffix", ["ssp", "ssd"])
def test_any_drawing_opens_again_as_it_was(models, tmp_path_factory, suffix):
    folder = tmp_path_factory.mktemp("written")

    @settings(
        max_examples=25, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],  # shrinking takes ages
    )  # fmt: skip
    @given(drawings(models), runs())
    def holds(drawn, run):
        again = reopened(drawn, folder / f"x.{suffix}", run)
        assert plain(again) == plain(drawn)
        assert again.run_settings == run

    holds()


def test_writing_twice_gives_the_same_bytes(models, tmp_path):
    drawn = dv.System("same")
    drawn.add("a", models[0], a=-2.0)
    drawn.save(tmp_path / "a.ssp")
    dv.open(tmp_path / "a.ssp").save(tmp_path / "b.ssp")
    assert (tmp_path / "a.ssp").read_bytes() == (tmp_path / "b.ssp").read_bytes()


def test_version_1_where_it_will_do(models, tmp_path):
    for model, version in ((models[0], "1.0"), (models[5], "2.0")):
        drawn = dv.System("x")
        drawn.add("a", model)
        drawn.save(tmp_path / "x.ssd")
        assert f'version="{version}" name="x"' in (tmp_path / "x.ssd").read_text()


def test_results_are_the_same_after_a_round_trip(models, tmp_path):
    drawn = dv.System("joined")
    drawn.add("left", models[6], velocity=1.0)
    drawn.add("right", models[6], position=0.5)
    drawn.add("spring", models[8])
    drawn.join("left.flange", "right.flange")
    drawn.connect("left.position", "spring.position", gain=0.5)
    again = reopened(drawn, tmp_path / "x.ssp")
    assert [j.name for j in again.junctions] == ["left.flange = right.flange"]
    run = {"stop": 0.5, "controller": dv.FixedStep(0.1), "quiet": True}
    before, after = dv.simulate(drawn, **run), dv.simulate(again, **run)
    assert before["right.velocity"].tolist() == after["right.velocity"].tolist()


def test_levels_geometry_and_outlets_are_kept(folder, tmp_path):
    box = '<ssd:ElementGeometry x1="{}" y1="{}" x2="{}" y2="{}" rotation="90"/>'.format
    at = '<ssc:Real unit="kN"/><ssd:ConnectorGeometry x="0" y="0.5"/>'
    inner = system(
        component("part", "linear", connectors("u input", sort=at)).replace(
            "</ssd:Component>", f"{box(0, 0, 10, 10)}</ssd:Component>"
        ),
        name="inner",
        connectors=connectors("in input"),
        wires=wire(
            "in",
            "part/u",
            '<ssc:LinearTransformation factor="3"/>'
            '<ssd:ConnectionGeometry pointsX="1 2" pointsY="3 4"/>',
        ),
        rest='<ssd:SystemGeometry x1="0" y1="0" x2="20" y2="20"/>',
    ).replace("<ssd:Elements>", f"{box(100, 0, 140, 40)}<ssd:Elements>", 1)
    text = document(
        system(
            inner,
            component("source", "linear", connectors("y output", "a parameter")),
            connectors=connectors("free parameter"),
            bindings=binding(values(free=real(-4))),
            wires=wire("source/y", "inner/in") + wire("free", "source/a"),
            rest='<ssd:GraphicalElements><ssd:Note x1="0" y1="1" x2="2" y2="3" text="look"/>'
            "</ssd:GraphicalElements>",
        ).replace('name="root"', 'name="root" description="all of it"'),
        '<ssd:Units><ssc:Unit name="kN"><ssc:BaseUnit kg="1" m="1" s="-2" factor="1000"/>'
        "</ssc:Unit></ssd:Units>",
    )
    opened = dv.open(folder(text, "linear"))
    sketch = opened.sketch
    assert sketch.title == "root"
    assert sketch.labels == {"": "all of it"}
    assert sketch.boxes == {"inner/part": Box(100.0, 0.0, 120.0, 20.0, 90.0)}
    assert sketch.points == {"inner/part.u": (0.0, 0.5)}
    assert sketch.lines == {"inner/part.u": ((102.0, 6.0), (104.0, 8.0))}
    assert sketch.marks == (Mark(0.0, 1.0, 2.0, 3.0, "look"),)
    assert sketch.outlets == (Outlet("free", "parameter", "Real", routes=(Route("source.a"),)),)
    again = reopened(opened, tmp_path / "again.ssp")
    assert plain(again) == plain(opened)


def test_files_in_the_folder_stay_where_they_are(models, tmp_path, archive):
    here = tmp_path / "models" / "my linear.fmu"
    here.parent.mkdir()
    here.write_bytes(archive("linear", 2).read_bytes())
    drawn = dv.System("x")
    drawn.add("a", dv.load(here))
    drawn.add("b", models[3])
    drawn.add("c", models[4])  # another file of the same name
    drawn.save(tmp_path / "x.ssd")
    text = (tmp_path / "x.ssd").read_text()
    assert 'source="models/my%20linear.fmu"' in text
    assert sorted(p.name for p in (tmp_path / "resources").iterdir()) == [
        "types-fmi2.fmu",
        "types-fmi3.fmu",
    ]
    drawn.save(tmp_path / "x.ssd")  # over itself
    assert plain(dv.open(tmp_path / "x.ssd")) == plain(drawn)


def test_equal_names_of_different_files(models, tmp_path, archive):
    drawn = dv.System("x")
    for k in (1, 2):
        folder = tmp_path / str(k)
        folder.mkdir()
        (folder / "same.fmu").write_bytes(archive("linear", k).read_bytes())
        drawn.add(f"p{k}", dv.load(folder / "same.fmu"))
    drawn.save(tmp_path / "x.ssp")
    with zipfile.ZipFile(tmp_path / "x.ssp") as packed:
        assert packed.namelist() == [
            "SystemStructure.ssd",
            "resources/same.fmu",
            "resources/same_2.fmu",
        ]
    assert plain(dv.open(tmp_path / "x.ssp")) == plain(drawn)


def test_unpacked_fmus_are_packed(archive, tmp_path):
    folder = tmp_path / "linear"
    with zipfile.ZipFile(archive("linear", 2)) as packed:
        packed.extractall(folder)
    drawn = dv.System("x")
    drawn.add("a", dv.load(archive("linear", 2), unpacked=str(folder)))
    again = reopened(drawn, tmp_path / "x.ssp")
    assert plain(again) == plain(drawn)
    result = dv.simulate(again, stop=0.2, controller=dv.FixedStep(0.1), quiet=True)
    assert result.time[-1] == 0.2


def test_tables_and_merged_systems(archive, tmp_path):
    (tmp_path / "road.csv").write_text("time,height\n0,1\n1,3\n")
    inner = dv.System("inside")
    inner.add("ball", dv.load(archive("ball", 2), kind="model exchange"), h=2.0)
    drawn = dv.System("x")
    drawn.add("road", dv.load(tmp_path / "road.csv"))
    drawn.add("car", dv.load(archive("linear", 2)))
    drawn.add("m", dv.merge(inner, solver="radau", rtol=1e-7))
    drawn.connect("road.height", "car.u")
    again = reopened(drawn, tmp_path / "x.ssp")
    assert plain(again) == plain(drawn)
    assert again.parts["m"].model.solver == "radau"
    assert again.parts["m"].model.system.parts["ball"].values == {"h": 2.0}


def test_what_ssp_cannot_hold(archive, tmp_path):
    drawn = dv.System("x")
    gain = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a])
    drawn.add("gain", gain)
    with pytest.raises(dv.DrawingError) as caught:
        drawn.save(tmp_path / "x.ssp")
    assert str(caught.value) == (
        "part 'gain' is not an FMU or a table from a file, and SSP holds nothing else; save the "
        "system as .yaml, or put an FMU in its place."
    )
    assert not (tmp_path / "x.ssp").exists()
    types = dv.load(archive("types", 2))
    broken = dv.System("x")
    broken.add("a", types, string_in="a\0b")
    with pytest.raises(dv.FileError, match="characters that XML cannot hold"):
        broken.save(tmp_path / "x.ssp")
    with pytest.raises(dv.FileError, match=r"there is no folder .*; create it first"):
        dv.System("x").save(tmp_path / "no" / "x.ssd")


def test_a_system_used_in_yaml(archive, tmp_path):
    drawn = dv.System("inside")
    drawn.add("a", dv.load(archive("linear", 2)))
    drawn.save(tmp_path / "inner.ssp")
    (tmp_path / "x.yaml").write_text("{dovetail: 1, parts: {p: {system: inner.ssp}}}")
    opened = dv.open(tmp_path / "x.yaml")
    assert "a.y" in {v.name for v in opened.parts["p"].description.outputs}


@given(st.sampled_from(["u", "y"]))
def test_sketches_are_nothing_to_a_run(variable):
    system = dv.System("x")
    before = system.fingerprint()
    system.sketch = replace(system.sketch, labels={"": variable})
    assert system.fingerprint() == before
