"""What goes wrong with FMUs that contain FMUs elsewhere: each is a test here."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from exporting.drawings import (
    SIZE,
    got,
    imported,
    instance,
    moved,
    put,
    ran,
    ring,
    started,
)
from release.binaries import read

import dovetail as dv
from dovetail.exporting.shim import shim

NAMES = ["p0.y", "p1.y"]


@pytest.fixture(scope="module")
def system(archive):
    """Two parts of one FMU, and one file for each version of FMI."""
    return ring(*[dv.load(str(archive("linear", 2)))] * 2)


@pytest.fixture(scope="module")
def exports(system, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    return {
        fmi: system.export(folder / f"it{fmi}.fmu", fmi=fmi, step=SIZE, algorithm=dv.GaussSeidel())
        for fmi in (2, 3)
    }


@pytest.fixture(scope="module")
def drawn(system):
    return ran(system, algorithm=dv.GaussSeidel())


def stepped(fmu, references, count=20):
    """The first output after each of so many steps."""
    found = []
    for k in range(count):
        fmu.doStep(k * SIZE, SIZE)
        found.append(got(fmu, references["p0.y"])[0])
    return found


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", ["with a blank", "100% sure %41", "Größe", "a" * 100])
def test_a_folder_may_have_any_name(name, fmi, exports, drawn, tmp_path):
    with instance(exports[fmi], tmp_path / name) as (fmu, references):
        started(fmu)
        assert stepped(fmu, references) == drawn["p0.y"][:][1:].tolist()


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_folder_may_be_moved_and_the_working_directory_be_another(
    fmi, exports, drawn, tmp_path, monkeypatch
):
    folder = moved(exports[fmi], tmp_path)
    monkeypatch.chdir("/")
    with instance(exports[fmi], folder) as (fmu, references):
        started(fmu)
        assert stepped(fmu, references) == drawn["p0.y"][:][1:].tolist()


@pytest.mark.parametrize("told", [None, b"", b"file:///nowhere/at%20all", b"nonsense"])
def test_resources_are_found_beside_the_library_where_the_importer_says_nothing_true(
    told, exports, tmp_path
):
    folder = tmp_path / "it"
    fmpy.extract(str(exports[2]), str(folder))
    library = ctypes.CDLL(str(next(folder.glob("binaries/*/it2.*"))))
    library.fmi2Instantiate.restype = ctypes.c_void_p
    token = fmpy.read_model_description(str(exports[2])).guid.encode()
    found = library.fmi2Instantiate(b"it", 1, token, told, None, 0, 0)
    assert found
    library.fmi2FreeInstance(ctypes.c_void_p(found))


def test_a_run_leaves_its_folder_as_it_was(exports, tmp_path):
    """The same for those who may write everywhere."""
    folder = tmp_path / "it"
    fmpy.extract(str(exports[2]), str(folder))
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    with instance(exports[2], folder) as (fmu, references):
        started(fmu)
        stepped(fmu, references, 3)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before


@pytest.mark.parametrize("fmi", [2, 3])
def test_log_categories_may_be_null(fmi, exports, tmp_path):
    with instance(exports[fmi], tmp_path / "it") as (fmu, _):
        call = getattr(fmu.dll, f"fmi{fmi}SetDebugLogging")
        on = 1 if fmi == 2 else True
        assert call(ctypes.c_void_p(fmu.component), on, ctypes.c_size_t(0), None) == 0


@pytest.mark.parametrize("fmi", [2, 3])
def test_two_instances_do_not_disturb_each_other(fmi, exports, drawn, tmp_path):
    with (
        instance(exports[fmi], tmp_path / "it", "one") as (one, references),
        instance(exports[fmi], tmp_path / "it", "two") as (two, _),
    ):
        put(two, references["p0.x"], 5.0)
        started(one)
        started(two)
        first = []
        for k in range(20):
            two.doStep(k * SIZE, SIZE)
            one.doStep(k * SIZE, SIZE)
            first.append(got(one, references["p0.y"])[0])
        assert first == drawn["p0.y"][:][1:].tolist()
        assert got(two, references["p0.y"]) != first[-1:]


def test_start_values_may_be_set_again_in_initialization_mode(exports, system, tmp_path):
    other = system.copy()
    other.set("p0.x", 3.0)
    expected = ran(other, algorithm=dv.GaussSeidel())
    with instance(exports[2], tmp_path / "it") as (fmu, references):
        put(fmu, references["p0.x"], 2.0)
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        put(fmu, references["p0.x"], 2.5)
        assert got(fmu, references["p0.y"]) == [2.5]
        put(fmu, references["p0.x"], 3.0)
        fmu.exitInitializationMode()
        assert stepped(fmu, references) == expected["p0.y"][:][1:].tolist()


def test_an_fmu_is_reset_to_what_it_was(exports, drawn, tmp_path):
    with instance(exports[2], tmp_path / "it") as (fmu, references):
        put(fmu, references["p0.x"], 2.0)
        started(fmu)
        stepped(fmu, references, 3)
        fmu.reset()
        started(fmu)
        assert stepped(fmu, references) == drawn["p0.y"][:][1:].tolist()


def test_the_start_time_is_that_of_the_importer(exports, drawn, tmp_path):
    """The windows lie along a grid from there; these FMUs do not look at the time."""
    with instance(exports[2], tmp_path / "it") as (fmu, references):
        started(fmu, 5.0)
        for k in range(20):
            fmu.doStep(5.0 + k * SIZE, SIZE)
        assert got(fmu, references["time"]) == [5.0 + 20 * SIZE]
        assert got(fmu, references["p0.y"]) == [drawn["p0.y"][:][-1]]


def test_the_tolerance_is_handed_to_parts_that_were_given_none(archive, tmp_path):
    """`strict` test FMUs refuse a tolerance that is not above zero; this one only must arrive."""
    system = ring(*[dv.load(str(archive("linear", 2, strict=True)))] * 2)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    with instance(path, tmp_path / "it") as (fmu, references):
        fmu.setupExperiment(tolerance=1e-4, startTime=0.0, stopTime=2.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        stepped(fmu, references, 3)


def test_an_export_of_an_export_of_an_export_gives_the_same_bits(system, drawn, tmp_path):
    path = system.export(tmp_path / "inner.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    for level in range(2):
        around = dv.System(f"around{level}")
        around.add("in", dv.load(str(path)))
        path = around.export(
            tmp_path / f"level{level}.fmu", fmi=3 - level, step=SIZE, algorithm=dv.Jacobi()
        )
    found = imported(path)
    for name in NAMES:
        assert np.array_equal(found[f"it.in.in.{name}"][:], drawn[name][:])


def test_two_exports_beside_each_other_do_not_mix_up_their_functions(exports, drawn, tmp_path):
    """One library, two copies, one of them among the global symbols of the process."""
    folder = tmp_path / "global"
    fmpy.extract(str(exports[2]), str(folder))
    ctypes.CDLL(str(next(folder.glob("binaries/*/it2.*"))), mode=ctypes.RTLD_GLOBAL)
    with instance(exports[3], tmp_path / "it") as (fmu, references):
        started(fmu)
        assert stepped(fmu, references) == drawn["p0.y"][:][1:].tolist()


def test_another_token_is_refused(exports, tmp_path):
    folder = tmp_path / "it"
    fmpy.extract(str(exports[2]), str(folder))
    library = ctypes.CDLL(str(next(folder.glob("binaries/*/it2.*"))))
    library.fmi2Instantiate.restype = ctypes.c_void_p
    uri = (folder / "resources").as_uri().encode()
    assert not library.fmi2Instantiate(b"it", 1, b"{another}", uri, None, 0, 0)


@pytest.mark.parametrize("name", ["export.bin", "run.plan"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_damaged_resources_make_no_instance(name, damage, exports, tmp_path):
    folder = tmp_path / "it"
    fmpy.extract(str(exports[2]), str(folder))
    path = folder / "resources" / name
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    path.write_bytes({"cut": whole[:middle], "flipped": flipped, "empty": b""}[damage])
    library = ctypes.CDLL(str(next(folder.glob("binaries/*/it2.*"))))
    library.fmi2Instantiate.restype = ctypes.c_void_p
    token = fmpy.read_model_description(str(exports[2])).guid.encode()
    uri = (folder / "resources").as_uri().encode()
    assert not library.fmi2Instantiate(b"it", 1, token, uri, None, 0, 0)


def test_the_library_has_the_functions_of_fmi_and_nothing_else_and_needs_no_python():
    found = read(shim())
    assert all(name.startswith(("fmi2", "fmi3")) for name in found.exports)
    assert not any("python" in name for name in found.needs)


def test_paths_inside_are_short(exports):
    with zipfile.ZipFile(exports[2]) as archive:
        names = archive.namelist()
    assert max(map(len, names)) < 60  # Windows takes 260 in all


def test_the_same_system_gives_the_same_file(system, exports, tmp_path):
    again = system.export(tmp_path / "it2.fmu", fmi=2, step=SIZE, algorithm=dv.GaussSeidel())
    assert again.read_bytes() == exports[2].read_bytes()


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A C program that steps an FMU."""
    compiler = shutil.which("cc") or pytest.fail("no C compiler")
    made = tmp_path_factory.mktemp("program") / "step"
    source = Path(__file__).with_name("step.c")
    subprocess.run([compiler, "-o", made, source, "-ldl"], check=True)
    return made


