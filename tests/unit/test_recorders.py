"""Every row that was given comes back, from memory and from every file, whatever happened."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.core.description import Kind
from dovetail.core.errors import FileError, OptionError
from dovetail.results.files import FORMATS, runfiles, streaming
from dovetail.results.files.tail import parsed
from dovetail.results.patterns import chosen
from dovetail.results.reading import read
from dovetail.results.recorders import (
    Column,
    File,
    Memory,
    Parquet,
    RecordedTable,
    Recorder,
    Recording,
)
from dovetail.results.recorders.base import batch_rows, regrouped

COLUMNS = (
    Column("tank.level", unit="m"),
    Column("valve.open", Kind.BOOLEAN),
    Column("tank.x[1,2]"),
    Column("plant.mode", Kind.STRING),
    Column("plant.count", Kind.INTEGER, "1"),
    Column("plant.state", Kind.ENUMERATION),
    Column("plant.tick", Kind.CLOCK),
    Column("plant.blob", Kind.BINARY),
)
TEXTS = ('quoted "text"', "two\nlines, and a comma", "", "Δp → 5 %", "1")
FACTS = {"system": "plant", "finished": True, "statistics": {"windows": 3}, "note": 'a "b" ü'}
SUFFIXES = list(FORMATS)
WHOLE = [suffix for suffix, form in FORMATS.items() if not form.lazy]
BARE = (Column("a.x"), Column("a.y"), Column("b.z"))


def discrete(k: int) -> tuple[Any, ...]:
    j = k // 7
    return (j % 2 == 0, TEXTS[j % 5], -j * 10**12, 1 + j % 3, j % 3 == 0, bytes([j % 256, 0, 255]))


def reals(k: int) -> np.ndarray:
    return np.array([0.1 * k, [1 / 3, -0.0, 1e-300, 7.0, np.nan, np.inf][k % 6]])


def row_time(k: int) -> float:
    return 0.1 * (k - (k % 10 == 9))  # every tenth row is the right side of an event


def record(recording: Recording, rows: int, begin: int = 0) -> Recording:
    for k in range(begin, rows):
        recording.row(row_time(k), reals(k), discrete(k))
    return recording


def assert_holds(table: RecordedTable, rows: int) -> None:
    assert table.rows == rows
    assert np.array_equal(table.time, [row_time(k) for k in range(rows)])
    expected = np.array([reals(k) for k in range(rows)]).reshape(-1, 2)
    assert np.array_equal(table["tank.level"], expected[:, 0])
    assert np.array_equal(table["tank.x[1,2]"], expected[:, 1], equal_nan=True)
    for place, column in enumerate(c for c in COLUMNS if not c.is_real):
        array = table[column.name]
        assert array.tolist() == [discrete(k)[place] for k in range(rows)], column.name
        dtypes = {Kind.BOOLEAN: bool, Kind.CLOCK: bool, Kind.STRING: object, Kind.BINARY: object}
        assert array.dtype == dtypes.get(column.kind, np.int64)


@pytest.fixture(params=["memory", *SUFFIXES, "parquet"])
def recorder(request: pytest.FixtureRequest, tmp_path: Path) -> Recorder:
    match request.param:
        case "memory":
            return Memory()
        case "parquet":
            return Parquet(tmp_path / "run")
        case suffix:
            return File(tmp_path / f"run{suffix}")


@contextlib.contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, room: int) -> Iterator[None]:
    """`os.write` on a disk with room for so many bytes: what fits is written, then nothing."""
    genuine, left = os.write, room

    def write(descriptor: int, data: Any) -> int:
        nonlocal left
        size = min(left, len(data))
        if size == 0:
            raise OSError(28, "No space left on device")
        left -= size
        return genuine(descriptor, bytes(data[:size]))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        yield


# every recorder -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 1, 700])
def test_what_goes_in_comes_out(recorder: Recorder, rows: int) -> None:
    table = record(recorder.open(COLUMNS), rows).close(FACTS)
    assert table.columns == COLUMNS
    assert FACTS.items() <= dict(table.facts).items()
    assert_holds(table, rows)


def test_recorders_are_frozen_and_serve_many_runs(recorder: Recorder) -> None:
    first = record(recorder.open(COLUMNS), 20).close({})
    second = record(recorder.open(COLUMNS), 30).close({})
    assert_holds(second, 30)
    if isinstance(recorder, File) and Path(recorder.path).suffix in WHOLE:
        with pytest.raises(FileError, match="no longer the file that this run wrote"):
            first.time  # noqa: B018
    else:
        assert_holds(first, 20)
    with pytest.raises((AttributeError, TypeError)):
        recorder.path = "elsewhere"  # type: ignore[attr-defined]


def test_a_block_is_many_rows(recorder: Recorder) -> None:
    recording = recorder.open(BARE)
    times = np.linspace(0.0, 1.0, 3001)
    values = np.outer(times, [1.0, 2.0, 3.0])
    recording.row(times[0], values[0], ())
    recording.block(times[1:2000], values[1:2000])
    recording.block(times[2000:], values[2000:])
    assert recording.rows == 3001
    table = recording.close({})
    assert np.array_equal(table.time, times)
    assert np.array_equal(table["b.z"], values[:, 2])


def test_a_block_holds_its_discrete_values(recorder: Recorder) -> None:
    recording = recorder.open(COLUMNS)
    for k in range(3):
        recording.block(np.full(500, 1.0 * k), np.zeros((500, 2)), discrete(7 * k))
    table = recording.close({})
    assert table["plant.mode"].tolist() == [t for t in TEXTS[:3] for _ in range(500)]


def test_batches_cover_all_rows_in_order(recorder: Recorder) -> None:
    table = record(recorder.open(COLUMNS), 700).close({})
    batches = list(table.batches(64))
    assert [len(b["time"]) for b in batches] == [64] * 10 + [60]
    assert list(batches[0]) == ["time", *(c.name for c in COLUMNS)]
    for name in batches[0]:
        joined = np.concatenate([b[name] for b in batches])
        assert joined.tolist() == pytest.approx(table[name].tolist(), nan_ok=True)


def test_the_last_row_is_known_without_reading_the_rest(recorder: Recorder) -> None:
    table = record(recorder.open(COLUMNS), 25).close({})
    last = table.last()
    assert last["time"] == row_time(24)
    assert last["tank.level"] == reals(24)[0]
    assert [last[c.name] for c in COLUMNS if not c.is_real] == list(discrete(24))
    assert [type(v) for v in last.values()] == [
        float,
        float,
        bool,
        float,
        str,
        int,
        int,
        bool,
        bytes,
    ]
    assert recorder.open(COLUMNS).close({}).last() == {}


def test_columns_cannot_be_written_to(recorder: Recorder) -> None:
    table = record(recorder.open(COLUMNS), 25).close({})
    for name in ("time", *(c.name for c in COLUMNS)):
        with pytest.raises(ValueError, match="read-only"):
            table[name][0] = table[name][1]


@pytest.mark.parametrize("columns", [("time",), ("a", "b", "a")])
def test_names_that_cannot_stand_side_by_side_are_refused(
    recorder: Recorder, columns: tuple[str, ...]
) -> None:
    with pytest.raises(OptionError):
        recorder.open([Column(name) for name in columns])


@pytest.mark.parametrize("rows", [0, 3, 300, 1000])
def test_a_checkpoint_goes_on_where_it_was_taken(recorder: Recorder, rows: int) -> None:
    recording = record(recorder.open(COLUMNS), rows)
    position = recording.position()
    assert position["rows"] == rows
    for k in range(50):  # rows after the checkpoint, which it must forget
        recording.row(1e6 + k, reals(k), discrete(3 * k))
    recording.close({})
    again = recorder.reopen(COLUMNS, position)
    assert again.rows == rows
    assert_holds(record(again, rows + 40, begin=rows).close(FACTS), rows + 40)


def test_a_position_is_plain_data(recorder: Recorder) -> None:
    position = record(recorder.open(COLUMNS), 30).position()
    arrays = {k: v for k, v in position.items() if isinstance(v, np.ndarray | bytes)}
    assert json.loads(json.dumps({k: v for k, v in position.items() if k not in arrays}))


def test_a_recording_goes_on_after_a_position_was_taken(recorder: Recorder) -> None:
    recording = record(recorder.open(COLUMNS), 300)
    recording.position()
    assert_holds(record(recording, 320, begin=300).close({}), 320)


# memory -------------------------------------------------------------------------------------------


def test_memory_crosses_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.results.recorders.memory.FIRST_ROWS", 3)
    monkeypatch.setattr("dovetail.results.recorders.memory.CHUNK_BYTES", 600)
    assert_holds(record(Memory().open(COLUMNS), 500).close({}), 500)


def test_memory_assembles_a_column_once() -> None:
    table = record(Memory().open(COLUMNS), 20).close({})
    assert table["tank.level"] is table["tank.level"]


def test_integers_of_any_size_are_kept_in_memory() -> None:
    recording = Memory().open([Column("a.hash", Kind.INTEGER)])
    recording.row(0.0, np.empty(0), (2**64 - 1,))
    assert recording.close({})["a.hash"].tolist() == [2**64 - 1]


# files --------------------------------------------------------------------------------------------


def test_the_files_of_a_run_in_progress_are_gone_at_the_end(tmp_path: Path) -> None:
    recording = record(File(tmp_path / "run.parquet").open(COLUMNS), 300)
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {"run.parquet.rows", "run.parquet.tail"}
    recording.close({})
    assert [p.name for p in tmp_path.iterdir()] == ["run.parquet"]


def test_parquet_is_written_as_promised(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 50).close(FACTS)
    file = pq.ParquetFile(tmp_path / "run.parquet")
    level = file.metadata.row_group(0).column(1)
    assert level.compression == "ZSTD"
    assert "BYTE_STREAM_SPLIT" in level.encodings
    for k in range(file.metadata.num_columns):
        assert not any("DICTIONARY" in e for e in file.metadata.row_group(0).column(k).encodings)
    assert file.schema_arrow.field("tank.level").metadata[b"unit"] == b"m"
    assert json.loads(file.schema_arrow.metadata[b"dovetail"])["system"] == "plant"


def test_facts_of_odd_types_do_not_cost_the_file(recorder: Recorder) -> None:
    facts = {"size": np.float64(0.5), "sizes": np.arange(2), "path": Path("x")}
    table = record(recorder.open(COLUMNS), 3).close(facts)
    assert table.rows == 3
    if isinstance(recorder, File) and Path(recorder.path).suffix in ("", ".h5"):
        assert {"size": 0.5, "sizes": [0, 1], "path": "x"}.items() <= dict(table.facts).items()


def test_text_is_for_reading(tmp_path: Path) -> None:
    columns = [Column("a.x", unit="m/s"), Column('b."y", z'), Column("c [d]"), Column("e.x[1]")]
    recording = File(tmp_path / "run.csv").open(columns)
    for k in range(3):
        recording.row(0.1 * k, np.array([1.0, 1 / 3, 1e-7, -2.0 * k]), ())
    recording.close({})
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert lines[0] == 'time [s],a.x [m/s],"b.""y"", z",c [d] [],e.x[1]'
    assert lines[1] == "0.0,1.0,0.3333333333333333,1e-07,-0.0"
    assert lines[3] == "0.2,1,0.3333333333333333,1e-7,-4"
    result = read(tmp_path / "run.csv")
    assert list(result.table.columns) == columns


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_number_survives_exactly(tmp_path: Path, suffix: str) -> None:
    values = np.random.default_rng(1).integers(0, 2**63, 2000, dtype=np.uint64).view(np.float64)
    values = values[np.isfinite(values)]
    recording = File(tmp_path / f"run{suffix}").open([Column("a.x")])
    recording.block(np.arange(len(values)) / 3, values[:, None])
    recording.close({})
    result = read(tmp_path / f"run{suffix}")
    assert np.array_equal(result["a.x"], values)
    assert np.array_equal(result.time, np.arange(len(values)) / 3)


def test_memory_stays_bounded_while_a_file_is_made(tmp_path: Path) -> None:
    """40 MB of rows, of which only a few batches may be held at a time."""
    script = f"""
        import numpy as np
        from dovetail.results.recorders import Column, File
        from dovetail.results.files import streaming
        from dovetail.results.recorders import base
        streaming.CHUNK_BYTES = 2**20
        rows = base.batch_rows
        for module in ("parquet", "arrow", "text", "hdf5"):
            __import__(f"dovetail.results.files.{{module}}")
            import sys
            sys.modules[f"dovetail.results.files.{{module}}"].batch_rows = lambda c: rows(c, 2**20)
        def peak():
            return int(next(l for l in open("/proc/self/status") if "RssAnon" in l).split()[1])
        for suffix in (".parquet", ".arrow", ".csv", ".h5"):
            import threading, time
            warm = File({str(tmp_path)!r} + "/warm" + suffix).open([Column("a")])
            warm.block(np.zeros(9), np.zeros((9, 1))); warm.close({{}})
            recording = File({str(tmp_path)!r} + "/run" + suffix).open(
                [Column(f"a.x{{k}}") for k in range(50)])
            values = np.random.default_rng(0).random((1000, 50))
            before, high, going = peak(), 0, True
            def watch():
                global high
                while going:
                    high = max(high, peak()); time.sleep(0.002)
            thread = threading.Thread(target=watch); thread.start()
            for k in range(100):
                recording.block(np.arange(1000.0) + 1000 * k, values)
            table = recording.close({{}})
            going = False; thread.join()
            print(suffix, table.rows, high - before)
    """
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc")
    lines = run_python(script).stdout.split("\n")[:4]
    for line in lines:
        suffix, rows, grown = line.split()
        assert rows == "100000", suffix
        assert int(grown) < 24_000, f"{suffix}: {grown} kB more"


def test_a_lazy_file_is_read_by_column(tmp_path: Path) -> None:
    import pyarrow as pa

    columns = [Column(f"a.x{k}") for k in range(200)]
    recording = File(tmp_path / "run.parquet").open(columns)
    recording.block(np.arange(20_000.0), np.random.default_rng(0).random((20_000, 200)))
    recording.close({})
    result = read(tmp_path / "run.parquet")
    before = pa.total_allocated_bytes()
    column = result["a.x7"]
    assert len(column) == 20_000
    assert pa.total_allocated_bytes() - before < 2**21


def test_an_old_result_is_not_disturbed_by_a_new_run_of_the_same_name(tmp_path: Path) -> None:
    for suffix in (".parquet", ".arrow", ".h5"):
        recorder = File(tmp_path / f"run{suffix}")
        old = record(recorder.open(COLUMNS), 40).close({})
        record(recorder.open(COLUMNS), 9).close({})
        assert_holds(old, 40)


def test_a_chunk_that_is_old_goes_to_the_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "CHUNK_SECONDS", 0.0)
    recording = File(tmp_path / "run.parquet").open(BARE)
    recording.block(np.arange(1000.0), np.zeros((1000, 3)))
    size = 8 * (3 + 3)
    assert os.path.getsize(tmp_path / "run.parquet.tail") == (1000 % 256) * size
    assert recording.close({}).rows == 1000


# refused at once ----------------------------------------------------------------------------------


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"'\.parkett'.*\.parquet, \.arrow.*Did you mean") as info:
        File(tmp_path / "run.parkett").open(COLUMNS)
    assert info.value.path.endswith("run.parkett")
    with pytest.raises(FileError, match="no suffix"):
        File(tmp_path / "run").open(COLUMNS)


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no folder"):
        Parquet(tmp_path / "missing" / "run.parquet").open(COLUMNS)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "run.parquet").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        Parquet(tmp_path / "run.parquet").open(COLUMNS)


def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(FileError, match="cannot be written to"):
        Parquet(tmp_path / "run.parquet").open(COLUMNS)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_told_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"h5py.*pip install 'dovetail\[hdf5\]'"):
        File(tmp_path / "run.h5").open(COLUMNS)


def test_two_runs_cannot_record_to_one_file(tmp_path: Path) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    first = record(recorder.open(COLUMNS), 5)
    with pytest.raises(FileError, match="another run is recording there"):
        recorder.open(COLUMNS)
    assert_holds(first.close({}), 5)


def test_a_full_disk_at_the_very_beginning_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        full_disk(monkeypatch, 100),
        pytest.raises(FileError, match="no space left on device; nothing was recorded yet"),
    ):
        Parquet(tmp_path / "run.parquet").open(COLUMNS)
    assert list(tmp_path.iterdir()) == []


def test_a_value_that_fits_no_column_is_named(tmp_path: Path) -> None:
    recording = Parquet(tmp_path / "run.parquet").open([Column("a.hash", Kind.INTEGER)])
    recording.row(0.0, np.empty(0), (2**64 - 1,))
    with pytest.raises(FileError, match=r"'a\.hash' does not fit.*record="):
        recording.position()


def test_half_a_character_does_not_stop_a_run(tmp_path: Path) -> None:
    recording = Parquet(tmp_path / "run.parquet").open([Column("a.s", Kind.STRING)])
    recording.row(0.0, np.empty(0), ("x\udcff",))
    assert recording.close({})["a.s"].tolist() == ["x?"]


# death --------------------------------------------------------------------------------------------

HEADING = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent)]!r}
import os, time, numpy as np
from test_recorders import COLUMNS, discrete, reals, record, row_time
from dovetail.results.recorders import File
"""


