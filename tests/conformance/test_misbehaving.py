"""FMUs that fail, refuse or lie: what is said, what is kept, what is left behind.

Not here, since in one process nothing can be done about them: one that crashes takes the process
with it, and one that never returns keeps it. They want a process of their own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from itertools import count

import numpy as np
import pytest
from conformance.fleet import CONTROLLERS, alone, counts, is_clean, run, walked

import dovetail as dv
from dovetail.fmi.archive.platforms import Platform

ALL, VERSIONS = [1, 2, 3], [2, 3]
PREFIX = {1: "fmi", 2: "fmi2", 3: "fmi3"}
FRESH = count()


def said(system, how=run, **options):
    """How a run fails, and how far it came."""
    with pytest.raises(dv.PartFailed) as caught:
        how(system, 1.0, **options)
    assert caught.value.part == "part"
    assert caught.value.result is not None
    return str(caught.value), caught.value.result


def tidy(model):
    found = counts(model)
    return found["instances"] == found["states"] == found["calls after fatal"] == 0


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize("how", [run, walked])
def test_error(fmu, way, version, how):
    model = fmu("error", version)
    message, result = said(alone(model), how)
    assert message == (
        f"part 'part' failed while stepping at t = 0.5 s: {PREFIX[version]}DoStep returned Error; "
        "the FMU logged: [Error logStatusError] 100 % sure: the #1 valve is stuck at 0.5"
    )
    assert result.time[-1] == pytest.approx(0.5)
    assert result["part.y"] == pytest.approx(result.time)
    assert result.statistics.windows == 5
    assert result.statistics.evaluations == 6
    assert tidy(model)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("how", [run, walked])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(3)])
def test_what_is_no_status_is_not_taken_for_success(fmu, way, version, how, algorithm):
    message, result = said(alone(fmu("negative", version)), how, algorithm=algorithm)
    assert (
        f"while stepping at t = 0.5 s: fmi{version}DoStep returned -1; the FMU logged n" in message
    )
    assert result.time[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("version", VERSIONS)
def test_error_is_overcome_by_going_back(fmu, way, version):
    """Setting a saved state is the way out; the FMU fails only once."""
    model = fmu("error", version, strict=True)
    result = run(alone(model), 1.0, controller=CONTROLLERS["doubling"])
    assert result.final["part.y"] == pytest.approx(1.0)
    assert result.statistics.rejected_by_convergence + result.statistics.rejected_by_error > 0
    assert tidy(model)
    assert counts(model)["untidy"] == 0


@pytest.mark.parametrize(
    ("version", "controller"),
    [(1, "fixed"), *((version, controller) for version in VERSIONS for controller in CONTROLLERS)],
)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(9)])
def test_nothing_is_called_after_fatal(archive, way, version, controller, algorithm):
    """Not even in other instances of the same FMU; each time a library that is still alive."""
    mark = f"<!-- {next(FRESH)} -->"
    model = dv.load(archive("fatal", version, edit=lambda xml: xml + mark))
    system = alone(model)
    for name in ("other", "third"):
        system.add(name, model, at=9.0)
    system.connect("part.y", "other.u")
    system.connect("other.y", "part.u")
    options = {"controller": CONTROLLERS[controller], "algorithm": algorithm}
    message, result = said(system, **options)
    assert re.search(r"'part' failed while stepping at t = 0\.\d+ s: fmi", message)
    assert message.endswith(
        "DoStep returned Fatal; the FMU logged: [Fatal logStatusFatal] nothing is left at 0.5"
    )
    assert 0.3 < result.time[-1] <= 0.51
    assert counts(model)["calls after fatal"] == 0


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("how", [run, walked])
def test_discard(fmu, way, version, how):
    model = fmu("discard", version)
    message, result = said(alone(model), how)
    outcome = {
        2: "the FMU ended the step early, at t = 0.55 s",
        3: "fmi3DoStep returned Discard",
    }[version]
    ways_out = {
        2: "a smaller window may help, or dv.load(..., events=True), which takes it for an event",
        3: "a smaller window may help",
    }
    assert message == (
        f"part 'part' failed while stepping at t = 0.5 s: {outcome}; {ways_out[version]}; "
        "the FMU logged: [Discard logStatusDiscard] no way across 0.55 with a step of 0.1"
    )
    assert result.time[-1] == pytest.approx(0.5)
    assert tidy(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_smaller_window_does_help(fmu, way, version):
    model = fmu("discard", version, strict=True)
    result = run(alone(model), 1.0, controller=CONTROLLERS["doubling"])
    assert result.final["part.y"] == pytest.approx(1.0)
    assert is_clean(model)


def test_discard_with_a_wish_to_end(fmu, way):
    message, _ = said(alone(fmu("discard", 2), ends=True))
    assert "the FMU asked to stop the simulation at t = 0.55 s; the FMU logged:" in message


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("how", [run, walked])
def test_no_number(fmu, way, version, how):
    model = fmu("nan", version)
    message, result = said(alone(model), how)
    assert message == (
        "part 'part' failed while advancing at t = 0.6 s: it returned nan for its output 'y'"
    )
    assert result.time[-1] == pytest.approx(0.5)
    assert np.all(np.isfinite(result["part.y"]))
    assert result.statistics.evaluations == 6
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_warning_is_no_error(fmu, way, version):
    model = fmu("warning", version, load={"logging": True})
    system = alone(model)
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1)}
    with dv.Session(system, stop=1.0, quiet=True, **options) as session:
        session.run()
        log = session.assembly.subsystems[0].subsystem.instance.log.take()
    assert session.result.finished
    limit = " of 2.5 metres" if way == "native" else " of %g %s"
    near = f"is near its limit{limit if version == 2 else ''}"
    assert any(line.startswith("[Warning logStatusWarning]") and near in line for line in log)
    assert any(line.startswith("[OK ") for line in log)
    assert tidy(model)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("logging", "heard"),
    [
        (False, []),
        (["logEvents"], ["[OK logEvents]"]),
        (["logStatusWarning"], ["[Warning logStatusWarning]"]),
        (True, ["[OK logEvents]", "[OK logSteps]", "[Warning logStatusWarning]"]),
    ],
)
def test_messages_are_told_at_the_end_of_a_run(fmu, way, capsys, version, logging, heard):
    model = fmu("warning", version, load={"logging": logging})
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1)}
    result = dv.simulate(alone(model), stop=1.0, **options)
    told = [m for m in result.facts["messages"] if m.startswith("'part' logged: ")]
    found = {re.match(r"'part' logged: (\[.*?\])", m)[1] for m in told}
    assert set(heard) <= found
    assert found <= {*heard, "[Warning logStatusWarning]"}
    assert all(m in capsys.readouterr().err for m in told[:1])
    assert tidy(model)


def test_categories_that_it_does_not_have_are_refused(archive):
    said = "it knows no messages 'logAll'; it has 'logStatusWarning', "
    with pytest.raises(dv.FileError, match=said):
        dv.load(archive("warning", 2), logging=["logAll"])


def test_a_step_in_the_background_is_awaited(fmu, way):
    model = fmu("pending", 2)
    result = run(alone(model), 0.5)
    assert result.final["part.y"] == pytest.approx(0.5)
    run(alone(model), 0.5, controller=CONTROLLERS["doubling"])
    assert is_clean(model)


LIES = {
    "state": r"saving its state at t = 0 s: its library does not save and set its state: "
    r"fmi\dGetFMU[sS]tate returned Error; the FMU logged: .* this FMU cannot save its state",
    "symbols": r"saving its state at t = 0 s: its library does not save and set its state: "
    r"fmi\dGetFMU[sS]tate is not exported by the binary",
    "reference": r"giving its outputs at t = 0 s: fmi\dGet\w+ returned Error; the FMU logged: "
    r".*there is no such variable: value reference 999",
    "token": r"starting at t = 0 s: fmi\dInstantiate\w* made no instance",
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_lies_are_found_out(fmu, way, version, lie, controller):
    model = fmu("liar", version, lie=lie)
    system = alone(model)
    system.add("other", model)
    system.connect("part.y", "other.u")
    system.connect("other.y", "part.u")
    options = {"algorithm": dv.GaussSeidel(5), "controller": CONTROLLERS[controller]}
    with pytest.raises(dv.PartFailed, match=f"^part 'part' failed while {LIES[lie]}"):
        run(system, 1.0, **options)
    assert tidy(model)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("lie", ["derivatives", "version", "size"])
def test_lies_that_harm_nobody_do_not_matter(fmu, way, version, lie):
    model = fmu("liar", version, lie=lie)
    assert run(alone(model), 1.0).final["part.y"] == pytest.approx(1.0)
    assert tidy(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wrong_size_of_a_written_state_is_said(fmu, way, version, tmp_path):
    model = fmu("liar", version, lie="size")
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1)}
    with dv.Session(alone(model), stop=1.0, quiet=True, **options) as session:
        session.advance()
        with pytest.raises(dv.PartFailed, match="'part' failed while writing its state at t = 0"):
            session.checkpoint(tmp_path / "checkpoint")
    assert tidy(model)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_no_binary_for_this_machine(fmu, version):
    model = fmu("linear", version, platform="win64" if version < 3 else "x86_64-windows")
    with pytest.raises(dv.DovetailError, match=r"(?i)linux|this machine|platform|sources"):
        run(alone(model))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_library_of_another_name_is_found(fmu, way, version):
    model = fmu("linear", version, library="other_name")
    assert run(alone(model)).finished
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_binary_with_the_least_it_can_have(fmu, way, version):
    off = {"state_saving": False, "serialization": False, "directional_derivatives": False}
    more = {"output_derivatives": 0, "strict": True}
    model = fmu("linear", version, minimal=True, **off, **more)
    assert run(alone(model)).finished
    assert is_clean(model)


def test_a_binary_that_is_none(archive, tmp_path):
    path = tmp_path / "broken.fmu"
    with zipfile.ZipFile(archive("linear", 2)) as good, zipfile.ZipFile(path, "w") as bad:
        for name in good.namelist():
            data = good.read(name)
            bad.writestr(name, b"not a library" if name.startswith("binaries") else data)
    said = r"broken\.fmu: its binary linear\.so cannot be loaded: file too short; copy or export"
    with pytest.raises(dv.FileError, match=said):
        run(alone(dv.load(path)))


def test_a_binary_that_lacks_what_it_must_have(archive, tmp_path):
    """A model-exchange FMU that is called one for co-simulation."""
    path = tmp_path / "half.fmu"
    with zipfile.ZipFile(archive("linear", 2)) as good, zipfile.ZipFile(path, "w") as bad:
        for name in good.namelist():
            data = good.read(name)
            bad.writestr(name, data.replace(b"fmi2DoStep", b"fmi2NoStep"))
    with pytest.raises(dv.FileError, match=r"half\.fmu: its binary linear\.so .* fmi2DoStep; "):
        run(alone(dv.load(path)))


def test_a_library_that_is_missing_is_named(archive, tmp_path):
    inner, outer = tmp_path / "libneeded.so", tmp_path / "linear.so"
    compiler = os.environ.get("CC", "cc")
    make = [compiler, "-shared", "-fPIC", "-Wl,--no-as-needed", "-x", "c", "/dev/null"]
    subprocess.run([*make, "-o", inner], check=True)
    subprocess.run([*make, "-x", "none", inner, "-o", outer], cwd=tmp_path, check=True)
    inner.unlink()
    path = tmp_path / "lonely.fmu"
    with zipfile.ZipFile(archive("linear", 2)) as good, zipfile.ZipFile(path, "w") as bad:
        for name in good.namelist():
            binary = name.startswith("binaries")
            bad.writestr(name, outer.read_bytes() if binary else good.read(name))
    with pytest.raises(dv.FileError, match=r"lonely\.fmu: .* install the library '.*needed\.so'"):
        run(alone(dv.load(path)))


def test_several_libraries_of_other_names(fmu, archive, tmp_path):
    path = tmp_path / "strangers.fmu"
    with zipfile.ZipFile(archive("linear", 2)) as good, zipfile.ZipFile(path, "w") as bad:
        for name in good.namelist():
            for other in ("a", "b") if name.startswith("binaries") else ("linear",):
                bad.writestr(name.replace("linear", other), good.read(name))
    said = "holds 'a.so' and 'b.so', but not 'linear.so'; rename the one that is meant"
    with pytest.raises(dv.FileError, match=said):
        run(alone(dv.load(path)))


@pytest.mark.parametrize("version", VERSIONS)
def test_sources_are_compiled(fmu, way, version):
    model = fmu("linear", version, source_only=True)
    system = alone(model)
    with dv.Session(system, stop=1.0, quiet=True, controller=dv.FixedStep(0.1)) as session:
        said = f"'part' is compiled from its sources with .* no binary for {Platform.here()}"
        assert any(re.search(said, told) for told in session.messages)
    assert re.search(said, str(system.check()))
    assert run(alone(model)).final["part.y"] == run(alone(fmu("linear", version))).final["part.y"]
    assert is_clean(model)


def test_clocks_without_event_mode_are_refused(fmu):
    with pytest.raises(dv.FileError, match="its clock 'tick' ticks in event mode only"):
        fmu("counter", 3, load={"events": False})


@pytest.mark.parametrize(("version", "said"), [(2, "valve is stuck"), (3, "nothing about it")])
def test_messages_with_a_wrong_environment_do_no_harm(fmu, way, version, said):
    """FMUs of Overture do that. In FMI 2 the name of the instance tells whose message it is."""
    model = fmu("error", version, lie="environment")
    with pytest.raises(dv.PartFailed, match=f"DoStep returned Error; the FMU logged.*{said}"):
        run(alone(model), 1.0)
    assert counts(model)["instances"] == 0


def test_formats_that_make_no_sense_do_no_harm(fmu):
    """What printf would follow into nowhere is left as it is; a terminal is told nothing."""
    model = fmu("garbled", 2)
    with pytest.raises(dv.PartFailed) as caught:
        run(alone(model), 1.0)
    assert str(caught.value).endswith(
        "fmi2DoStep returned Error; the FMU logged: [Error logStatusError] 100% sure of it, %s | "
        "[Error logStatusError] 3 of 99.50% by [31mme | [Error] at last | 12 34 %"
    )
    assert counts(model)["instances"] == 0


LATE = """
import gc, sys, time
import dovetail as dv

system = dv.System("late")
system.add("part", dv.load(sys.argv[1]))
dv.simulate(system, stop=1.0, controller=dv.FixedStep(0.1), quiet=True)
del system
gc.collect()
time.sleep(0.3)
print("alive")
"""


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kernel", ["", "python"])
def test_who_talks_when_it_is_gone_does_no_harm(archive, version, kernel):
    """In a process of its own: it would end with it."""
    command = [sys.executable, "-c", LATE, str(archive("late", version))]
    environment = {**os.environ, "DOVETAIL_KERNEL": kernel}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()])
def test_who_stops_behind_the_step_stops_where_it_began(fmu, way, algorithm):
    """A last successful time that cannot be is none."""
    system = alone(fmu("discard", 2), ends=True, boast=100.0)
    message, result = said(system, algorithm=algorithm)
    assert "asked to stop the simulation at t = 0.5 s" in message
    assert result.time[-1] == pytest.approx(0.5)
