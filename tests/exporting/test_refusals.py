"""What cannot be exported is refused by name, with what would help."""

from __future__ import annotations

import pytest
from exporting.drawings import SIZE, alone, imported, ran, ring, same

import dovetail as dv


def pair(archive, **options):
    return ring(*[dv.load(str(archive("linear", 2)), **options)] * 2)


def refused(system, folder, **options):
    options = {"step": SIZE, "algorithm": dv.GaussSeidel(), **options}
    with pytest.raises(dv.InputError) as error:
        system.export(folder / "it.fmu", **options)
    assert not list(folder.iterdir())
    return str(error.value)


def test_model_exchange_is_named_with_the_way_out(archive, tmp_path):
    both = dv.load(str(archive("linear", 2, model_exchange=True)), kind="model exchange")
    assert refused(alone(both), tmp_path) == (
        "'alone' cannot be exported: part 'part' is an FMU for model exchange, solved by Cvode, "
        "which exports do not have; load it with solver='rk45', or kind='co-simulation'"
    )


def test_every_reason_is_listed_at_once(archive, tmp_path):
    ball = dv.load(str(archive("relay", 3)))
    exchange = dv.load(str(archive("linear", 2, model_exchange=True)), kind="model exchange")
    system = alone(ball)
    system.add("other", exchange)
    said = refused(system, tmp_path)
    assert "part 'other' is an FMU for model exchange" in said


def test_a_parameter_that_is_connected_is_named(archive, tmp_path):
    system = dv.System("tuned")
    for name in "ab":
        system.add(name, dv.load(str(archive("linear", 2))))
    system.connect("a.y", "b.a")
    said = refused(system, tmp_path)
    assert "part 'b' has a parameter that is connected ('a')" in said


def test_windows_must_have_a_size(archive, tmp_path):
    said = refused(pair(archive), tmp_path, step=None)
    way_out = "give their size, such as step=0.01, or controller=dv.StepDoubling()"
    assert said == f"an export makes no windows; {way_out}"
    said = refused(pair(archive), tmp_path, step=None, controller=dv.ErrorCheck(SIZE))
    assert "an export makes no windows with ErrorCheck; give their size" in said


def test_algorithms_without_a_native_twin_are_named(archive, tmp_path):
    said = refused(pair(archive), tmp_path, algorithm=dv.Ifosmondi())
    assert "'ring' cannot be exported" in said
    assert "Ifosmondi" in said or "cubics" in said


def test_parts_that_cannot_roll_back_are_named_where_windows_are_iterated(archive, tmp_path):
    system = ring(*[dv.load(str(archive("linear", 2, state_saving=False)))] * 2)
    said = refused(system, tmp_path, algorithm=dv.Newton())
    assert "part 'p0'" in said and "part 'p1'" in said


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fmi": 1}, "fmi must be 2 or 3, the version to export, not 1"),
        ({"path": "it.ssp"}, "an FMU is a file that ends in .fmu, not 'it.ssp'"),
        (
            {"controller": dv.FixedStep(0.1, min_size=0.01), "step": None},
            "an export cuts windows by itself where an iteration does not converge; leave "
            "min_size= out",
        ),
    ],
)
def test_options_are_checked(given, message, archive, tmp_path):
    options = {"path": "it.fmu", "step": SIZE, **given}
    path = tmp_path / options.pop("path")
    with pytest.raises(dv.OptionError) as error:
        pair(archive).export(path, **options)
    assert str(error.value) == message


def test_a_folder_that_is_not_there_is_told(archive, tmp_path):
    with pytest.raises(dv.FileError, match="cannot be written: No such file or directory"):
        pair(archive).export(tmp_path / "no" / "it.fmu", step=SIZE)


def test_without_the_library_the_message_says_how_to_get_it(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("dovetail.exporting.shim.NAME", "_none.so")
    said = refused(pair(archive), tmp_path)
    assert said.startswith("there is no library for exported systems (_none.so")
    assert "install a C compiler" in said


def test_fmus_with_events_are_exported_where_they_keep_them_to_themselves(archive, tmp_path):
    path = str(archive("relay", 3))
    said = refused(alone(dv.load(path)), tmp_path)
    assert said == "'alone' cannot be exported: part 'part' has events; load it with events=False"
    system = alone(dv.load(path, events=False))
    exported = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    drawn = ran(system, algorithm=dv.GaussSeidel())
    name = drawn.names[0]
    assert same(imported(exported), drawn, [name])