def run_python(script: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        **options,
    )


@pytest.mark.parametrize("chunk", [2**23, 40_000], ids=["in the tail", "in the stream too"])
def test_every_row_survives_a_killed_process(tmp_path: Path, chunk: int) -> None:
    path = tmp_path / "run.parquet"
    script = HEADING + textwrap.dedent(
        f"""
        from dovetail.results.files import streaming
        streaming.CHUNK_BYTES = {chunk}
        recording = File({str(path)!r}).open(COLUMNS)
        for k in range(10**9):
            recording.row(row_time(k), reals(k), discrete(k))
            os.write(1, b"%d\\n" % (k + 1))
        """
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None
    lines = b""
    while lines.count(b"\n") < 4000:
        more = os.read(child.stdout.fileno(), 2**16)
        assert more, "the child has ended before it was killed"
        lines += more
    child.send_signal(signal.SIGKILL)
    lines += child.stdout.read()
    child.stdout.close()
    child.wait()
    told = int(lines.split(b"\n")[-2])
    assert not path.exists()
    remains = read(path)
    assert told <= len(remains) <= told + 1
    assert_holds(remains.table, len(remains))
    assert not remains.finished
    for suffix in (".rows", ".tail"):
        assert len(read(tmp_path / f"run.parquet{suffix}")) == len(remains)


def test_every_row_survives_a_crash_in_foreign_code(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    crash = "import ctypes; ctypes.string_at(0)"
    script = HEADING + f"record(File({str(path)!r}).open(COLUMNS), 123)\n{crash}"
    with pytest.raises(subprocess.CalledProcessError):
        run_python(script)
    assert_holds(read(path).table, 123)


@pytest.mark.parametrize("rows", [100, 300, 600])
def test_a_killed_run_resumes_from_its_checkpoint(tmp_path: Path, rows: int) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    recording = record(recorder.open(COLUMNS), rows)
    position = json.loads(json.dumps(recording.position()))
    record(recording, rows + 77, begin=rows)
    recording._release()  # type: ignore[attr-defined]  # as the death of the process does
    assert read(recorder.path).table.rows == rows + 77
    again = recorder.reopen(COLUMNS, position)
    assert again.rows == rows
    assert_holds(record(again, rows + 5, begin=rows).close({}), rows + 5)


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    first = record(recorder.open(COLUMNS), 20)
    position = first.position()
    first.close({})
    record(recorder.open(COLUMNS), 30).close({})
    with pytest.raises(FileError, match="another run than the one of the checkpoint"):
        recorder.reopen(COLUMNS, position)
    (tmp_path / "run.parquet").unlink()
    with pytest.raises(FileError, match="rows before the checkpoint are gone"):
        recorder.reopen(COLUMNS, position)
    with pytest.raises(OptionError, match="the recorder that the run had"):
        recorder.reopen(COLUMNS, record(Memory().open(COLUMNS), 3).position())
    with pytest.raises(OptionError, match="the recorder that the run had"):
        Memory().reopen(COLUMNS, position)


def test_other_variables_than_at_the_checkpoint_are_refused(tmp_path: Path) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    recording = record(recorder.open(COLUMNS), 20)
    position = recording.position()
    recording.close({})
    with pytest.raises(FileError, match="another run"):
        recorder.reopen(BARE, position)


@pytest.mark.parametrize("lost", [1, 7, 40, 2000])
def test_what_was_torn_is_dropped_and_all_before_it_kept(
    tmp_path: Path, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 8000)
    recording = record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 1100)
    recording._release()  # type: ignore[attr-defined]
    for name, at_least in (("run.parquet.tail", 1040), ("run.parquet.rows", 700)):
        file = tmp_path / name
        content = file.read_bytes()
        file.write_bytes(content[: max(0, len(content) - lost)])
        remains = read(tmp_path / "run.parquet").table
        assert at_least <= remains.rows < 1100
        assert_holds(remains, remains.rows)
        file.write_bytes(content)


def test_a_death_between_stream_and_tail_shows_no_row_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 200)
    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", lambda descriptor, size: None)  # dies just before
        recording.position()
    recording._release()  # type: ignore[attr-defined]
    assert os.path.getsize(tmp_path / "run.parquet.tail") > 0
    assert_holds(read(tmp_path / "run.parquet").table, 200)


