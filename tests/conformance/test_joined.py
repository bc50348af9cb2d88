"""FMUs that meet at junctions: by derivatives, by short steps, by iteration."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance.fleet import is_clean

import dovetail as dv

PIN = {"pin": dv.Port("electrical", effort="y", flow="u")}
WAYS = {
    "derivatives": {"state_saving": False},
    "short steps": {"directional_derivatives": False, "adjoint_derivatives": False},
    "both": {},
}


def pair(model: Any) -> dv.System:
    """x' = -x + u/2 + 1 and x' = -2 x + u/4, with one x in common."""
    system = dv.System("pair")
    system.add("p", model, x=1.0, a=-1.0, b=0.5, drive=1.0)
    system.add("q", model, x=1.0, a=-2.0, b=0.25, drive=0.0)
    system.join("p.pin", "q.pin")
    return system


def exact(time: Any) -> Any:
    rate, level = -1 - 2 / 3, 1 - 2 / 3
    return (1 + level / rate) * np.exp(rate * time) - level / rate


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("way", WAYS)
def test_they_share_a_value_that_both_give(
    archive: Callable[..., Path], version: int, way: str
) -> None:
    model: Any = dv.load(archive("linear", version, strict=True, **WAYS[way]), ports=PIN)
    result = dv.simulate(
        pair(model), stop=1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.02), quiet=True
    )
    assert np.max(np.abs(result["p.y"] - exact(result.time))) < 4e-4
    assert np.max(np.abs(result["q.y"] - exact(result.time))) < 4e-4
    assert result.statistics.unsolved_junctions == 0
    per_window = result.statistics.evaluations_by_part["p"] / result.statistics.windows
    assert (per_window == 1) == (way != "short steps")
    assert is_clean(model)


@pytest.mark.parametrize("version", [2, 3])
def test_iterating_is_better_where_they_can_go_back(
    archive: Callable[..., Path], version: int
) -> None:
    model: Any = dv.load(archive("linear", version), ports=PIN)
    result = dv.simulate(pair(model), stop=1.0, controller=dv.FixedStep(0.02), quiet=True)
    assert "Newton" in result.facts["algorithm"]
    assert np.max(np.abs(result["p.y"] - exact(result.time))) < 4e-6
    assert is_clean(model)


def test_who_tells_nothing_is_refused_beforehand(archive: Callable[..., Path]) -> None:
    options = {"state_saving": False, "directional_derivatives": False}
    model = dv.load(archive("linear", 2, **options), ports=PIN)
    with pytest.raises(dv.CapabilityError, match="'p' gives no derivatives of its outputs"):
        dv.simulate(pair(model), stop=1.0, controller=dv.FixedStep(0.02), quiet=True)


@pytest.mark.parametrize(
    ("port", "message"),
    [
        (dv.Port("electrical", "y", "v"), "the flow of port 'pin', 'v', is no variable"),
        (dv.Port("electric", "y", "u"), "unknown domain 'electric'. Did you mean 'electrical'?"),
        (dv.Port("electrical", "y", "y"), "are both outputs"),
    ],
)
def test_a_port_that_does_not_fit_is_refused(
    archive: Callable[..., Path], port: dv.Port, message: str
) -> None:
    with pytest.raises(dv.FileError, match=r"linear-fmi2\.fmu") as caught:
        dv.load(archive("linear", 2), ports={"pin": port})
    assert message in str(caught.value)


TERMINALS = """<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
  <Terminals>
    <Terminal name="flange" matchingRule="plug">
      <TerminalMemberVariable variableName="force" memberName="f" variableKind="inflow"/>
      <TerminalMemberVariable variableName="velocity" memberName="v" variableKind="signal"/>
      <TerminalMemberVariable variableName="position" memberName="s" variableKind="signal"/>
    </Terminal>
    <Terminal name="bus" matchingRule="bus">
      <TerminalMemberVariable variableName="position" memberName="s" variableKind="signal"/>
    </Terminal>
  </Terminals>
