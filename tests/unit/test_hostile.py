"""Files that were damaged, or made to do harm: read, or refused in one sentence."""

import ctypes
import io
import json
import lzma
import os
import re
import signal
import struct
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.cli.completion.result_names import names_in
from dovetail.cli.completion.system_names import parts_of
from dovetail.core.errors import FileError
from dovetail.core.typed import is_like
from dovetail.fmi.archive.archive import Archive
from dovetail.fmi.calls.log import Log
from dovetail.fmi.kernel import kernel
from dovetail.formats import allowance
from dovetail.results.files.parquet_claims import check_claims
from dovetail.run.checkpoint import FORMAT, Checkpoint
from dovetail.xml import cache, manifest

DESCRIPTION = """<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<CoSimulation modelIdentifier="m"/><ModelVariables>{}</ModelVariables><ModelStructure>{}
</ModelStructure></fmiModelDescription>"""


@contextmanager
def within(seconds):
    """A pipe that is waited for would wait for ever."""

    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fmu(path, **files):
    """An archive with a plain description and what is given besides."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format("", ""))
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return path


def result():
    """A few rows of every kind of column that has offsets."""
    texts = np.array(["", "b", "cc", "ddd"], dtype=object)
    return dv.Result.of(np.arange(4.0), {"x": np.arange(4.0), "s": texts})


def read_all(path):
    found = dv.read(path)
    repr(found), found.final, str(found.verdict), found.statistics
    for name in found:
        found[name]
    list(found.table.batches(2))


def refused(path):
    with pytest.raises(FileError) as caught:
        read_all(path)
    assert len(str(caught.value)) < 2000
    return str(caught.value)


# Results ------------------------------------------------------------------------------------


def test_an_offset_in_an_arrow_file_that_leads_nowhere_is_refused(tmp_path):
    path = tmp_path / "r.arrow"
    result().save(path)
    data = path.read_bytes()
    offsets = struct.pack("<5i", 0, 0, 1, 3, 6)  # of the texts
    assert data.count(offsets) == 1
    path.write_bytes(data.replace(offsets, struct.pack("<5i", 0, 0, 2**30, 3, 6)))
    assert "is damaged" in refused(path)


@pytest.mark.parametrize("wrong", [2**31 - 1, -1, 5])
def test_a_shape_in_a_mat_file_that_its_bytes_do_not_fill_is_refused(tmp_path, wrong):
    path = tmp_path / "r.mat"
    result().save(path)
    data = path.read_bytes()
    shape = struct.pack("<IIii", 5, 8, 4, 1)  # the element that says four rows, one column
    assert data.count(shape) == 3
    for k in range(3):
        place = -1
        for _ in range(k + 1):
            place = data.index(shape, place + 1)
        broken = struct.pack("<IIii", 5, 8, wrong, 1)
        path.write_bytes(data[:place] + broken + data[place + 16 :])
        assert "is not a MATLAB file, or not a whole one" in refused(path)


def test_mat_files_of_others_are_read_as_before(tmp_path):
    from scipy.io import savemat

    path, time = tmp_path / "r.mat", np.arange(3.0)
    values = {"time": time, "y": time**2, "names": ["ab", "c"], "s": {"a": 1}, "z": 1j * time}
    for options in ({}, {"do_compression": True}, {"format": "4"}):
        content = values if "format" not in options else {"time": time, "y": time**2}
        savemat(path, content, **options)
        found = dv.read(path)
        assert found.names == ["y"]
        assert found["y"].tolist() == [0.0, 1.0, 4.0]


def test_a_mat_file_that_unpacks_to_far_more_is_refused(tmp_path):
    body = zlib.compress(bytes(2**28), 9)
    head = b"MATLAB 5.0".ljust(124) + struct.pack("<HH", 0x100, 0x4D49)
    (tmp_path / "r.mat").write_bytes(head + struct.pack("<II", 15, len(body)) + body)
    assert "far larger than it should be" in refused(tmp_path / "r.mat")


def test_an_hdf5_file_that_makes_its_library_hang_is_refused(tmp_path):
    """The heap of its texts says that there is a next object, of no size."""
    path = tmp_path / "r.h5"
    result().save(path)
    data = bytearray(path.read_bytes())
    found = 0
    place = data.find(b"GCOL")
    while place >= 0:  # an object: index, references, reserved, size, and its bytes
        struct.pack_into("<Q", data, place + 24, 0)
        found += 1
        place = data.find(b"GCOL", place + 1)
    assert found
    path.write_bytes(data)
    with within(100):
        assert "is not an HDF5 file, or not a whole one" in refused(path)


def test_an_hdf5_file_with_rows_that_it_has_no_room_for_is_refused(tmp_path):
    import h5py

    with h5py.File(tmp_path / "r.h5", "w") as file:
        file.create_dataset("time", shape=(2**33,), dtype=float, chunks=(1024,))
    assert "which it has no room for" in refused(tmp_path / "r.h5")


def parquet(path, metadata=None, columns=(("time", None), ("x", None))):
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [pa.field(n, pa.float64(), metadata=m) for n, m in columns]
    table = pa.table([pa.array([0.0, 1.0])] * len(fields), schema=pa.schema(fields, metadata))
    pq.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metadata": {"dovetail": "{"}}, "is not a Parquet file, or not a whole one"),
        ({"metadata": {"dovetail": "[1]"}}, "not a list of facts"),
        ({"metadata": {"dovetail": '{"statistics": {"windows": "x"}}'}}, "does not make sense"),
        ({"metadata": {"dovetail": '{"verdict": 7}'}}, "does not make sense"),
        ({"columns": [("time", None), ("x", {"kind": "zebra"})]}, "zebra"),
        ({"columns": [("time", None), ("x", {"kind": "real", "unit": b"\xff"})]}, "UnicodeDecode"),
        ({"columns": [("time", None), ("x", None), ("x", None)]}, "more than one column 'x'"),
    ],
)
def test_what_a_parquet_file_says_of_itself_is_not_believed(tmp_path, given, said):
    assert said in refused(parquet(tmp_path / "r.parquet", **given))


def test_a_number_of_rows_below_zero_is_refused(tmp_path):
    path = parquet(tmp_path / "r.parquet")
    good = path.read_bytes()
    found, footer = set(), struct.unpack("<I", good[-8:-4])[0]
    for place in range(len(good) - 8 - footer, len(good) - 8):
        if good[place] == 4:  # two, as such numbers are written
            path.write_bytes(good[:place] + b"\x03" + good[place + 1 :])
            try:
                read_all(path)
            except FileError as error:
                found.add(str(error).partition(": ")[2])
    assert any(
        text.startswith("it says that it has -2 rows, and 2 in its groups") for text in found
    )


@pytest.mark.parametrize("opened", [dv.load, read_all], ids=["measured", "result"])
def test_no_count_in_a_parquet_file_makes_its_library_ask_for_terabytes(tmp_path, opened):
    """Every count of two in it becomes 2^46, one at a time; the library would try to have them."""
    path = parquet(tmp_path / "r.parquet")
    good = path.read_bytes()
    found, footer = set(), struct.unpack("<I", good[-8:-4])[0]
    many = b"\x80\x80\x80\x80\x80\x80\x20"  # 2^47, since the sign is its last bit
    size = struct.pack("<I", footer + len(many) - 1)
    for place in range(len(good) - 8 - footer, len(good) - 8):
        if good[place] == 4:
            path.write_bytes(good[:place] + many + good[place + 1 : -8] + size + b"PAR1")
            try:
                opened(path)
            except FileError as error:
                found.add(str(error).partition(": ")[2])
    assert any("in its groups of rows; the file is damaged" in text for text in found)
    assert any("values in a group of 2 rows" in text for text in found)
    assert not any("memory" in text for text in found)


def test_a_parquet_file_that_claims_more_than_it_can_hold_is_refused(tmp_path):
    import pyarrow.parquet as pq

    path = parquet(tmp_path / "r.parquet")
    said = pq.read_metadata(path)
    check_claims(path, said, path.stat().st_size)
    with pytest.raises(
        FileError, match=r"column 1 has \d+ bytes at 4, \d+ unpacked, and is 9 bytes"
    ):
        check_claims(path, said, 9)
    with pytest.raises(FileError, match="2 rows in 0 bytes"):
        check_claims(path, said, 0)


def test_levels_that_do_not_fit_a_column_do_not_end_the_process(tmp_path):
    """The library of Parquet aborts where counts of levels are not as many as its type has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "r.parquet"
    optional = pa.schema([("time", pa.float64()), ("x", pa.float64()), ("s", pa.string())])
    columns = {"time": [0.0, 1.0], "x": [2.0, None], "s": ["a", "b"]}
    pq.write_table(pa.table(columns, schema=optional), path, use_dictionary=False)
    good, found = path.read_bytes(), set()
    read_all(path)
    footer = struct.unpack("<I", good[-8:-4])[0]
    places = [k for k in range(len(good) - 8 - footer, len(good) - 8) if good[k] == 2]
    for place, kind in [(place, kind) for place in places for kind in (b"\0", b"\4")]:
        path.write_bytes(good[:place] + kind + good[place + 1 :])  # no value may be missing; lists
        try:
            read_all(path)
        except FileError as error:
            found.add(str(error).partition(": ")[2])
    assert any(re.match(r"column \d counts \d levels of \d; the file is damaged", t) for t in found)