def test_a_row_that_was_given_again_counts_once() -> None:
    """Ctrl-C may come after the write and before the count."""
    records = [(0, 1.0), (1, 2.0), (1, 2.5), (2, 3.0)]
    data = b"".join(struct.pack("<qqd", number, 0, time) for number, time in records)
    assert parsed(data, 1, 0)[0].tolist() == [[1.0], [2.5], [3.0]]


def test_noise_in_a_tail_is_no_row() -> None:
    assert len(parsed(b"\0" * 100, 2, 5)[0]) == 0
    assert len(parsed(b"\xff" * 100, 2, 0)[0]) == 0
    assert len(parsed(b"", 2, 0)[0]) == 0


def test_a_run_in_progress_can_be_looked_at(tmp_path: Path) -> None:
    recording = record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 300)
    assert_holds(read(tmp_path / "run.parquet").table, 300)
    assert_holds(record(recording, 310, begin=300).close({}), 310)


def test_what_a_dead_run_left_is_set_aside(tmp_path: Path) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    for rows in (11, 12):
        with (
            pytest.warns(UserWarning, match="unfinished")
            if rows == 12
            else contextlib.nullcontext()
        ):
            recording = record(recorder.open(COLUMNS), rows)
        recording._release()  # type: ignore[attr-defined]
    with pytest.warns(UserWarning, match=r"never finished.*run\.unfinished-2\.parquet"):
        record(recorder.open(COLUMNS), 13).close({})
    assert_holds(read(tmp_path / "run.unfinished-1.parquet").table, 11)
    assert_holds(read(tmp_path / "run.unfinished-2.parquet").table, 12)
    assert_holds(read(tmp_path / "run.parquet").table, 13)


