"""A drawing that is changed is as if it had been drawn like that from the start."""

import copy
import pickle

import numpy as np
import pytest

import dovetail as dv
from dovetail.drawing.sketch import Box, Outlet, Route, Sketch


def lag(**options):
    return dv.Dynamic(
        states={"x": 0.0},
        inputs={"u": 1.0},
        outputs=["y"],
        parameters={"Kp": 2.0, "m": 1.0, "gains": [1.0, 2.0, 3.0], "on": True, "name": "a"},
        units={"m": "kg", "x": "degC"},
        derivatives=lambda t, x, u, p: [p.Kp * (u.u - x.x)],
        output=lambda t, x, u, p: [x.x],
        **options,
    )


def capacitor(flow="i"):
    return dv.Dynamic(
        states={"v": 1.0},
        inputs={flow: 0.0},
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u[flow] if isinstance(u, dict) else getattr(u, flow)],
        output=lambda t, x, u, p: [x.v],
        ports={"pin": dv.Port("electrical", effort="v", flow=flow)},
    )


def loop(*names):
    """Lags in a ring."""
    system = dv.System("ring")
    for name in names:
        system.add(name, LAG)
    for source, target in zip(names, (*names[1:], names[0]), strict=True):
        system.connect(f"{source}.y", f"{target}.u")
    return system


LAG = lag()
CAPACITOR = capacitor()
SCHEDULE = dv.Table(time=[0.0, 1.0], columns={"k": [1.0, 2.0]})


# values -------------------------------------------------------------------------------------------


def test_a_value_is_set_and_got():
    system = loop("pid", "plant")
    assert system.get("pid.Kp") == 2.0
    system.set("pid.Kp", 3)
    assert system.get("pid.Kp") == 3.0
    assert isinstance(system.get("pid.Kp"), float)
    assert system.parts["pid"].values == {"Kp": 3.0}
    direct = dv.System("ring")
    direct.add("pid", LAG, Kp=3.0)
    direct.add("plant", LAG)
    direct.connect("pid.y", "plant.u")
    direct.connect("plant.y", "pid.u")
    assert system.fingerprint() == direct.fingerprint()


def test_none_lets_the_value_of_the_model_hold_again():
    system = loop("pid", "plant")
    before = system.fingerprint()
    system.set("pid.Kp", 3.0)
    system.set("pid.Kp", None)
    assert system.get("pid.Kp") == 2.0
    assert system.fingerprint() == before


def test_get_gives_what_a_run_starts_with():
    system = loop("pid", "plant")
    assert system.get("pid.u") == 1.0
    assert system.get("pid.on") is True
    assert system.get("pid.name") == "a"
    mute = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a])
    system.add("mute", mute)
    assert system.get("mute.a") == 0.0


@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("pid.m", "2 kg", 2.0),
        ("pid.m", "2000g", 2.0),
        ("pid.m", "-1.5e3 g", -1.5),
        ("pid.x", "20 degC", 20.0),
        ("pid.x", "0 K", -273.15),
        ("pid.x", "50 degF", 10.0),
    ],
)
def test_text_with_a_unit_is_converted(name, text, number):
    system = loop("pid", "plant")
    system.set(name, text)
    assert system.get(name) == pytest.approx(number, rel=1e-12)
    added = dv.System()
    added.add("pid", LAG, {name.removeprefix("pid."): text})
    assert added.get(name) == system.get(name)