def driven(program, folder, path, **options):
    """What the program prints, in an empty environment."""
    library = next(folder.glob("binaries/*/it2.*"))
    description = fmpy.read_model_description(str(path))
    reference = next(v.valueReference for v in description.modelVariables if v.name == "p0.y")
    uri = (folder / "resources").as_uri()
    done = subprocess.run(
        [program, library, description.guid, uri, str(reference)],
        env={}, cwd="/", capture_output=True, text=True, check=True, **options,
    )  # fmt: skip
    return [float.fromhex(x) for x in done.stdout.split()]


def test_no_python_is_started(program, exports, drawn, tmp_path):
    """A C program steps it in an empty environment."""
    fmpy.extract(str(exports[2]), str(tmp_path / "it"))
    found = driven(program, tmp_path / "it", exports[2])
    assert found == drawn["p0.y"][:][1:].tolist()


def test_nothing_is_written_where_nothing_may_be(program, exports, drawn):
    """Neither in its folder nor beside it; root would be allowed to, and becomes nobody."""
    room = Path(tempfile.mkdtemp())
    try:
        folder = room / "it"
        fmpy.extract(str(exports[2]), str(folder))
        shutil.copy(program, room / "step")
        (room / "step").chmod(0o555)
        for path in [*folder.rglob("*"), folder, room]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        found = driven(room / "step", folder, exports[2], **nobody)
        assert found == drawn["p0.y"][:][1:].tolist()
    finally:
        for path in [room, *room.rglob("*")]:
            path.chmod(0o755)
        shutil.rmtree(room)
