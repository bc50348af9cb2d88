"""Models and systems come from files, go back into files, and bad files are told by line."""

from __future__ import annotations

import builtins
import pickle
import shutil
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail import formats
from dovetail.formats import yaml_text
from dovetail.formats.choices import from_text
from dovetail.formats.families import ALGORITHMS, CONTROLLERS, ROOT_FINDERS, as_data
from dovetail.formats.scalars import resolved, written
from dovetail.formats.schema import DrawingEntry

MODELS = """\
import dovetail as dv

prey = dv.Dynamic(
    states={"x": 1.0},
    inputs={"predators": 1.0},
    outputs=["preys"],
    parameters={"alpha": 0.67, "beta": 1.33},
    derivatives=lambda t, x, u, p: [x.x * (p.alpha - p.beta * u.predators)],
    output=lambda t, x, u, p: [x.x],
)


def predator():
    return dv.Dynamic(
        states={"y": 1.0},
        inputs={"preys": 1.0},
        outputs=["predators"],
        derivatives=lambda t, x, u, p: [x.y * (u.preys - 1.0)],
        output=lambda t, x, u, p: [x.y],
    )


mass = dv.Dynamic(
    states={"x": 0.0},
    inputs={"f": 0.0},
    outputs=["x"],
    units={"x": "m", "f": "N"},
    derivatives=lambda t, x, u, p: [u.f],
)

every_kind = dv.Discrete(
    period=0.1,
    inputs={"in": 0.0, "a -> b": 0.0, "x[1]": 0.0, " edge": 0.0},
    outputs=["out", "a -> b out", "y[1,2]", "end-"],
    parameters={
        "real": 0.0,
        "yes": False,
        "word": "",
        "bytes": b"",
        "vector": [0.0, 0.0],
        "count": 0,
        "flags": [True, False],
    },
    types={"count": "integer"},
    output=lambda t, x, u, p: [0.0, 0.0, 0.0, 0.0],
)

number = 3


def needy(size):
    return mass


def broken():
    return dv.Dynamic(states={}, derivatives=None)


def wrong():
    return 3
"""