</fmiTerminalsAndIcons>
"""


def with_terminals(path: Path, folder: Path) -> Path:
    made = folder / "body.fmu"
    made.write_bytes(path.read_bytes())
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("terminalsAndIcons/terminalsAndIcons.xml", TERMINALS)
    return made


def test_a_terminal_is_a_port_where_its_units_say_so(
    archive: Callable[..., Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model: Any = dv.load(with_terminals(archive("body", 3), tmp_path))
    port = dv.Port("translational", effort="force", flow="velocity", displacement="position")
    assert model.description.ports == {"flange": port}
    system = dv.System("bodies")
    system.add("p", model, mass=1e4, stiffness=1000.0, damping=100.0)
    system.add("q", model, mass=2e4, stiffness=0.0, damping=100.0)
    system.join("p.flange", "q.flange")
    result = dv.simulate(system, stop=5.0, controller=dv.FixedStep(0.05))
    # its force acts against the motion: the model counts it outward, and that is noticed
    assert "'p.flange' gives way against the push" in capfd.readouterr().err
    decay, speed = 200 / 6e4, np.sqrt(1000 / 3e4 - (200 / 6e4) ** 2)
    wave = np.exp(-decay * result.time) * (
        np.cos(speed * result.time) + decay / speed * np.sin(speed * result.time)
    )
    assert np.max(np.abs(result["p.position"] - wave)) < 1e-5
    assert np.max(np.abs(result["q.position"] - wave)) < 1e-5
    assert is_clean(model)


def test_ports_of_an_fmu_are_kept_in_files(archive: Callable[..., Path], tmp_path: Path) -> None:
    system = pair(dv.load(archive("linear", 3), ports=PIN))
    system.save(tmp_path / "system.yaml")
    again = dv.open(tmp_path / "system.yaml")
    assert again.parts["p"].description.ports == PIN
    assert again.fingerprint() == system.fingerprint()
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "dovetail: 1\nparts:\n"
        "  a: {model: road.csv, ports: {p: {domain: fluid, effort: a, flow: b}}}\n"
    )
    with pytest.raises(dv.FileError, match=r"takes 'ports' only with an \.fmu"):
        dv.open(wrong)


# model exchange ----------------------------------------------------------------------------------

FLANGE = {"flange": dv.Port("translational", "force", "velocity", "position")}


def rigid(model: Any) -> dv.System:
    """A body at a wall and a free mass, which move as one. Both count their force outward."""
    mass = dv.Dynamic(
        states={"position": 1.0, "velocity": 0.0},
        inputs={"force": 0.0},
        outputs=["position", "velocity"],
        parameters={"mass": 2e4},
        derivatives=lambda t, x, u, p: [x.velocity, -u.force / p.mass],
        units={"position": "m", "velocity": "m/s", "force": "N"},
        ports=FLANGE,
        rtol=1e-10,
        atol=1e-12,
    )
    system = dv.System("rigid")
    system.add("body", model, mass=1e4, stiffness=1000.0, damping=200.0)
    system.add("mass", mass)
    system.join("body.flange", "mass.flange")
    return system


def swinging(time: Any) -> tuple[Any, Any]:
    """Where both are, and the force between them: 30 t at 1000 N/m and 200 N s/m."""
    decay = 200 / 6e4
    speed = np.sqrt(1000 / 3e4 - decay**2)
    fall, sine, cosine = np.exp(-decay * time), np.sin(speed * time), np.cos(speed * time)
    x = fall * (cosine + decay / speed * sine)
    v = -fall * (speed + decay**2 / speed) * sine
    return x, (1000 * x + 200 * v) / 3e4 * 2e4


def apart(model: Any, algorithm: Any, size: float) -> tuple[float, float]:
    """How far a run is from that: in place, and in force."""
    pace = dv.FixedStep(size)
    result = dv.simulate(rigid(model), stop=10.0, algorithm=algorithm, controller=pace, quiet=True)
    x, force = swinging(result.time)
    assert result.statistics.unsolved_junctions == 0
    assert result.verdict is not None
    assert result.verdict.junctions[0]["index"] == [3]
    places = np.array([result["body.position"], result["mass.position"]])
    return float(np.max(np.abs(places - x))), float(np.max(np.abs(result["mass.force"] - force)))


@pytest.mark.parametrize(
    ("version", "algorithm", "place", "force"),
    [
        (1, None, 3e-5, 7.0),  # it cannot roll back: sliding mode
        (2, None, 2e-6, 2e-3),
        (3, None, 2e-6, 2e-3),
        (2, dv.Jacobi(), 3e-5, 7.0),
        (3, dv.Jacobi(), 3e-5, 7.0),
    ],
)
def test_a_model_exchange_body_and_a_mass_of_python_move_as_one(
    archive: Callable[..., Path],
    version: int,
    algorithm: Any,
    place: float,
    force: float,
) -> None:
    path = archive("body", version, strict=True, co_simulation=False, model_exchange=True)
    model: Any = dv.load(path, ports=FLANGE, rtol=1e-9)
    coarse, fine = (apart(model, algorithm, size) for size in (0.1, 0.05))
    assert coarse[0] < place
    assert coarse[1] < force  # of 667 N
    assert fine[0] < coarse[0] / 3.5
    assert fine[1] < coarse[1] / 1.9
    assert is_clean(model)


@pytest.mark.parametrize("name", ["joined.ssp", "joined.ssd", "joined.yaml"])
def test_a_junction_of_fmus_survives_its_file(
    archive: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    """Ports, junction and coordinator are all in it, and the run is the same to the last bit."""
    system = dv.System("pair")
    model: Any = dv.load(archive("linear", 2), ports=PIN)
    system.add("p", model, x=1.0, a=-1.0, b=0.5, drive=1.0)
    system.add("q", model, x=1.0, a=-2.0, b=0.25, drive=0.0)
    system.join("p.pin", "q.pin", coordinator=dv.SlidingMode(time_scale=0.1))
    system.save(tmp_path / name)
    again = dv.open(tmp_path / name)
    options: Any = {"stop": 0.2, "controller": dv.FixedStep(0.02), "quiet": True}
    first = dv.simulate(system, algorithm=dv.Jacobi(), **options)
    second = dv.simulate(again, algorithm=dv.Jacobi(), **options)
    assert np.array_equal(first["p.y"], second["p.y"])
    assert np.array_equal(first["q.u"], second["q.u"])


@pytest.mark.parametrize("way", ["derivatives", "short steps"])
@pytest.mark.parametrize(
    ("pushes", "relative_order", "message"),
    [
        ((0.5, -0.5), None, r"'q\.pin' gives way against the push"),
        ((0.0, 0.0), None, "two rigid sources cannot meet"),
        ((0.5, 0.25), 2, "it declares relative_order=2.* but it does with 1"),
    ],
)
def test_fmus_that_cannot_be_joined_are_told_before_the_first_window(
    archive: Callable[..., Path], way: str, pushes: Any, relative_order: Any, message: str
) -> None:
    port = dv.Port("electrical", effort="y", flow="u", relative_order=relative_order)
    model: Any = dv.load(archive("linear", 3, **WAYS[way]), ports={"pin": port})
    system = dv.System("pair")
    for name, a, b in (("p", -1.0, pushes[0]), ("q", -2.0, pushes[1])):
        system.add(name, model, x=1.0, a=a, b=b)
    system.join("p.pin", "q.pin")
    with pytest.raises(dv.JunctionFailed, match=message):
        dv.simulate(system, stop=0.1, controller=dv.FixedStep(0.02), quiet=True)
