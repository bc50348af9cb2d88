"""Parameters that another component decides, while the system runs."""

import numpy as np
import pytest
from ssp.texts import component, connectors, document, system, wire

import dovetail as dv
from dovetail import formats

AT = 0.45


def run(drawn, **more):
    return dv.simulate(drawn, stop=1.0, controller=dv.FixedStep(0.1), quiet=True, **more)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("source", ["y", "twice"], ids=["output", "calculated parameter"])
def test_a_tunable_parameter_is_fed(folder, version, source):
    text = document(
        system(
            component("a", "grumpy", connectors(f"{source} calculatedParameter", "u input")),
            component("b", "grumpy", connectors("k parameter", "y output")),
            wires=wire(f"a/{source}", "b/k"),
        )
    )
    drawn = formats.read(folder(text, f"grumpy-{version}"))
    assert [str(c) for c in drawn.connections] == [f"a.{source} -> b.k"]
    assert drawn.parts["b"].tuned == ("k",)
    with dv.Session(drawn, stop=1.0, controller=dv.FixedStep(0.1), quiet=True) as session:
        session.advance()
        session.set("a.k", 3.0)
        result = session.run()
    assert result["b.k"] == pytest.approx(result[f"a.{source}"])
    if source == "twice":
        assert sorted(set(result["b.k"])) == [2.0, 6.0]


def test_a_fixed_parameter_is_not(folder):
    text = document(
        system(
            component("a", "grumpy", connectors("y calculatedParameter")),
            component("b", "grumpy", connectors("p parameter")),
            wires=wire("a/y", "b/p"),
        )
    )
    with pytest.raises(dv.DrawingError) as refused:
        formats.read(folder(text, "grumpy"))
    assert "'a.y' would set 'b.p' once, when the run starts" in str(refused.value)


@pytest.mark.parametrize("suffix", ["ssp", "ssd", "yaml"])
def test_a_schedule_is_saved_and_read(archive, tmp_path, suffix):
    (tmp_path / "schedule.csv").write_text(f"time,k\n0,1\n{AT},1\n{AT},3\n1,3\n")
    drawn = dv.System("scheduled")
    drawn.add("schedule", dv.load(tmp_path / "schedule.csv"))
    drawn.add("part", dv.load(archive("grumpy", 3)), u=1.0)
    drawn.add("next", dv.load(archive("grumpy", 2), internals=["twice"]), u=1.0)
    drawn.connect("schedule.k", "part.k", gain=2.0)
    drawn.connect("part.y", "next.k")
    drawn.connect("next.twice", "part.u")
    drawn.save(tmp_path / f"saved.{suffix}")
    again = dv.open(tmp_path / f"saved.{suffix}")
    assert again.fingerprint() == drawn.fingerprint()
    first, second = (run(d, algorithm=dv.GaussSeidel()) for d in (drawn, again))
    assert set(first["part.k"]) == {2.0, 6.0}
    for name in first.names:
        assert np.array_equal(first[name], second[name])


@pytest.mark.parametrize("shown", [True, ["w", "twice"], ["twice"]], ids=repr)
def test_what_a_part_shows_besides_stays_shown(archive, tmp_path, shown):
    """A calculated parameter that feeds something adds to it."""
    drawn = dv.System("shown")
    fmu = str(archive("grumpy", 3))
    hidden = [v.name for v in dv.load(fmu, internals=True).description.outputs]
    hidden = [n for n in hidden if n not in ("y", "count_out", "on_out", "label_out")]
    names = [*hidden, "twice"] if shown is True else shown
    drawn.add("a", dv.load(fmu, internals=names))
    drawn.add("b", dv.load(fmu))
    drawn.connect("a.twice", "b.k")
    drawn.save(tmp_path / "saved.ssp")
    again = dv.open(tmp_path / "saved.ssp").parts["a"].model
    assert sorted(again.internals) == sorted(names)


def test_mastersim_has_no_such_connections(archive, tmp_path):
    drawn = dv.System("scheduled")
    drawn.add("one", dv.load(archive("grumpy", 2)))
    drawn.add("two", dv.load(archive("grumpy", 2)))
    drawn.connect("one.y", "two.k")
    with pytest.raises(dv.DrawingError, match=r"'two\.k' is a parameter, which MasterSim does not"):
        drawn.save(tmp_path / "saved.msim")


def test_a_python_file_and_yaml(tmp_path):
    (tmp_path / "models.py").write_text(
        "import dovetail as dv\n"
        "lag = dv.Dynamic(states={'x': 0.0}, outputs=['x'], parameters={'k': 1.0},\n"
        "    derivatives=lambda t, x, u, p: [p.k - x.x])\n"
        "schedule = dv.Source(outputs=['k'], jumps=[0.5],\n"
        "    function=lambda t, p: [1.0 if t < 0.5 else 2.0])\n"
    )
    text = (
        "dovetail: 1\nparts: {lag: models.py:lag, schedule: models.py:schedule}\n"
        "connections: [schedule.k -> lag.k]\n"
    )
    (tmp_path / "system.yaml").write_text(text)
    drawn = dv.open(tmp_path / "system.yaml")
    result = run(drawn)
    assert result["lag.x"][-1] == pytest.approx(2 - np.exp(-0.5) - np.exp(-1.0), abs=1e-5)
    drawn.save(tmp_path / "again.yaml")
    assert "schedule.k -> lag.k" in (tmp_path / "again.yaml").read_text()
    assert np.array_equal(run(dv.open(tmp_path / "again.yaml"))["lag.x"], result["lag.x"])
    (tmp_path / "wrong.yaml").write_text(text.replace("lag.k]", "lag.q]"))
    with pytest.raises(dv.DrawingError, match=r"wrong\.yaml:3: 'lag\.q' is not an input of 'lag'"):
        dv.open(tmp_path / "wrong.yaml")
