"""Windows and macOS, as far as they can be told from Linux."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dovetail.core.errors import FileError
from dovetail.fmi.calls.remedies import remedy
from dovetail.results.files import runfiles


@pytest.mark.parametrize(
    ("system", "kernel", "cache"),
    [
        ("win32", "_kernel.dll", "here/local/dovetail"),
        ("darwin", "_kernel.dylib", "here/Library/Caches/dovetail"),
    ],
)
def test_every_module_is_imported_where_there_is_no_posix(system, kernel, cache, tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path / "here")}
    environment |= {"LOCALAPPDATA": str(tmp_path / "here" / "local")}
    for name in ("DOVETAIL_CACHE", "DOVETAIL_KERNEL"):
        environment.pop(name, None)
    script = Path(__file__).with_name("other_system.py")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, system],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["modules"] > 400 and seen["missing"] == []
    assert seen["kernel"] == kernel
    assert seen["suffix"] == Path(kernel).suffix
    assert seen["cache"] == (tmp_path / cache).as_posix()
    assert not seen["loaded"]  # there is none beside the one of this machine
    [noted] = seen["noted"]
    assert "FMUs are stepped from Python: the same results, slower" in noted
    assert seen["threads"] >= 1


@pytest.mark.parametrize(
    ("reason", "way_out"),
    [
        ("[WinError 193] %1 is not a valid Win32 application", "built for another machine"),
        (
            "Could not find module 'C:\\fmu\\a.dll' (or one of its dependencies).",
            "it may need other libraries, often those of Microsoft Visual C++",
        ),
        (
            "dlopen(a.dylib, 2): Library not loaded: @rpath/libgfortran.5.dylib\n  Reason: ...",
            "install the library '@rpath/libgfortran.5.dylib' that it needs",
        ),
        (
            "dlopen(a.dylib, 6): tried: 'a.dylib' (mach-o file, but is an incompatible "
            "architecture (have 'x86_64', need 'arm64'))",
            "built for another machine",
        ),
        ("code signature in a.dylib not valid for use in process", "macOS does not trust it"),
    ],
)
def test_a_library_that_cannot_be_loaded_there_has_a_way_out(reason, way_out):
    assert way_out in remedy(reason)


def test_recordings_are_opened_as_bytes_where_that_is_a_choice(tmp_path, monkeypatch):
    """Without O_BINARY Windows makes two bytes of each line end, and the file is lost."""
    binary, opened, seen = 1 << 29, os.open, []

    def noting(path, flags, *mode):
        seen.append(flags)
        return opened(path, flags & ~binary, *mode)

    monkeypatch.setattr(runfiles, "_AS_IS", binary)
    monkeypatch.setattr(runfiles.os, "open", noting)
    for make in (runfiles.create, runfiles.take_up):
        for descriptor in make(tmp_path / "run.parquet"):
            os.close(descriptor)
    assert len(seen) == 4 and all(flags & binary for flags in seen)


def test_a_file_that_windows_will_not_rename_belongs_to_another_run(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    runfiles.stream_of(path).write_bytes(b"rows of a run that goes on")
    closed, close = [], os.close

    def refuse(*_):
        assert closed, "an open file cannot be renamed on Windows"
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(runfiles.sys, "platform", "win32")
    monkeypatch.setattr(runfiles.os, "close", lambda d: (closed.append(d), close(d)))
    monkeypatch.setattr(runfiles.os, "rename", refuse)
    with pytest.raises(FileError, match="another run is recording there right now"):
        runfiles.create(path)
    assert closed  # each of them open until then: closing twice would have been refused