def test_the_offset_of_a_unit_does_not_count_for_a_difference():
    model = dv.Dynamic(
        states={"x": 0.0},
        outputs=["x"],
        parameters={"rise": dv.Variable("rise", unit="K", start=1.0, relative=True)},
        derivatives=lambda t, x, u, p: [p.rise],
        output=lambda t, x, u, p: [x.x],
    )
    system = dv.System()
    system.add("part", model)
    system.set("part.rise", "5 degC")
    assert system.get("part.rise") == 5.0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("pid.kp", 1.0, "'pid.kp' is not a parameter, start value or input of 'pid'. "
         "Did you mean 'Kp'?"),
        ("pdi.Kp", 1.0, "there is no part 'pdi'. Did you mean 'pid'?"),
        ("pid", 1.0, "'pid' names no variable; write 'part.variable'."),
        ("Kp", 1.0, "'Kp' names no part; write 'part.variable'. Did you mean 'pid.Kp'?"),
        (3, 1.0, "3 names no variable; write 'part.variable'."),
        ("pid.y", 1.0, "'pid.y' is not a parameter, start value or input of 'pid'. "
         "It is an output."),
        ("pid.Kp", True, "'pid.Kp' must be a real value, not True."),
        ("pid.Kp", [1.0], "'pid.Kp' must be a real value, not [1.0]."),
        ("pid.gains", [1.0, 2.0], "'pid.gains' has the shape (3,), not (2,)."),
        ("pid.gains[4]", 1.0, "'pid.gains[4]' is no element of 'gains', which has 3 values."),
        ("pid.gains[1,2]", 1.0, "'pid.gains[1,2]' is no element of 'gains', which has 3 values."),
        ("pid.Kp", float("nan"), "'pid.Kp' must be a finite number, not nan."),
        ("pid.m", "3 kN", "'pid.m' has the unit 'kg', so it cannot be '3 kN': 'kN' is kg.m/s2 but "
         "'kg' is kg."),
        ("pid.m", "3 kilo", "'pid.m' cannot be '3 kilo': the unit 'kilo' cannot be read: 'kilo' is "
         "not a known unit. Did you mean 'kl'?"),
        ("pid.m", "3", "'pid.m' must be a number, or text such as '3 kg', not '3'."),
        ("pid.m", "3 4", "'pid.m' must be a number, or text such as '3 kg', not '3 4'."),
        ("pid.Kp", "3 kN", "'pid.Kp' has no unit, so it takes a plain number, not '3 kN'."),
        ("pid.on", "3 kN", "'pid.on' must be a boolean value, not '3 kN'."),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_refused_and_changes_nothing(name, value, message):
    system = loop("pid", "plant")
    before = system.fingerprint()
    with pytest.raises(dv.DrawingError) as error:
        system.set(name, value)
    assert str(error.value) == message
    assert system.fingerprint() == before


@pytest.mark.parametrize("name", ["pid.kp", "pdi.Kp", "pid", "pid.y", "pid.gains[0]"])
def test_get_refuses_the_same_names(name):
    system = loop("pid", "plant")
    with pytest.raises(dv.DrawingError) as asked:
        system.get(name)
    with pytest.raises(dv.DrawingError) as told:
        system.set(name, 1.0)
    assert str(asked.value) == str(told.value)


def test_elements_of_arrays_are_set_one_by_one():
    system = loop("pid", "plant")
    system.set("pid.gains[2]", 7.0)
    assert system.get("pid.gains").tolist() == [1.0, 7.0, 3.0]
    assert system.get("pid.gains[2]") == 7.0
    system.set("pid.gains[3]", 8)
    assert system.get("pid.gains").tolist() == [1.0, 7.0, 8.0]
    system.set("pid.gains", 0.5)
    assert system.get("pid.gains").tolist() == [0.5, 0.5, 0.5]


def test_a_name_with_dots_and_brackets_is_a_name_first():
    model = dv.Algebraic(
        inputs={"a.b[1]": 1.0}, outputs=["y"], function=lambda t, u, p: [u["a.b[1]"]]
    )
    system = dv.System()
    system.add("part", model)
    system.set("part.a.b[1]", 5.0)
    assert system.get("part.a.b[1]") == 5.0


def test_values_of_a_nested_system_are_set_from_outside():
    inner = dv.System("inner")
    inner.add("pid", LAG, Kp=4.0)
    outer = dv.System("outer")
    outer.add("sub", dv.Nested(inner))
    assert outer.get("sub.pid.Kp") == 4.0
    outer.set("sub.pid.Kp", 5.0)
    assert outer.get("sub.pid.Kp") == 5.0
    assert inner.get("pid.Kp") == 4.0


