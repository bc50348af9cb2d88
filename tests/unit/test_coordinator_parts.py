"""Coordinators as parts: the bits of one process wherever they live, and what they refuse."""

from __future__ import annotations

import sys
from textwrap import dedent

import numpy as np
import pytest
from example_modules import example
from machines import offered, serving

import dovetail as dv
from dovetail.drawing.part_coordinator import PartCoordinator
from dovetail.junctions.conversation import settled_by

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")


def mass(kilograms, reach=np.inf):
    def moved(t, x, u, p):
        if abs(u.F) > reach:
            raise ValueError("it broke")
        return [x.v, u.F / kilograms]

    return dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs={"F": 0.0},
        outputs=["x", "v"],
        derivatives=moved,
        ports={"flange": dv.Port("translational", effort="F", flow="v", displacement="x")},
    )


def newton(s, z, p):
    """A law of a user: as many moves as it is told."""
    for _ in range(int(p.moves)):
        z = z - np.linalg.solve(s.jacobian(z), s(z))
    return z


def users(law=newton, **more):
    return dv.Coordinator(law, parameters={"moves": 2.0}, **more)


def joined(coordinator, reach=np.inf):
    system = dv.System("coupling")
    system.add("wagon", mass(2.0, reach), v=3.0)
    system.add("engine", mass(4.0))
    if coordinator is None or isinstance(coordinator, dv.SlidingMode):
        system.join("wagon.flange", "engine.flange", coordinator=coordinator)
    else:
        system.add("settler", coordinator)
        system.join("wagon.flange", "engine.flange", coordinator="settler")
    return system


def run(system, **more):
    given = {"stop": 0.1, "controller": dv.FixedStep(0.01), "algorithm": dv.GaussSeidel()}
    return dv.simulate(system, **{**given, "quiet": True, "verify": False, **more})


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one.names)


def air_conditioner():
    with example("air_conditioner") as run_of_it:
        return run_of_it.drawing(apart=True)


def test_a_coordinator_without_options_has_the_bits_of_sliding_mode():
    assert same(run(joined(dv.SlidingMode())), run(joined(dv.Coordinator())))
    slow = dv.SlidingMode(time_scale=0.2, limit=5.0, moves=3, presolve=False)
    assert same(run(joined(slow)), run(joined(dv.Coordinator(slow))))
    given = joined(dv.Coordinator())
    given.set("settler.time_scale", 0.2)
    assert same(run(given), run(joined(dv.SlidingMode(time_scale=0.2))))


@on_linux
@pytest.mark.parametrize("model", [dv.Coordinator(), users(time_scale=0.1)])
def test_it_has_the_same_bits_here_in_a_host_and_served(model):
    here = run(joined(model))
    assert here["wagon.v"][-1] == pytest.approx(1.0, abs=0.3)
    apart = {name: dv.LocalHost(name) for name in joined(model).parts}
    assert same(here, run(joined(model), placement=apart))
    with serving(offered(model, "settler")) as (place, _):
        assert same(here, run(joined(dv.load(f"{place}/settler"))))
        with serving(offered(mass(2.0), "wagon")) as (other, _):
            far = joined(dv.load(f"{place}/settler"))
            far.replace("wagon", dv.load(f"{other}/wagon"))
            assert same(here, run(far))


@on_linux
def test_the_air_conditioner_has_ten_parts_each_in_a_process_of_its_own():
    system = air_conditioner()
    assert len(system.parts) == 10
    assert sum(p.description.kind == "Coordinator" for p in system.parts.values()) == 2
    here = run(system, stop=1.0)
    apart = {name: dv.LocalHost(name) for name in system.parts}
    there = run(air_conditioner(), stop=0.05, placement=apart)
    rows = len(there.time)
    for name in here.names:
        assert np.array_equal(here[name][:rows], there[name]), name
    gaps = [np.abs(here[f"indoor{k}.P"] - here["accumulator.P"]) for k in "12"]
    gap = np.max(gaps, axis=0)
    assert gap[0] == pytest.approx(50e3)
    assert gap[50] < 400 and gap[100] < 12  # Pa; after half a second and one, as in the thesis
    assert here["accumulator.P"][-1] == pytest.approx(695.85e3, rel=1e-4)  # its pressure


@on_linux
def test_a_run_is_resumed_with_a_coordinator_in_a_host(tmp_path):
    whole, kept = run(joined(users())), tmp_path / "kept"
    ways = {"controller": dv.FixedStep(0.01), "algorithm": dv.GaussSeidel(), "quiet": True}
    there = {"settler": dv.LocalHost(restart=1)}
    with dv.Session(joined(users()), stop=0.05, placement=there, **ways) as session:
        session.run(checkpoint=kept)
    with dv.Session(joined(users()), stop=0.1, resume=kept, placement=there, **ways) as session:
        found = session.run()
    assert all(np.array_equal(whole[n][-len(found[n]) :], found[n]) for n in whole.names)


