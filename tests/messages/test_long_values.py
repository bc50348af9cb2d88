"""What somebody has given may be a whole file; a sentence about it stays one that can be read."""

from __future__ import annotations

import pytest

import dovetail as dv
from dovetail.core.bearable import LINE, QUOTED, bearable
from dovetail.core.errors import FileError

LONG = "x" * 10_000
LONGEST = 400  # letters: two values cut to 80, and a sentence around them


def one():
    system = dv.System("one")
    system.add("a", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    return system


@pytest.mark.parametrize(
    "action",
    [
        lambda: dv.FixedStep(LONG),
        lambda: dv.Jacobi(inputs=LONG),
        lambda: dv.Constraints((LONG,), first_size=0.1),
        lambda: dv.simulate(one(), stop=LONG),
        lambda: one().connect(LONG, "a.u"),
        lambda: one().connect("a.y", f"a.{LONG}"),
        lambda: one().add(LONG + ".", one()),
        lambda: dv.System(LONG).connect("a.b", "c.d"),
    ],
)
def test_a_value_of_ten_thousand_letters_is_told_by_its_beginning(action):
    with pytest.raises(dv.DovetailError) as error:
        action()
    assert "xxx" in str(error.value) and len(str(error.value)) < LONGEST


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.msim", f"tStart {LONG}\n"),
        ("a.msim", f"MasterMode {LONG}\n"),
        ("a.msim", f'simulator 0 1 a #000000 "{LONG}.fmu"\n'),
        ("a.yaml", f"parts:\n  a: {LONG}\n"),
        ("a.yaml", f"parts: {{}}\nconnections: ['{LONG}']\n"),
        ("a.yaml", f"{LONG}: 1\n"),
        ("a.csv", f"time,x\n0,1\n1,{LONG}\n"),
    ],
)
def test_so_is_one_in_a_file(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(dv.DovetailError) as error:
        dv.load(path) if name == "a.csv" else dv.open(path)
    assert len(str(error.value).replace(str(tmp_path), "")) < LONGEST


def test_a_list_of_thousands_loses_its_middle_and_the_way_out_stays():
    said = str(FileError("a.yaml", f"has {list(range(5000))}", "give three"))
    assert len(said) < LINE and said.startswith("a.yaml: has [0, 1, 2") and "give three" in said


def test_what_is_short_is_told_in_full():
    text = f"'{'a' * (QUOTED - 1)}' isn't known; there are 'b' and \"c\", one's own"
    assert bearable(text) == text
    told = "part 'it' doesn't " + "fit, and is told about at length " * 20 + "so there isn't one"
    assert bearable(told) == told