def test_a_nested_system_is_the_drawing_as_it_was():
    inner = dv.System("inner")
    inner.add("pid", LAG)
    outer = dv.System("outer")
    outer.add("sub", dv.Nested(inner))
    outer.add("whole", dv.merge(inner))
    before = outer.fingerprint()
    inner.set("pid.Kp", 9.0)
    inner.add("more", LAG)
    assert outer.fingerprint() == before
    assert outer.get("sub.pid.Kp") == outer.get("whole.pid.Kp") == 2.0


@pytest.mark.parametrize(
    "write",
    [
        lambda values: values.__setitem__("Kp", 3.0),
        lambda values: values.__setitem__("bogus", 3.0),
        lambda values: values.update(Kp=3.0),
        lambda values: values.update({"Kp": 3.0}),
        lambda values: values.pop("Kp"),
        lambda values: values.__delitem__("Kp"),
        lambda values: values.setdefault("Kp", 1.0),
        lambda values: values.clear(),
    ],
)
def test_the_values_of_a_part_are_for_reading(write):
    system = loop("pid", "plant")
    system.set("pid.Kp", 2.5)
    with pytest.raises(dv.DrawingError, match=r"are for reading; write system\.set\('pid\."):
        write(system.parts["pid"].values)
    assert system.get("pid.Kp") == 2.5
    assert len(system.parts["pid"].values) == 1


def test_arrays_in_a_drawing_are_not_written_into():
    system = loop("pid", "plant")
    given = np.array([1.0, 1.0, 1.0])
    system.set("pid.gains", given)
    given[0] = 5.0
    got = system.get("pid.gains")
    got[1] = 5.0
    with pytest.raises(ValueError, match="read-only"):
        system.parts["pid"].values["gains"][2] = 5.0
    assert system.get("pid.gains").tolist() == [1.0, 1.0, 1.0]


# copies -------------------------------------------------------------------------------------------


def test_a_copy_is_independent_in_everything():
    system = loop("a", "b", "c")
    system.sketch = Sketch(boxes={"a": Box(0, 0, 1, 1)})
    system.extra = {"carried": 1}
    before = system.fingerprint()
    other = system.copy()
    assert other.fingerprint() == before
    assert other.parts["a"].model is system.parts["a"].model
    other.set("a.Kp", 5.0)
    other.rename("b", "bb")
    other.remove("c")
    other.add("d", CAPACITOR)
    other.add("e", CAPACITOR)
    other.join("d.pin", "e.pin")
    other.sketch.boxes["a"] = Box(0, 0, 9, 9)
    other.extra["carried"] = 2
    other.name = "other"
    assert system.fingerprint() == before
    assert system.name == "ring"
    assert not system.junctions
    assert system.sketch.boxes["a"].x2 == 1
    assert system.extra == {"carried": 1}


@pytest.mark.parametrize("way", [copy.copy, lambda s: pickle.loads(pickle.dumps(s))])
def test_other_ways_to_copy_do_the_same(way):
    system = dv.System("pins")
    system.add("table", SCHEDULE)
    other = way(system)
    other.remove("table")
    assert list(system.parts) == ["table"]
    assert not other.parts


def test_a_run_keeps_the_drawing_as_it_was_when_it_began(tmp_path):
    system = loop("a", "b")
    options = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    whole = dv.simulate(system, **options)
    other = system.copy()
    with dv.Session(other, **options) as session:
        session.advance()
        other.set("a.Kp", 9.0)
        other.remove("b")
        session.checkpoint(tmp_path / "run.checkpoint")
        result = session.run()
    assert result["b.y"].tobytes() == whole["b.y"].tobytes()
    resumed = dv.simulate(system, resume=tmp_path / "run.checkpoint", **options)
    assert resumed["b.y"].tobytes() == whole["b.y"].tobytes()