@pytest.mark.parametrize("there", [None, {"settler": "host"}])
def test_what_a_law_does_wrong_is_said_of_it(there):
    if there and sys.platform != "linux":
        pytest.skip("hosts are for Linux")
    placed = None if there is None else {"settler": dv.LocalHost()}
    wrong = {
        "returned [1, 2], not 1 number": lambda s, z, p: [1, 2],
        "returned 'up', not 1 number": lambda s, z, p: "up",
        "NaN or Inf": lambda s, z, p: z * np.nan,
        "ZeroDivisionError": lambda s, z, p: 1 / 0,
        "3 unknowns were given for 1": lambda s, z, p: s([1.0, 2.0, 3.0]),
    }
    for what, law in wrong.items():
        with pytest.raises(dv.PartFailed, match="'settler' failed while coordinating") as caught:
            run(joined(users(law)), placement=placed)
        assert what.replace("[", "").split("]")[0] in str(caught.value).replace("[", "")


@pytest.mark.parametrize("there", [None, {"settler": "host"}])
def test_a_law_may_shrink_from_where_a_part_cannot_follow(there):
    if there and sys.platform != "linux":
        pytest.skip("hosts are for Linux")
    placed = None if there is None else {"settler": dv.LocalHost()}

    def careful(s, z, p):
        try:
            s(z + 1e6)
        except dv.PartFailed:
            return newton(s, z, p)
        raise AssertionError("it did not break")

    heard = run(joined(users(careful), reach=1e5), placement=placed)
    assert same(run(joined(users())), heard)
    with pytest.raises(dv.PartFailed, match=r"'wagon' failed .*\n?.*it broke"):
        run(joined(users(lambda s, z, p: s(z + 1e6)), reach=1e5), placement=placed)


def test_windows_without_a_solution_are_counted():
    found = run(joined(users(lambda s, z, p: None)))
    assert found.statistics.unsolved_junctions >= 10
    assert np.all(found["wagon.F"] == 0.0)


def test_who_settles_a_junction_is_checked_when_it_is_drawn():
    system = joined(None)
    with pytest.raises(dv.DrawingError, match=r"no part 'setler' to settle it\. Did you mean"):
        system.add("settler", dv.Coordinator())
        system.disconnect("wagon.flange")
        system.join("wagon.flange", "engine.flange", coordinator="setler")
    with pytest.raises(dv.DrawingError, match="'wagon' is no coordinator but a model of kind Dyn"):
        system.join("wagon.flange", "engine.flange", coordinator="wagon")
    with pytest.raises(dv.ModelError, match="needs the states of the parts"):
        dv.Coordinator(dv.SlidingMode(rate="single"))
    with pytest.raises(dv.ModelError, match="is a parameter of every coordinator"):
        dv.Coordinator(newton, parameters={"time_scale": 1.0})


def test_a_junction_follows_the_name_of_its_coordinator():
    system = joined(users())
    before = run(system)
    system.rename("settler", "referee")
    assert system.junctions[0].coordinator == PartCoordinator("referee")
    assert same(before, run(system))
    assert "settled by the part 'referee' after each window" in str(system.check())
    system.remove("referee")
    assert system.junctions[0].coordinator is None


def test_files_keep_who_settles_a_junction(tmp_path):
    (tmp_path / "models.py").write_text(
        "import dovetail as dv\nsettler = dv.Coordinator(time_scale=0.1)\n"
        "def mass():\n    return dv.Dynamic(states={'x': 0.0, 'v': 0.0}, inputs={'F': 0.0},\n"
        "        outputs=['x', 'v'], derivatives=lambda t, x, u, p: [x.v, u.F],\n"
        "        ports={'flange': dv.Port('translational', effort='F', flow='v')})\n"
    )
    text = """
    dovetail: 1
    parts:
      wagon: {model: models.py:mass}
      engine: {model: models.py:mass}
      settler: models.py:settler
    junctions:
      - {ports: [wagon.flange, engine.flange], coordinator: {part_coordinator: settler}}
    """
    (tmp_path / "a.yaml").write_text(dedent(text).strip())
    system = dv.open(tmp_path / "a.yaml")
    assert system.junctions[0].coordinator == PartCoordinator("settler")
    system.save(tmp_path / "b.yaml")
    again = dv.open(tmp_path / "b.yaml")
    assert again.junctions[0].coordinator == PartCoordinator("settler")
    assert again.get("settler.time_scale") == 0.1


def test_nonsense_of_a_coordinator_elsewhere_is_an_error():
    class Strange:
        def __init__(self, said):
            self.said = said

        def coordinate(self, message):
            return self.said

    class Surface:
        group, now = type("G", (), {"nominal": np.ones(1)}), type("N", (), {"time": 0.5})

        def many(self, unknowns):
            return [(z, z) for z in unknowns]

    z = np.zeros(1)
    for said in (("ask", []), ("ask", [np.zeros(3)]), ("found", z, z), (), ("refused",), ("x", z)):
        with pytest.raises(dv.PartFailed, match="answered with what is no answer"):
            settled_by(Strange(said), "it", Surface(), z, None)
    with pytest.raises(dv.PartFailed, match="asked more than 10000 times"):
        settled_by(Strange(("ask", [z])), "it", Surface(), z, None)


def test_an_export_says_that_it_cannot_take_one_along():
    with pytest.raises(dv.ExportRefused, match="is settled by the part 'settler'; give it"):
        joined(dv.Coordinator()).export("nowhere.fmu", step=0.01, algorithm=dv.GaussSeidel())
