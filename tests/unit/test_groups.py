"""Parts become a group and come out of it again; the inside of a group is edited."""

import shutil
from dataclasses import replace

import pytest

import dovetail as dv
from dovetail.drawing.run_settings import RunSettings
from dovetail.drawing.sketch import Box, Outlet, PlotPanel, Route


def mass(**more):
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        parameters={"m": 2.0},
        derivatives=lambda t, x, u, p: [x.v, u.force / p.m],
        ports={"flange": dv.Port("translational", effort="force", flow="v")},
        **more,
    )


def spring():
    return dv.Algebraic(
        inputs=["x"], outputs=["force"], parameters={"k": 8.0},
        function=lambda t, u, p: [-p.k * u.x],
    )  # fmt: skip


def sink():
    return dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [2 * u.u])


def drawn():
    system = dv.System("oscillator")
    system.add("mass", mass(), m=3.0)
    system.add("sink", sink())
    system.add("spring", spring())
    system.connect("mass.x", "spring.x", gain=1.5)
    system.connect("spring.force", "mass.force", offset=0.5)
    system.connect("mass.v", "sink.u", gain=2.0)
    return system


def wires(system):
    return {str(c) for c in system.connections}


def test_a_group_has_the_parts_and_their_wires_and_ungrouped_all_is_as_before():
    system = drawn()
    before, hash_before = wires(system), system.fingerprint()
    system.group(["mass", "spring"], "car")
    assert list(system.parts) == ["car", "sink"]
    assert isinstance(system.parts["car"].model, dv.Nested)
    (wire,) = system.connections
    assert (str(wire.source), wire.gain) == ("car.mass.v", 2.0)
    assert system.get("car.mass.m") == 3.0
    system.ungroup("car")
    assert wires(system) == before
    assert system.get("mass.m") == 3.0
    system.group(["sink"], "last")
    system.ungroup("last")
    assert set(system.parts) == {"mass", "spring", "sink"}
    twin = drawn()
    twin.group(["mass", "sink", "spring"], "all")
    twin.ungroup("all")
    assert twin.fingerprint() == hash_before


def test_a_group_runs_as_its_parts_did_with_short_windows():
    system = drawn()
    way = {"stop": 1.0, "controller": dv.FixedStep(0.001), "verify": False}
    plain = dv.simulate(system, **way)
    system.group(["mass", "spring"], "car", controller=dv.FixedStep(0.001))
    found = dv.simulate(system, **way)
    assert found["car.mass.x"][-1] == pytest.approx(plain["mass.x"][-1], abs=5e-3)
    assert found["sink.y"][-1] == pytest.approx(plain["sink.y"][-1], abs=2e-2)


def test_values_given_to_a_group_go_with_its_parts_and_taken_names_count_up():
    system = drawn()
    system.group(["mass", "spring"], "car")
    system.set("car.spring.k", 5.0)
    system.add("spring", spring())
    system.connect("car.mass.x", "spring.x")
    system.run_settings = RunSettings(record=["car.*", "sink.y"])
    system.ungroup("car")
    assert list(system.parts) == ["mass", "spring2", "sink", "spring"]
    assert system.get("spring2.k") == 5.0
    assert "mass.x -> spring.x" in wires(system)
    assert system.run_settings.record == ("mass.*", "spring2.*", "sink.y")


def test_a_group_in_a_group_is_edited_from_inside_and_wires_follow_names():
    system = drawn()
    system.group(["mass", "spring"], "car")
    system.group(["car", "sink"], "world")
    with system.inside("world", "car") as car:
        car.rename("mass", "body")
        car.set("body.m", 7.0)
    assert system.get("world.car.body.m") == 7.0
    with system.inside("world") as world:
        (wire,) = world.connections
        assert str(wire.source) == "car.body.v"
    system.ungroup("world")
    system.ungroup("car")
    assert {str(c.target) for c in system.connections} == {"spring.x", "body.force", "sink.u"}


def test_what_is_given_from_outside_counts_inside_until_it_is_changed_there():
    system = drawn()
    system.group(["mass", "spring"], "car")
    system.set("car.mass.m", 9.0)
    with system.inside("car") as car:
        assert car.get("mass.m") == 9.0
        car.set("mass.m", 4.0)
    assert system.get("car.mass.m") == 4.0
    assert not system.parts["car"].values


