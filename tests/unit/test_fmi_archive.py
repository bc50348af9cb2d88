"""FMUs are unpacked once and safely, found for this machine, or built from their sources."""

from __future__ import annotations

import ctypes
import errno
import multiprocessing
import os
import shutil
import signal
import stat
import struct
import sys
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dovetail.core.errors import FileError
from dovetail.fmi import description as schema
from dovetail.fmi.archive import headers, platforms
from dovetail.fmi.archive.archive import Archive
from dovetail.fmi.archive.build import built
from dovetail.fmi.archive.platforms import Platform
from dovetail.fmi.description import describe, rules
from dovetail.xml import cache, extraction

DATA = Path(__file__).parents[1] / "data" / "fmi"
HERE = Platform.here()
DESCRIPTION = {"modelDescription.xml": (DATA / "engine2.xml").read_bytes()}
compiler = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("c++") is None, reason="no compiler"
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cache"
    monkeypatch.setenv("DOVETAIL_CACHE", str(place))
    return place


def zipped(path: Path, files: Mapping[str, bytes | str] = DESCRIPTION) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def folder(path: Path, files: Mapping[str, bytes | str]) -> Path:
    for name, content in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        Archive.open(path)
    assert not list(path.parent.rglob("*.partial"))
    return str(caught.value)


# Unpacking ---------------------------------------------------------------------------------


def test_an_archive_is_unpacked_into_the_cache(tmp_path: Path, own_cache: Path) -> None:
    files = {**DESCRIPTION, "resources/deep/er.txt": b"data", "empty/": b""}
    archive = Archive.open(zipped(tmp_path / "engine.fmu", files))
    assert archive.name == "engine" and archive.notes == ()
    assert archive.directory.is_relative_to(own_cache)
    assert (archive.directory / "resources" / "deep" / "er.txt").read_bytes() == b"data"


@pytest.mark.parametrize("entry", ["resources/", "resources\\"])
def test_a_folder_without_files_is_there_when_an_fmu_looks_for_it(
    tmp_path: Path, entry: str
) -> None:
    """JModelica's FMUs make no instance where the folder of their resources does not exist."""
    files = {**DESCRIPTION, entry: b"", "a/b/": b"", "same": b"x", "same/": b""}
    archive = Archive.open(zipped(tmp_path / "engine.fmu", files))
    assert archive.resources.is_dir() and (archive.directory / "a" / "b").is_dir()
    assert (archive.directory / "same").is_file()


def test_it_is_unpacked_once_however_it_is_named(tmp_path: Path) -> None:
    first = Archive.open(zipped(tmp_path / "a.fmu"))
    before = (first.directory / "modelDescription.xml").stat().st_mtime_ns
    shutil.copy(tmp_path / "a.fmu", tmp_path / "b.fmu")
    second = Archive.open(tmp_path / "b.fmu")
    assert second.directory == first.directory
    assert (second.directory / "modelDescription.xml").stat().st_mtime_ns == before


def test_another_content_is_another_folder(tmp_path: Path) -> None:
    first = Archive.open(zipped(tmp_path / "a.fmu"))
    second = Archive.open(zipped(tmp_path / "a.fmu", {**DESCRIPTION, "extra/x": b"1"}))
    assert second.directory != first.directory


@pytest.mark.parametrize("name", ["with space.fmu", "größe ∂.fmu", "名.fmu"])
def test_any_path_will_do(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "a cache for größe"))
    files = {**DESCRIPTION, "resources/größe 1.txt": b"x"}
    archive = Archive.open(zipped(tmp_path / name, files))
    assert archive.name == Path(name).stem
    assert (archive.directory / "resources" / "größe 1.txt").exists()


def test_names_in_utf_8_without_the_flag_are_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "resources/gr__e.txt": b""})
    content = path.read_bytes().replace(b"gr__e.txt", "gr\u00fce.txt".encode())
    path.write_bytes(content)
    assert (Archive.open(path).resources / "grüe.txt").exists()


def test_backslashes_separate_and_are_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "resources\\in\\x.txt": b"", "empty\\": b""})
    archive = Archive.open(path)
    assert (archive.resources / "in" / "x.txt").exists()
    assert "'\\'" in archive.notes[0]
    assert schema.read(archive).leniencies == archive.notes