def test_what_died_before_its_first_row_is_not_worth_keeping(tmp_path: Path) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    recorder.open(COLUMNS)._release()
    assert_holds(record(recorder.open(COLUMNS), 3).close({}), 3)
    assert [p.name for p in tmp_path.iterdir()] == ["run.parquet"]


def test_a_finished_file_beside_the_rows_of_a_dead_run_is_read_with_a_warning(
    tmp_path: Path,
) -> None:
    recorder = Parquet(tmp_path / "run.parquet")
    record(recorder.open(COLUMNS), 5).close({})
    record(recorder.open(COLUMNS), 7)._release()  # type: ignore[attr-defined]
    with pytest.warns(UserWarning, match="rows of a later run that did not finish"):
        assert_holds(read(tmp_path / "run.parquet").table, 5)
    assert_holds(read(tmp_path / "run.parquet.rows").table, 7)


# a full disk --------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 1, 30, 1000, 8000, 20_000])
def test_a_full_disk_costs_no_row_that_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 8000)
    recording = Parquet(tmp_path / "run.parquet").open(COLUMNS)
    record(recording, 10)
    with (
        full_disk(monkeypatch, room),
        pytest.raises(FileError, match="no space left on device; every row up to then is safe"),
    ):
        record(recording, 100_000, begin=10)
    rows = recording.rows
    assert_holds(read(tmp_path / "run.parquet").table, rows)
    with full_disk(monkeypatch, 0), pytest.raises(FileError, match="no space left"):
        recording.close({})
    assert_holds(read(tmp_path / "run.parquet").table, rows)
    assert not (tmp_path / "run.parquet").exists()