@pytest.mark.parametrize("about", ["7", '{"columns": 1}', '{"columns": [{"name": 1}]}', "{"])
def test_a_mat_file_with_another_list_of_columns_is_refused(tmp_path, about):
    from scipy.io import savemat

    savemat(tmp_path / "r.mat", {"time": np.arange(2.0), "dovetail": about})
    assert "is not a MATLAB file" in refused(tmp_path / "r.mat")


@pytest.mark.parametrize("text", ["time,x\r0,1\r1,2,\x00", "x [0],x\n0,1\n1,2\n", "\r", "t\r\r1"])
def test_odd_text_files_are_read_or_refused(tmp_path, text):
    path = tmp_path / "r.csv"
    path.write_bytes(text.encode())
    for attempt in (dv.load, read_all):
        try:
            attempt(path)
        except dv.DovetailError as error:
            assert str(path) in str(error)


# Archives and their cache -------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(("suffix", "missing"), [(".txt", "nan"), (".csv", "drop")])
def test_two_columns_of_time_are_refused_wherever_they_are_read(tmp_path, suffix, missing):
    """The second one, of text, took the place of the first."""
    path = tmp_path / f"a{suffix}"
    path.write_text("t,time [1],y\n0,1,2\n1,3,3\n2,abc,4\n")
    with pytest.raises(FileError, match="has more than one column 'time'"):
        dv.read(path, missing=missing)


