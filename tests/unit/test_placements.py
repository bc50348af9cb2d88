"""Where parts live, said in every way in which it can be said, and what is wrong is named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import dovetail as dv
from dovetail.cli.main import main
from dovetail.formats import read
from dovetail.hosts import sandbox
from dovetail.hosts.proxy import Hosted

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

PLACES = {
    "a*": dv.LocalHost(
        "pumps",
        restart=2,
        timeout=60.0,
        memory="1 GB",
        environment={"A": "b"},
        directory="out",
        sandbox=True,
    ),
    "b": dv.Isolated(sandbox=True),
    "c": dv.Isolated(),
    "d": None,
}
RUN = {"step": 0.1, "quiet": True, "verify": False}


def drawn(archive, names="abcd"):
    system = dv.System("s")
    for name in names:
        system.add(name, dv.load(archive("linear", 2)))
    return system


@pytest.mark.parametrize("name", ["s.yaml", "s.ssp"])
@pytest.mark.parametrize("placement", [PLACES, dv.Isolated(), dv.Isolated(sandbox=True)])
def test_a_file_keeps_every_option(archive, tmp_path, name, placement):
    system = drawn(archive)
    system.run_settings = dv.System("t").run_settings.__class__(stop=1.0, placement=placement)
    system.save(tmp_path / name)
    found = read(tmp_path / name).run_settings.placement
    if placement == dv.Isolated(sandbox=True):  # for every FMU: written as what it comes to
        assert found in (placement, {"*": placement})
    else:
        assert found == placement


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("placement: apart", "placement"),
        ("placement: {a: {host: pumps, timeout: -1}}", "timeout"),
        ("placement: {a: {host: pumps, memory: much}}", "memory='much' is no size"),
        ("placement: {a: {hots: pumps}}", "hots"),
        ("placement: {a: {sandbox: maybe}}", "sandbox"),
        ("placement: {a: away}", "placement"),
        ("placement: {z: isolated}", "placement= names 'z', but no part is called so"),
        (
            "placement: {a: {host: x, timeout: 1}, b: {host: x, timeout: 2}}",
            "the host 'x' is given two sets of options",
        ),
        ("placement: {a: {directory: nowhere}}", "directory='nowhere' of a host is no folder"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(archive, tmp_path, capsys, text, said):
    fmu = archive("linear", 2)
    body = f"dovetail: 1\nparts: {{a: {{model: {fmu}}}, b: {{model: {fmu}}}}}\n"
    path = tmp_path / "s.yaml"
    path.write_text(f"{body}run: {{stop: 0.2, step: 0.1, {text}}}\n")
    assert main(["run", str(path)]) == 2
    told = capsys.readouterr().err
    assert said in told and "Traceback" not in told, told


def test_sessions_commands_and_studies_take_it(archive, tmp_path, capsys):
    system = drawn(archive, "ab")
    with dv.Session(system, stop=0.2, placement={"a": dv.Isolated()}, quiet=True) as session:
        found = [isinstance(p.subsystem, Hosted) for p in session.assembly.subsystems]
    assert found == [True, False]
    system.save(tmp_path / "s.yaml")
    path = str(tmp_path / "s.yaml")
    assert main(["run", path, "--stop", "0.2", "--step", "0.1", "-q", "--isolate", "nobody"]) == 2
    assert "placement= names 'nobody', but no part is called so" in capsys.readouterr().err
    assert main(["run", path, "--stop", "0.2", "--step", "0.1", "-q", "--isolate", "a"]) == 0
    assert main(["check", path, "--isolate"]) == 0
    assert "runs natively" in capsys.readouterr().out
    assert main(["check", path, "--isolate", "nobody"]) == 2
    assert "no part is called so" in capsys.readouterr().err
    study = dv.sweep(
        system, {"a.x": [0.0, 1.0]}, stop=0.2, step=0.1, times=3, jobs=0, placement=dv.LocalHost()
    )
    assert [row.status for row in study.rows] == ["done", "done"]
    with pytest.raises(dv.OptionError, match="placement='away' is no placement"):
        dv.sweep(system, {"a.x": [0.0]}, stop=0.2, step=0.1, jobs=0, placement="away")


@pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox here: {sandbox.missing()}")
def test_the_command_has_a_sandbox(archive, tmp_path):
    drawn(archive, "ab").save(tmp_path / "s.yaml")
    path = str(tmp_path / "s.yaml")
    assert main(["run", path, "--stop", "0.2", "--step", "0.1", "-q", "--sandbox"]) == 0
    assert main(["validate", str(archive("linear", 2)), "--sandbox"]) == 0


def test_the_working_directory_of_a_host_is_that_of_the_run_or_its_own(tmp_path, monkeypatch):
    """Also when the process has moved since hosts were first made."""

    def write(t, u, p):
        Path("left").write_text("here")
        return [0.0]

    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=write))
    for name in ("first", "second", "given"):
        (tmp_path / name).mkdir()
    for name in ("first", "second"):
        monkeypatch.chdir(tmp_path / name)
        dv.simulate(system, stop=0.1, placement=dv.LocalHost(), **RUN)
        assert (tmp_path / name / "left").exists()
    dv.simulate(system, stop=0.1, placement=dv.LocalHost(directory="../given"), **RUN)
    assert (tmp_path / "given" / "left").exists()
    assert os.getcwd() == str(tmp_path / "second")


def test_a_folder_that_goes_away_between_is_said(tmp_path, monkeypatch):
    """The check before the run saw it; the host cannot enter it."""
    system = dv.System("s")
    system.add("it", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.0]))
    monkeypatch.setattr("dovetail.hosts.homes._check_options", lambda given: None)
    said = "its process could not be set up.*; it said last: No such file or directory"
    with pytest.raises(dv.HostFailed, match=said):
        placement = dv.LocalHost(directory=str(tmp_path / "gone"))
        dv.simulate(system, stop=0.1, placement=placement, **RUN)


def test_a_crash_in_a_study_costs_its_run_only(archive):
    """The culprit's run is a row with the reason, in processes, in hosts, and in hosts alone."""
    for placement, jobs, status in (
        (None, 2, "crashed"),
        (dv.Isolated(), 2, "failed"),
        (dv.Isolated(), 0, "failed"),
    ):
        system = dv.System("s")
        system.add("it", dv.load(archive("crash", 2)))
        ways = {"stop": 1.0, "step": 0.1, "times": 5, "jobs": jobs, "placement": placement}
        study = dv.sweep(system, {"it.at": [9.0, 0.5, 8.0]}, **ways)
        assert [row.status for row in study.rows] == ["done", status, "done"]
        assert "SIGSEGV" in study.rows[1].reason
        assert study["it.y"][0, -1] == study["it.y"][2, -1] == pytest.approx(1.0)


