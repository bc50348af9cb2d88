"""Numbers come back from every dialect as they were written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.results.measured import ReadingOptions, read_measured

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20)
DIALECTS = [
    (",", "."),
    (";", "."),
    (";", ","),
    ("\t", "."),
    ("\t", ","),
    ("|", ","),
    (" ", "."),
]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]
ENDS = ["\n", "\r\n", "\r"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dialects") / "data.csv"


@given(
    rows=ROWS,
    dialect=st.sampled_from(DIALECTS),
    encoding=st.sampled_from(ENCODINGS),
    end=st.sampled_from(ENDS),
    header=st.sampled_from(["t{0}a (m){0}b [km/h]", "# t{0}a (m){0}b [km/h]"]),
    comments=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_numbers_survive_every_dialect(
    path: Path,
    rows: list[tuple[float, float]],
    dialect: tuple[str, str],
    encoding: str,
    end: str,
    header: str,
    comments: bool,
) -> None:
    delimiter, decimal = dialect
    if delimiter == " ":
        header = header.replace(" (m)", "(m)").replace(" [km/h]", "[km/h]").replace("# ", "#")
    lines = [header.format(delimiter)]
    for k, (a, b) in enumerate(rows):
        cells = [repr(v).replace(".", decimal) for v in (float(k), a, b)]
        lines += ["# a comment", ""] if comments and k == 1 else []
        lines.append(delimiter.join(cells))
    path.write_bytes(end.join(lines).encode(encoding))
    data = read_measured(path)
    assert data.time.tolist() == [float(k) for k in range(len(rows))]
    assert list(data.columns) == ["a", "b"]
    assert data.units == {"a": "m", "b": "km/h"}
    assert data.columns["a"].tolist() == [a for a, _ in rows]
    assert data.columns["b"].tolist() == [b for _, b in rows]


@given(
    seconds=st.lists(st.integers(0, 10**9), min_size=1, max_size=10, unique=True),
    style=st.sampled_from(["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%d-%b-%Y %H:%M:%S"]),
)
@settings(max_examples=60, deadline=None)
def test_moments_survive_every_style(path: Path, seconds: list[int], style: str) -> None:
    moments = np.datetime64("2001-02-03T04:05:06") + np.sort(np.array(seconds))
    lines = [m.item().strftime(style) + f";{k}" for k, m in enumerate(moments)]
    path.write_text("\n".join(["when;k", *lines]))
    passed = np.sort(np.array(seconds)) - min(seconds)
    assert read_measured(path).time.tolist() == passed.tolist()


@given(content=st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_no_file_makes_a_traceback(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for reader in (dv.load, dv.read):
        try:
            reader(path)
        except dv.FileError as error:
            assert str(error)


@given(
    cells=st.lists(
        st.lists(st.text("0123456789,.;:-/ \"'#eETtm[]()", max_size=8), min_size=1, max_size=4),
        min_size=1,
        max_size=6,
    ),
    delimiter=st.sampled_from(",;\t"),
)
@settings(max_examples=150, deadline=None)
def test_no_table_makes_a_traceback(path: Path, cells: list[list[str]], delimiter: str) -> None:
    path.write_text("\n".join(delimiter.join(row) for row in cells))
    for missing in ("error", "drop", "interpolate"):
        try:
            read_measured(path, ReadingOptions(missing=missing))
            dv.read(path)
        except dv.FileError as error:
            assert str(error)
