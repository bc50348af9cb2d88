"""What a result answers, and what it leaves as files and frames."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.core.description import Kind
from dovetail.core.errors import DovetailError, FileError, OptionError
from dovetail.core.statistics import Statistics
from dovetail.results.files import FORMATS
from dovetail.results.reading import read
from dovetail.results.recorders import Column, Memory, Parquet
from dovetail.results.result import Result, UnknownVariable
from dovetail.results.verdict import Verdict

COLUMNS = (
    Column("ball.h", unit="m"),
    Column("ball.v", unit="m/s"),
    Column("ball.bounces", Kind.INTEGER),
    Column("ball.flying", Kind.BOOLEAN),
    Column("mode", Kind.STRING),
)
ROWS = (  # an event at t = 1, with two rows
    (0.0, (1.0, 0.0), (0, True, "up")),
    (0.5, (0.8, -2.0), (0, True, "up")),
    (1.0, (0.0, -4.0), (0, True, "down")),
    (1.0, (0.0, 3.0), (1, False, "up")),
    (2.0, (0.6, 1.0), (1, False, "up")),
)
STATISTICS = Statistics(windows=4, evaluations=8, seconds_by_part={"ball": 0.5})
VERDICT = Verdict(True, True, 1e-4, "ball.h -> floor.h", 1.0, ("fine",))
FACTS = {
    "system": "bouncing <ball>",
    "finished": True,
    "statistics": dataclasses.asdict(STATISTICS),
    "verdict": dataclasses.asdict(VERDICT),
}


@pytest.fixture(params=["memory", "parquet"])
def result(request: pytest.FixtureRequest, tmp_path: Path) -> Result:
    recorder = Memory() if request.param == "memory" else Parquet(tmp_path / "run.parquet")
    recording = recorder.open(COLUMNS)
    for time, reals, discrete in ROWS:
        recording.row(time, np.array(reals), discrete)
    return Result(recording.close(FACTS))


def test_columns_by_name(result: Result) -> None:
    assert len(result) == 5
    assert result.time.tolist() == result["time"].tolist() == [0.0, 0.5, 1.0, 1.0, 2.0]
    assert result["ball.v"].tolist() == [0.0, -2.0, -4.0, 3.0, 1.0]
    assert result["mode"].tolist() == ["up", "up", "down", "up", "up"]
    assert result.names == list(result) == [c.name for c in COLUMNS]
    assert result.units == {"ball.h": "m", "ball.v": "m/s"}
    assert "ball.h" in result and "ball.x" not in result
    assert result.column("ball.flying").kind is Kind.BOOLEAN


def test_final_values_are_plain(result: Result) -> None:
    final = {"ball.h": 0.6, "ball.v": 1.0, "ball.bounces": 1, "ball.flying": False, "mode": "up"}
    assert result.final == final
    assert [type(v) for v in result.final.values()] == [float, float, int, bool, str]


def test_an_unknown_name_gets_a_hint(result: Result) -> None:
    with pytest.raises(KeyError) as info:
        result["bal.h"]
    assert isinstance(info.value, UnknownVariable | DovetailError)
    assert str(info.value) == "'bal.h' was not recorded. Did you mean 'ball.h'?"
    with pytest.raises(UnknownVariable, match=r"There are 'ball\.h', 'ball\.v'"):
        result["zzzzzzzz"]


def test_facts_become_statistics_and_verdict(result: Result) -> None:
    assert result.statistics == STATISTICS
    assert result.verdict == VERDICT
    assert result.finished


def test_facts_of_another_version_do_no_harm() -> None:
    facts = {"statistics": {"windows": 2, "invented_later": 1}}
    result = Result.of([0.0], {"a.x": [1.0]}, facts=facts)
    assert result.statistics.windows == 2
    assert result.verdict is None
    assert not result.finished


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ((), [c.name for c in COLUMNS]),
        (("ball.?",), ["ball.h", "ball.v"]),
        (("mode, ball.h",), ["ball.h", "mode"]),
        (("mode", "*.v"), ["ball.v", "mode"]),
        (("nothing",), []),
    ],
)
def test_select(result: Result, patterns: tuple[str, ...], expected: list[str]) -> None:
    assert result.select(*patterns) == expected


@pytest.mark.parametrize(
    ("name", "time", "expected"),
    [
        ("ball.h", 0.25, 0.9),
        ("ball.h", 0.0, 1.0),
        ("ball.h", 2.0, 0.6),
        ("ball.v", 0.75, -3.0),
        ("ball.v", 1.0, 3.0),  # right of the event
        ("ball.v", 1.5, 2.0),
        ("ball.bounces", 0.9999, 0),
        ("ball.bounces", 1.0, 1),
        ("mode", 0.75, "up"),
    ],
)
def test_values_between_rows(result: Result, name: str, time: float, expected: Any) -> None:
    assert result.at(time, name) == pytest.approx(expected)


def test_values_at_many_times(result: Result) -> None:
    assert result.at([0.0, 0.5, 1.0], "ball.v").tolist() == [0.0, -2.0, 3.0]
    assert result.at([[0.0], [2.0]], "ball.v").shape == (2, 1)
    assert result.at([], "ball.v").shape == (0,)
    assert result.at(2.0 + 1e-10, "ball.v") == pytest.approx(1.0)


@pytest.mark.parametrize("time", [-0.1, 2.1, np.nan])
def test_values_outside_are_not_invented(result: Result, time: float) -> None:
    with pytest.raises(OptionError, match="recorded from 0 to 2 s"):
        result.at(time, "ball.h")


def test_an_empty_result_is_no_trouble() -> None:
    result = Result(Memory().open(COLUMNS).close({}))
    assert len(result) == 0
    assert result.final == {}
    assert result["ball.h"].size == 0
    assert "5 variables, no rows" in repr(result)
    assert "nothing" in result._repr_html_()
    with pytest.raises(OptionError, match="no rows"):
        result.at(0.0, "ball.h")


def test_it_describes_itself(result: Result) -> None:
    text = repr(result)
    assert "Result of 'bouncing <ball>': 5 variables, 5 rows from 0 to 2 s" in text
    assert "ball.v        ends at 1 m/s" in text
    page = result._repr_html_()
    assert "bouncing &lt;ball&gt;" in page and "<ball>" not in page
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page)
    assert cells[cells.index("ball.h") + 1 :][:2] == ["0.6", "m"]


def test_a_long_description_is_cut() -> None:
    result = Result.of([0.0], {f"a.x{k}": [1.0] for k in range(30)})
    assert repr(result).endswith("and 18 more")
    assert "and 18 more" in result._repr_html_()


def test_a_result_from_arrays() -> None:
    result = Result.of(
        [0, 1], {"a": [1.5, 2], "b": [1, 2], "c": [True, False], "d": ["x", "yy"]}, {"a": "m"}
    )
    assert [result.column(n).kind for n in "abcd"] == ["real", "integer", "boolean", "string"]
    assert result.units == {"a": "m"}
    assert result.final == {"a": 2.0, "b": 2, "c": False, "d": "yy"}
    with pytest.raises(OptionError, match="'a' has 3 values for 2 times"):
        Result.of([0, 1], {"a": [1, 2, 3]})


@pytest.mark.parametrize("suffix", [s for s in FORMATS if s not in (".csv", ".tsv")])
def test_a_saved_result_is_the_same_result(result: Result, tmp_path: Path, suffix: str) -> None:
    result.save(tmp_path / f"saved{suffix}")
    again = read(tmp_path / f"saved{suffix}")
    assert again.table.columns == COLUMNS
    assert again.final == result.final
    assert again.time.tolist() == result.time.tolist()
    assert again.statistics == STATISTICS
    assert again.verdict == VERDICT
    assert [p.name for p in tmp_path.glob("saved*")] == [f"saved{suffix}"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_text_keeps_names_units_kinds_and_values(
    result: Result, tmp_path: Path, suffix: str
) -> None:
    result.save(str(tmp_path / f"saved{suffix}"))
    again = read(tmp_path / f"saved{suffix}")
    assert again.table.columns == COLUMNS
    for name in ("time", *result.names):
        assert again[name].tolist() == result[name].tolist()


def test_save_refuses_what_it_cannot_write(result: Result, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"use one of \.parquet"):
        result.save(tmp_path / "saved.docx")
    with pytest.raises(FileError, match="no folder"):
        result.save(tmp_path / "missing" / "saved.csv")


def test_pandas(result: Result) -> None:
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert frame.index.name == "time"
    assert list(frame.columns) == result.names
    assert frame["ball.v"].iloc[-1] == 1.0
    assert frame["ball.bounces"].dtype == np.int64
    assert frame.attrs["units"] == result.units


def test_xarray(result: Result) -> None:
    pytest.importorskip("xarray")
    dataset = result.to_xarray()
    assert dataset["ball.h"].attrs["units"] == "m"
    assert dataset["ball.h"].dims == ("time",)
    assert dataset.sizes["time"] == 5


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_a_missing_library_tells_the_way_out(
    result: Result, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"needs {library}.*pip install 'dovetail\[tables\]'"):
        getattr(result, f"to_{library}")()


# files of other tools -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"time","h","v"\n0,1,0.5\n0.1,2,-1\n', {"h": [1, 2], "v": [0.5, -1.0]}),
        ("time;h [m]\n0;1.5\n1;2\n", {"h": [1.5, 2.0]}),
        ("\ufefftime, h\r\n0, 1.5\r\n1, 2\r\n", {"h": [1.5, 2.0]}),
        ("h,Time\n7.5,0\n8,1\n", {"h": [7.5, 8.0]}),
        ("seconds\th\n0\tnan\n1\tinf\n", {"h": [np.nan, np.inf]}),
        ("time,b,s\n0,true,x\n1,false,y\n", {"b": [True, False], "s": ["x", "y"]}),
        ("time,h\n", {"h": []}),
    ],
)
def test_text_of_other_tools(tmp_path: Path, text: str, expected: dict[str, list[Any]]) -> None:
    (tmp_path / "reference.csv").write_bytes(text.encode())
    result = read(tmp_path / "reference.csv")
    assert result.names == list(expected)
    assert len(result.time) == len(next(iter(expected.values())))
    for name, values in expected.items():
        assert result[name].tolist() == pytest.approx(values, nan_ok=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"0.0,1.0\n1.0,2.0\n", "no header"),
        (b"time,a,a\n0,1,2\n", "the column 'a' is there twice"),
        (b"time,a\n0,1,2\n", "cannot be read as a table"),
        (b"time,a\nx,1\n", "is not a time"),
        (b"time,\xff\0\n0,1\n", "is not text"),
    ],
)
def test_text_that_is_no_table_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises(FileError, match=message):
        read(tmp_path / "bad.csv")


def test_parquet_of_other_tools(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"x": np.arange(3, dtype=np.float32), "n": [1, 2, 3], "s": ["a", "b", "c"]},
        index=pandas.Index([0.0, 0.5, 1.0], name="time"),
    )
    frame.to_parquet(tmp_path / "other.parquet")
    result = read(tmp_path / "other.parquet")
    assert result.time.tolist() == [0.0, 0.5, 1.0]
    assert result["x"].dtype == np.float64
    assert result["s"].tolist() == ["a", "b", "c"]


def test_hdf5_of_other_tools(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["time"] = [0.0, 1.0]
        file["x"] = [1, 2]
        file["matrix"] = np.zeros((3, 3))
    result = read(tmp_path / "other.h5")
    assert result.names == ["x"]
    assert result["x"].tolist() == [1, 2]


def test_matlab_of_other_tools(tmp_path: Path) -> None:
    from scipy.io import loadmat, savemat

    savemat(tmp_path / "other.mat", {"time": [0.0, 1.0], "x": [1.0, 2.0], "label": "text"})
    assert read(tmp_path / "other.mat")["x"].tolist() == [1.0, 2.0]
    Result.of([0.0, 1.0], {"a.x": [1.0, 2.0], "a_x": [3.0, 4.0]}).save(tmp_path / "own.mat")
    content = loadmat(tmp_path / "own.mat")
    assert content["a_x"].tolist() == [[1.0], [2.0]]
    assert content["a_x_2"].tolist() == [[3.0], [4.0]]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".h5", ".mat", ".rows"])
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"bad{suffix}").write_text("this is no result at all, but some text")
    with pytest.raises(FileError):
        read(tmp_path / f"bad{suffix}")


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    for suffix in (".parquet", ".arrow", ".h5", ".mat"):
        path = tmp_path / f"run{suffix}"
        Result.of(np.arange(500.0), {"a.x": np.arange(500.0)}).save(path)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(FileError, match="not a whole one"):
            read(path)


def test_content_counts_more_than_the_suffix(tmp_path: Path) -> None:
    Result.of([0.0], {"a.x": [1.0]}).save(tmp_path / "run.parquet")
    (tmp_path / "run.parquet").rename(tmp_path / "run.data")
    assert read(tmp_path / "run.data")["a.x"].tolist() == [1.0]


def test_what_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read(tmp_path / "run.parquet")
    with pytest.raises(FileError, match="is a folder"):
        read(tmp_path)


def test_importing_it_needs_numpy_only() -> None:
    script = (
        "import sys, dovetail.results.result; heavy = {'pyarrow', 'matplotlib', "
        "'pandas', 'h5py', 'xarray', 'scipy'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
