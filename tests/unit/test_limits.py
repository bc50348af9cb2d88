"""Values beyond the limits that a model declares are refused, unless they are forced."""

import pickle
import zipfile

import pytest

import dovetail as dv
from dovetail.drawing.part import Part
from dovetail.drawing.run_settings import RunSettings

TOO_LOW = "'body.mass' is -1 kg, and its model declares at least 0 kg; to insist, use "
WAYS = "system.set('body.mass', ..., force=True), 'force: [mass]' in a file, or --force."


def limited(start=1.0, **options):
    """A model of Python with limits of its own."""
    limits = {
        "m": dv.Variable("m", unit="kg", start=start, minimum=0.5, maximum=2.0),
        "n": dv.Variable("n", kind="integer", start=1, minimum=1, maximum=3),
        "a": dv.Variable("a", shape=(2,), start=[0.0, 0.0], maximum=1.0),
    }
    return dv.Dynamic(
        states={"x": dv.Variable("x", start=0.0, minimum=-1.0)},
        inputs={"u": dv.Variable("u", start=0.0, maximum=5.0)},
        outputs=["y"],
        parameters=limits,
        derivatives=lambda t, x, u, p: [u.u / p.m],
        output=lambda t, x, u, p: [x.x],
        **options,
    )


def drawn(model=None, **values):
    system = dv.System("limited")
    system.add("part", model or limited(), values)
    return system


@pytest.fixture
def body(archive):
    return archive("body", 2)


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_keeps_its_limits(archive, version):
    model = dv.load(archive("body", version))
    system = dv.System("one")
    with pytest.raises(dv.DrawingError) as error:
        system.add("body", model, mass=-1.0)
    assert str(error.value) == TOO_LOW + WAYS
    assert not system.parts
    system.add("body", model, mass=0.0)
    with pytest.raises(dv.DrawingError, match=r"is -1 kg, and its model declares at least 0 kg"):
        system.set("body.mass", "-1000 g")
    assert system.get("body.mass") == 0.0
    system.set("body.mass", -1.0, force=True)
    assert system.get("body.mass") == -1.0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("m", 0.4, "is 0.4 kg, and its model declares 0.5 to 2 kg"),
        ("m", 2.1, "is 2.1 kg, and its model declares 0.5 to 2 kg"),
        ("n", 0, "is 0, and its model declares 1 to 3"),
        ("n", 4, "is 4, and its model declares 1 to 3"),
        ("a", [0.0, 1.5], "is 1.5, and its model declares at most 1"),
        ("a[2]", 1.5, "is 1.5, and its model declares at most 1"),
        ("x", -2.0, "is -2, and its model declares at least -1"),
        ("u", 6.0, "is 6, and its model declares at most 5"),
    ],
)
def test_every_kind_of_variable_keeps_its_limits(name, value, said):
    with pytest.raises(dv.DrawingError) as error:
        drawn(**{name: value})
    assert str(error.value).startswith(f"'part.{name}' {said}; to insist, use ")
    system = drawn()
    with pytest.raises(dv.DrawingError) as error:
        system.set(f"part.{name}", value)
    assert str(error.value).startswith(f"'part.{name}' {said}; to insist, use ")
    before = system.get(f"part.{name}")
    system.set(f"part.{name}", value, force=True)
    assert system.check().ok
    system.set(f"part.{name}", before)  # back inside: no longer forced
    assert system.parts["part"].forced == frozenset()


@pytest.mark.parametrize(("name", "value"), [("m", 0.5), ("m", 2.0), ("m", "2000 g"), ("n", 3)])
def test_the_limits_themselves_are_inside(name, value):
    assert drawn(**{name: value}).parts["part"].forced == frozenset()


def test_limits_that_leave_nothing_between_them_are_none():
    model = dv.Algebraic(
        inputs={"u": dv.Variable("u", start=0.0, minimum=1.0, maximum=-1.0)},
        outputs=["y"],
        function=lambda t, u, p: [u.u],
    )
    system = drawn(model, u=7.0)
    assert system.get("part.u") == 7.0