# parts --------------------------------------------------------------------------------------------


def test_a_removed_part_takes_its_connections_along():
    system = loop("a", "b", "c")
    system.remove("b")
    assert list(system.parts) == ["a", "c"]
    assert [str(c) for c in system.connections] == ["c.y -> a.u"]
    system.connect("a.y", "c.u")
    direct = dv.System("ring")
    for name in ("a", "c"):
        direct.add(name, LAG)
    direct.connect("c.y", "a.u")
    direct.connect("a.y", "c.u")
    assert system.fingerprint() == direct.fingerprint()
    first, second = (
        dv.simulate(s, stop=1.0, controller=dv.FixedStep(0.1)) for s in (system, direct)
    )
    assert first["a.y"].tobytes() == second["a.y"].tobytes()


def test_a_renamed_part_keeps_its_place_values_and_links():
    system = loop("a", "b", "c")
    system.set("b.Kp", 4.0)
    system.rename("b", "middle")
    direct = loop("a", "middle", "c")
    direct.set("middle.Kp", 4.0)
    assert list(system.parts) == ["a", "middle", "c"]
    assert system.parts["middle"].name == "middle"
    assert system.fingerprint() == direct.fingerprint()
    system.rename("middle", "middle")
    assert system.fingerprint() == direct.fingerprint()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda s: s.remove("aa"), "there is no part 'aa'. Did you mean 'a'?"),
        (lambda s: s.rename("aa", "b"), "there is no part 'aa'. Did you mean 'a'?"),
        (lambda s: s.rename("a", "b"), "there is a part 'b' already."),
        (lambda s: s.rename("a", "a.b"), "a part needs a name without dots or outer blanks, "
         "not 'a.b'."),
        (lambda s: s.replace("aa", LAG), "there is no part 'aa'. Did you mean 'a'?"),
        (lambda s: s.replace("a", dv.Dynamic), "'a' needs a model such as dv.Dynamic(...) or "
         "dv.load(...), not the class Dynamic."),
        (lambda s: s.disconnect("a"), "'a' names no variable; write 'part.variable'."),
        (lambda s: s.disconnect("z.u"), "there is no part 'z'."),
        (lambda s: s.disconnect("a.v"), "'a.v' is not a variable or port of 'a'."),
        (lambda s: s.disconnect("a.Kp"), "'a.Kp' is not connected."),
        (lambda s: s.disconnect("a.y"), "'a.y' is an output; name the input that it feeds: "
         "'b.u'."),
        (lambda s: s.disconnect("a.y", "a.u"), "'a.y' and 'a.u' are not connected."),
    ],
)  # fmt: skip
def test_an_edit_that_cannot_be_made_changes_nothing(edit, message):
    system = loop("a", "b", "c")
    before = system.fingerprint()
    with pytest.raises(dv.DrawingError) as error:
        edit(system)
    assert str(error.value) == message
    assert system.fingerprint() == before


def test_a_replacing_model_may_have_more():
    system = loop("a", "b")
    system.set("a.Kp", 3.0)
    more = dv.Dynamic(
        states={"x": 0.0, "z": 1.0},
        inputs={"u": 0.0, "v": 0.0},
        outputs=["z", "y"],
        parameters={"Kp": 1.0, "Ki": 1.0},
        derivatives=lambda t, x, u, p: [u.u, u.v],
        output=lambda t, x, u, p: [x.z, x.x],
    )
    system.replace("a", more)
    assert system.get("a.Kp") == 3.0
    assert system.parts["a"].model is more
    assert len(system.connections) == 2
    assert list(system.parts) == ["a", "b"]


