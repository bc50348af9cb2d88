"""Measured data: text and Excel files as people have them."""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import FileError, OptionError
from dovetail.results.measured.headers import name_and_unit


def loaded(folder: Path, content: str | bytes, name: str = "data.csv", **options: Any) -> dv.Table:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    table = dv.load(path, **options)
    assert isinstance(table, dv.Table)
    return table


def refused(folder: Path, content: str | bytes, **options: Any) -> str:
    with pytest.raises((FileError, OptionError)) as caught:
        loaded(folder, content, **options)
    said = str(caught.value)
    assert "\n" not in said
    assert all(c.isprintable() for c in said)
    return said


# shapes -------------------------------------------------------------------------------------------

PLAIN = "time,v\n0,1.5\n1,2.5\n"
SHAPES = {
    "plain": PLAIN,
    "semicolons and decimal commas": "time;v\n0;1,5\n1;2,5\n",
    "tabs": "time\tv\n0\t1.5\n1\t2.5\n",
    "tabs and decimal commas": "time\tv\n0,0\t1,5\n1,0\t2,5\n",
    "strokes": "time|v\n0|1.5\n1|2.5\n",
    "blanks": "time  v\n 0   1.5\n 1   2.5\n",
    "comments": "# made by hand\n% once\n// more\ntime,v\n0,1.5\n# here\n1,2.5\n",
    "a header in a comment": "# time v\n0 1.5\n1 2.5\n",
    "text above": "Logger 7\nSerial: 12,5\n\ntime,v\n0,1.5\n1,2.5\n",
    "blank lines": "\ntime,v\n\n0,1.5\n\n1,2.5\n\n\n",
    "empty rows of a spreadsheet": "time;v\n0;1,5\n1;2,5\n;\n;\n",
    "a delimiter at the end": "time;v;\n0;1,5;\n1;2,5;\n",
    "quotes": '"time","v"\n"0","1,5"\n"1","2,5"\n',
    "ends of lines of old Macs": "time,v\r0,1.5\r1,2.5\r",
    "ends of lines of Windows": "time,v\r\n0,1.5\r\n1,2.5",
    "the header once more": "time,v\n0,1.5\ntime,v\n1,2.5\n",
    "FORTRAN's exponents": "time,v\n0,0.15D+01\n1,2.5d0\n",
    "UTF-8 with a mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "UTF-16 with a mark": PLAIN.encode("utf-16"),
    "UTF-16, little-endian": PLAIN.encode("utf-16-le"),
    "UTF-16, big-endian": PLAIN.encode("utf-16-be"),
    "milliseconds": "time [ms],v\n0,1.5\n1000,2.5\n",
    "milliseconds below": "time,v\nms,-\n0,1.5\n1000,2.5\n",
    "time in German": "v;Zeit\n1,5;0\n2,5;1\n",
    "a time stamp": "v,Timestamp\n1.5,0\n2.5,1\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_table_in_every_shape(tmp_path: Path, shape: str) -> None:
    table = loaded(tmp_path, SHAPES[shape])
    assert table.times.tolist() == [0.0, 1.0]
    assert {name: list(v) for name, v in table.data.items()} == {"v": [1.5, 2.5]}
    assert table.notes == ()


def test_blanks_inside_of_cells_do_not_separate(tmp_path: Path) -> None:
    table = loaded(tmp_path, "time,y\n0,1 2 3 4\n1,2 4 6 8\n")
    assert table.data["y"].tolist() == ["1 2 3 4", "2 4 6 8"]
    dated = loaded(tmp_path, "2024-01-31 12:00:05 1,5\n2024-01-31 12:00:06 2,5\n")
    assert dated.times.tolist() == [0.0, 1.0]
    assert dated.data["c3"].tolist() == [1.5, 2.5]


def test_letters_of_windows_are_read(tmp_path: Path) -> None:
    table = loaded(tmp_path, "time;Höhe (°)\n0;1\n1;2\n".encode("cp1252"))
    assert table.units == {"Höhe": "°"}


@pytest.mark.parametrize(
    ("cell", "name", "unit"),
    [
        ("speed (km/h)", "speed", "km/h"),
        ("speed [km/h]", "speed", "km/h"),
        ("speed / (km/h)", "speed", "km/h"),
        ("speed / km/h", "speed", "km/h"),
        ("speed[km/h]", "speed", "km/h"),
        ("speed\u00a0(km/h)", "speed", "km/h"),
        ("speed\n(km/h)", "speed", "km/h"),
        ("slip [-]", "slip", None),
        ("slip (-)", "slip", None),
        ("slip [1]", "slip", None),
        ("door (left)", "door (left)", None),
        ("T[1]", "T[1]", None),
        ("x [0]", "x [0]", None),
        ("m[1,2]", "m[1,2]", None),
        ("a/b", "a/b", None),
        ("rod.T[1] [degC]", "rod.T[1]", "degC"),
        ("load (%)", "load", "%"),
        ("number (3)", "number (3)", None),
    ],
)
def test_units_in_headers(cell: str, name: str, unit: str | None) -> None:
    assert name_and_unit(cell) == (name, unit)


def test_a_row_of_units_under_the_header(tmp_path: Path) -> None:
    table = loaded(tmp_path, "t;speed;gear\nmin;[km/h];-\n0;1;2\n1;2;3\n")
    assert table.times.tolist() == [0.0, 60.0]
    assert table.units == {"speed": "km/h"}


def test_units_and_names_may_be_given(tmp_path: Path) -> None:
    table = loaded(tmp_path, "0,1\n1,2\n", columns=["when", "v"], units={"v": "km/h"})
    assert dict(table.units) == {"v": "km/h"}
    assert "names 'w', which is no column" in refused(tmp_path, PLAIN, units={"w": "m"})
    assert "has 2 columns, but columns=[...] names 1" in refused(tmp_path, PLAIN, columns=["v"])


def test_without_a_header_columns_are_numbered(tmp_path: Path) -> None:
    table = loaded(tmp_path, "0,1,7\n1,2,8\n")
    assert list(table.columns) == ["c2", "c3"]
    assert table.notes == ("has no header: its columns are c1, c2, c3",)


def test_which_column_is_time(tmp_path: Path) -> None:
    table = loaded(tmp_path, "a,b\n1,0\n2,1\n", time="b")
    assert (table.times.tolist(), list(table.columns)) == ([0.0, 1.0], ["a"])
    hot = loaded(tmp_path, "s,T\n0,300\n1,301\n")  # T is a temperature
    assert list(hot.columns) == ["T"]
    assert "Did you mean 'beta'?" in refused(tmp_path, "a,beta\n1,0\n2,1\n", time="betta")


def test_times_that_stand_twice_are_jumps(tmp_path: Path) -> None:
    assert loaded(tmp_path, "time,v\n0,1\n1,2\n1,5\n2,5\n").jumps == (1.0,)


def test_rows_in_any_order_are_sorted_where_that_is_wanted(tmp_path: Path) -> None:
    text = "time,v\n2,3\n0,1\n1,2\n"
    assert loaded(tmp_path, text, sort=True).data["v"].tolist() == [1.0, 2.0, 3.0]
    said = refused(tmp_path, text)
    assert "data.csv:3: time must not decrease, but 0 s follows 2 s; sort=True" in said


def test_text_and_truth_are_kept(tmp_path: Path) -> None:
    table = loaded(tmp_path, 'time,b,s\n0,true,"one, two"\n1,FALSE,three\n')
    assert [str(v.kind) for v in table.description.outputs] == ["boolean", "string"]
    assert table.data["s"].tolist() == ["one, two", "three"]
    assert table.data["b"].tolist() == [True, False]


# date-times ---------------------------------------------------------------------------------------

MOMENTS = {
    "2024-01-31 12:00:05.25": "2024-01-31 12:00:06.5",
    "2024-01-31T12:00:05.25": "2024-01-31T12:00:06.5",
    "2024-01-31T12:00:05.25Z": "2024-01-31T13:00:06.5+01:00",
    "20240131T120005.25": "20240131T120006.5",
    "2024/01/31 12:00:05.25": "2024/01/31 12:00:06.5",
    "31.01.2024 12:00:05.25": "31.01.2024 12:00:06.5",
    "31.1.24 12:00:05,25": "31.1.24 12:00:06,5",
    "31/01/2024 12:00:05.25": "31/01/2024 12:00:06.5",
    "1/31/2024 12:00:05.25 PM": "1/31/2024 12:00:06.5 PM",
    "31-Jan-2024 12:00:05.25": "31-Jan-2024 12:00:06.5",
    "31. Januar 2024 12:00:05.25": "31. Januar 2024 12:00:06.5",
    "2024-01-31 23:59:59.75": "2024-02-01 00:00:01",
    "2024-02-28 24:00:00": "2024-02-29 00:00:01.25",
    "12:00:05.25": "12:00:06.5",
    "23:59:59.75": "00:00:01",
    "71:59:59.75": "72:00:01",
    "10:05.25": "10:06.5",
}


@pytest.mark.parametrize("first", MOMENTS)
def test_moments_become_seconds(tmp_path: Path, first: str) -> None:
    table = loaded(tmp_path, f"when;v\n{first};1\n{MOMENTS[first]};2\n")
    assert table.times.tolist() == [0.0, 1.25]


def test_the_moment_of_zero_is_said(tmp_path: Path) -> None:
    table = loaded(tmp_path, "when,v\n2024-01-31 12:00:05.25,1\n2024-01-31 12:00:06,2\n")
    assert table.notes == ("counts time from 2024-01-31 12:00:05.25, the moment of its first row",)
    system = dv.System("it")
    system.add("road", table)
    said = str(system.check())
    assert "note: 'road' counts time from 2024-01-31 12:00:05.25" in said


def test_the_moment_of_zero_may_be_given(tmp_path: Path) -> None:
    text = "when,v\n31.01.2024 12:00,1\n31.01.2024 12:01,2\n"
    assert loaded(tmp_path, text, zero="2024-01-31 11:59").times.tolist() == [60.0, 120.0]
    assert "zero must be a moment such as" in refused(tmp_path, text, zero="noon")
    assert "is not written like its times" in refused(tmp_path, text, zero="2024-01-31T11:59Z")
    assert loaded(tmp_path, "t,v\n100,1\n101,2\n", zero="first").times.tolist() == [0.0, 1.0]
    assert loaded(tmp_path, "t,v\n100,1\n101,2\n", zero=99).times.tolist() == [1.0, 2.0]
    assert "its times are numbers" in refused(tmp_path, "t,v\n100,1\n101,2\n", zero="12:00")


def test_date_and_time_in_two_columns(tmp_path: Path) -> None:
    table = loaded(tmp_path, "Datum;Uhrzeit;T (°C)\n31.01.2024;23:59;1,5\n01.02.2024;00:00;2\n")
    assert table.times.tolist() == [0.0, 60.0]
    assert list(table.columns) == ["T"]
    assert table.notes[0] == "has its time in two columns, 'Datum' and 'Uhrzeit'"


def test_dates_that_mean_two_things(tmp_path: Path) -> None:
    text = "when,v\n01/02/2024,1\n02/02/2024,2\n"
    said = refused(tmp_path, text)
    assert "data.csv:2: '01/02/2024' may be day/month/year or month/day/year" in said
    assert "day_first=True" in said
    assert loaded(tmp_path, text, day_first=True).times.tolist() == [0.0, 86400.0]
    assert loaded(tmp_path, text, day_first=False).times.tolist() == [0.0, 31 * 86400.0]
    decided = loaded(tmp_path, text + "13/02/2024,3\n")
    assert decided.notes[0].startswith("has its dates read as day/month/year, since '13/02/2024'")
    mixed = refused(tmp_path, text + "13/02/2024,3\n02/14/2024,4\n")
    assert "data.csv:5: '02/14/2024' is written the other way round than '13/02/2024'" in mixed


@pytest.mark.parametrize(
    ("second", "what"),
    [
        ("2024-02-30 12:00", "data.csv:3: '2024-02-30 12:00' is not a date of the calendar"),
        ("2024-01-31 25:00", "data.csv:3: '2024-01-31 25:00' is not a time of day"),
        ("yesterday", "data.csv:3: 'yesterday' is not a date-time like those above it"),
        ("2024-01-31 13:00Z", "has a time zone, unlike those above it"),
        ("", "data.csv:3: '' is not a date-time like those above it"),
    ],
)
def test_moments_that_are_none(tmp_path: Path, second: str, what: str) -> None:
    assert what in refused(tmp_path, f"when,v\n2024-01-31 12:00,1\n{second},2\n2024-02-01 0:00,3\n")


# empty cells --------------------------------------------------------------------------------------

GAPS = "time,v,w\n0,,1\n1,2,\n3,n/a,3\n4,5,NaN\n"


def test_empty_cells_are_refused_with_their_line(tmp_path: Path) -> None:
    said = refused(tmp_path, GAPS)
    assert "data.csv:2: column 'v' has no number in this line (and 3 more cells like it)" in said
    assert "missing='interpolate', 'hold' or 'drop'" in said


@pytest.mark.parametrize(
    ("how", "times", "v", "w"),
    [
        ("interpolate", [0, 1, 3, 4], [2, 2, 4, 5], [1, 5 / 3, 3, 3]),
        ("hold", [0, 1, 3, 4], [2, 2, 2, 5], [1, 1, 3, 3]),
    ],
)
def test_empty_cells_are_filled(tmp_path: Path, how: str, times: Any, v: Any, w: Any) -> None:
    table = loaded(tmp_path, GAPS, missing=how)
    assert table.times.tolist() == times
    assert table.data["v"].tolist() == pytest.approx(v)
    assert table.data["w"].tolist() == pytest.approx(w)
    assert "has 2 empty cells in 'v', which are" in table.notes[0]


def test_rows_with_empty_cells_are_left_out(tmp_path: Path) -> None:
    table = loaded(tmp_path, "time,v\n0,1\n,2\n1,\n2,4\n", missing="drop")
    assert (table.times.tolist(), table.data["v"].tolist()) == ([0.0, 2.0], [1.0, 4.0])
    assert table.notes == ("has 2 rows left out, for empty cells",)
    dated = loaded(tmp_path, "t,v\n12:00,1\n,2\n12:02,3\n", missing="drop")
    assert dated.times.tolist() == [0.0, 120.0]


def test_text_among_numbers_is_refused_with_its_line(tmp_path: Path) -> None:
    said = refused(tmp_path, "time,v\n0,1\n1,ERR\n2,3\n")
    assert "data.csv:3: column 'v' holds 'ERR' among numbers" in said
    table = loaded(tmp_path, "time,v\n0,1\n1,ERR\n2,3\n", types={"v": "string"})
    assert table.data["v"].tolist() == ["1", "ERR", "3"]


# files that are none ------------------------------------------------------------------------------

HOSTILE = {
    "empty": (b"", "is empty"),
    "only comments": (b"# nothing\n", "is empty"),
    "one word": (b"hello", "has no rows of numbers"),
    "a header alone": (b"time,v\n", "has no rows of numbers"),
    "NUL": (b"time,v\n0,1\n\0\0\n", "is not text"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text"),
    "an archive": (b"PK\x03\x04rest", "an Excel file must end in .xlsx"),
    "an old Excel file": (b"\xd0\xcf\x11\xe0rest", "save it as .xlsx or .csv"),
    "a huge line": (b"time,v\n0," + b"9" * 200_000 + b"\n1,2\n", "data.csv"),
    "a huge quoted cell": (b'time,v\n0,1\n1,"' + b"a" * 200_000 + b'"\n', "cannot be read"),
    "an open quote": (b'time,v\n0,1\n1,"2\n3,4\n', "data.csv"),
    "ragged": (b"time,v\n0,1\n0.5\n", "data.csv:3: it cannot be read as a table: this line has 1"),
    "wider than its header": (b"time,v\n0,1,2\n", "this line has 3 cells, the header 2"),
    "a name twice": (b"time,v,v\n0,1,2\n", "the column 'v' is there twice"),
    "no time": (b"when,v\nnoon,1\nnight,2\n", "its first column, 'when', is not a time"),
    "a unit that is none": (b"time [m],v\n0,1\n1,2\n", "its first column, 'time', is not a time"),
    "an unknown unit": (b"time,v [kmh]\n0,1\n1,2\n", "'kmh' is not a known unit"),
    "a terminal's escape": (b"time,\x1b[31mred\n0,1\n1,2\n", "data.csv"),
    "an escape further down": (
        b"#" + b"-" * 5000 + b"\ntime,\x1b[31mv\n0,1\n",
        "name of its column",
    ),
    "infinity": (b"time,v\n0,1\n1,inf\n", "column 'v' has no number in row 2"),
    "infinite time": (b"time,v\n0,1\ninf,2\n", "its time column, 'time', holds NaN or Inf"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_table_is_refused_in_one_sentence(tmp_path: Path, case: str) -> None:
    content, what = HOSTILE[case]
    assert what in refused(tmp_path, content)


def test_many_columns_are_read(tmp_path: Path) -> None:
    header = ",".join(["time", *(f"x{k}" for k in range(20_000))])
    rows = "\n".join(",".join([str(t)] * 20_001) for t in range(3))
    assert len(loaded(tmp_path, f"{header}\n{rows}\n").columns) == 20_000


@pytest.mark.parametrize(
    ("option", "what"),
    [
        ({"mising": "drop"}, "'mising' is no option of a table. Did you mean 'missing'?"),
        ({"missing": "skip"}, "missing must be one of 'error', 'interpolate', 'hold', 'drop'"),
        ({"decimal": ";"}, "decimal must be '.' or ','"),
        ({"delimiter": ";;"}, "delimiter must be one character"),
        ({"columns": "ab"}, "columns must be a list of texts"),
        ({"sort": "yes"}, "sort must be True or False"),
        ({"outside": "clamp"}, "outside must be one of hold, linear, periodic, error"),
        ({"interpolation": "spline"}, "interpolation must be one of linear, hold, cubic"),
        ({"interpolation": {"w": "hold"}}, "interpolation names 'w', which is no column"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, option: dict[str, Any], what: str) -> None:
    assert what in refused(tmp_path, PLAIN, **option)


def test_large_files_are_read_quickly(tmp_path: Path) -> None:
    """A tenth of a million rows; on a busy machine, so that the limit is generous."""
    rows = "\n".join(f"{k * 0.01:.2f};{k / 7:.6f};{k}".replace(".", ",") for k in range(100_000))
    (tmp_path / "large.csv").write_text("time;a;b\n" + rows)
    before = process_time()
    table = dv.load(tmp_path / "large.csv")
    assert process_time() - before < 5.0
    assert isinstance(table, dv.Table)
    assert table.data["b"][-1] == 99_999.0


def test_text_that_comes_late_is_found(tmp_path: Path) -> None:
    rows = "\n".join(f"{k},{k}" for k in range(30_000))
    assert "data.csv:30002: column 'v' holds 'ERR'" in refused(
        tmp_path, f"time,v\n{rows}\n30000,ERR\n"
    )


# Excel --------------------------------------------------------------------------------------------


def book(path: Path, *rows: list[Any], title: str = "data") -> Path:
    import openpyxl

    made = openpyxl.Workbook()
    made.active.title = title
    for row in rows:
        made.active.append(row)
    made.save(path)
    return path


def test_excel_with_dates_and_units(tmp_path: Path) -> None:
    noon = datetime.datetime(2024, 1, 31, 12)
    path = book(
        tmp_path / "log.xlsx",
        ["Logger 7"],
        [],
        ["when", "speed (km/h)", "on", "word"],
        [noon, 1.5, True, "a"],
        [noon + datetime.timedelta(seconds=0.25), 2, False, "b"],
    )
    table = dv.load(path)
    assert isinstance(table, dv.Table)
    assert table.times.tolist() == [0.0, 0.25]
    assert table.units == {"speed": "km/h"}
    assert table.data["on"].tolist() == [True, False]
    assert table.notes == ("counts time from 2024-01-31 12:00:00, the moment of its first row",)


def test_excel_with_gaps_names_its_line(tmp_path: Path) -> None:
    path = book(tmp_path / "log.xlsx", ["time", "v"], [0, 1], [1, None], [2, "#N/A"], [3, 4])
    with pytest.raises(FileError, match=r"log.xlsx:3: column 'v' has no number in this line"):
        dv.load(path)
    assert dv.load(path, missing="interpolate").data["v"].tolist() == [1, 2, 3, 4]  # type: ignore[attr-defined]


def test_sheets_of_excel(tmp_path: Path) -> None:
    import openpyxl

    path = book(tmp_path / "log.xlsx", ["time", "v"], [0, 1], title="first")
    made = openpyxl.load_workbook(path)
    other = made.create_sheet("second")
    for row in (["time", "w"], [0, 7], [1, 8]):
        other.append(row)
    made.save(path)
    table = dv.load(path)
    assert isinstance(table, dv.Table)
    assert table.notes == ("is read from the sheet 'first', one of 2",)
    for sheet in ("second", 2):
        assert list(dv.load(path, sheet=sheet).columns) == ["w"]  # type: ignore[attr-defined]
    with pytest.raises(FileError, match=r"has no sheet 'secnd'. Did you mean 'second'\?"):
        dv.load(path, sheet="secnd")
    with pytest.raises(FileError, match="there is no sheet 3"):
        dv.load(path, sheet=3)


@pytest.mark.parametrize("content", [b"", b"time,v\n0,1\n", b"PK\x03\x04broken"])
def test_what_is_no_excel_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.xlsx").write_bytes(content)
    with pytest.raises(FileError, match="is not an Excel file, or not a whole one"):
        dv.load(tmp_path / "bad.xlsx")


def test_excel_needs_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "log.xlsx", ["time", "v"], [0, 1])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"needs openpyxl.*pip install 'dovetail\[excel\]'"):
        dv.load(path)


def test_parquet_with_dates(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    when = pandas.date_range("2024-01-31 12:00", periods=3, freq="250ms")
    frame = pandas.DataFrame({"when": when, "v [km/h]": [1.0, 2.0, 4.0]})
    frame.to_parquet(tmp_path / "log.parquet")
    table = dv.load(tmp_path / "log.parquet")
    assert isinstance(table, dv.Table)
    assert table.times.tolist() == [0.0, 0.25, 0.5]
    assert dict(table.units) == {"v": "km/h"}


def test_measured_results_are_read_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("Zeit;v (km/h)\n0,0;1,5\n0,5;\n1,0;2,5\n")
    result = dv.read(tmp_path / "m.csv")
    assert result.units == {"v": "km/h"}
    assert np.isnan(result["v"][1])
    assert result.facts["empty cells"] == {"v": 1}
    bridged = dv.read(tmp_path / "m.csv", missing="interpolate")
    assert bridged["v"].tolist() == [1.5, 2.0, 2.5]


def test_a_header_whose_brackets_hold_an_index(tmp_path: Path) -> None:
    for head in ("time [s],x [0],x", "time,x [0],x"):
        (tmp_path / "m.csv").write_text(f"{head}\n0,1,2\n1,3,4\n")
        assert dv.read(tmp_path / "m.csv").names == ["x [0]", "x"]


def test_a_bare_carriage_return_ends_a_line(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_bytes(b"time [s],x\r0,1\r1,2\r")
    assert dv.read(tmp_path / "m.csv")["x"].tolist() == [1, 2]


def test_what_was_read_can_be_changed(tmp_path: Path) -> None:
    table = loaded(tmp_path, PLAIN)
    assert replace(table, interpolation="hold").jumps == (1.0,)


@pytest.mark.parametrize("cells", ["0,OFF", "0,1_000", "0,12.5V", "2026-01-01 00:00,OFF"])
def test_text_in_the_first_row_of_numbers_does_not_make_a_header_of_it(tmp_path, cells):
    """The row was lost, and the column was called like the text."""
    path = tmp_path / "a.csv"
    path.write_text(f"time,x\n{cells}\n" + cells.split(",")[0].replace("0", "1", 1) + ",2\n")
    with pytest.raises(dv.FileError, match=r"a.csv:2: column 'x' holds '.*' among numbers"):
        dv.load(path)


def test_lines_above_the_header_may_hold_dates_and_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Vehicle,Car\nStart,2026-01-01\nLog,5\ntime,x\ns,m\n0,1\n1,2\n")
    assert [v.name for v in dv.load(path).description.outputs] == ["x"]