def test_what_needs_another_library_says_so_in_a_host_too(archive, tmp_path):
    """As FMUs do that are links to a tool which is not installed."""
    if shutil.which("cc") is None:
        pytest.skip("needs a compiler")
    (tmp_path / "tool.c").write_text("int nothing(void) { return 0; }\n")
    tool = ["cc", "-shared", "-fPIC", str(tmp_path / "tool.c")]
    subprocess.run([*tool, "-o", str(tmp_path / "libtool7.so")], check=True)
    binary, path = tmp_path / "linear.so", tmp_path / "needing.fmu"
    needs = ["-Wl,--no-as-needed", f"-L{tmp_path}", "-ltool7"]
    subprocess.run([*tool, "-o", str(binary), *needs], check=True)
    with zipfile.ZipFile(archive("linear", 2)) as good, zipfile.ZipFile(path, "w") as made:
        for name in good.namelist():
            is_binary = name.startswith("binaries")
            made.writestr(name, binary.read_bytes() if is_binary else good.read(name))
    system = dv.System("s")
    system.add("it", dv.load(path))
    for placement in (None, dv.Isolated()):
        with pytest.raises(dv.FileError, match=r"linear\.so cannot be loaded: .*libtool7\.so"):
            dv.simulate(system, stop=1.0, placement=placement, **RUN)