def test_everything_that_does_not_fit_is_named_at_once():
    system = loop("a", "b")
    system.set("a.Kp", 3.0)
    system.set("a.x", 1.0)
    before = system.fingerprint()
    other = dv.Dynamic(
        states={"x": 0.0},
        inputs={"w": 0.0},
        outputs={"y": "text"},
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: ["text"],
    )
    with pytest.raises(dv.DrawingError) as error:
        system.replace("a", other)
    said = [p.what for p in error.value.problems]
    assert len(said) == 3
    assert all(s.startswith("the model for 'a' does not fit: ") for s in said)
    assert "'a.Kp' is not a parameter" in said[0]
    assert "system.set('a.Kp', None)" in said[0]
    assert "'a.y' is of type string but 'b.u' takes real" in said[1]
    assert "'a.u' is not an input of 'a'. It has: w." in said[2]
    assert system.fingerprint() == before
    assert system.parts["a"].model is LAG


def test_units_of_a_replacing_model_must_fit():
    speed = dv.Source(outputs=["v"], units={"v": "m/s"}, function=lambda t, p: [t])
    taker = dv.Algebraic(
        inputs=["v"], outputs=["w"], units={"v": "km/h"}, function=lambda t, u, p: [u.v]
    )
    system = dv.System()
    system.add("source", speed)
    system.add("taker", taker)
    system.connect("source.v", "taker.v")
    in_knots = dv.Source(outputs=["v"], units={"v": "kn"}, function=lambda t, p: [t])
    system.replace("source", in_knots)
    assert system.connections[0].units.factor == pytest.approx(1.852)
    force = dv.Source(outputs=["v"], units={"v": "N"}, function=lambda t, p: [t])
    with pytest.raises(dv.DrawingError, match=r"'N' is kg.m/s2 but 'km/h' is m/s"):
        system.replace("source", force)


def test_exchange_is_the_old_name_of_replace():
    system = loop("a", "b")
    with pytest.warns(DeprecationWarning, match="System.exchange is System.replace now"):
        system.exchange("a", lag())


# links --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("b.u",), ("a.y", "b.u"), ("b.u", "a.y")])
def test_a_connection_is_taken_away_by_its_input_or_by_both_ends(names):
    system = loop("a", "b", "c")
    system.disconnect(*names)
    assert [str(c) for c in system.connections] == ["b.y -> c.u", "c.y -> a.u"]
    assert not system.is_fed("b", "u")


def test_a_parameter_that_is_disconnected_is_a_parameter_again():
    system = dv.System()
    system.add("schedule", SCHEDULE)
    system.add("part", LAG, m=3.0)
    before = system.fingerprint()
    system.connect("schedule.k", "part.Kp")
    assert [v.name for v in system.parts["part"].description.inputs] == ["u", "Kp"]
    system.rename("part", "other")
    assert [v.name for v in system.parts["other"].description.inputs] == ["u", "Kp"]
    system.rename("other", "part")
    system.disconnect("part.Kp")
    assert system.parts["part"].description is LAG.description
    assert system.fingerprint() == before
    system.connect("schedule.k", "part.Kp")
    system.remove("schedule")
    assert system.parts["part"].tuned == ()


def pins(*names, **options):
    system = dv.System("pins")
    for name in names:
        system.add(name, CAPACITOR)
    system.join(*(f"{name}.pin" for name in names), **options)
    return system


def test_a_port_leaves_its_junction():
    system = pins("a", "b", "c")
    system.disconnect("b.pin")
    direct = dv.System("pins")
    for name in "abc":
        direct.add(name, CAPACITOR)
    direct.join("a.pin", "c.pin")
    assert system.fingerprint() == direct.fingerprint()
    assert not system.is_fed("b", "i")
    assert system.is_fed("a", "i")
    system.disconnect("a.pin", "c.pin")
    assert not system.junctions
    assert not system.is_fed("a", "i")


def test_what_a_junction_decides_is_disconnected_by_its_port():
    system = pins("a", "b", "c")
    with pytest.raises(dv.DrawingError) as error:
        system.disconnect("a.i")
    by = "is decided by the junction a.pin = b.pin = c.pin"
    assert str(error.value) == f"'a.i' {by}; disconnect its port 'a.pin' instead."
    with pytest.raises(dv.DrawingError, match="more than two ports meet in the junction"):
        system.disconnect("a.pin", "b.pin")


