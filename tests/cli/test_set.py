"""Values, the start and force on the command line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.calling import COARSE, Command

import dovetail as dv
from dovetail.formats import RunSettings

TYPES = """\
import dovetail as dv

model = dv.Source(
    outputs=["y"],
    parameters={
        "mode": dv.Variable("mode", kind="enumeration", start=1, literals=("off", "eco", "full")),
        "count": dv.Variable("count", kind="integer", start=1),
        "on": True,
        "label": "a b",
        "gains": [1.0, 2.0],
        "matrix": [[1.0, 2.0], [3.0, 4.0]],
        "m": dv.Variable("m", unit="kg", start=1.0, minimum=0.0),
        "flags": [True, False],
        "raw": b"x",
    },
    function=lambda t, p: [p.m],
)
system = dv.System("types")
system.add("part", model)
run = dict(stop=0.1, step=0.1)
"""


@pytest.fixture
def types(folder: Path) -> Path:
    (folder / "types.py").write_text(TYPES)
    return folder / "types.py"


@pytest.fixture
def body(folder: Path, archive: Callable[..., Path]) -> Path:
    return Path(shutil.copy(archive("body", 2), folder / "body.fmu"))


def test_set_is_as_if_the_file_said_so(dovetail: Command, folder: Path) -> None:
    answer = dovetail("run", "predation.yaml", "--set", "prey.alpha=0.7", "--set", "prey.x=2")
    assert answer.code == COARSE
    result = dovetail(
        "run", "predation.yaml", "--set", "prey.alpha=0.7", "--set=prey.x=2", "--json"
    )
    system = dv.open("predation.yaml")
    system.set("prey.alpha", 0.7)
    system.set("prey.x", 2.0)
    run = dv.simulate(
        system, stop=1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1), quiet=True
    )
    assert result.json["final"] == run.final


def test_start_overrides_the_file(dovetail: Command) -> None:
    answer = dovetail("run", "predation.yaml", "--start", "0.5", "--json")
    assert answer.code == COARSE
    assert (answer.json["start"], answer.json["windows"]) == (0.5, 5)
    answer = dovetail("run", "predation.yaml", "--start", "2")
    assert answer.code == 2
    assert "the stop time, 1 s, must lie behind the start, 2 s; give --stop" in answer.err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mode=full", 3),
        ("mode=2", 2),
        ("count=-4", -4),
        ("on=false", False),
        ("on=off", False),
        ("on=1", True),
        ("label= x=y ", " x=y "),
        ("label=", ""),
        ("label=3", "3"),
        ("gains=[3, 4.5]", [3.0, 4.5]),
        ("gains=7", [7.0, 7.0]),
        ("gains[2]=7", [1.0, 7.0]),
        ("matrix=[[1, 2], [3, 5]]", [[1.0, 2.0], [3.0, 5.0]]),
        ("flags=[off, true]", (False, True)),
        ("m=1e-3", 0.001),
        ("m=2 t", 2000.0),
        ("m = 3", 3.0),
        ("raw=aGk=", b"hi"),
    ],
)
def test_text_is_read_by_the_type_of_the_variable(types: Path, text: str, value: object) -> None:
    from dovetail.cli.assignments import assign

    system = dv.open(types)
    assign(system, [f"part.{text}"], force=False)
    name = text.partition("=")[0].strip().partition("[")[0]
    found = system.get(f"part.{name}")
    assert (found.tolist() if hasattr(found, "tolist") else found) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prey.alpha", "--set 'prey.alpha': write part.name=value, such as pid.Kp=3."),
        ("=3", "--set '=3': write part.name=value, such as pid.Kp=3."),
        ("pray.alpha=1", "--set 'pray.alpha=1': there is no part 'pray'. Did you mean 'prey'?"),
        ("prey.alhpa=1", "--set 'prey.alhpa=1': 'prey.alhpa' is not a parameter, start value or "
         "input of 'prey'. Did you mean 'alpha'?"),
        ("alpha=1", "--set 'alpha=1': 'alpha' names no part; write 'part.variable'. Did you mean "
         "'prey.alpha'?"),
        ("prey.alpha=big", "--set 'prey.alpha=big': 'prey.alpha' must be a real value, not 'big'."),
        ("prey.alpha=2 kg", "--set 'prey.alpha=2 kg': 'prey.alpha' has no unit, so it takes a "
         "plain number, not '2 kg'."),
        ("prey.alpha=inf", "--set 'prey.alpha=inf': 'prey.alpha' must be a finite number, not "
         "inf."),
        ("prey.preys=1", "--set 'prey.preys=1': 'prey.preys' is not a parameter, start value or "
         "input of 'prey'. It is an output."),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_refused(dovetail: Command, text: str, said: str) -> None:
    answer = dovetail("run", "predation.yaml", "--set", text)
    assert (answer.code, answer.err) == (2, f"dovetail: {said}\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mode=fast", "'part.mode' must be one of off, eco, full, not 'fast'."),
        ("count=1.5", "'part.count' must be an integer value, not '1.5'."),
        ("on=maybe", "'part.on' must be a boolean value, not 'maybe'."),
        ("gains=[1, 2, 3]", "'part.gains' has the shape (2,), not (3,)."),
        ("gains=[1, 2", "'part.gains' takes a list such as [1, 2], and cannot read '[1, 2'."),
        ("m=2 km", "'part.m' has the unit 'kg', so it cannot be '2 km': 'km' is m but 'kg' is "
         "kg."),
        ("mm=2", "'part.mm' is not a parameter, start value or input of 'part'. Did you mean "
         "'m'?"),
        ("m=-1", "'part.m' is -1 kg, and its model declares at least 0 kg; to insist, use "
         "system.set('part.m', ..., force=True), 'force: [m]' in a file, or --force."),
    ],
)  # fmt: skip
def test_values_of_other_types_are_refused(
    dovetail: Command, types: Path, text: str, said: str
) -> None:
    answer = dovetail("run", "types.py", "--set", text)
    assert (answer.code, answer.err) == (2, f"dovetail: --set '{text}': {said}\n")


def test_all_that_is_wrong_is_said_at_once(dovetail: Command) -> None:
    answer = dovetail("run", "predation.yaml", "--set", "pray.alpha=1", "--set", "prey.beta=x")
    assert answer.code == 2
    assert "has 2 problems" in answer.err
    assert "there is no part 'pray'" in answer.err
    assert "'prey.beta' must be a real value" in answer.err


@pytest.mark.parametrize("name", ["mass", "body.mass"])
def test_a_single_fmu_needs_no_name_of_a_part(dovetail: Command, body: Path, name: str) -> None:
    options = ("--stop", "1", "--step", "0.1", "--json")
    plain = dovetail("run", "body.fmu", *options)
    answer = dovetail("run", "body.fmu", "--set", f"{name}=5 t", *options)
    assert answer.code == 0, answer.err
    assert answer.json["final"] != plain.json["final"]
    model = dv.load(body)
    system = dv.System("body")
    system.add("body", model, mass=5000.0)
    run = dv.simulate(system, stop=1.0, controller=dv.FixedStep(0.1), quiet=True)
    assert answer.json["final"] == run.final


def test_a_part_counts_before_a_variable_that_begins_like_it(types: Path, folder: Path) -> None:
    from dovetail.cli.assignments import assign

    model = dv.Source(
        outputs=["y"], parameters={"x": 1.0, "a.x": 2.0, "b.x": 3.0}, function=lambda t, p: [t]
    )
    system = dv.System()
    system.add("a", model)
    assign(system, ["a.x=10", "b.x=11"], force=False)
    assert [system.get(n) for n in ("a.x", "a.a.x", "a.b.x")] == [10.0, 2.0, 11.0]
    assign(system, ["a.a.x=12"], force=False)
    assert system.get("a.a.x") == 12.0


def test_set_works_for_every_kind_of_file(dovetail: Command, body: Path, folder: Path) -> None:
    system = dv.System("one")
    system.add("body", dv.load(body))
    system.run_settings = RunSettings(stop=1.0, controller=dv.FixedStep(0.1))
    options = ("--set", "body.mass=5 t", "--stop", "1", "--step", "0.1", "--json")
    found = []
    for suffix in ("yaml", "ssp", "msim"):
        system.save(folder / f"one.{suffix}")
        answer = dovetail("run", f"one.{suffix}", *options)
        assert answer.code == 0, answer.err
        found.append(answer.json["final"])
    found.append(dovetail("run", "body.fmu", *options).json["final"])
    assert all(final == found[0] for final in found)


def test_force_takes_what_is_beyond_limits(dovetail: Command, body: Path, folder: Path) -> None:
    options = ("--stop", "0.1", "--step", "0.1")
    answer = dovetail("run", "body.fmu", "--set", "mass=-1", "--force", *options)
    assert answer.code == 0, answer.err
    (folder / "one.yaml").write_text(
        "{dovetail: 1, parts: {body: {model: body.fmu, values: {mass: -1}}}}"
    )
    for command in (("run", *options), ("check",)):
        name, *rest = command
        refused = dovetail(name, "one.yaml", *rest)
        assert refused.code == 2
        assert (
            "one.yaml:1: 'body.mass' is -1 kg, and its model declares at least 0 kg" in refused.err
        )
        assert dovetail(name, "one.yaml", "--force", *rest).code == 0
    forced = dovetail("check", "one.yaml", "--force")
    assert "note: 'body.mass' is -1 kg, and its model declares at least 0 kg; it was forced." in (
        forced.out
    )
    assert dovetail("describe", "one.yaml").code == 0


def test_set_reaches_a_merged_system(dovetail: Command) -> None:
    plain = dovetail("run", "predation.yaml", "--merge", "--json")
    answer = dovetail("run", "predation.yaml", "--merge", "--set", "prey.alpha=0.7", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["final"] != plain.json["final"]
