"""Results as text: the same bytes as Arrow's writer made, and every value to the bit."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.description import Kind
from dovetail.results.arrays import ArrayTable
from dovetail.results.files import read_table, write
from dovetail.results.files.numerals import cells
from dovetail.results.files.plain_text import plain_columns, quoted_columns
from dovetail.results.held import held_in, typed
from dovetail.results.recorders.base import TIME, Column


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for many examples."""
    return tmp_path_factory.mktemp("text")


def hostile() -> np.ndarray:
    """Any bits, every power of ten, decimals as people write them, whole numbers, odd ones."""
    random = np.random.default_rng(3)
    bits = random.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    powers = 10.0 ** np.arange(-320, 309)
    scaled = random.normal(size=20_000) * 10.0 ** random.integers(-20, 20, 20_000)
    rounded = np.round(random.normal(size=20_000) * 10.0 ** random.integers(-8, 14, 20_000), 3)
    edges = [1e10, 9999999999.999998, 1e-6, 9.99e-7, 1e-5, 9.999999e-6, 2.0**53, 2.0**63, 5e-324]
    odd = [0.0, -0.0, np.nan, np.inf, -np.inf, *edges]
    return np.concatenate([bits, powers, -powers, scaled, rounded, np.arange(-50.0, 50.0), odd])


def arrow_text(array: np.ndarray) -> list[str]:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.csv import WriteOptions, write_csv

    out = io.BytesIO()
    write_csv(pa.table({"a": array}), out, WriteOptions(include_header=False))
    return out.getvalue().decode().split("\n")[:-1]


def test_numbers_are_written_as_arrow_writes_them() -> None:
    values = hostile()
    assert cells(values, Kind.REAL) == arrow_text(values)
    whole = np.array([0, -1, 2**63 - 1, -(2**63)])
    assert cells(whole, Kind.INTEGER) == arrow_text(whole)
    truths = np.array([True, False])
    assert cells(truths, Kind.BOOLEAN) == arrow_text(truths)
    texts = np.array(["a", 'b"c', "", "x,y", " blank "], dtype=object)
    assert cells(texts, Kind.STRING) == arrow_text(texts)


def test_numbers_are_read_to_the_bit(tmp_path: Path) -> None:
    values = hostile()
    table = ArrayTable([Column("a.x")], {TIME: np.arange(float(len(values))), "a.x": values})
    write(table, tmp_path / "run.csv")
    again = read_table(tmp_path / "run.csv")["a.x"]
    real = ~np.isnan(values)
    assert np.array_equal(np.isnan(again), ~real)
    assert np.array_equal(again.view(np.int64)[real], values.view(np.int64)[real])


SIGNS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)


ROWS = st.lists(st.tuples(st.floats(allow_nan=False), SIGNS, st.binary(max_size=4)), max_size=8)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_texts_and_binaries_survive_whatever_they_hold(
    folder: Path, rows: list[tuple[float, str, bytes]]
) -> None:
    path = folder / "run.csv"
    columns = [Column("a.x"), Column("a.s", Kind.STRING), Column("a.b", Kind.BINARY)]
    arrays = {TIME: np.arange(float(len(rows)))}
    for k, column in enumerate(columns):
        arrays[column.name] = typed([row[k] for row in rows], column.kind)
    write(ArrayTable(columns, arrays), path)
    again = read_table(path, columns)
    for name, array in arrays.items():
        assert again[name].tolist() == array.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "0,1\n1,\n",  # a gap
        "0,1\n1\n",  # rows of different width
        "0,1,2\n1\n",  # as many cells as there should be, in all
        "0,1\n\n1,2\n",
        "0,1\n# note\n",
        "0,+1\n",
        "0,01\n",
        "0,null\n",
        "0,[1]\n",
        '0,"1"\n',
        "0,true\n1,2\n",
    ],
)
def test_rows_that_are_not_plain_are_left_to_others(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert plain_columns(tmp_path / "a.csv", 0, ",", 2) is None


def test_decimal_commas_are_no_second_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0;1,5\n1;2,5\n")
    assert plain_columns(tmp_path / "a.csv", 0, ";", 2) is None


def test_kinds_are_seen_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.results.files.plain_text.BLOCK_BYTES", 4)
    path = tmp_path / "a.csv"
    path.write_text("0,1,true,2\r\n1,2,false,2.5\r\n-0,3,true,nan\r\n")
    found = plain_columns(path, 0, ",", 4)
    assert found is not None
    assert [array.dtype.kind for array in found] == ["f", "i", "b", "f"]
    assert str(found[0].tolist()) == "[0.0, 1.0, -0.0]"
    path.write_text("0,true\n1,true\n2,0\n")
    assert plain_columns(path, 0, ",", 2) is None


def test_quoted_numbers_with_gaps_are_left_to_others(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('0,"x",1\n1,"",\n')
    assert quoted_columns(tmp_path / "a.csv", 0, ",", 3, {1}) is None
    (tmp_path / "a.csv").write_text('0,"x",1\n1,"",2\n')
    found = quoted_columns(tmp_path / "a.csv", 0, ",", 3, {1})
    assert found is not None and found[1].tolist() == ["x", ""]


def test_held_values_are_found_in_columns() -> None:
    whole, texts = np.array([1, 1, 2, 2]), typed(["a", "a", "a", "b"], Kind.STRING)
    held = held_in([whole, texts])
    assert held.changes == [0, 2, 3]
    assert held.column(0, Kind.INTEGER, 0, 4).tolist() == [1, 1, 2, 2]
    assert held.column(1, Kind.STRING, 0, 4).tolist() == ["a", "a", "a", "b"]
    assert held_in([]).changes == []
