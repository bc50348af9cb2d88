"""Slips of the hand that every user makes once: functions, names of files, things mixed up."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dv
from dovetail.integrators import named


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=lambda t, x: [0.0]),
            "derivatives must be a function of (t, x, u, p), not of (t, x).",
        ),
        (
            lambda: dv.Dynamic(
                states={"x": 0.0},
                derivatives=lambda t, x, u, p: [0.0],
                zero_crossings=lambda t, x, u, p: [x.x],
                on_event=lambda t, x, u, p: {},
            ),
            "on_event must be a function of (which, t, x, u, p), not of (t, x, u, p).",
        ),
        (
            lambda: dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, x, u, p: [u.u]),
            "function must be a function of (t, u, p), not of (t, x, u, p).",
        ),
        (
            lambda: dv.Source(outputs=["y"], function=lambda t: [t]),
            "function must be a function of (t, p), not of (t).",
        ),
        (
            lambda: dv.Discrete(period=1.0, outputs=["y"], output=lambda t: [t]),
            "output must be a function of (t, x, u, p), not of (t).",
        ),
    ],
)
def test_a_function_of_something_else_is_refused_where_it_is_written(action, message):
    with pytest.raises(dv.ModelError) as caught:
        action()
    assert str(caught.value) == message


def test_functions_with_defaults_or_any_arguments_will_do():
    dv.Source(outputs=["y"], function=lambda t, p, gain=2.0: [gain * t])
    dv.Source(outputs=["y"], function=lambda *given: [given[0]])


@pytest.mark.parametrize("solver", ["rk45", "radau", "cvode", "rk4", "mixed"])
@pytest.mark.parametrize("vector", [True, False])
def test_a_function_that_changes_what_it_is_given_is_told(solver, vector):
    """With radau such a function kept the solver from ever coming to an end."""

    def turn(t, x, u, p):
        values = x if vector else x.x
        values *= -1.0
        return [values] if not vector else values

    model = dv.Dynamic(
        states={"x": np.ones(2)},
        outputs=["x"],
        derivatives=turn,
        solver=solver,
        step=0.1,
        vector=vector,
    )
    system = dv.System("turning")
    system.add("part", model)
    with pytest.raises(dv.PartFailed) as caught:
        dv.simulate(system, stop=1.0, quiet=True)
    message = str(caught.value)
    assert "output array is read-only (test_slips.py, line " in message
    assert message.endswith("; what a function is given must stay as it is: change a copy")


def test_a_file_that_is_not_there_is_told_with_one_that_is(tmp_path):
    (tmp_path / "predation.yaml").touch()
    for wrong, hint in (
        ("predaton.yaml", ". Did you mean 'predation.yaml'?"),
        ("weather.yaml", ""),
        ("none/predation.yaml", ""),
    ):
        with pytest.raises(dv.FileError) as caught:
            dv.open(tmp_path / wrong)
        assert str(caught.value) == f"{tmp_path / wrong}: there is no such file{hint}"


def test_what_is_mixed_up_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "models.py").write_text("import dovetail as dv\nroad = dv.Clock(period=1.0)\n")
    result = dv.Result.of([0.0, 1.0], {"x": [0.0, 1.0]})
    for action, message in (
        (lambda: dv.open("folder"), "folder: is a folder; name a file in it"),
        (lambda: dv.load("folder"), "folder: is a folder; name a file in it"),
        (
            lambda: dv.open("models.py:road"),
            "models.py:road: this names a model in models.py, not a system; load it with "
            "dv.load(...)",
        ),
        (
            lambda: dv.open("models.py"),
            "models.py: there is no 'system' in it; write system = dv.System(...), or describe a "
            "model in it: models.py:road",
        ),
        (
            lambda: dv.compare(result, "reference.csv"),
            "a comparison is of two results, not of 'reference.csv'; dv.read reads one from a "
            "file, dv.Result.of makes one",
        ),
    ):
        with pytest.raises(dv.InputError) as caught:
            action()
        assert str(caught.value) == message


def test_solvers_under_the_names_of_others():
    for theirs, ours in {"ode45": "rk45", "ODE15s": "bdf", "radau5": "radau"}.items():
        with pytest.raises(ValueError, match=f"Did you mean '{ours}'") as caught:
            named(theirs)
        assert str(caught.value).startswith(f"'{theirs}' is not a solver. There are auto, rk45, ")


def test_a_tab_in_a_drawing(tmp_path):
    path = tmp_path / "system.yaml"
    path.write_text("dovetail: 1\nparts:\n\tprey: models.py:prey\n")
    with pytest.raises(dv.FileError) as caught:
        dv.open(path)
    assert str(caught.value) == (
        f"{path}:3: this is not YAML: a tab indents this line; use blanks instead\n"
        "     prey: models.py:prey\n"
        "    ^"
    )