def test_a_removed_part_leaves_its_junctions():
    system = pins("a", "b", "c")
    system.remove("a")
    assert [j.name for j in system.junctions] == ["b.pin = c.pin"]
    assert system.fingerprint() == pins("b", "c").fingerprint()
    system.remove("b")
    assert not system.junctions
    assert not system.connections


def test_a_junction_follows_new_names_and_models():
    system = pins("a", "b", "c", coordinator=dv.SlidingMode())
    system.rename("b", "middle")
    direct = pins("a", "middle", "c", coordinator=dv.SlidingMode())
    assert system.fingerprint() == direct.fingerprint()
    system.replace("middle", capacitor("current"))
    assert system.is_fed("middle", "current")
    assert not system.is_fed("middle", "i")
    with pytest.raises(dv.DrawingError, match=r"does not fit: 'middle.pin' is not a port"):
        system.replace("middle", LAG)


def mass(displacement):
    shift = {"displacement": "x"} if displacement else {}
    return dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, u.F],
        output=lambda t, x, u, p: [x.x, x.v],
        ports={"flange": dv.Port("translational", effort="F", flow="v", **shift)},
    )


@pytest.mark.parametrize(("asked", "left"), [(None, "displacement"), ("flow", "flow")])
def test_the_level_of_a_junction_is_found_anew_unless_it_was_asked_for(asked, left):
    system = dv.System()
    for name, shifts in (("a", True), ("b", True), ("c", False)):
        system.add(name, mass(shifts))
    system.join("a.flange", "b.flange", "c.flange", level=asked)
    assert system.junctions[0].level == "flow"
    system.remove("c")
    assert system.junctions[0].level == left


# paper --------------------------------------------------------------------------------------------


def sketched():
    system = loop("a", "b")
    system.sketch = Sketch(
        title="paper",
        boxes={"a": Box(0, 0, 1, 1), "b": Box(2, 0, 3, 1)},
        points={"a.y": (1.0, 0.5), "b.u": (0.0, 0.5), "b.m": (0.5, 0.0)},
        lines={"b.u": ((1.0, 0.5), (2.0, 0.5)), "a.u": ((3.0, 0.5), (0.0, 0.5))},
        labels={"": "all", "a": "first"},
        outlets=(Outlet("out", "output", routes=(Route("b.y"), Route("a.y"))),),
    )
    return system


def test_the_sketch_follows_new_names():
    system = sketched()
    system.rename("b", "last")
    sketch = system.sketch
    assert set(sketch.boxes) == {"a", "last"}
    assert set(sketch.points) == {"a.y", "last.u", "last.m"}
    assert set(sketch.lines) == {"last.u", "a.u"}
    assert sketch.labels == {"": "all", "a": "first"}
    assert [r.variable for r in sketch.outlets[0].routes] == ["last.y", "a.y"]
    system.rename("last", "b")
    assert system.sketch == sketched().sketch


def test_what_is_removed_leaves_the_paper():
    system = sketched()
    system.disconnect("b.u")
    assert set(system.sketch.lines) == {"a.u"}
    system.connect("a.y", "b.u")
    assert set(system.sketch.lines) == {"a.u"}
    system.remove("a")
    sketch = system.sketch
    assert (set(sketch.boxes), set(sketch.points)) == ({"b"}, {"b.u", "b.m"})
    assert not sketch.lines
    assert sketch.labels == {"": "all"}
    assert [r.variable for r in sketch.outlets[0].routes] == ["b.y"]


def test_a_replaced_part_stays_where_it_is():
    system = sketched()
    other = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u])
    system.replace("b", other)
    assert system.sketch.boxes == sketched().sketch.boxes
    assert system.sketch.lines == sketched().sketch.lines
    assert set(system.sketch.points) == {"a.y", "b.u"}
