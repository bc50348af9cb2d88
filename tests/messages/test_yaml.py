"""Files that are not YAML, or not a drawing: every problem, with its line, in words."""

from pathlib import Path

import pytest
import yaml

import dovetail as dv
from dovetail.formats import yaml_text


@pytest.fixture(autouse=True, params=["CSafeLoader", "SafeLoader"])
def parser(request, monkeypatch):
    """With the quick parser and with the one that is there without it."""
    loader = getattr(yaml, request.param, None)
    if loader is None:
        pytest.skip("this PyYAML was built without its library")
    monkeypatch.setattr(yaml_text, "_Parser", loader)


@pytest.mark.parametrize(
    ("text", "line", "what", "caret"),
    [
        (
            "dovetail: 1\nparts:\n  a: x.fmu\n   b: y.fmu\n",
            4,
            "this line is indented by 3 blanks, and the one above it, which has a value, by 2; "
            "lines of one block need the same indentation",
            "   b: y.fmu\n       ^",
        ),
        (
            "dovetail: 1\nparts:\n    a: x.fmu\n  b: y.fmu\n",
            4,
            "this line is indented by 2 blanks, and those above it by 0 or 4; give it the "
            "indentation of its block",
            "  b: y.fmu\n      ^",
        ),
        (
            "connections:\n  - a.x -> b.y\n - c.x -> d.y\n",
            3,
            "this line is indented by 1 blank, and those above it by 0 or 2 or 4; give it the "
            "indentation of its block",
            " - c.x -> d.y\n     ^",
        ),
        (
            "connections:\n  - from: a.x\n     to: b.y\n",
            3,
            "this line is indented by 5 blanks, and the one above it, which has a value, by 4; "
            "lines of one block need the same indentation",
            "     to: b.y\n         ^",
        ),
        (
            "name: a: b\n",
            1,
            "there are two ':' in this line; put the text behind the first one in quotes",
            "name: a: b\n           ^",
        ),
        (
            "parts:\n  a:x.fmu\n  b: y.fmu\n",
            2,
            "a blank should follow the ':'",
            "  a:x.fmu\n        ^",
        ),
        (
            "dovetail: 1\nparts\n  a: x.fmu\n",
            2,
            "a ':' should follow 'parts', as in 'parts: ...'",
            "parts\n         ^",
        ),
        (
            "connections:\n  - a.x -> b.y\n  c: 1\n",
            3,
            "the lines above are a list; begin this one with '- ', or indent it less",
            "  c: 1\n      ^",
        ),
        (
            "parts:\n  a: x.fmu\n  - b\n",
            3,
            "'- ' begins a list, but the lines above are 'name: value'; write it like them",
            "  - b\n      ^",
        ),
        (
            "connections: - a.x -> b.y\n",
            1,
            "a list cannot begin behind its name; begin it in the next line, or write it as [a, b]",
            "- a.x -> b.y\n                 ^",
        ),
        (
            "run: {stop: 1 step: 0.1}\n",
            1,
            "a ',' or a '}' is missing before this place",
            "{stop: 1 step: 0.1}\n                      ^",
        ),
        (
            "run: {stop: 1,\nname: x\nparts:\n  a: b\n",
            1,
            "this '{' is not closed, or a ',' is missing behind it; write '}' where it ends",
            "run: {stop: 1,\n         ^",
        ),
        (
            "run: {stop: 1}}\n",
            1,
            "this '}' closes nothing; take it away",
            "}}\n                  ^",
        ),
        (
            'name: "abc\nparts: {}\n',
            1,
            "these quotes are opened and never closed",
            'name: "abc\n          ^',
        ),
        (
            "name: 'it's'\n",
            1,
            "the text in quotes ends here, but the line goes on; inside '...' write ' twice",
            "name: 'it's'\n              ^",
        ),
        ("parts:\n\ta: x\n", 2, "a tab indents this line; use blanks instead", "a: x\n    ^"),
        ("name: @x\n", 1, "a text cannot begin with '@'; put it in quotes", "@x\n          ^"),
        (
            "run:\n  record: [*.x]\n",
            2,
            "a pattern that begins with '*' needs quotes, as in '*.x'",
            "[*.x]\n               ^",
        ),
    ],
)
def test_a_slip_is_told_in_words_with_the_line(text, line, what, caret):
    with pytest.raises(dv.FileError) as caught:
        yaml_text.tree_of(text, "a.yaml")
    told = str(caught.value)
    assert told.startswith(f"a.yaml:{line}: this is not YAML: {what}\n    ")
    assert told.endswith(caret)
    for theirs in ("not allowed", "expected", "token", "scalar", "block end"):
        assert theirs not in told


def test_a_line_with_escapes_for_the_terminal_is_shown_without_them():
    with pytest.raises(dv.FileError) as caught:
        yaml_text.tree_of("a: b: \u009b31m" + "x" * 500 + "\n", "a.yaml")
    assert "\u009b" not in str(caught.value)
    assert max(map(len, str(caught.value).splitlines())) < 130


