"""Measured data and results in Excel and JSON, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.calling import Command

ROAD = "Datum;h (mm);v / (km/h)\n31.01.2024 12:00;1,5;3,6\n31.01.2024 12:01;2,5;7,2\n"
SYSTEM = "dovetail: 1\nparts: {road: road.csv}\nrun: {stop: 120, step: 10}\n"


@pytest.fixture
def road(folder: Path) -> Path:
    (folder / "road.csv").write_text(ROAD)
    (folder / "road.yaml").write_text(SYSTEM)
    return folder


def test_check_says_where_data_end_and_begin(dovetail: Command, road: Path) -> None:
    answer = dovetail("check", "road.yaml")
    assert "note: 'road' counts time from 2024-01-31 12:00:00, the moment of" in answer.out
    assert "note: 'road' has data from 0 to 60 s, but the run goes from 0 to 120 s" in answer.out


def test_describe_says_how_data_were_read(dovetail: Command, road: Path) -> None:
    answer = dovetail("describe", "road.csv")
    assert "Its data: 2 rows from 0 to 60 s." in answer.out
    assert "It counts time from 2024-01-31 12:00:00" in answer.out


def test_a_gap_is_refused_with_its_line(dovetail: Command, road: Path) -> None:
    (road / "road.csv").write_text(ROAD.replace("2,5", ""))
    answer = dovetail("run", "road.yaml")
    assert answer.code == 2
    assert "road.yaml:2: road.csv:3: column 'h' has no number in this line" in answer.err


def test_results_in_excel_and_json(dovetail: Command, road: Path) -> None:
    assert dovetail("run", "road.yaml", "-q", "-o", "run.xlsx").code == 0
    assert dovetail("run", "road.yaml", "-q", "-o", "run.json").code == 0
    assert dovetail("compare", "run.xlsx", "run.json").code == 0
    assert dovetail("plot", "run.json").out == "run.png\n"


def test_a_run_beside_a_measurement(dovetail: Command, road: Path) -> None:
    dovetail("run", "road.yaml", "-q", "-o", "run.parquet")
    measured = "Zeit [min];h [m];speed [m/s]\n0;0,0015;1\n0,5;;1,5\n1;0,0025;2\n2;0,0025;2\n"
    (road / "measured.csv").write_text(measured)
    answer = dovetail("compare", "run.parquet", "measured.csv")
    assert answer.code == 0
    assert "road.h" in answer.out
    assert "note: measured.csv has 1 empty cell in 'h', which is interpolated" in answer.err
    pairs = ["--pair", "road.v=speed", "--pair", "road.h=h"]
    answer = dovetail("compare", "run.parquet", "measured.csv", *pairs)
    assert answer.code == 0
    assert "road.v" in answer.out
    wrong = dovetail("compare", "run.parquet", "measured.csv", "--pair", "road.v")
    assert (wrong.code, "--pair is written as in body.x=z" in wrong.err) == (2, True)


def test_names_do_not_steer_the_terminal(dovetail: Command, folder: Path) -> None:
    for name, head in (("a.csv", "time [s]"), ("b.csv", "time")):
        (folder / name).write_text(f"{head},\x1b[31mred\n0,1\n1,2\n")
        for command in (("describe", name), ("compare", name, name), ("plot", name, "x")):
            answer = dovetail(*command)
            assert "\x1b" not in answer.out + answer.err