def test_check_and_run_refuse_what_was_put_in_by_another_way():
    system = dv.System("limited")
    system.put(Part("part", limited(), {"m": -1.0, "bogus": 3.0}))
    report = system.check()
    assert not report.ok
    said = "\n".join(p.what for p in report.problems)
    assert "'part.m' is -1 kg, and its model declares 0.5 to 2 kg; to insist" in said
    assert "'part.bogus' is not a parameter, start value or input of 'part'." in said
    with pytest.raises(dv.DrawingError, match=r"'part\.bogus' is not a parameter"):
        dv.simulate(system, stop=1.0)


def test_what_was_forced_runs_and_is_remarked_on():
    system = drawn()
    system.set("part.m", 4.0, force=True)
    report = system.check()
    assert report.ok
    what = "'part.m' is 4 kg, and its model declares 0.5 to 2 kg; it was forced."
    assert what in [p.what for p in report.problems if p.warning]
    dv.simulate(system, stop=0.1, controller=dv.FixedStep(0.1), quiet=True)
    assert system.copy().parts["part"].forced == {"m"}


def test_force_travels_with_a_pickled_system(body):
    system = dv.System("one")
    system.add("body", dv.load(body))
    system.set("body.mass", -1.0, force=True)
    again = pickle.loads(pickle.dumps(system))
    assert again.check().ok
    assert again.get("body.mass") == -1.0


def test_force_survives_edits_and_nesting():
    system = drawn()
    system.set("part.m", 4.0, force=True)
    system.rename("part", "other")
    system.replace("other", limited(start=1.5))
    assert system.get("other.m") == 4.0
    outer = dv.System("outer")
    outer.add("sub", dv.Nested(system))
    outer.add("whole", dv.merge(system))
    dv.simulate(outer, stop=0.1, controller=dv.FixedStep(0.1), quiet=True)
    with pytest.raises(dv.DrawingError, match=r"'sub\.other\.m' is 9 kg, and its model declares"):
        outer.set("sub.other.m", 9.0)


def test_a_replacing_model_has_limits_of_its_own():
    free = dv.Dynamic(
        states={"x": 0.0},
        outputs=["y"],
        parameters={"m": 1.0},
        derivatives=lambda t, x, u, p: [p.m],
        output=lambda t, x, u, p: [x.x],
    )
    system = drawn(free, m=7.0)
    with pytest.raises(dv.DrawingError, match=r"does not fit: 'part\.m' is 7 kg, and its model"):
        system.replace("part", limited())


def test_start_values_that_a_model_declares_beyond_its_limits_are_its_own_matter():
    system = drawn(limited(start=7.0))
    report = system.check()
    assert report.ok
    what = "start values that 'part' declares beyond its own limits are kept: 'part.m' is 7 kg, "
    assert [p for p in report.problems if p.warning and p.what.startswith(what)]
    system.set("part.m", 1.0)
    assert not [p for p in system.check().problems if p.what.startswith(what)]


def test_an_fmu_that_starts_beyond_its_own_limits_runs(body, tmp_path):
    odd = tmp_path / "odd.fmu"
    with zipfile.ZipFile(body) as old, zipfile.ZipFile(odd, "w") as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "modelDescription.xml":
                text = data.decode()
                assert text.count('min="0.0"') == 1
                data = text.replace('min="0.0"', 'min="1e6"').encode()
            new.writestr(item, data)
    system = dv.System("odd")
    system.add("odd", dv.load(odd))
    said = [p.what for p in system.check().problems if p.warning]
    kept = "start values that 'odd' declares beyond its own limits are kept: 'odd.mass' is 10000 kg"
    assert any(s.startswith(kept) for s in said)
    dv.simulate(system, stop=0.1, controller=dv.FixedStep(0.1), quiet=True)