def test_a_part_removed_inside_takes_its_wires_outside_with_it():
    system = drawn()
    system.group(["mass", "spring"], "car")
    with system.inside("car") as car:
        car.remove("mass")
    assert not system.connections
    assert list(system.parts["car"].model.system.parts) == ["spring"]


def test_an_input_fed_from_outside_is_not_fed_inside_as_well():
    system = drawn()
    system.group(["sink"], "end")
    with (
        pytest.raises(dv.DrawingError, match=r"'sink.u' is fed from outside of 'end' already"),
        system.inside("end") as end,
    ):
        end.connect("sink.y", "sink.u")
    assert str(system.connections[-1].target) == "end.sink.u"


def test_names_of_a_nested_system_stay_when_its_parts_are_renamed():
    inner = dv.System("inner")
    inner.add("sink", sink())
    system = dv.System("outer")
    system.add("a", sink())
    system.add("n", dv.Nested(inner, names={"in": "sink.u", "out": "sink.y"}))
    system.connect("a.y", "n.in")
    system.connect("n.out", "a.u", gain=0.1)
    with system.inside("n") as n:
        n.rename("sink", "end")
    assert system.parts["n"].model.names == {"in": "end.u", "out": "end.y"}
    system.ungroup("n")
    assert {str(c.target): str(c.source) for c in system.connections} == {
        "end.u": "a.y",
        "a.u": "end.y",
    }


def test_a_junction_whose_ports_are_all_in_a_group_goes_with_it_a_cut_one_meets_it_outside():
    system = joined("a", "b", "c")
    system.join("a.flange", "b.flange")
    system.group(["a", "b"], "g")
    assert not system.junctions
    assert system.parts["g"].model.system.junctions[0].name == "a.flange = b.flange"
    assert "a.flange" not in system.parts["g"].description.ports, "it meets another one inside"
    system.ungroup("g")
    assert system.junctions[0].name == "a.flange = b.flange"
    system.looks.junction("a.flange", (50, 60))
    system.group(["a", "c"], "g")
    assert system.junctions[0].name == "g.a.flange = b.flange"
    assert set(system.parts["g"].description.ports) == {"a.flange", "c.flange"}
    assert system.sketch.joints == {"g.a.flange": (50, -60)}
    with system.inside("g") as inner:
        inner.rename("a", "body")
    assert system.junctions[0].name == "g.body.flange = b.flange"
    outside = r"'body.flange' meets ports outside of 'g' already"
    with pytest.raises(dv.DrawingError, match=outside), system.inside("g") as inner:
        inner.add("stop", holder())
        inner.join("body.flange", "stop.flange")
    with system.inside("g") as inner:
        inner.rename("body", "a")
    system.ungroup("g")
    assert system.sketch.joints == {"a.flange": (50, -60)}
    assert str(system.junctions[0].name) == "a.flange = b.flange"
    system.group(["a", "c"], "g")
    with system.inside("g") as inner:
        inner.remove("a")
    assert not system.junctions


def joined(*names):
    system = dv.System("joined")
    for name in names:
        system.add(name, holder() if name == "b" else mass())
    return system


def test_a_group_has_ports_only_where_it_has_their_variables():
    inner = joined("a")
    assert dv.Nested(inner).description.ports["a.flange"].effort == "a.force"
    named = dv.Nested(inner, names={"push": "a.force", "speed": "a.v"}).description.ports
    assert (named["a.flange"].effort, named["a.flange"].flow) == ("push", "speed")
    assert not dv.Nested(inner, names={"push": "a.force"}).description.ports


def sprung():
    return dv.Dynamic(
        states={"s": 0.5}, inputs=["v"], outputs=["force"],
        derivatives=lambda t, x, u, p: [u.v], output=lambda t, x, u, p: [3 * x.s + 0.4 * u.v],
        ports={"flange": dv.Port("translational", effort="force", flow="v")},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("others", "many"),
    [
        ({"s": sprung, "t": sprung}, ["m"]),  # one gives what all share: wires, through the group
        ({"s": sprung, "t": sprung}, ["s", "t"]),
        ({"n": mass, "s": sprung}, ["m"]),  # two give it: their forces are unknown
        ({"n": mass, "s": sprung}, ["m", "n"]),
    ],
)
def test_parts_that_meet_move_in_a_group_as_they_did_without_it(others, many):
    system = dv.System("meeting")
    system.add("m", mass())
    for name, made in others.items():
        system.add(name, made())
    system.join("m.flange", *(f"{name}.flange" for name in others))
    options = {"stop": 0.3, "step": 2e-3, "quiet": True, "verify": False}
    alone = dv.simulate(system, **options)
    assert alone["m.v"][-1] < -0.1, "it moves"
    system.group(many, "g")
    (junction,) = system.junctions
    assert len(junction.ends) == 1 + len(others), "each of them is a port of the group"
    found = dv.simulate(system, **options)
    assert found["g.m.v" if "m" in many else "m.v"][-1] == pytest.approx(alone["m.v"][-1], rel=1e-2)