def test_what_was_executable_stays_so(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu")
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("resources/run.sh")
        info.external_attr = (stat.S_IFREG | 0o755) << 16
        archive.writestr(info, "#!/bin/sh\n")
    unpacked = Archive.open(path)
    assert os.access(unpacked.resources / "run.sh", os.X_OK)


def test_a_folder_is_used_as_it_is(tmp_path: Path, own_cache: Path) -> None:
    place = folder(tmp_path / "engine", DESCRIPTION)
    assert Archive.open(place).directory == place.resolve()
    assert Archive.open(place).name == "engine"
    archive = Archive.open(tmp_path / "missing.fmu", unpacked=place)
    assert (archive.name, archive.directory) == ("missing", place.resolve())
    assert not own_cache.exists()


def test_an_interrupted_extraction_is_never_used(tmp_path: Path, own_cache: Path) -> None:
    path = zipped(tmp_path / "a.fmu")
    half = own_cache / "fmus" / "left.partial"
    folder(half, {"modelDescription.xml": "<broken"})
    archive = Archive.open(path)
    assert archive.directory != half and half.exists()  # it may be at work still
    long_ago = time.time() - 7 * 24 * 3600
    os.utime(half, (long_ago, long_ago))
    Archive.open(zipped(tmp_path / "b.fmu", {**DESCRIPTION, "x": b""}))
    assert not half.exists()


def test_a_failed_extraction_leaves_nothing(tmp_path: Path, own_cache: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "a": os.urandom(3000)})
    content = bytearray(path.read_bytes())
    content[-2000] ^= 0xFF
    path.write_bytes(content)
    assert "damaged" in refused(path)
    assert list((own_cache / "fmus").iterdir()) == []


def _open(path: str) -> str:
    return str(Archive.open(path).directory)


def test_several_processes_may_unpack_at_once(tmp_path: Path, own_cache: Path) -> None:
    files = {**DESCRIPTION, **{f"resources/{k}": os.urandom(2000) for k in range(200)}}
    path = zipped(tmp_path / "a.fmu", files)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        found = pool.map(_open, [str(path)] * 8, chunksize=1)
    assert len(set(found)) == 1
    assert [p.name for p in (own_cache / "fmus").iterdir()] == [Path(found[0]).name]
    assert len(list(Path(found[0]).rglob("*"))) == 203  # all of it, a folder, and the manifest


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOVETAIL_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/tmp/elsewhere")
    assert cache.folder() == Path("/tmp/elsewhere/dovetail")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, so it does not count")
    assert cache.folder() == Path.home() / ".cache" / "dovetail"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache.folder() == Path.home() / "Library" / "Caches" / "dovetail"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert cache.folder() == Path("/local/dovetail")


def test_a_cache_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "file"))
    assert "set DOVETAIL_CACHE to another folder" in refused(zipped(tmp_path / "a.fmu"))


# What is refused ---------------------------------------------------------------------------


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refused(tmp_path / "none.fmu")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty"),
        (b"hello, I am no archive", "not a zip archive"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        (b"PK\x03\x04 and then nothing", "damaged or cut short"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "a.fmu"
    path.write_bytes(content)
    assert what in refused(path)


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.99])
def test_a_truncated_archive_is_refused(tmp_path: Path, kept: float) -> None:
    path = zipped(tmp_path / "a.fmu")
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    assert "damaged or cut short" in refused(path)


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "resources/../../evil.txt",
        "/etc/evil.txt",
        "//server/evil.txt",
        "C:/evil.txt",
        "C:evil.txt",
        "..\\evil.txt",
        "resources\\..\\..\\evil.txt",
        "\\evil.txt",
        "resources/C:\\evil.txt",
    ],
)
def test_paths_that_lead_outside_are_refused(tmp_path: Path, own_cache: Path, name: str) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, name: b"evil"})
    assert "leads outside" in refused(path)
    assert not list(tmp_path.rglob("evil*")) and not own_cache.exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_special_files_are_refused(tmp_path: Path, kind: int) -> None:
    path = zipped(tmp_path / "a.fmu")
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("resources/link")
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert "'resources/link' is a link or a special file" in refused(path)


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu")
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1
    path.write_bytes(content)
    assert "is encrypted" in refused(path)