# Excel files ---------------------------------------------------------------------------------

_SHEET = """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>t</t></is></c>
<c r="B1" t="inlineStr"><is><t>x</t></is></c></row>
<row r="2"><c r="A2"><v>0</v></c><c r="B2"><v>1</v></c></row>
<row r="{row}"><c r="A{row}"><v>1</v></c><c r="B{row}"><v>2</v></c></row></sheetData></worksheet>"""


def edited_book(path, edits):
    """An Excel file in which some members are other ones."""
    from openpyxl import Workbook

    plain = io.BytesIO()
    Workbook().save(plain)
    with zipfile.ZipFile(plain) as whole, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in whole.namelist():
            made.writestr(name, edits.pop(name, None) or whole.read(name))
        for name, content in edits.items():
            made.writestr(name, content)
    return path


@pytest.mark.parametrize("row", [3, 5000, 999_999_999_999])
def test_a_row_of_a_sheet_that_lies_where_no_sheet_is_is_refused(tmp_path, row):
    """Rows between are empty ones, of which the reader of the file makes as many as it is told."""
    path = edited_book(tmp_path / "a.xlsx", {"xl/worksheets/sheet1.xml": _SHEET.format(row=row)})
    if row <= 2**20:
        assert [v.name for v in dv.load(path).description.outputs] == ["x"]
        return
    with pytest.raises(FileError, match="has rows beyond 1048576, where Excel ends"):
        dv.load(path)