@pytest.mark.parametrize("suffix", [".yaml", ".ssp"])
def test_ports_of_a_group_are_kept_by_files(archive, tmp_path, suffix):
    shutil.copy(archive("linear", 2), tmp_path / "linear.fmu")
    system = dv.System("kept")
    ports = {"p": dv.Port("translational", effort="u", flow="y")}
    for name in "ab":
        system.add(name, dv.Fmu(tmp_path / "linear.fmu", ports=ports))
    system.join("a.p", "b.p")
    system.group(["a"], "g")
    assert system.junctions[0].name == "g.a.p = b.p"
    system.save(tmp_path / f"kept{suffix}")
    again = dv.open(tmp_path / f"kept{suffix}")
    assert [j.name for j in again.junctions] == ["g.a.p = b.p"]
    assert again.parts["g"].description.ports == system.parts["g"].description.ports
    again.ungroup("g")
    assert [j.name for j in again.junctions] == ["a.p = b.p"]


def holder():
    return dv.Algebraic(
        inputs=["v"], outputs=["force"], function=lambda t, u, p: [-u.v],
        ports={"flange": dv.Port("translational", effort="force", flow="v")},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "name", "said"),
    [
        (["ghost"], "g", "there is no part 'ghost'"),
        ([], "g", "at least one part"),
        (["mass"], "sink", "is a part 'sink' already"),
        (["mass"], "a.b", "without dots"),
    ],
)
def test_what_cannot_be_grouped_is_refused_and_nothing_is_changed(parts, name, said):
    system = drawn()
    before = system.fingerprint()
    with pytest.raises(dv.DrawingError, match=said):
        system.group(parts, name)
    with pytest.raises(dv.DrawingError, match="'mass' is no group"):
        system.ungroup("mass")
    assert system.fingerprint() == before


def test_places_come_back_and_follow_a_group_that_was_moved():
    system = drawn()
    boxes = {"mass": Box(0, 0, 100, 50), "spring": Box(200, 0, 300, 50), "sink": Box(0, 90, 9, 99)}
    system.sketch = replace(system.sketch, boxes=boxes)
    system.group(["mass", "spring"], "car")
    box = system.sketch.boxes["car"]
    assert (box.x1 + box.x2, box.y1 + box.y2) == (300, 50)
    moved = replace(box, x1=box.x1 + 10, x2=box.x2 + 10)
    system.sketch = replace(system.sketch, boxes={**system.sketch.boxes, "car": moved})
    system.ungroup("car")
    assert system.sketch.boxes["mass"] == Box(10, 0, 110, 50)
    assert system.sketch.boxes["sink"] == boxes["sink"]


def test_plots_and_connectors_of_the_whole_follow_into_a_group_and_out_again():
    system = drawn()
    plots = (PlotPanel(("mass.x", "sink.y"), "mass.v"),)
    outlets = (Outlet("force", "input", routes=(Route("mass.force"),)),)
    system.sketch = replace(system.sketch, plots=plots, outlets=outlets)
    system.group(["mass", "spring"], "car")
    assert system.sketch.plots == (PlotPanel(("car.mass.x", "sink.y"), "car.mass.v"),)
    assert system.sketch.outlets[0].routes == (Route("car.mass.force"),)
    inner = system.parts["car"].model.system.sketch
    assert (inner.plots, inner.outlets, inner.marks) == ((), (), ())
    with system.inside("car") as car:
        car.rename("mass", "body")
    assert system.sketch.plots[0].signals == ("car.body.x", "sink.y")
    system.ungroup("car")
    assert system.sketch.plots == (PlotPanel(("body.x", "sink.y"), "body.v"),)
    assert system.sketch.outlets[0].routes == (Route("body.force"),)