def test_unknown_compression_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu")
    content = bytearray(path.read_bytes())
    for sign, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", content, content.index(sign) + place, 97)
    path.write_bytes(content)
    assert "zip it again" in refused(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_different_files_of_one_name_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION["modelDescription.xml"])
    assert Archive.open(path).name == "a"  # twice the same is no matter
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("./modelDescription.xml", b"another")
    assert "two different files 'modelDescription.xml'" in refused(path)


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "a": b"file", "a/b": b"in a folder"})
    assert "'a' in it is a file and a folder at once" in refused(path)


def test_a_pipe_is_refused_instead_of_awaited(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.fmu")
    assert "this is a pipe or a device, not a file" in refused(tmp_path / "a.fmu")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("resources/" + "n" * 300, "...' cannot be written: File name too long; zip it with short"),
        ("resources/a\x1b[31mb/../..", "the path 'resources/a?[31mb/../..' in it leads outside"),
    ],
)
def test_strange_names_are_told_so_that_they_can_be_read(
    tmp_path: Path, name: str, what: str
) -> None:
    message = refused(zipped(tmp_path / "a.fmu", {**DESCRIPTION, name: b"x"}))
    assert what in message and len(message) < len(str(tmp_path)) + 300


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits there")
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, own_cache: Path) -> None:
    """A limit on the size of files stands for it: writing fails in the middle of a file."""
    import resource

    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "resources/x": bytes(range(256)) * 4096})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    usual = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, before[1]))
    try:
        message = refused(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, usual)
    assert "'resources/x' cannot be written: File too large; make room, or set DOV" in message
    assert not list((own_cache / "fmus").iterdir())


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "zeros": bytes(100 * 2**20)})
    assert "as a zip bomb is" in refused(path)


def test_a_small_file_of_zeros_is_no_bomb(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "zeros": bytes(2**24)})
    assert (Archive.open(path).directory / "zeros").stat().st_size == 2**24


@pytest.mark.parametrize(
    ("limit", "value", "what"),
    [("LARGEST_TOTAL", 10, "unpacked it would take"), ("MOST_MEMBERS", 0, "it holds 1 files")],
)
def test_absurd_sizes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, what: str
) -> None:
    monkeypatch.setattr(extraction, limit, value)
    assert what in refused(zipped(tmp_path / "a.fmu"))


def test_a_lie_about_the_size_does_not_help(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "zeros": bytes(2**20)})
    content = bytearray(path.read_bytes())
    central = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, central + 24, 100)
    path.write_bytes(content)
    assert "damaged" in refused(path)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"readme.txt": b""}, "it holds no modelDescription.xml, so it is not an FMU"),
        ({"engine/modelDescription.xml": b""}, "zip the files of the FMU, not a folder around"),
        (
            {"ModelDescription.xml": b""},
            "it holds 'ModelDescription.xml', but no modelDescription.xml; rename it",
        ),
        ({}, "it holds no modelDescription.xml"),
    ],
)
def test_an_archive_without_description_is_refused(
    tmp_path: Path, files: dict[str, bytes], what: str
) -> None:
    assert what in refused(zipped(tmp_path / "a.fmu", files))


def test_a_folder_that_holds_no_fmu_is_refused(tmp_path: Path) -> None:
    assert "holds no modelDescription.xml" in refused(folder(tmp_path / "x", {"y": b""}))
    with pytest.raises(FileError, match="no such folder"):
        Archive.open(tmp_path / "a.fmu", unpacked=tmp_path / "none")