def test_nor_is_it_waited_for_in_a_result(tmp_path):
    whole = tmp_path / "whole.xlsx"
    dv.simulate(problems.prey_predator_system(), stop=1.0, step=0.5, quiet=True).save(whole)
    with zipfile.ZipFile(whole) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    far = '<row r="999999999999"><c r="A999999999999"><v>1</v></c></row></sheetData>'
    edits = {"xl/worksheets/sheet1.xml": sheet.replace("</sheetData>", far)}
    with zipfile.ZipFile(whole) as archive:
        edits = {name: archive.read(name) for name in archive.namelist()} | edits
    with pytest.raises(FileError, match="has rows beyond 1048576, where Excel ends"):
        dv.read(edited_book(tmp_path / "a.xlsx", edits))


def test_an_excel_file_that_unpacks_to_far_more_is_refused(tmp_path):
    path = edited_book(tmp_path / "a.xlsx", {"xl/unused.xml": b"a" * (65 * 2**20)})
    for opened in (dv.load, dv.read):
        with pytest.raises(FileError, match="as a zip bomb is"):
            opened(path)


@pytest.mark.parametrize("left", [b"", b"another"])
def test_a_library_that_is_not_as_it_was_unpacked_is_unpacked_again(tmp_path, own_cache, left):
    """What a power cut leaves, or somebody else."""
    path = fmu(tmp_path / "a.fmu", binaries__x86_64_linux__m_so=b"library")
    library = next(p for p in Archive.open(path).directory.rglob("*m_so"))
    library.write_bytes(left)
    assert next(p for p in Archive.open(path).directory.rglob("*m_so")).read_bytes() == b"library"


def test_a_folder_without_a_manifest_is_made_again(tmp_path, own_cache):
    path = fmu(tmp_path / "a.fmu", sources__m_c=b"int x;")
    folder = Archive.open(path).directory
    (folder / manifest.NAME).unlink()
    assert (Archive.open(path).directory / manifest.NAME).is_file()


def test_an_fmu_may_write_to_its_resources(tmp_path, own_cache):
    path = fmu(tmp_path / "a.fmu", resources__log=b"a")
    kept = Archive.open(path).resources / "log"
    kept.write_bytes(b"a and more")
    assert (Archive.open(path).resources / "log").read_bytes() == b"a and more"
    kept.write_bytes(b"")  # cut short by the death of the machine
    assert (Archive.open(path).resources / "log").read_bytes() == b"a"


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of Unix")
def test_the_cache_is_for_its_user_alone(tmp_path, own_cache, monkeypatch):
    path = fmu(tmp_path / "a.fmu")
    folder = Archive.open(path).directory
    for place in (own_cache, own_cache / "fmus", folder):
        assert place.stat().st_mode & 0o777 == 0o700
    own_cache.chmod(0o777)
    Archive.open(path)
    assert own_cache.stat().st_mode & 0o777 == 0o700
    (folder / "planted").touch()
    folder.chmod(0o777)  # somebody may have been there
    assert not (Archive.open(path).directory / "planted").exists()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(FileError, match=r"belongs to another user.*set DOVETAIL_CACHE to a folder"):
        Archive.open(path)


