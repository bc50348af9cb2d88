"""Instances of libraries with global variables: each as if it were the only one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.fmi.archive.elf import inspect
from dovetail.fmi.archive.platforms import Platform
from dovetail.fmi.calls import loading

from .fleet import alone, run

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")
pytestmark = LINUX


def edited(xml: str, *, says: str | None) -> str:
    """Whether the description says that there may be one instance only; None: nothing."""
    plain = re.sub(r' canBeInstantiatedOnlyOncePerProcess="\w+"', "", xml)
    if says is None:
        return plain
    word = f' canBeInstantiatedOnlyOncePerProcess="{says}"'
    return re.sub(r"<(Capabilities|CoSimulation)(?= )", rf"<\1{word}", plain)


SILENT, ONCE = partial(edited, says=None), partial(edited, says="true")


def crowd(path: Path, n: int = 3) -> dv.System:
    system = dv.System("crowd")
    for k in range(n):
        system.add(f"p{k}", dv.load(path), x=1.0 + 0.1 * k)
    return system


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("edit", [SILENT, ONCE])
def test_instances_do_not_share_globals(archive, way, version, edit):
    path = archive("linear", version, flaw="globals", edit=edit)
    each = [run(alone(dv.load(path), x=1.0 + 0.1 * k))["part.y"] for k in range(3)]
    together = run(crowd(path))
    for k in range(3):
        assert np.array_equal(together[f"p{k}.y"], each[k])


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_second_run_is_the_first_one(archive, way, version):
    """The library leaves memory with its last instance, and with it what it remembers."""
    path = archive("linear", version, flaw="globals")
    first, second = (run(alone(dv.load(path)))["part.y"] for _ in range(2))
    assert np.array_equal(first, second)
    system = alone(dv.load(path))
    assert np.array_equal(run(system)["part.y"], run(system)["part.y"])


def test_model_exchange_has_libraries_of_its_own_too(archive):
    path = archive("linear", 2, model_exchange=True, co_simulation=False, edit=SILENT)
    run(crowd(path))
    with dv.Session(crowd(path), stop=1.0, quiet=True) as session:
        parts = [live.subsystem for live in session.assembly.subsystems]
        assert len({str(p.instance.library.path) for p in parts}) == 3


@pytest.mark.parametrize("version", [1, 2, 3])
def test_one_that_may_live_once_gets_another_library(archive, version):
    """Two in one library would end the process: so it is another one that tries."""
    path = archive("linear", version, flaw="crowd", edit=ONCE)
    code = (
        "import sys, dovetail as dv\n"
        "s = dv.System('s')\n"
        "for k in range(3): s.add(f'p{k}', dv.load(sys.argv[1]))\n"
        "for _ in range(2): dv.simulate(s, stop=0.5, step=0.1, quiet=True)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_one_that_says_it_may_live_often_is_believed(archive):
    path = archive("linear", 2)
    with dv.Session(crowd(path), stop=1.0, quiet=True) as session:
        parts = [live.subsystem for live in session.assembly.subsystems]
        assert len({str(p.instance.library.path) for p in parts}) == 1


def test_nothing_of_a_copy_is_left(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = archive("linear", 2, edit=SILENT)
    for _ in range(3):
        run(crowd(path, 5))
    assert not list(tmp_path.iterdir())
    directory, loaded = str(dv.load(path).archive.directory), loading._LOADED.values()
    assert not [one for known in loaded for one in known if directory in str(one.origin)]


def test_copies_end_somewhere(archive):
    """A thousand parts of an FMU that says nothing are no thousand libraries."""
    path = archive("linear", 2, edit=SILENT)
    system = crowd(path, 40)
    with dv.Session(system, stop=1.0, quiet=True) as session:
        parts = [live.subsystem for live in session.assembly.subsystems]
        assert len({str(p.instance.library.path) for p in parts}) == loading._COPIES


def linked_to(folder: Path, needed: str) -> Path:
    """A library of this name that needs another one, which is empty."""
    (folder / "nothing.c").write_text("int dovetail_nothing(void) { return 0; }\n")
    flags = ["cc", "-shared", "-fPIC", str(folder / "nothing.c"), "-o"]
    subprocess.run([*flags, str(folder / needed), f"-Wl,-soname,{needed}"], check=True)
    library = folder / "linear.so"
    more = ["-Wl,--no-as-needed", f"-L{folder}", f"-l:{needed}"]
    subprocess.run([*flags, str(library), *more], check=True)
    return library


def with_library(source: Path, library: Path, target: Path, *more: Path) -> Path:
    """An FMU with another library in it, and some beside."""
    folder = f"binaries/{Platform.here().folders('2.0')[0]}"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        new.writestr("modelDescription.xml", old.read("modelDescription.xml"))
        for file in (library, *more):
            new.write(file, f"{folder}/{file.name}")
    return target


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_another_python_is_refused_before_it_is_loaded(archive, tmp_path):
    library = linked_to(tmp_path, "libpython3.7m.so.1.0")
    assert "libpython3.7m.so.1.0" in inspect(library).needed
    path = with_library(archive("linear", 2), library, tmp_path / "linear.fmu")
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    said = f"linear.so needs Python 3.7, and this process is {here}; run Dovetail with Python 3.7"
    with pytest.raises(dv.FileError, match=said):
        run(alone(dv.load(path)))


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_one_with_libraries_beside_it_cannot_live_twice(archive, tmp_path):
    """A copy would share the globals of the other library."""
    library = linked_to(tmp_path, "libinner.so")
    assert not loading.can_be_alone(library)
    (tmp_path / "libinner.so").rename(tmp_path / "elsewhere.so")
    assert loading.can_be_alone(library)


def test_what_is_no_library_says_nothing(tmp_path):
    for content in (b"", b"MZ", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + bytes(100)):
        file = tmp_path / "x.so"
        file.write_bytes(content)
        assert inspect(file).needed == ()
        assert inspect(file).global_bytes == 0
