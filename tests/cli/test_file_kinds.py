"""Every kind of file that opens: one list that readers, messages and help go by."""

import re
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from cli.calling import Command

import dovetail as dv
from dovetail.core.file_kinds import SYSTEMS, TABLES, WRITTEN, suffixes

KINDS = pytest.mark.parametrize("suffix", suffixes())


@KINDS
def test_every_kind_has_a_reader(tmp_path: Path, suffix: str) -> None:
    """A file that is not there is missed; it is not called a kind that is unknown."""
    with pytest.raises(dv.FileError, match="there is no such file"):
        dv.open(tmp_path / f"x{suffix}")


@KINDS
def test_a_message_that_refuses_a_file_lists_every_kind(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(dv.FileError) as error:
        dv.open(tmp_path / "x.doc")
    assert f"{suffix}, " in str(error.value) or f"{suffix} " in str(error.value)


@KINDS
@pytest.mark.parametrize("command", ["run", "check", "describe"])
def test_the_help_lists_every_kind(dovetail: Command, suffix: str, command: str) -> None:
    assert suffix in dovetail(command, "--help").out


@KINDS
def test_a_system_is_not_taken_for_a_model(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"x{suffix}").write_text("")
    if suffix in (".fmu", ".py"):
        return  # these are models as well
    with pytest.raises(dv.FileError, match="this is a system, not a model"):
        dv.load(tmp_path / f"x{suffix}")


def test_what_is_written_is_listed(tmp_path: Path) -> None:
    with pytest.raises(dv.FileError) as error:
        dv.System("x").save(tmp_path / "x.doc")
    assert "use .yaml, .yml, .ssp, .ssd or .msim" in str(error.value)
    assert {kind.title for kind in WRITTEN} < {kind.title for kind in SYSTEMS}


def test_a_model_lists_every_table(tmp_path: Path) -> None:
    with pytest.raises(dv.FileError) as error:
        dv.load(tmp_path / "x.doc")
    assert ", ".join(TABLES) in str(error.value)


def without_experiment(fmu: Path, target: Path) -> None:
    """A copy of an FMU that says nothing of how it is run."""
    with ZipFile(fmu) as given, ZipFile(target, "w") as made:
        for name in given.namelist():
            data = given.read(name)
            if name == "modelDescription.xml":
                data = re.sub(rb"<DefaultExperiment[^>]*/>", b"", data)
            made.writestr(name, data)


@pytest.mark.parametrize(
    ("beside", "proposal"),
    [
        ({}, "such as --stop 10\n"),
        ({"lone_ref.opt": "StopTime, 2.5\n"}, "such as --stop 2.5, as 'lone_ref.opt' says\n"),
        ({"lone_ref.csv": "time,y\n0,1\n3,1\n"}, "such as --stop 3, where 'lone_ref.csv' ends\n"),
        ({"lone_in.csv": "time,u\n0,1\n7,1\n"}, "such as --stop 7, where 'lone_in.csv' ends\n"),
    ],
)
def test_an_fmu_that_names_no_stop_is_given_one_to_take(
    dovetail: Command,
    folder: Path,
    archive: Callable[..., Path],
    beside: dict[str, str],
    proposal: str,
) -> None:
    without_experiment(archive("linear"), folder / "lone.fmu")
    for name, text in beside.items():
        (folder / name).write_text(text)
    answer = dovetail("run", "lone.fmu")
    assert answer.code == 2
    assert answer.err == f"dovetail: no stop time: lone.fmu names none, so give --stop, {proposal}"
    assert dovetail("run", "lone.fmu", "--stop", "1").code == 0