def test_a_user_without_a_home_is_told_where_the_cache_can_be(tmp_path, monkeypatch):
    def unknown(*_):
        raise RuntimeError("Could not determine home directory.")

    for name in ("DOVETAIL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(FileError, match=r"there is no home folder.*set DOVETAIL_CACHE"):
        cache.folder()


def test_a_member_without_a_name_is_no_file(tmp_path, own_cache):
    path = fmu(tmp_path / "a.fmu", x=b"content")
    data = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        central = archive.start_dir
    broken = data[:central] + data[central:].replace(struct.pack("<H", 1) + bytes(8), bytes(10), 1)
    path.write_bytes(broken)
    with pytest.raises(FileError):
        Archive.open(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format("", ""))
        archive.writestr(zipfile.ZipInfo(""), b"content")
    Archive.open(path)


def test_a_damaged_lzma_member_is_told(tmp_path, own_cache):
    path = tmp_path / "a.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format("", "") * 20)
    data = bytearray(path.read_bytes())
    place = 30 + len("modelDescription.xml") + 4  # the filter's own settings
    data[place] = 0xFF
    path.write_bytes(data)
    with pytest.raises(FileError, match="damaged") as caught:
        Archive.open(path)
    assert isinstance(caught.value.__cause__, lzma.LZMAError | zipfile.BadZipFile | EOFError)


def test_a_member_that_asks_for_gigabytes_of_dictionary_is_refused(tmp_path, own_cache):
    path = tmp_path / "a.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format("", "") * 20)
    data = bytearray(path.read_bytes())
    place = 30 + len("modelDescription.xml") + 5  # behind version, length and one number
    assert int.from_bytes(data[place : place + 4], "little") == 8 * 2**20  # Python's own
    data[place : place + 4] = (3 * 2**30).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(FileError, match="asks for 3072 MiB of memory to be unpacked"):
        Archive.open(path)


# Small files, large costs -------------------------------------------------------------------


def test_variables_with_too_many_values_together_are_refused(tmp_path):
    """Each of them may be; naming all of them took 90 s and 4.2 GB."""
    outputs = "".join(
        f'<Float64 name="y{k}" valueReference="{k}" causality="output">'
        '<Dimension start="9999999"/></Float64>'
        for k in range(12)
    )
    structure = "".join(f'<Output valueReference="{k}"/>' for k in range(12))
    path = tmp_path / "a.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format(outputs, structure))
    began = process_time()
    with pytest.raises(FileError, match="119999988 values, and 4000000 are the most"):
        _ = dv.Fmu(str(path)).description
    assert process_time() - began < 5


def written(tmp_path):
    path = tmp_path / "c"
    options = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(problems.two_mass_system(), **options) as session:
        session.advance()
        session.checkpoint(path)
    return path


def stored(path, text):
    path.write_bytes(b"dovetail checkpoint %d\n" % FORMAT + zlib.compress(text, 1))
    return path


def test_a_checkpoint_that_unpacks_to_far_more_is_refused(tmp_path):
    path = stored(tmp_path / "c", b'"' + bytes(2**27) + b'"')
    with pytest.raises(FileError, match=r"unpacked it has more than [0-9]+ bytes"):
        Checkpoint.read(path)


def test_a_checkpoint_that_packs_too_well_is_read_all_the_same(tmp_path):
    """A recording of zeros: what is written must be readable."""
    found = Checkpoint.read(written(tmp_path))
    zeros = np.zeros(3_000_000)
    replace(found, recording={"zeros": zeros}).write(tmp_path / "large")
    assert Checkpoint.read(tmp_path / "large").recording["zeros"].shape == zeros.shape


def test_systems_that_hold_ten_systems_that_hold_ten_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(allowance, "MOST_FILES", 100)
    (tmp_path / "m.py").write_text(
        "import dovetail as dv\n"
        "m = dv.Algebraic(inputs=['u'], outputs=['y'], function=lambda t, u, p: [u[0]])\n"
    )
    for k in range(10):
        inner = f"{{system: s{k + 1}.yaml}}" if k < 9 else "{model: m.py:m}"
        parts = "".join(f"  p{j}: {inner}\n" for j in range(10))
        (tmp_path / f"s{k}.yaml").write_text(f"dovetail: 1\nparts:\n{parts}")
    with pytest.raises(FileError, match="come from more than 100 files"):
        dv.open(tmp_path / "s0.yaml")
    assert len(dv.open(tmp_path / "s8.yaml").parts) == 10  # and counting begins anew


def test_an_ssd_whose_systems_name_each_other_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(allowance, "MOST_PARTS", 1000)

    def system(k):
        inner = "".join(f'<Component name="c{j}" source="#s{k + 1}"/>' for j in range(10))
        elements = f"<Elements>{inner}</Elements>" if k < 10 else ""
        return f'<System name="s{k}" id="s{k}">{elements}</System>'

    space = "http://ssp-standard.org/SSP1/SystemStructureDescription"
    whole = "".join(map(system, range(11)))
    (tmp_path / "x.ssd").write_text(
        f'<SystemStructureDescription xmlns="{space}" version="1.0" name="x">'
        f'<System name="root"><Elements>{whole}</Elements></System></SystemStructureDescription>'
    )
    with pytest.raises(FileError, match="more than 1000 parts"):
        dv.open(tmp_path / "x.ssd")


def test_a_log_message_cannot_ask_for_a_thousand_million_digits():
    log = Log("part", 2)
    logger = kernel().dt_logger2
    given = ctypes.c_void_p(log.environment), b"part", 0, b"c"
    began = process_time()
    for message in (b"%.999999999f", b"%999999999d", b"%0000000000999999999d"):
        logger(*given, message, ctypes.c_double(1.5))
    assert process_time() - began < 2  # it took 20 s each
    logger(*given, b"%08d|%.3f", ctypes.c_int(7), ctypes.c_double(1.5))
    messages = log.take()
    log.close()
    assert messages[-1].endswith("00000007|1.500")


@pytest.mark.parametrize("one", [b"%n", b"%s", b"%d", b"%*d", b"%f"])
def test_a_log_message_cannot_ask_for_more_arguments_than_the_stack_has(one):
    """The process died of it."""
    log = Log("part", 2)
    message = one * 60_000
    kernel().dt_logger2(ctypes.c_void_p(log.environment), b"part", 0, b"c", message)
    assert log.take()
    log.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize(
    ("name", "opened"),
    [
        *((f"a{s}", dv.open) for s in (".yaml", ".py", ".msim", ".fmu", ".xml", ".ssd", ".ssp")),
        *((f"a{s}", dv.load) for s in (".csv", ".tsv", ".txt", ".xlsx", ".parquet", ".fmu")),
        ("a.py:m", dv.load),
        *((f"a{s}", dv.read) for s in (".csv", ".parquet", ".arrow", ".h5", ".mat", ".json")),
        *((f"a{s}", dv.read) for s in (".xlsx", ".txt", ".parquet.rows")),
        ("a", Checkpoint.read),
    ],
)
def test_a_pipe_is_not_waited_for(tmp_path, name, opened):
    os.mkfifo(tmp_path / name.removesuffix(":m"))
    with within(10), pytest.raises(FileError, match=r"pipe or a device|there is no such file"):
        opened(str(tmp_path / name))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_completion_does_not_wait_for_a_pipe(tmp_path):
    for suffix in (".yaml", ".msim", ".ssd", ".ssp", ".fmu", ".py", ".csv", ".parquet"):
        path = tmp_path / f"a{suffix}"
        os.mkfifo(path)
        with within(10):
            with suppress(Exception):
                assert parts_of(path) == {}
            with suppress(Exception):
                assert names_in(path) == []


def test_completion_looks_only_so_deep(tmp_path):
    for k in range(9):
        parts = "".join(f"  p{j}: {{system: s{k + 1}.yaml}}\n" for j in range(10))
        (tmp_path / f"s{k}.yaml").write_text(f"dovetail: 1\nparts:\n{parts}")
    with within(60):  # it took for ever
        assert len(parts_of(tmp_path / "s0.yaml")) == 10


# Names and values ---------------------------------------------------------------------------


@pytest.mark.parametrize("opened", [dv.open, dv.load, dv.read])
@pytest.mark.parametrize("suffix", [".yaml", ".msim", ".fmu", ".csv", ".parquet", ".ssp", ".xml"])
@pytest.mark.parametrize("stem", ["a" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_told(tmp_path, opened, suffix, stem):
    with pytest.raises(dv.DovetailError):
        opened(str(tmp_path / f"{stem}{suffix}"))


@pytest.mark.parametrize("path", ["a\0b.fmu", "a\0b.csv", f"{'a' * 300}.fmu", f"{'a' * 300}.csv"])
def test_a_project_may_name_any_nonsense(tmp_path, path):
    (tmp_path / "x.msim").write_text(f'tEnd 1 s\nsimulator 0 0 p #ffffff "{path}"\n')
    with pytest.raises(dv.DovetailError):
        dv.open(tmp_path / "x.msim")


def test_a_factor_that_is_no_number_is_told(tmp_path):
    space = "http://opensimulationplatform.com/MSMI/OSPSystemStructure"
    (tmp_path / "OspSystemStructure.xml").write_text(
        f'<OspSystemStructure xmlns="{space}" version="0.1"><Simulators/><Functions>'
        '<LinearTransformation name="f" factor="x"/></Functions></OspSystemStructure>'
    )
    with pytest.raises(dv.DovetailError, match="x"):
        dv.open(tmp_path / "OspSystemStructure.xml")


# Checkpoints --------------------------------------------------------------------------------


def test_a_checkpoint_of_brackets_is_refused(tmp_path):
    for text in (b"[" * 200_000, b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 200_000):
        with pytest.raises(FileError, match="the checkpoint is damaged"):
            Checkpoint.read(stored(tmp_path / "c", text))


@pytest.mark.parametrize(
    "name", ["__main__", "dovetail.__main__", "dovetail.fmi.model:Fmu", "fmi.model:Fmu", "os"]
)
def test_a_checkpoint_can_name_only_what_is_listed(tmp_path, name):
    plain = {"$": "class", "name": name, "fields": {"path": "x.fmu"}}
    with pytest.raises(FileError, match="there is no class"):
        Checkpoint.read(stored(tmp_path / "c", json.dumps(plain).encode()))


def places(tree):
    keys = range(len(tree)) if isinstance(tree, list) else tree if isinstance(tree, dict) else ()
    for key in keys:
        yield tree, key
        yield from places(tree[key])


def test_wrong_values_anywhere_in_a_checkpoint_are_refused_in_a_sentence(tmp_path):
    """One value after the other becomes another one that is well-formed, and the run goes on."""
    path = written(tmp_path)
    text = zlib.decompress(path.read_bytes().partition(b"\n")[2])
    options = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    system = problems.two_mass_system()
    array = {"$": "array", "type": "<f8", "shape": [1], "data": "AAAAAAAAAAA="}
    wrong = [None, "x", array, {"$": "tuple", "items": [1]}, {"$": "map", "items": []}]
    count = len(list(places(json.loads(text))))
    assert count > 200  # as many places as a checkpoint has
    for k in range(count):
        tree = json.loads(text)
        holder, key = list(places(tree))[k]
        holder[key] = wrong[k % len(wrong)]
        stored(path, json.dumps(tree).encode())
        try:
            with dv.Session(system, resume=path, **options) as session:
                session.run()
        except dv.DovetailError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda c: replace(c, grid=replace(c.grid, size=0.0)), "no place in time"),
        (lambda c: replace(c, grid=replace(c.grid, origin=np.nan)), "no place in time"),
        (lambda c: replace(c, position=replace(c.position, time=np.nan)), "no place in time"),
        (lambda c: replace(c, witness=(*c.witness[:9], "x", c.witness[10])), "not as they were"),
    ],
)
def test_values_that_have_no_place_are_laid_to_the_checkpoint(tmp_path, wrong, said):
    path = written(tmp_path)
    wrong(Checkpoint.read(path)).write(path)
    options = {"stop": 1.0, "controller": dv.FixedStep(0.1), "quiet": True}
    with pytest.raises(dv.OptionError, match=f"does not fit this run.*{said}"):
        dv.Session(problems.two_mass_system(), resume=path, **options)