PREDATION = """\
dovetail: 1
name: predation
parts:
  prey: {model: models.py:prey, values: {alpha: 0.7}}
  predator: {model: models.py:predator}
connections:
  - prey.preys -> predator.preys
  - {from: predator.predators, to: prey.predators, gain: 1.0, offset: 0.0}
run:
  start: 0
  stop: 20
  algorithm: {gauss_seidel: {max_iterations: 20, inputs: ramp}}
  controller: {fixed_step: 0.01}
  rtol: 1e-6
  atol: 1e-8
  record: ["prey.*"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "road.csv").write_text("time [s],height [m],gear\n0,0.0,1\n1,0.1,2\n")
    return tmp_path


def drawn(folder: Path, text: str, name: str = "system.yaml") -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


def told(path: Path) -> str:
    """What opening a file says, without the way to the folder."""
    with pytest.raises(dv.InputError) as caught:
        dv.open(path)
    return str(caught.value).replace(f"{path.parent}/", "")


# models -------------------------------------------------------------------------------------------


def test_a_table_is_loaded_as_a_table(folder: Path) -> None:
    table = dv.load(folder / "road.csv")
    assert isinstance(table, dv.Table)
    assert [(v.name, v.unit) for v in table.description.outputs] == [
        ("height", "m"),
        ("gear", None),
    ]


@pytest.mark.parametrize("name", ["prey", "predator"])
def test_a_name_in_a_python_file_is_a_model(folder: Path, name: str) -> None:
    model = dv.load(f"{folder}/models.py:{name}")
    assert model.description.kind == "Dynamic"
    assert model.instantiate("a").description is model.description


def test_a_name_in_a_module_is_a_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = folder / "farm_of_tests"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(folder / "models.py", package / "animals.py")
    monkeypatch.syspath_prepend(folder)
    model = dv.load("farm_of_tests.animals:prey")
    system = dv.System()
    system.add("prey", model)
    system.save(folder / "a.yaml")
    assert "model: farm_of_tests.animals:prey" in (folder / "a.yaml").read_text()


def test_a_file_may_import_its_neighbours_and_hold_dataclasses(folder: Path) -> None:
    (folder / "neighbour_of_tests.py").write_text("GAIN = 2.0\n")
    (folder / "own.py").write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "import dovetail as dv, neighbour_of_tests\n"
        "@dataclass\n"
        "class Sizes:\n"
        "    gain: float = neighbour_of_tests.GAIN\n"
        "part = dv.Source(outputs=['y'], function=lambda t, p: [Sizes().gain])\n"
    )
    assert dv.load(f"{folder}/own.py:part").description.kind == "Source"


def test_a_loaded_model_is_pickled_as_its_reference(folder: Path) -> None:
    model = dv.load(f"{folder}/models.py:prey")
    again = pickle.loads(pickle.dumps(model))
    assert isinstance(again, formats.ReferredModel)
    system, other = dv.System(), dv.System()
    system.add("a", model)
    other.add("a", again)
    assert system.fingerprint() == other.fingerprint()


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("none.csv", "none.csv: there is no such file"),
        ("none.py:prey", "none.py: there is no such file"),
        ("engine.fmu", "engine.fmu: there is no such file"),
        ("models.py:pray", "models.py: there is no 'pray' in it. Did you mean 'prey'?"),
        ("models.py:zzz", "there is no 'zzz' in it. It has prey, mass, every_kind."),
        ("models.py:number", "'number' is an int, not a model"),
        ("models.py:dv", "'dv' is a module, not a model"),
        ("models.py:needy", "needy() needs arguments (size)"),
        ("models.py:wrong", "wrong() returns an int, not a model"),
        ("models.py:broken", "models.py:56: calling broken() failed: a Dynamic needs states"),
        ("models.py", "name the model in it: models.py:prey; there are prey, mass, every_kind"),
        ("system.yaml", "this is a system, not a model; open it with dv.open(...)"),
        (
            "road.cvs",
            "'.cvs' is not a kind of model; a model is an .fmu, a table (.csv, .tsv, .txt, "
            ".xlsx, .parquet)",
        ),
        ("road", "has no suffix"),
        ("no.such.module:prey", "no.such.module: importing it failed: ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_loaded_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reference: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(dv.FileError) as caught:
        dv.load(reference)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = 1 / 0\n", "x.py:2: executing it failed: ZeroDivisionError: division by zero"),
        ("a = 1\nb = = 2\n", "x.py:2: this is not Python: invalid syntax"),
        ("import sys\nsys.exit(3)\n", "x.py:2: executing it failed: SystemExit: 3"),
        ("import dovetail as dv\n\ndv.Source(outputs=[], function=abs)", "x.py:3: executing it"),
        ("import nothing_at_all", "x.py:1: executing it failed: ModuleNotFoundError"),
    ],
)
def test_what_goes_wrong_in_a_users_file_is_told_with_its_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    Path("x.py").write_text(text)
    with pytest.raises(dv.FileError) as caught:
        dv.load("x.py:a")
    assert str(caught.value).startswith(message)


# systems ------------------------------------------------------------------------------------------


def test_a_system_is_opened_with_its_run_settings(folder: Path) -> None:
    drawing = formats.read(drawn(folder, PREDATION))
    assert drawing.name == "predation"
    assert list(drawing.parts) == ["prey", "predator"]
    assert drawing.parts["prey"].values == {"alpha": 0.7}
    assert drawing.run_settings.options() == {
        "start": 0.0,
        "stop": 20.0,
        "algorithm": dv.GaussSeidel(20, inputs="ramp"),
        "controller": dv.FixedStep(0.01),
        "rtol": 1e-6,
        "atol": 1e-8,
        "record": ["prey.*"],
    }
    result = dv.simulate(dv.open(folder / "system.yaml"), stop=0.1)
    assert result.names == ["prey.preys", "prey.predators"]


def test_a_python_file_may_define_a_system(folder: Path) -> None:
    path = drawn(
        folder,
        """
        import dovetail as dv
        def system():
            made = dv.System("made")
            made.add("a", dv.Source(outputs=["y"], function=lambda t, p: [t]))
            return made
        run = dict(stop=2, algorithm="gauss_seidel(3)", controller=dv.FixedStep(0.5))
        """,
        "made.py",
    )
    drawing = formats.read(path)
    assert drawing.name == "made"
    assert drawing.run_settings.algorithm == dv.GaussSeidel(3)
    assert drawing.run_settings.controller == dv.FixedStep(0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("systm = 3", "x.py: there is no 'system' in it. Did you mean 'systm'?"),
        ("system = 3", "x.py: 'system' is an int, not a dv.System, or a function"),
        (
            "import dovetail as dv\nsystem = dv.System()\nrun = dict(stop='x', sotp=3)",
            "x.py: run: 'stop' must be a number, not 'x'; 'sotp' means nothing. Did you mean",
        ),
    ],
)
def test_a_python_file_without_a_system_is_told(folder: Path, text: str, message: str) -> None:
    assert message in told(drawn(folder, text, "x.py"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.yml", "a.yml: there is no such file"),
        (
            "a.yalm",
            "a.yalm: '.yalm' is not a kind of system; a system is a .yaml, .yml, .py, .ssp, .ssd, "
            ".msim, .xml, .json or .fmu file.",
        ),
        ("road.csv", "road.csv: this is a table, not a system; load it with dv.load(...)"),
        ("a", "a: has no suffix"),
        ("folder.yaml", "folder.yaml: is a folder"),
    ],
)
def test_what_is_no_system_is_told(folder: Path, name: str, message: str) -> None:
    (folder / "folder.yaml").mkdir()
    assert message in told(folder / name)


def test_short_forms(folder: Path) -> None:
    system = dv.open(drawn(folder, "{dovetail: 1, parts: {road: road.csv}}", "short.yaml"))
    assert system.name == "short"
    assert system.parts["road"].description.kind == "Table"


def test_a_system_may_be_a_part(folder: Path) -> None:
    drawn(folder, PREDATION, "inner.yaml")
    outer = """
        dovetail: 1
        parts:
          farm:
            system: inner.yaml
            algorithm: {iterative: {solver: {anderson: {depth: 5}}}}
            controller: {fixed_step: 0.05}
            names: {preys: prey.preys}
            values: {prey.alpha: 0.5}
        """
    farm = dv.open(drawn(folder, outer)).parts["farm"]
    assert isinstance(farm.model, dv.Nested)
    assert farm.model.algorithm == dv.Iterative(dv.rootfinders.Anderson(5))
    assert farm.model.controller == dv.FixedStep(0.05)
    assert [v.name for v in farm.description.outputs] == ["preys"]
    assert farm.values == {"prey.alpha": 0.5}


def test_the_file_on_the_page_about_files_has_the_right_shape() -> None:
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    text = page.partition("```yaml\n")[2].partition("```")[0]
    entry = DrawingEntry.model_validate(yaml_text.tree_of(text, "page").data)
    assert list(entry.parts) == ["prey", "predator", "road", "fast", "engine", "plant"]
    assert entry.run.settings().controller == dv.FixedStep(0.01)


def test_a_system_cannot_contain_itself(folder: Path) -> None:
    drawn(folder, "{dovetail: 1, parts: {b: {system: b.yaml}}}", "a.yaml")
    drawn(folder, "{dovetail: 1, parts: {a: {system: a.yaml}}}", "b.yaml")
    assert "this system would contain itself" in told(folder / "a.yaml")


# what is wrong, and on which line -----------------------------------------------------------------


def test_everything_wrong_with_the_shape_is_told_at_once(folder: Path) -> None:
    text = """\
        dovetail: 2
        nmae: predation
        parts:
          prey: {modle: models.py:prey}
          both: {model: models.py:prey, system: a.yaml}
          late: {model: road.csv, controller: {fixed_step: 1}}
          list: [1, 2]
        connections:
          - prey.preys - predator.preys
          - {from: prey.preys, gain: high}
        run:
          stop: "20"
          step: -1
          algorithm: {gauss_seidel: {max_iteratons: 20, inputs: rmap}}
          controller: {fixed_step: 0.1, jacobi: 3}
          record: 3
        """
    assert told(drawn(folder, text)).splitlines() == [
        "system.yaml: 15 problems:",
        "  system.yaml:1: 'dovetail' must be 1, not 2.",
        "  system.yaml:2: 'nmae' means nothing. Did you mean 'name'?",
        "  system.yaml:4: 'modle' means nothing in 'parts.prey'. Did you mean 'model'?",
        "  system.yaml:5: 'parts.both' needs either 'model' or 'system'.",
        "  system.yaml:6: 'parts.late' takes 'controller' only with 'system', not with 'model'.",
        "  system.yaml:7: 'parts.list' must be a mapping such as {name: value}, not [1, 2].",
        "  system.yaml:9: 'connections[1]' must be written as 'part.output -> part.input', "
        "not 'prey.preys - predator.preys'.",
        "  system.yaml:10: 'connections[2]' needs 'to', a text.",
        "  system.yaml:10: 'connections[2].gain' must be a number, not 'high'.",
        "  system.yaml:12: 'run.stop' must be a number, not '20'; take the quotes away.",
        "  system.yaml:13: 'run.step' must be above 0, not -1.",
        "  system.yaml:14: 'max_iteratons' means nothing in 'run.algorithm.gauss_seidel'. "
        "Did you mean 'max_iterations'?",
        "  system.yaml:14: 'run.algorithm.gauss_seidel.inputs' must be 'hold', 'ramp' or "
        "'hermite', not 'rmap'.",
        "  system.yaml:15: 'run.controller' takes one controller, not fixed_step and jacobi.",
        "  system.yaml:16: 'run.record' must be a list, not 3.",
    ]


def test_everything_wrong_with_the_drawing_is_told_at_once(folder: Path) -> None:
    text = """\
        dovetail: 1
        parts:
          prey:
            model: models.py:prey
            values:
              alhpa: 0.7
              beta: high
          predator: {model: models.py:predtor}
          mass: {model: models.py:mass}
          other: {model: models.py:mass}
          b.c: {model: models.py:mass}
          farm: {system: {parts: {road: road.csv}, connections: [road.x -> road.y]}}
          gone: {system: gone.yaml}
          empty: {system: {parts: {}}}
        connections:
          - prey.prays -> predator.preys
          - mass.x -> other.f
          - prey.preys -> prey.predators
          - prey.preys -> prey.predators
          - gone.x -> mass.g
          - lost.x -> mass.f
        """
    message = told(drawn(folder, text))
    assert message.splitlines() == [
        "system 'system' has 13 problems:",
        "  - system.yaml:6: 'prey.alhpa' is not a parameter, start value or input of 'prey'. "
        "Did you mean 'alpha'?",
        "  - system.yaml:7: 'prey.beta' must be a real value, not 'high'.",
        "  - system.yaml:8: models.py: there is no 'predtor' in it. Did you mean 'predator'?",
        "  - system.yaml:11: a part needs a name without dots or outer blanks, not 'b.c'.",
        "  - system.yaml:12: 'road.x' is not an output of 'road'. It has: height, gear.",
        "  - system.yaml:12: 'road.y' is not an input of 'road'. It has: none.",
        "  - system.yaml:13: gone.yaml: there is no such file",
        "  - system.yaml:14: system 'empty' has no parts.",
        "  - system.yaml:16: 'prey.prays' is not an output of 'prey'. Did you mean 'prey.preys'?",
        message.splitlines()[10],
        "  - system.yaml:19: 'prey.predators' is fed by 'prey.preys' already; an input takes one "
        "source.",
        "  - system.yaml:20: 'mass.g' is not an input of 'mass'. It has: f.",
        "  - system.yaml:21: there is no part 'lost'.",
    ]
    assert message.splitlines()[10].startswith("  - system.yaml:17: 'mass.x' cannot feed 'other.f'")


def test_one_problem_is_one_line(folder: Path) -> None:
    path = drawn(folder, PREDATION.replace("stop: 20", "stpo: 20"))
    assert told(path) == "system.yaml:11: 'stpo' means nothing in 'run'. Did you mean 'stop'?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.yaml: the file is empty"),
        ("# nothing\n", "a.yaml: the file is empty"),
        ("- a\n- b\n", "a.yaml:1: it must be a mapping such as {name: value}"),
        (
            "parts: {}",
            "a.yaml:1: 'dovetail' is missing; write 'dovetail: 1' into the first line.",
        ),
        (
            "dovetail: 1",
            "a.yaml:1: 'parts' is missing; write 'parts: {name: model}', as in 'tank: tank.fmu'.",
        ),
        (
            "dovetail: 1\nparts: {}\nrun: {controller: fixed_step}",
            "a.yaml:3: 'run.controller.fixed_step' needs 'size', a number such as 0.01.",
        ),
        ("dovetail: 1\nparts: {}\nparts: {}", "a.yaml:3: 'parts' is there twice."),
        ("dovetail: 1\nparts: {\n", "a.yaml:3: this is not YAML: "),
        ("dovetail: 1\n\tparts: 3", "a.yaml:2: this is not YAML: "),
        ("a: *b", "a.yaml:1: this is not YAML: found undefined alias"),
        ("a: &b 1\nc: *b", "a.yaml:2: the alias '*b' is not allowed here; write it out"),
        ("a: !!python/object/apply:os.system [ls]", "a.yaml:1: the tag 'tag:yaml.org,2002:python"),
        ("dovetail: 1\n---\ndovetail: 1", "a.yaml:2: a second document is not allowed here"),
        ("? [a]\n: 1", "a.yaml:1: a key that is not a scalar is not allowed here"),
        ("a: " + "[" * 5000 + "]" * 5000, "a.yaml:1: nesting deeper than 50 levels"),
        ("{a: " * 5000, "a.yaml:1: nesting deeper than 50 levels"),
        ("a: \x07", "a.yaml: this is not YAML: "),
    ],
)
def test_what_is_no_drawing_is_refused(folder: Path, text: str, message: str) -> None:
    if message.endswith("undefined alias"):
        message = "a.yaml:1: "  # the wording is the parser's
    assert told(drawn(folder, text, "a.yaml")).startswith(message)


def test_an_alias_bomb_costs_nothing(folder: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 30)]
    begin = time.thread_time()
    assert "is not allowed here" in told(drawn(folder, "\n".join(lines)))
    assert time.thread_time() - begin < 1.0


def test_a_huge_file_is_not_even_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "huge.yaml"
    with builtins.open(path, "wb") as file:
        file.truncate(100_000_000)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    assert "too large for a drawing" in told(path)


def test_a_file_that_is_no_text_is_told(folder: Path) -> None:
    path = folder / "latin.yaml"
    path.write_bytes("dovetail: 1\nname: Größe\n".encode("latin-1"))
    assert "this is not text in UTF-8" in told(path)


def test_a_byte_order_mark_does_no_harm(folder: Path) -> None:
    path = folder / "marked.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + PREDATION.encode())
    assert dv.open(path).name == "predation"


def test_the_parser_without_its_library_reads_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import yaml

    with_library = yaml_text.tree_of(PREDATION, "a")
    monkeypatch.setattr(yaml_text, "_Parser", yaml.SafeLoader)
    assert yaml_text.tree_of(PREDATION, "a") == with_library


# the quirks of YAML -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("1E5", 1e5),
        ("1_000", 1000),
        ("1_000.5", 1000.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("+3", 3),
        ("-0x1F", "-0x1F"),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 17),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("on", "on"),
        ("No", "No"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("-.inf", -float("inf")),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_words_mean_what_they_look_like(text: str, value: object) -> None:
    assert resolved(text) == value
    assert type(resolved(text)) is type(value)


def test_on_and_off_are_booleans_where_one_is_wanted(folder: Path) -> None:
    text = """
        dovetail: 1
        parts:
          on: {model: models.py:every_kind, values: {yes: on, flags: [no, yes], word: off}}
          no: {model: models.py:every_kind, values: {count: 1_000, bytes: AAEC, real: 1e-6}}
        connections: [on.out -> no.in]
        run: {algorithm: {iterative: {solver: {newton: {damping: yes}}}}}
        """
    drawing = formats.read(drawn(folder, text))
    assert list(drawing.parts) == ["on", "no"]
    on, no = (part.values for part in drawing.parts.values())
    assert on == {"yes": True, "flags": (False, True), "word": "off"}
    assert no == {"count": 1000, "bytes": b"\x00\x01\x02", "real": 1e-6}
    assert drawing.run_settings.algorithm == dv.Iterative(dv.rootfinders.Newton(damping=True))


@given(
    st.one_of(st.text(), st.floats(allow_nan=False), st.integers(-(10**18), 10**18), st.booleans())
)
def test_what_is_written_is_read_again_by_us_and_by_others(value: object) -> None:
    import yaml

    text = f"{{a: {written(value)}}}"
    assert yaml_text.tree_of(text, "a").data["a"] == value
    assert yaml.safe_load(text)["a"] == value


# names of algorithms and controllers --------------------------------------------------------------

EVERYTHING = [
    *((ALGORITHMS, a) for a in (dv.Jacobi(), dv.GaussSeidel(), dv.Newton(), dv.Iterative())),
    (ALGORITHMS, dv.GaussSeidel(20, "ramp", order_of_parts=("a", "b"), rtol=1e-9)),
    *(
        (ALGORITHMS, dv.Iterative(solver))
        for solver in (
            dv.rootfinders.Anderson(depth=5),
            dv.rootfinders.Aitken(),
            dv.rootfinders.FixedPoint(relaxation=0.5),
            dv.rootfinders.Newton(damping=True),
        )
    ),
    (ALGORITHMS, dv.GaussSeidel(20, solver=dv.rootfinders.Aitken())),
    (ALGORITHMS, dv.GaussSeidel(inputs="ramp", solver=dv.rootfinders.IqnIls(0))),
    (ALGORITHMS, dv.Jacobi(solver=dv.rootfinders.IqnIls(filter_limit=0.01))),
    (CONTROLLERS, dv.FixedStep(0.01)),
    (CONTROLLERS, dv.FixedStep(0.01, min_size=0.001)),
    (CONTROLLERS, dv.StepDoubling()),
    (CONTROLLERS, dv.StepDoubling(1e-3, max_size=0.5)),
]


@pytest.mark.parametrize(("family", "value"), EVERYTHING, ids=repr)
def test_what_has_a_name_is_found_by_it_again(
    folder: Path, family: formats.families.Family, value: object
) -> None:
    system = dv.System()
    system.add("mass", dv.load(f"{folder}/models.py:mass"))
    run = formats.RunSettings(**{family.title: value})
    system.run_settings = run
    system.save(folder / "a.yaml")
    assert formats.read(folder / "a.yaml").run_settings == run
    assert from_text(family, repr(value)) == value


def test_every_class_has_its_name() -> None:
    assert {"jacobi", "gauss_seidel", "iterative", "newton"} <= set(ALGORITHMS.classes)
    assert {"fixed_step", "step_doubling"} <= set(CONTROLLERS.classes)
    assert set(ROOT_FINDERS.classes) >= {"anderson", "aitken", "fixed_point", "newton"}
    assert as_data(dv.FixedStep(0.01)) == {"fixed_step": 0.01}
    assert as_data(dv.Jacobi()) == "jacobi"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("gauss_seidel(max_iterations=20,inputs=ramp)", dv.GaussSeidel(20, inputs="ramp")),
        ("GaussSeidel(20)", dv.GaussSeidel(20)),
        ("dv.GaussSeidel(inputs='ramp')", dv.GaussSeidel(inputs="ramp")),
        ("iterative(solver=anderson(depth=5))", dv.Iterative(dv.rootfinders.Anderson(5))),
        ("{iterative: {solver: aitken}}", dv.Iterative(dv.rootfinders.Aitken())),
        ("jacobi:", dv.Jacobi()),
        ("gauss_seidel(20, solver=aitken)", dv.GaussSeidel(20, solver=dv.rootfinders.Aitken())),
        (
            "jacobi(solver=iqn_ils(reused_windows=2))",
            dv.Jacobi(solver=dv.rootfinders.IqnIls(2)),
        ),
        (
            "{gauss_seidel: {inputs: ramp, solver: {iqn_ils: {reused_windows: 2}}}}",
            dv.GaussSeidel(inputs="ramp", solver=dv.rootfinders.IqnIls(2)),
        ),
    ],
)
def test_a_command_line_names_algorithms(text: str, value: object) -> None:
    assert from_text(ALGORITHMS, text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gauss_siedel", "there is no algorithm 'gauss_siedel'. Did you mean 'gauss_seidel'?"),
        ("newton(max_iterations=2.5)", "'newton.max_iterations' must be a whole number, not 2.5"),
        ("newton(x=1)", "'x' means nothing in 'newton'. Known: max_iterations, "),
        ("jacobi(inputs=ramp)", "'jacobi': Jacobi with inputs='ramp' must iterate"),
        ("jacobi(max_iterations=0)", "'jacobi': max_iterations must be at least 1, not 0"),
        ("step_doubling", "there is no algorithm 'step_doubling'"),
        ("iterative(solver=3)", "'iterative.solver' must be the name of one solver, not 3"),
        ("jacobi(solver=3)", "'jacobi.solver' must be the name of one solver, not 3"),
        ("jacobi(solver=aitkin)", "there is no solver 'aitkin'. Did you mean 'aitken'?"),
        ("newton(1, 2, 3, 4, 5, 6, 7)", "it takes 6 options, not 7: newton"),
        ("__import__('os').remove('x')", "there is no algorithm 'remove'"),
        ("[].append(3) + 1", "it cannot be read"),
        ("", "it cannot be read: ''; write it as name(option=value, ...)"),
        ("(" * 5000, "it cannot be read"),
    ],
)
def test_what_names_no_algorithm_is_told(text: str, message: str) -> None:
    with pytest.raises(dv.OptionError) as caught:
        from_text(ALGORITHMS, text)
    assert message in str(caught.value)


# saving -------------------------------------------------------------------------------------------


def test_saving_and_opening_changes_nothing(folder: Path) -> None:
    drawing = formats.read(drawn(folder, PREDATION))
    inner = folder / "deeper"
    inner.mkdir()
    drawing.save(inner / "a.yaml")
    text = (inner / "a.yaml").read_text()
    assert "model: ../models.py:prey" in text
    again = formats.read(inner / "a.yaml")
    assert again.run_settings == drawing.run_settings
    assert again.fingerprint() == drawing.fingerprint()


part_names = st.one_of(
    st.sampled_from(["on", "null", "1", "a: b", "a -> b", "#", "größe", "'", '"', "- a", "~"]),
    st.text(min_size=1, max_size=8).filter(
        lambda n: "." not in n and n == n.strip() and n.isprintable()
    ),
)
numbers = st.floats(-1e300, 1e300)


@st.composite
def values(draw: st.DrawFn) -> dict[str, object]:
    kinds: dict[str, st.SearchStrategy[object]] = {
        "real": numbers,
        "yes": st.booleans(),
        "word": st.text(max_size=10).filter(
            lambda t: all(c.isprintable() or c in "\n\t" for c in t)
        ),
        "bytes": st.binary(max_size=10),
        "vector": st.lists(numbers, min_size=2, max_size=2),
        "count": st.integers(-(2**60), 2**60),
        "flags": st.lists(st.booleans(), min_size=2, max_size=2),
        "in": numbers,
    }
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), unique=True))
    return {name: draw(kinds[name]) for name in chosen}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_saved_system_is_the_same_system(folder: Path, data: st.DataObject) -> None:
    model = dv.load(f"{folder}/models.py:every_kind")
    road = dv.load(folder / "road.csv")
    names = data.draw(st.lists(part_names, min_size=1, max_size=4, unique=True))
    system = dv.System(data.draw(part_names))
    for name in names:
        system.add(name, model, data.draw(values()))
    if "road" not in names:
        system.add("road", road)
        system.connect("road.height", f"{names[0]}. edge", gain=data.draw(numbers))
    if data.draw(st.booleans()) and "inner" not in names:
        inner = dv.System("inner")
        inner.add("part", model, data.draw(values()))
        nested = dv.Nested(inner, controller=dv.FixedStep(0.1), names={"o": "part.out"})
        system.add("inner", nested)
    inputs, outputs = (
        [v.name for v in variables]
        for variables in (model.description.inputs[:3], model.description.outputs)
    )
    for name in names:
        for k in inputs:
            if data.draw(st.booleans()):
                source = (
                    f"{data.draw(st.sampled_from(names))}.{data.draw(st.sampled_from(outputs))}"
                )
                gain, offset = data.draw(st.sampled_from([(1.0, 0.0), (2.0, 0.0), (1.0, -0.1)]))
                system.connect(source, f"{name}.{k}", gain=gain, offset=offset)

    first, second = folder / "first.yaml", folder / "second.yaml"
    system.save(first)
    again = dv.open(first)
    again.save(second)
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8")
    assert again.fingerprint() == system.fingerprint()
    assert again.name == system.name
    assert [str(c) for c in again.connections] == [str(c) for c in system.connections]


def test_a_part_without_a_file_is_named_with_the_way_out(folder: Path) -> None:
    system = dv.System("mixed")
    source = dv.Source(outputs=["y"], function=lambda t, p: [t])
    inner = dv.System("inner")
    inner.add("wind", source)
    system.add("prey", dv.load(f"{folder}/models.py:prey"))
    system.add("sun", source)
    system.add("farm", dv.Nested(inner))
    with pytest.raises(dv.DrawingError) as caught:
        system.save(folder / "a.yaml")
    assert [p.where for p in caught.value.problems] == ["sun", "wind"]
    assert 'dv.load("models.py:sun")' in str(caught.value)
    assert not (folder / "a.yaml").exists()


def test_a_table_that_is_not_its_file_any_more_is_not_saved_as_it(folder: Path) -> None:
    table = dv.Table.read(folder / "road.csv")
    system = dv.System()
    system.add("road", table)
    system.save(folder / "a.yaml")
    (folder / "road.csv").write_text("time,height,gear\n0,0.0,1\n1,9.9,2\n")
    with pytest.raises(dv.DrawingError, match=r"part 'road': it is no longer what '.*road.csv'"):
        system.save(folder / "a.yaml")


def test_what_stands_in_the_way_of_saving_is_told(folder: Path) -> None:
    system = dv.open(drawn(folder, PREDATION))
    for name, message in {
        "a.yalm": "'.yalm' is not a format for systems; use .yaml, .yml, .ssp, .ssd or .msim. "
        "Did you mean '.yaml'?",
        "gone/a.yaml": "there is no folder",
        "a": "has no suffix; use .yaml, .yml, .ssp, .ssd or .msim.",
    }.items():
        with pytest.raises(dv.FileError) as caught:
            system.save(folder / name)
        assert message in str(caught.value)


def test_a_failed_save_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = drawn(folder, PREDATION)
    system = dv.open(path)

    def full(self: Path, *args: object, **more: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(dv.FileError, match="no space left on device"):
        system.save(path)
    assert path.read_text() == PREDATION
    assert sorted(p.name for p in folder.iterdir()) == ["models.py", "road.csv", "system.yaml"]


def test_where_a_file_lies_does_not_change_its_models(folder: Path, tmp_path: Path) -> None:
    text = PREDATION.replace("predator: {", "road: road.csv\n  predator: {")
    here = dv.open(drawn(folder, text))
    there = tmp_path / "copy"
    there.mkdir()
    for name in ("models.py", "road.csv", "system.yaml"):
        shutil.copy(folder / name, there / name)
    assert dv.open(there / "system.yaml").fingerprint() == here.fingerprint()


def test_values_keep_their_numbers_to_the_last_bit(folder: Path) -> None:
    system = dv.System()
    numbers = np.array([0.1 + 0.2, 1 / 3])
    system.add("a", dv.load(f"{folder}/models.py:every_kind"), vector=numbers, real=1e-6)
    system.save(folder / "a.yaml")
    assert "real: 1.0e-06" in (folder / "a.yaml").read_text()
    found = dv.open(folder / "a.yaml").parts["a"].values["vector"]
    assert np.array_equal(np.asarray(found), numbers)


def test_tables_of_connections_are_kept(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "import dovetail as dv\n"
        "kinds = {'m': 'integer', 'y': 'integer'}\n"
        "part = dv.Algebraic(inputs=['m'], outputs=['y'], types=kinds,"
        " function=lambda t, u, p: [u.m])\n"
    )
    text = (
        "{dovetail: 1, parts: {a: m.py:part, b: m.py:part}, "
        "connections: [{from: a.y, to: b.m, table: [[1, 3], [2, 4]]}]}"
    )
    system = dv.open(drawn(tmp_path, text, "x.yaml"))
    assert system.connections[0].table == ((1, 3), (2, 4))
    system.save(tmp_path / "y.yaml")
    assert dv.open(tmp_path / "y.yaml").connections[0].table == ((1, 3), (2, 4))