def test_messages_name_the_file_the_user_gave(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.fmu", {"modelDescription.xml": b"<oops"})
    with pytest.raises(FileError) as caught:
        schema.read(Archive.open(path))
    assert str(caught.value).startswith(f"{path / 'modelDescription.xml'}: line 1: ")


@pytest.mark.parametrize("gone", ["modelDescription.xml", "resources/x"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, own_cache: Path, gone: str) -> None:
    path = zipped(tmp_path / "a.fmu", {**DESCRIPTION, "resources/x": b"table"})
    (Archive.open(path).directory / gone).unlink()
    assert (Archive.open(path).directory / gone).is_file()
    assert len(list((own_cache / "fmus").iterdir())) == 1


def test_a_damaged_cache_that_cannot_be_made_anew_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "a.fmu")
    (Archive.open(path).directory / "modelDescription.xml").unlink()
    monkeypatch.setattr(cache, "_put_away", lambda target: None)
    monkeypatch.setattr(Path, "rename", _refuse)
    told = "this folder of the cache is not as it was made, and cannot be made anew; delete it"
    assert told in refused(path)


def _refuse(*_: object) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_archive_is_read_or_refused_but_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    place = tmp_path_factory.mktemp("damaged")
    path = zipped(place / "a.fmu", {**DESCRIPTION, "resources/x": b"some text " * 20})
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        spot = data.draw(st.integers(0, len(content) - 1))
        content[spot] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        archive = Archive.open(path)
    except FileError:
        return
    assert (archive.directory / "modelDescription.xml").is_file()
    assert not (place / "x").exists()


# What is where -----------------------------------------------------------------------------


def test_resources_are_told_in_the_words_of_each_version(tmp_path: Path) -> None:
    archive = Archive.open(folder(tmp_path / "größe 1", {**DESCRIPTION, "resources/x": b""}))
    one, two = archive.resource_uri("1.0"), archive.resource_uri("2.0")
    assert one.startswith("file:///") and one.isascii() and " " not in one
    assert url2pathname(unquote(urlparse(one).path)) == str(archive.directory)
    assert two == f"{one}/resources"
    assert archive.resource_path == str(archive.directory / "resources") + os.sep


def test_without_resources_fmi_2_is_told_of_an_empty_folder(tmp_path: Path) -> None:
    archive = Archive.open(folder(tmp_path, DESCRIPTION))
    told = archive.resource_uri("2.0")
    place = Path(url2pathname(unquote(urlparse(told).path)))
    assert place == archive.resources and place.is_dir() and not any(place.iterdir())
    assert archive.resource_uri("2.0") == told


def test_a_folder_that_must_not_be_written_is_left_alone(tmp_path: Path) -> None:
    place = folder(tmp_path, DESCRIPTION)
    (place / "resources").write_text("in the way")
    assert Archive.open(place).resource_uri("2.0").endswith("/resources")
    assert (place / "resources").is_file()


def test_without_resources_fmi_3_is_told_nothing(tmp_path: Path) -> None:
    assert Archive.open(folder(tmp_path, DESCRIPTION)).resource_path is None


def with_binaries(tmp_path: Path, *names: str) -> Archive:
    files = {f"binaries/{name}": b"" for name in names}
    return Archive.open(folder(tmp_path / "fmu", {**DESCRIPTION, **files}))


def usual(version: str) -> str:
    return HERE.folders(version)[0]


@pytest.mark.parametrize("version", ["1.0", "2.0", "3.0"])
def test_the_binary_for_this_machine_is_found(tmp_path: Path, version: str) -> None:
    name = f"{usual(version)}/engine{HERE.suffix}"
    archive = with_binaries(tmp_path, name, f"{usual(version)}/other{HERE.suffix}", "vax/engine.so")
    found = archive.binary("engine", version)
    assert found is not None and found.note == ""
    assert found.path == archive.directory / "binaries" / name
    assert os.fspath(found) == str(found.path)
    assert archive.platforms() == tuple(sorted(["vax", usual(version)]))


@pytest.mark.parametrize("name", ["strange", "libengine", "Engine"])
def test_a_library_of_another_name_is_accepted_with_a_note(tmp_path: Path, name: str) -> None:
    others = [] if name == "strange" else [f"{usual('2.0')}/more{HERE.suffix}"]
    archive = with_binaries(tmp_path, f"{usual('2.0')}/{name}{HERE.suffix}", *others)
    found = archive.binary("engine", "2.0")
    assert found is not None and found.path.stem == name
    assert f"'{name}{HERE.suffix}', not 'engine{HERE.suffix}'" in found.note


def test_among_several_strangers_none_is_chosen(tmp_path: Path) -> None:
    archive = with_binaries(
        tmp_path, f"{usual('2.0')}/a{HERE.suffix}", f"{usual('2.0')}/b{HERE.suffix}"
    )
    assert archive.binary("engine", "2.0") is None
    found = rules.check(schema.read(archive), archive)
    assert any("no library of the name 'engine_cs'" in str(finding) for finding in found)


@pytest.mark.skipif(len(HERE.folders("2.0")) == 1, reason="one name for all versions")
def test_the_folder_of_another_version_will_do(tmp_path: Path) -> None:
    first, second = HERE.folders("3.0")
    found = with_binaries(tmp_path, f"{second}/engine{HERE.suffix}").binary("engine", "3.0")
    assert found is not None and f"'{second}' instead of '{first}'" in found.note


def test_without_binary_there_is_none(tmp_path: Path) -> None:
    archive = with_binaries(tmp_path)
    assert archive.binary("engine", "2.0") is None
    assert archive.platforms() == () and archive.sources() == ()
    found = rules.check(schema.read(archive), archive)
    assert any("neither binaries nor sources" in str(finding) for finding in found)
    told = "\n".join(describe.lines(schema.read(archive), archive))
    assert "has no binary for this machine, and no sources" in told


@pytest.mark.parametrize(
    ("system", "machine", "width", "version", "folders"),
    [
        ("linux", "x86_64", 8, "2.0", ("linux64", "x86_64-linux")),
        ("linux", "x86_64", 8, "3.0", ("x86_64-linux", "linux64")),
        ("linux", "x86_64", 4, "1.0", ("linux32", "x86-linux")),
        ("linux", "aarch64", 8, "2.0", ("aarch64-linux",)),
        ("win32", "AMD64", 8, "2.0", ("win64", "x86_64-windows")),
        ("win32", "AMD64", 4, "2.0", ("win32", "x86-windows")),
        ("darwin", "x86_64", 8, "1.0", ("darwin64", "x86_64-darwin")),
        ("darwin", "arm64", 8, "2.0", ("aarch64-darwin", "darwin64")),
        ("darwin", "arm64", 8, "3.0", ("aarch64-darwin", "darwin64")),
    ],
)
def test_machines_have_the_names_of_the_standard(
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    machine: str,
    width: int,
    version: str,
    folders: tuple[str, ...],
) -> None:
    monkeypatch.setattr(platforms.sys, "platform", system)
    monkeypatch.setattr(platforms.platform, "machine", lambda: machine)
    monkeypatch.setattr(platforms.struct, "calcsize", lambda _: width)
    assert Platform.here().folders(version) == folders
    suffixes = {"linux": ".so", "win32": ".dll", "darwin": ".dylib"}
    assert Platform.here().suffix == suffixes[system]


# Building ----------------------------------------------------------------------------------

VERSION_2 = '#include "fmi2Functions.h"\nconst char *fmi2GetVersion(void) { return fmi2Version; }\n'
ANSWER = '#include "answer.h"\nFMI2_Export int answer(void) { return helper() + ANSWER; }\n'
BUILD = """<?xml version="1.0"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="engine_cs" platform="vax-vms">
    <SourceFileSet><SourceFile name="missing.c"/></SourceFileSet>
  </BuildConfiguration>
  <BuildConfiguration modelIdentifier="engine_cs">
    <SourceFileSet language="C99" compilerOptions="-fno-math-errno -fplugin=evil.so -O1">
      <SourceFile name="sub\\answer.c"/>
      <SourceFile name="version.c"/>
      <PreprocessorDefinition name="ANSWER" value="41"/>
      <PreprocessorDefinition name="BREAK" optional="true"/>
      <IncludeDirectory name="include"/>
    </SourceFileSet>
    <SourceFileSet language="C++11"><SourceFile name="helper.cpp"/></SourceFileSet>
    <Library name="pthread" external="true"/>
  </BuildConfiguration>
</fmiBuildDescription>
"""
SOURCES = {
    "sources/buildDescription.xml": BUILD,
    "sources/sub/answer.c": ANSWER + "#ifdef BREAK\n#error no\n#endif\n",
    "sources/version.c": "#define FMI2_FUNCTION_PREFIX engine_\n" + VERSION_2,
    "sources/include/answer.h": '#include "fmi2Functions.h"\nint helper(void);\n',
    "sources/helper.cpp": 'extern "C" int helper(void) { auto one = 1; return one; }\n',
}


def make(tmp_path: Path, files: Mapping[str, bytes | str]) -> tuple[Archive, schema.FmuDescription]:
    archive = Archive.open(folder(tmp_path / "a source fmu", {**DESCRIPTION, **files}))
    return archive, schema.read(archive)


def build_error(tmp_path: Path, files: Mapping[str, bytes | str]) -> str:
    archive, fmu = make(tmp_path, files)
    with pytest.raises(FileError) as caught:
        built(archive, fmu, fmu.interfaces[0])
    return str(caught.value)


@compiler
def test_an_fmu_is_built_from_its_build_description(tmp_path: Path, own_cache: Path) -> None:
    archive, fmu = make(tmp_path, SOURCES)
    found = built(archive, fmu, fmu.interfaces[0])
    assert found.path.name == f"engine_cs{HERE.suffix}" and found.path.is_relative_to(own_cache)
    assert "compiled from its sources" in found.note and "-fplugin=evil.so" in found.note
    library = ctypes.CDLL(str(found.path))
    library.fmi2GetVersion.restype = ctypes.c_char_p
    assert library.answer() == 42 and library.fmi2GetVersion() == b"2.0"
    assert "but sources to make one from" in "\n".join(describe.lines(fmu, archive))


@compiler
def test_it_is_built_once_and_again_when_the_sources_change(tmp_path: Path) -> None:
    archive, fmu = make(tmp_path, SOURCES)
    first = built(archive, fmu, fmu.interfaces[0])
    before = first.path.stat().st_mtime_ns
    assert built(archive, fmu, fmu.interfaces[0]) == first
    assert first.path.stat().st_mtime_ns == before
    (archive.directory / "sources" / "include" / "answer.h").write_text(
        '#include "fmi2Functions.h"\nint helper(void);\n#undef ANSWER\n#define ANSWER 6\n'
    )
    second = built(archive, fmu, fmu.interfaces[0])
    assert second.path != first.path and ctypes.CDLL(str(second.path)).answer() == 7


@compiler
def test_files_of_two_languages_may_stand_in_one_set(tmp_path: Path) -> None:
    """C++ would take `class` for a word of its own, C knows no `auto` of that kind."""
    files = {
        "sources/all.c": "int helper(void);\nint answer(void) { int class = 41; "
        "return class + helper(); }\n",
        "sources/helper.cpp": SOURCES["sources/helper.cpp"],
        "sources/buildDescription.xml": "<fmiBuildDescription><BuildConfiguration><SourceFileSet>"
        '<SourceFile name="all.c"/><SourceFile name="helper.cpp"/>'
        "</SourceFileSet></BuildConfiguration></fmiBuildDescription>",
    }
    archive, fmu = make(tmp_path, files)
    assert ctypes.CDLL(str(built(archive, fmu, fmu.interfaces[0]).path)).answer() == 42


@compiler
def test_an_fmu_is_built_from_the_source_files_it_lists(tmp_path: Path) -> None:
    archive, fmu = make(tmp_path, {"sources/all.c": VERSION_2})
    library = ctypes.CDLL(str(built(archive, fmu, fmu.interfaces[0]).path))
    library.fmi2GetVersion.restype = ctypes.c_char_p
    assert library.fmi2GetVersion() == b"2.0"


OLD_HEADER = """
#ifdef FMI2_FUNCTION_PREFIX
#define fmi2Paste(a, b) a##b
#define fmi2PasteB(a, b) fmi2Paste(a, b)
#define fmi2FullName(name) fmi2PasteB(FMI2_FUNCTION_PREFIX, name)
#else
#define fmi2FullName(name) name
#endif
#define fmi2GetVersion fmi2FullName(fmi2GetVersion)
#define fmi2Version "2.0"
"""


@compiler
def test_functions_have_plain_names_with_headers_of_their_own_too(tmp_path: Path) -> None:
    prefix = "#ifndef FMI2_FUNCTION_PREFIX\n#define FMI2_FUNCTION_PREFIX engine_\n#endif\n"
    files = {"sources/all.c": prefix + VERSION_2, "sources/fmi2Functions.h": OLD_HEADER}
    archive, fmu = make(tmp_path, files)
    assert hasattr(ctypes.CDLL(str(built(archive, fmu, fmu.interfaces[0]).path)), "fmi2GetVersion")


@compiler
@pytest.mark.parametrize("suffix", [".c", ".cpp"])
@pytest.mark.parametrize("version", ["2", "3"])
def test_the_headers_of_fmi_can_be_included(tmp_path: Path, version: str, suffix: str) -> None:
    text = "".join(f'#include "{p.name}"\n' for p in headers.folder().glob(f"fmi{version}*.h"))
    step = f"fmi{version}DoStepTYPE *step = 0;\n"
    files = {
        f"sources/all{suffix}": text + step,
        "sources/buildDescription.xml": "<fmiBuildDescription><BuildConfiguration><SourceFileSet>"
        f'<SourceFile name="all{suffix}"/>'
        "</SourceFileSet></BuildConfiguration></fmiBuildDescription>",
    }
    archive, fmu = make(tmp_path, files)
    assert built(archive, fmu, fmu.interfaces[0]).path.exists()


@compiler
def test_a_failure_tells_the_first_error_of_the_compiler(tmp_path: Path) -> None:
    told = build_error(tmp_path, {"sources/all.c": "int a;\nint b = c;\n"})
    assert "sources/all.c:2:9: error: 'c' undeclared" in told.replace("\u2018", "'").replace(
        "\u2019", "'"
    )
    assert "ask for a binary for this machine" in told


@compiler
@pytest.mark.skipif(HERE.system != "linux", reason="linkers elsewhere do so by themselves or not")
def test_a_missing_function_is_told_when_it_is_built(tmp_path: Path) -> None:
    told = build_error(tmp_path, {"sources/all.c": "int f(void);\nint g(void) { return f(); }\n"})
    assert "its sources cannot be compiled" in told and "undefined reference" in told


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("helper.cpp", "../../evil.c", "leads outside"),
        ("helper.cpp", "/etc/passwd", "leads outside"),
        ("helper.cpp", "..\\..\\evil.c", "leads outside"),
        ("helper.cpp", "gone.cpp", "which is not there"),
        ('<IncludeDirectory name="include"', '<IncludeDirectory name="../.."', "leads outside"),
        ('name="ANSWER"', 'name="A -include x"', "cannot be defined"),
        ('name="pthread" external="true"', 'name="-o/x" external="true"', "is not a library n"),
        ('name="pthread" external="true"', 'name="tail"', "the library 'tail' that it needs"),
        ('"engine_cs"', '"other"', ""),
        ("<fmiBuildDescription", "<oops", "not valid XML"),
        ('modelIdentifier="engine_cs">', 'modelIdentifier="x" platform="y">', "how to build"),
    ],
)
@compiler
def test_a_hostile_or_wrong_build_description_is_refused(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    assert old in BUILD
    files = {**SOURCES, "sources/buildDescription.xml": BUILD.replace(old, new)}
    if what:
        assert what in build_error(tmp_path, files)
    else:  # the only one there is must be meant
        archive, fmu = make(tmp_path, files)
        assert built(archive, fmu, fmu.interfaces[0]).path.exists()


def test_without_a_build_description_nothing_is_built(tmp_path: Path) -> None:
    archive, fmu = make(tmp_path, {"binaries/vax/x.so": b""})
    said = rf"it has binaries for vax, but none for this machine \({HERE}\), and the FMU does not"
    with pytest.raises(FileError, match=f"{said} say how to make one; export it for {HERE}"):
        built(archive, fmu, fmu.interfaces[1])
    fmu = schema.read(DATA / "engine1.xml")
    with pytest.raises(FileError, match="FMI 1 does not say how to make one"):
        built(archive, fmu, fmu.interfaces[0])


def test_the_platform_comes_before_sources_that_are_missing(tmp_path: Path) -> None:
    """An FMU for Windows whose sources were left out: what it lacks is a binary, not a file."""
    files = {"binaries/win64/engine_cs.dll": b"", "sources/buildDescription.xml": BUILD}
    assert build_error(tmp_path, files).partition(": ")[2] == (
        f"it has binaries for win64, but none for this machine ({HERE}), and cannot be compiled: "
        f"it lists the source 'sub\\answer.c', which is not there; export it for {HERE}"
    )


def test_a_missing_compiler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O3")
    told = build_error(tmp_path, {"sources/all.c": VERSION_2})
    assert "the compiler 'no-such-compiler' of CC is not there" in told
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("dovetail.fmi.archive.build.find_spec", lambda _: None)
    told = build_error(tmp_path, {"sources/all.c": VERSION_2})
    assert "no C compiler was found; install gcc or clang, or set CC" in told