def test_what_an_algorithm_misses_in_the_first_window_is_laid_to_the_checkpoint(tmp_path):
    path = tmp_path / "c"
    options = {"stop": 1.0, "controller": dv.FixedStep(0.1)}
    options["algorithm"] = dv.Newton(inputs="hermite")
    with dv.Session(problems.two_mass_system(), quiet=True, **options) as session:
        session.advance()
        session.checkpoint(path)
    found = Checkpoint.read(path)
    outputs = replace(found.position.outputs, derivatives=None)  # that cubic inputs need
    replace(found, position=replace(found.position, outputs=outputs)).write(path)
    session = dv.Session(problems.two_mass_system(), quiet=True, resume=path, **options)
    with session, pytest.raises(dv.OptionError, match="fit this run: its values are not as"):
        session.advance()


@pytest.mark.parametrize(
    ("value", "example", "like"),
    [
        (np.zeros(2), np.ones(2), True),
        (np.zeros(3), np.ones(2), False),
        ([0.0, 0.0], np.ones(2), False),
        ((1, np.zeros(1)), (2.5, np.zeros(1)), True),
        ((1,), (2.5, np.zeros(1)), False),
        (True, 1, False),
        ("x", 1.0, False),
        ({"a": 1}, {}, True),
        ([], {}, False),
        ("anything", None, True),
    ],
)
def test_what_is_built_like_an_example(value, example, like):
    assert is_like(value, example) is like