MODELS = """\
import dovetail as dv

osc = dv.Dynamic(states={"x": 1.0}, inputs=["f"], outputs=["x"], parameters={"k": 1.0},
                 derivatives=lambda t, x, u, p: [u.f - p.k * x.x])
"""


def problems(folder: Path, text: str) -> list[str]:
    (folder / "models.py").write_text(MODELS)
    path = folder / "two.yaml"
    path.write_text(text)
    with pytest.raises(dv.InputError) as caught:
        dv.open(path)
    lines = str(caught.value).replace(f"{folder}/", "").splitlines()
    return [line.removeprefix("  - ") for line in lines[1:] or lines]


def test_a_typo_in_run_hides_no_other_problem(tmp_path):
    text = """\
dovetail: 1
parts:
  osc: {model: models.py:osc, values: {q: 2}}
  other: {modle: models.py:osc}
  third: models.py:ocs
connections:
  - osc.x -> other.f
  - osc.y -> osc.f
  - osc.x - osc.f
  - gone.x -> osc.f
run: {stop: 1, setp: 0.1}
"""
    assert problems(tmp_path, text) == [
        "two.yaml:3: 'osc.q' is not a parameter, start value or input of 'osc'.",
        "two.yaml:4: 'modle' means nothing in 'parts.other'. Did you mean 'model'?",
        "two.yaml:5: models.py: there is no 'ocs' in it. Did you mean 'osc'?",
        "two.yaml:8: 'osc.y' is not an output of 'osc'. It has: x.",
        "two.yaml:9: 'connections[3]' must be written as 'part.output -> part.input', not "
        "'osc.x - osc.f'.",
        "two.yaml:10: there is no part 'gone'.",
        "two.yaml:11: 'setp' means nothing in 'run'. Did you mean 'step'?",
    ]


@pytest.mark.parametrize("slip", ["setp", "stpe"])
def test_a_typo_of_step_suggests_step(tmp_path, slip):
    text = f"dovetail: 1\nparts: {{osc: models.py:osc}}\nrun: {{stop: 1, {slip}: 0.1}}\n"
    assert problems(tmp_path, text) == [
        f"two.yaml:3: '{slip}' means nothing in 'run'. Did you mean 'step'?"
    ]


@pytest.mark.parametrize(
    "parts", ["[osc: models.py:osc]", "models.py:osc", "3", "{osc: {model: 3}}", "{osc: [a]}"]
)
def test_a_part_with_a_problem_still_counts_as_there(tmp_path, parts):
    text = f"dovetail: 1\nparts: {parts}\nconnections: [osc.x -> osc.f]\n"
    found = problems(tmp_path, text)
    assert len(found) == 1
    assert found[0].startswith("two.yaml:2: 'parts")


def test_a_nested_part_with_a_problem_still_counts_as_there(tmp_path):
    text = """\
dovetail: 1
parts:
  inner:
    system:
      parts: {osc: {model: models.py:osc, solver: rk4}, two: models.py:osc}
      connections: [osc.x -> two.f, two.y -> osc.f]
"""
    first, second = problems(tmp_path, text)
    assert first.startswith("two.yaml:5: 'solver' means nothing in 'parts.inner.system.parts.osc'.")
    assert second == "two.yaml:6: 'two.y' is not an output of 'two'. It has: x."


_TYPED = (
    "dovetail: 1\nparts:\n  a: {system: {parts: {b: m.py:b}}, merge: MERGE}\n"
    "run: {placement: PLACED}\n"
)


@pytest.mark.parametrize(
    ("merge", "placed", "said"),
    [
        ("{rtol: -1}", "isolated", "p.yaml:3: 'parts.a.merge.rtol' must be above 0, not -1."),
        (
            "3",
            "isolated",
            "p.yaml:3: 'parts.a.merge' must be true or false or a mapping such as {name: value}, "
            "not 3.",
        ),
        (
            "true",
            "{a: {local_host: 3}}",
            "p.yaml:4: 'local_host' means nothing in 'run.placement.a'. Known: host, restart, "
            "timeout, memory, environment, directory, sandbox.",
        ),
        (
            "true",
            "{a: there}",
            "p.yaml:4: 'run.placement.a' must be 'isolated' or 'here' or a mapping such as "
            "{name: value}, not 'there'.",
        ),
    ],
)
def test_a_value_of_several_types_is_one_problem_in_the_words_of_the_file(
    tmp_path, merge, placed, said
):
    """It used to be one for each type, with the names of classes in it."""
    (tmp_path / "m.py").write_text(
        "import dovetail as dv\nb = dv.Source(outputs=['y'], function=lambda t, p: [t])\n"
    )
    path = tmp_path / "p.yaml"
    path.write_text(_TYPED.replace("MERGE", merge).replace("PLACED", placed))
    with pytest.raises(dv.DovetailError) as caught:
        dv.open(path)
    assert str(caught.value) == f"{tmp_path}/{said}"