def test_a_session_keeps_the_limits_too():
    with dv.Session(drawn(), stop=1.0, controller=dv.FixedStep(0.1), quiet=True) as session:
        session.advance()
        with pytest.raises(dv.OptionError, match=r"'part\.m' is 9 kg, .*to insist, use force=True"):
            session.set("part.m", 9.0)
        session.set("part.m", "1500 g")
        session.set("part.u", 6.0, force=True)
        session.run()
    assert [(c.name, c.after) for c in session.result.changes] == [("part.m", 1.5), ("part.u", 6.0)]


def test_a_structural_parameter_names_the_way(archive):
    system = dv.System("sizes")
    system.add("arrays", dv.load(archive("arrays", 3)))
    with pytest.raises(dv.DrawingError) as error:
        system.set("arrays.n", 2)
    way = "give it to the model: dv.load(..., structural={'n': ...})."
    assert str(error.value).endswith(f" It decides the sizes of arrays; {way}")


# files --------------------------------------------------------------------------------------------

YAML = """\
dovetail: 1
parts:
  body: {{model: {path}, values: {{mass: {mass}}}{force}}}
"""


def written(tmp_path, body, mass="-1.0", force=""):
    path = tmp_path / "one.yaml"
    path.write_text(YAML.format(path=body, mass=mass, force=force))
    return path


def test_a_file_is_refused_with_the_line_unless_it_says_force(tmp_path, body):
    path = written(tmp_path, body)
    with pytest.raises(dv.DrawingError) as error:
        dv.open(path)
    assert str(error.value) == f"{path}:3: {TOO_LOW}{WAYS}"
    assert dv.open(path, force=True).parts["body"].forced == {"mass"}
    system = dv.open(written(tmp_path, body, force=", force: [mass]"))
    assert system.get("body.mass") == -1.0
    with pytest.raises(dv.DrawingError, match=r"one\.yaml:3: 'body\.mas' is to be forced, and has"):
        dv.open(written(tmp_path, body, "1.0", ", force: [mas]"))


def test_values_in_a_file_have_units(tmp_path, body):
    assert dv.open(written(tmp_path, body, "2 t")).get("body.mass") == 2000.0
    with pytest.raises(dv.DrawingError, match=r"one\.yaml:3: 'body\.mass' has the unit 'kg', so"):
        dv.open(written(tmp_path, body, "2 m"))


@pytest.mark.parametrize("suffix", ["yaml", "ssp"])
def test_force_is_saved(tmp_path, body, suffix):
    system = dv.System("one")
    system.add("body", dv.load(body))
    inner = dv.System("inner")
    inner.add("body", dv.load(body))
    system.add("sub", dv.Nested(inner))
    system.set("body.mass", -1.0, force=True)
    system.set("sub.body.mass", -2.0, force=True)
    system.save(tmp_path / f"one.{suffix}")
    again = dv.open(tmp_path / f"one.{suffix}")
    assert again.fingerprint() == system.fingerprint()
    assert {n: p.forced for n, p in again.parts.items()} == {
        "body": {"mass"},
        "sub": {"body.mass"},
    }


def test_a_system_of_another_tool_is_opened_by_force(tmp_path, body):
    system = dv.System("one")
    system.add("body", dv.load(body))
    system.set("body.mass", -1.0, force=True)
    system.run_settings = RunSettings(stop=1.0, controller=dv.FixedStep(0.1))
    system.save(tmp_path / "one.msim")
    with pytest.raises(dv.DrawingError, match=r"one\.msim:\d+: 'body\.mass' is -1 kg, and its"):
        dv.open(tmp_path / "one.msim")
    assert dv.open(tmp_path / "one.msim", force=True).get("body.mass") == -1.0
    lines = ("import dovetail as dv", "system = dv.System()", f"body = dv.load({str(body)!r})")
    (tmp_path / "one.py").write_text("\n".join([*lines, "system.add('b', body, mass=-1)"]))
    with pytest.raises(dv.FileError, match=r"one\.py:4: executing it failed: 'b\.mass' is -1 kg"):
        dv.open(tmp_path / "one.py")
    assert dv.open(tmp_path / "one.py", force=True).get("b.mass") == -1.0
