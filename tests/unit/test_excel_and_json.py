"""Results out as Excel and JSON, and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.description import Kind
from dovetail.core.errors import FileError
from dovetail.results.arrays import ArrayTable
from dovetail.results.files import excel, jsonfile
from dovetail.results.recorders.base import TIME, Column
from dovetail.results.result import UnknownVariable

FACTS = {"system": "plant", "finished": True, "worst": float("inf"), "list": [1, float("nan")]}


def odd_result() -> dv.Result:
    """Everything that a file may trip over."""
    texts = ["=1+1", "a\x1bb\0", "_x0041_", ""]
    columns = [
        Column("tank.x", unit="m"),
        Column("tank.n", Kind.INTEGER),
        Column("tank.on", Kind.BOOLEAN),
        Column("tank.text", Kind.STRING),
        Column("tank.blob", Kind.BINARY),
        Column("x [0]"),
        Column('</script>"', unit="m/s"),
    ]
    arrays: dict[str, Any] = {
        TIME: np.array([0.0, 0.1, 0.1, 1 / 3]),
        "tank.x": np.array([np.nan, np.inf, -np.inf, 0.1 + 0.2]),
        "tank.n": np.array([2**53 + 1, -(2**63), 0, 7]),
        "tank.on": np.array([True, False, True, True]),
        "tank.text": np.array(texts, dtype=object),
        "tank.blob": np.array([b"", b"\0\1", b"abc", b"="], dtype=object),
        "x [0]": np.array([1e-308, 1e308, -0.0, 5e-324]),
        '</script>"': np.arange(4.0),
    }
    return dv.Result(ArrayTable(columns, arrays, FACTS))


@pytest.mark.parametrize("suffix", [".xlsx", ".json"])
def test_every_value_comes_back(tmp_path: Path, suffix: str) -> None:
    result = odd_result()
    result.save(tmp_path / f"run{suffix}")
    again = dv.read(tmp_path / f"run{suffix}")
    assert again.table.columns == result.table.columns
    for name in ("time", *result.names):
        assert repr(again[name].tolist()) == repr(result[name].tolist())
    assert again.facts["worst"] == float("inf")
    assert np.isnan(again.facts["list"][1])
    assert os.listdir(tmp_path) == [f"run{suffix}"]


@pytest.mark.parametrize("suffix", [".xlsx", ".json"])
def test_a_result_without_rows(tmp_path: Path, suffix: str) -> None:
    empty = dv.Result.of([], {"a": np.zeros(0)})
    empty.save(tmp_path / f"run{suffix}")
    assert len(dv.read(tmp_path / f"run{suffix}")) == 0


@pytest.mark.parametrize("suffix", [".xlsx", ".json"])
def test_a_run_is_recorded_there(tmp_path: Path, suffix: str) -> None:
    system = dv.System("decay")
    model = dv.Dynamic(states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [-x.x])
    system.add("part", model)
    path = tmp_path / f"run{suffix}"
    options: dict[str, Any] = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    result = dv.simulate(system, **options, recorder=dv.File(path))
    again = dv.read(path)
    assert again.verdict == result.verdict
    assert again.statistics.windows == 10
    assert again["part.x"].tolist() == result["part.x"].tolist()


def test_a_file_stays_as_it_was_where_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((excel, "run.xlsx"), (jsonfile, "run.json")):
        (tmp_path / name).write_text("before")
        monkeypatch.setattr(module, "facts_json", lambda facts: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            odd_result().save(tmp_path / name)
        assert (tmp_path / name).read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["run.json", "run.xlsx"]


def test_json_is_json_everywhere(tmp_path: Path) -> None:
    odd_result().save(tmp_path / "run.json")

    def refuse(word: str) -> None:
        raise AssertionError(word)

    content = json.loads((tmp_path / "run.json").read_text(), parse_constant=refuse)
    assert content["format"] == "dovetail result"
    assert content["variables"][0]["values"] == ["NaN", "Infinity", "-Infinity", 0.1 + 0.2]
    assert content["facts"]["worst"] == "Infinity"


def test_json_of_other_tools(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"Time": [0, 1], "v": [1.5, null], "about": "me"}')
    result = dv.read(tmp_path / "m.json")
    assert result.names == ["v"]
    assert result["v"][0] == 1.5
    assert np.isnan(result["v"][1])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("\x00\xff", "is not JSON"),
        ("[1, 2]", "holds no object"),
        ('{"v": [1]}', "there is no list 'time'"),
        ('{"time": [0], "v": [1, 2]}', "'v' has 2 values for 1 times"),
        ('{"time": ["x"], "v": [1]}', "does not have the shape of a result"),
        ('{"format": "dovetail result", "version": 9}', "is version 9 of this format"),
        ('{"format": "dovetail result", "version": 1}', "does not have the shape of a result"),
        (
            '{"format": "dovetail result", "version": 1, "facts": {}, "time": {"values": [0]}, '
            '"variables": [{"name": "a", "kind": "real", "unit": null, "values": [1, 2]}]}',
            "'a' has 2 values for 1 times",
        ),
    ],
)
def test_json_that_is_no_result(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "bad.json").write_text(text, encoding="latin-1")
    with pytest.raises(FileError) as caught:
        dv.read(tmp_path / "bad.json")
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_excel_shows_signals_and_facts(tmp_path: Path) -> None:
    import openpyxl

    odd_result().save(tmp_path / "run.xlsx")
    book = openpyxl.load_workbook(tmp_path / "run.xlsx")
    assert book.sheetnames == ["signals", "facts", "dovetail"]
    assert book["dovetail"].sheet_state == "hidden"
    signals = book["signals"]
    assert [c.value for c in signals[1]][:2] == ["time [s]", "tank.x [m]"]
    assert signals["E2"].value == "=1+1"
    assert signals["E2"].data_type == "s"  # no formula
    facts = {row[0].value: row[1].value for row in book["facts"] if row[0].value}
    assert facts["system"] == "plant"
    assert facts["tank.x"] == "real"


def test_what_no_sheet_can_hold_is_refused(tmp_path: Path) -> None:
    class Large:
        rows, columns = 1_048_576, ()

    with pytest.raises(FileError, match="a sheet holds 1,048,575 rows below its header"):
        excel.check_limits(Large(), tmp_path / "run.xlsx")  # type: ignore[arg-type]
    Large.rows, Large.columns = 1, (Column("a"),) * 16_384  # type: ignore[assignment]
    with pytest.raises(FileError, match="a sheet holds 16,383 variables beside time"):
        excel.check_limits(Large(), tmp_path / "run.xlsx")  # type: ignore[arg-type]


def test_excel_of_other_tools_is_a_result(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Zeit", "v (km/h)"], [0, 1.5], [1, 2.5]):
        book.active.append(row)
    book.save(tmp_path / "m.xlsx")
    result = dv.read(tmp_path / "m.xlsx")
    assert (result.units, result["v"].tolist()) == ({"v": "km/h"}, [1.5, 2.5])


def test_units_are_converted_where_results_are_compared() -> None:
    fast = dv.Result.of([0, 1], {"car.v": [1.0, 2.0]}, {"car.v": "m/s"})
    measured = dv.Result.of([0, 1], {"v": [3.6, 7.2]}, {"v": "km/h"})
    assert dv.compare(fast, measured).within
    assert dv.compare(fast, measured, pairs={"car.v": "v"}).within
    heavy = dv.Result.of([0, 1], {"v": [3.6, 7.2]}, {"v": "kg"})
    with pytest.raises(dv.OptionError, match=r"'car.v' cannot be compared: 'kg' is kg but 'm/s'"):
        dv.compare(fast, heavy)
    with pytest.raises(UnknownVariable, match="'w' was not recorded"):
        dv.compare(fast, measured, pairs={"car.v": "w"})