def test_a_disk_that_has_room_again_takes_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 10)
    with full_disk(monkeypatch, 50), pytest.raises(FileError):
        record(recording, 20, begin=10)
    rows = recording.rows
    assert_holds(record(recording, 50, begin=rows).close({}), 50)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_does_not_fit_leaves_the_rows_where_they_were(
    tmp_path: Path, suffix: str
) -> None:
    """A genuine limit of the operating system on the size of a file."""
    resource = pytest.importorskip("resource")
    path = tmp_path / f"run{suffix}"
    path.write_text("an older file")
    script = HEADING + textwrap.dedent(
        f"""
        import resource
        from dovetail.core.errors import FileError
        from dovetail.results.recorders import Column
        recording = File({str(path)!r}).open([Column("a.x")])
        recording.block(np.arange(30000.0), np.random.default_rng(0).random((30000, 1)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
        try:
            recording.close({{}})
        except FileError as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            print(error)
        """
    )
    assert resource is not None
    message = run_python(script).stdout
    assert "every row up to then is safe" in message
    assert "too large" in message
    assert message.count("\n") == 1
    assert read(tmp_path / f"run{suffix}.rows").table.rows == 30_000
    assert path.read_text() == "an older file"
    assert not path.with_name(path.name + ".part").exists()


# small things -------------------------------------------------------------------------------------


def test_regrouping_keeps_order_and_sizes() -> None:
    pieces = [{"time": np.arange(b, e)} for b, e in ((0, 3), (3, 4), (4, 15), (15, 16))]
    groups = [g["time"].tolist() for g in regrouped(pieces, 5)]
    assert groups == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15]]


def test_a_batch_fits_its_budget() -> None:
    assert batch_rows(BARE, 3200) == 100
    assert batch_rows(BARE, 1) == 1


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("*", ["a.x", "a.y[1]", "a.y[1,2]", "b.x"]),
        ("a.*", ["a.x", "a.y[1]", "a.y[1,2]"]),
        ("b.x, a.x", ["a.x", "b.x"]),
        ("a.y[1]", ["a.y[1]"]),
        ("a.y[1,2],?.x", ["a.x", "a.y[1,2]", "b.x"]),
        (["a.x", "b.*"], ["a.x", "b.x"]),
        ("", []),
        ("A.X", []),
    ],
)
def test_patterns(patterns: str | list[str], expected: list[str]) -> None:
    assert chosen(patterns, ["a.x", "a.y[1]", "a.y[1,2]", "b.x"]) == expected


def test_a_comma_in_the_name_of_a_second_derivative_does_not_end_it():
    """So second derivatives are called in FMI; one could be recorded only with a `*`."""
    names = ["a.der(x, 2)", "a.der(x[1,2], 2)", "a.x"]
    assert chosen(names, names) == names
    assert chosen("a.x, a.der(x, 2)", names) == ["a.der(x, 2)", "a.x"]
    assert chosen("a.x,a.der(x[1,2], ?)", names) == ["a.der(x[1,2], 2)", "a.x"]


def test_recording_is_cheap() -> None:
    """Generous bounds; benchmarks/recording.py has the figures."""
    recording = Memory().open([Column(f"a.x{k}") for k in range(10)])
    values = np.zeros(10)
    begin = time.thread_time()  # whatever else the machine does meanwhile
    for k in range(20_000):
        recording.row(1.0 * k, values, ())
    assert (time.thread_time() - begin) / 20_000 < 20e-6


def test_the_lock_is_gone_with_the_recording(tmp_path: Path) -> None:
    recording = record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 5)
    del recording
    with pytest.warns(UserWarning, match="never finished"):
        record(Parquet(tmp_path / "run.parquet").open(COLUMNS), 6).close({})


def test_a_reason_is_told_without_numbers() -> None:
    assert runfiles.reason(OSError(28, "No space left on device")) == "no space left on device"
    assert runfiles.reason(OSError("odd")) == "odd"
