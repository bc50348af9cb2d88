"""What is said to somebody who draws: what, where, and the way out."""

import math
from dataclasses import fields

import numpy as np
import pytest

import dovetail as dv


def shaft():
    return dv.Dynamic(
        states={"speed": 0.0},
        inputs={"torque": 0.0, "on": False},
        outputs={"speed": 0.0, "gear": 1.0, "running": False, "forces": [0.0, 0.0]},
        parameters={"inertia": 2.0, "mode": "smooth"},
        derivatives=lambda t, x, u, p: [u.torque / p.inertia],
        output=lambda t, x, u, p: [x.speed, 1.0, u.on, [0.0, 0.0]],
        units={"speed": "rad/s", "torque": "N.m"},
    )


def drawing():
    system = dv.System("drive")
    system.add("shaft", shaft())
    system.add("load", shaft())
    return system


def said(action):
    with pytest.raises(dv.DrawingError) as caught:
        action(drawing())
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (
            "shaft.speed",
            "load.torqe",
            "'load.torqe' is not an input of 'load'. Did you mean 'load.torque'?",
        ),
        ("shft.speed", "load.torque", "there is no part 'shft'. Did you mean 'shaft'?"),
        ("motor.speed", "load.torque", "there is no part 'motor'."),
        (
            "shaft.xyz",
            "load.torque",
            "'shaft.xyz' is not an output of 'shaft'. It has: speed, gear, running, forces.",
        ),
        (
            "shaft.torque",
            "load.torque",
            "'shaft.torque' is not an output of 'shaft'. It is an input; connect outputs to "
            "inputs.",
        ),
        (
            "shaft.gear",
            "load.speed",
            "'load.speed' is not an input of 'load'. It is an output; connect outputs to inputs.",
        ),
        ("shaft", "load.torque", "'shaft' names no variable; write 'part.variable'."),
        (
            "shaft.speed",
            "load.torque",
            "'shaft.speed' cannot feed 'load.torque': 'rad/s' is rad/s but 'N.m' is kg.m2/s2.",
        ),
        (
            "shaft.gear",
            "load.on",
            "'shaft.gear' is of type real but 'load.on' takes boolean.",
        ),
        (
            "shaft.forces",
            "load.torque",
            "'shaft.forces' has 2 values but 'load.torque' takes one value.",
        ),
    ],
)
def test_a_connection_that_does_not_fit(source, target, message):
    assert said(lambda s: s.connect(source, target)) == message


def test_every_problem_of_a_connection_is_told_at_once():
    assert said(lambda s: s.connect("shft.speed", "load.torqe")) == (
        "system 'drive' has 2 problems:\n"
        "  - there is no part 'shft'. Did you mean 'shaft'?\n"
        "  - 'load.torqe' is not an input of 'load'. Did you mean 'load.torque'?"
    )


def test_two_sources_on_one_input():
    def twice(system):
        system.connect("shaft.gear", "load.torque")
        system.connect("load.gear", "load.torque")

    assert said(twice) == (
        "'load.torque' is fed by 'shaft.gear' already; an input takes one source."
    )


def test_gain_on_a_boolean():
    assert said(lambda s: s.connect("shaft.running", "load.on", gain=2.0)) == (
        "gain and offset need a real input, and 'load.on' takes boolean."
    )


@pytest.mark.parametrize("gain", [math.nan, math.inf, "2", None])
def test_a_gain_that_is_no_number(gain):
    assert said(lambda s: s.connect("shaft.gear", "load.torque", gain=gain)) == (
        "gain and offset of shaft.gear -> load.torque must be finite numbers."
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"inertai": 1.0},
            "'third.inertai' is not a parameter, start value or input of 'third'. Did you mean "
            "'inertia'?",
        ),
        (
            {"gear": 1.0},
            "'third.gear' is not a parameter, start value or input of 'third'. It is an output.",
        ),
        ({"inertia": "heavy"}, "'third.inertia' must be a real value, not 'heavy'."),
        ({"inertia": True}, "'third.inertia' must be a real value, not True."),
        ({"inertia": math.nan}, "'third.inertia' must be a finite number, not nan."),
        ({"inertia": [1.0, 2.0]}, "'third.inertia' must be a real value, not [1.0, 2.0]."),
        ({"on": 2}, "'third.on' must be a boolean value, not 2."),
        ({"mode": 3}, "'third.mode' must be a string value, not 3."),
    ],
)
def test_a_value_that_does_not_fit(values, message):
    assert said(lambda s: s.add("third", shaft(), values)) == message


def test_every_value_that_does_not_fit_is_told_at_once():
    assert said(lambda s: s.add("third", shaft(), inertai=1.0, mode=3)) == (
        "system 'drive' has 2 problems:\n"
        "  - 'third.inertai' is not a parameter, start value or input of 'third'. Did you mean "
        "'inertia'?\n"
        "  - 'third.mode' must be a string value, not 3."
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shaft", "there is a part 'shaft' already."),
        ("a.b", "a part needs a name without dots or outer blanks, not 'a.b'."),
        (" a", "a part needs a name without dots or outer blanks, not ' a'."),
        ("", "a part needs a name without dots or outer blanks, not ''."),
        (7, "a part needs a name without dots or outer blanks, not 7."),
    ],
)
def test_a_name_that_is_none(name, message):
    assert said(lambda s: s.add(name, shaft())) == message


def test_something_that_is_no_model():
    assert said(lambda s: s.add("it", 5)) == (
        "'it' needs a model such as dv.Dynamic(...) or dv.load(...), not 5."
    )
    assert said(lambda s: s.add("it", dv.Dynamic)) == (
        "'it' needs a model such as dv.Dynamic(...) or dv.load(...), not the class Dynamic."
    )
    assert said(lambda s: s.add("it", dv.System("inner"))) == (
        "'it' is a System; wrap it as dv.Nested(system) to use it as a part."
    )


def test_a_refused_step_leaves_the_drawing_as_it_was():
    system = drawing()
    before = system.fingerprint(), repr(system)
    for action in (
        lambda: system.connect("shaft.speed", "load.torqe"),
        lambda: system.connect("shaft.speed", "load.torque"),
        lambda: system.add("third", shaft(), inertai=1.0),
        lambda: system.add("shaft", shaft()),
    ):
        with pytest.raises(dv.DrawingError):
            action()
    assert (system.fingerprint(), repr(system)) == before


def test_a_wrong_array():
    model = dv.Dynamic(
        states={"x": np.zeros(3)}, outputs=["x"], derivatives=lambda t, x, u, p: [x.x]
    )
    assert said(lambda s: s.add("it", model, x=[1.0, 2.0])) == (
        "'it.x' has the shape (3,), not (2,)."
    )


# Models -------------------------------------------------------------------------------------


def rates(t, x, u, p):
    return [0.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: dv.Dynamic(states={}, derivatives=rates),
            "a Dynamic needs states; use dv.Algebraic for a model without.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=[0.0]),
            "derivatives must be a function of (t, x, u, p), not [0.0].",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, outputs=["y"], derivatives=rates),
            "output 'y' is no state, and there is no output function; give output=, a function of "
            "(t, x, u, p).",
        ),
        (
            lambda: dv.Dynamic(states={"x": "a"}, derivatives=rates),
            "states must be reals; keep discrete values in a dv.Discrete.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, on_event=rates),
            "on_event needs zero_crossings that say when.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, solver="radua"),
            "'radua' is not a solver. There are auto, rk45, radau, bdf, cvode, rk4, heun, "
            "midpoint, semi_implicit, euler, mixed, mixed-euler, mixed-midpoint, mixed-ars3. Did "
            "you mean 'radau'?",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, solver="rk4"),
            "solver 'rk4' takes steps of one size: give it with step=...",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, inputs=["x"], derivatives=rates),
            "'x' cannot be an input and something else at once; give one of them another name.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, parameters={"x": 1.0}, derivatives=rates),
            "'x' cannot be a parameter and a state at once; a state's start value is set by its "
            "name, so the parameter needs another.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, units={"y": "m"}),
            "units names 'y', which is not a variable. There are x.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, units={"x": "furlong"}),
            "'x': the unit 'furlong' cannot be read: 'furlong' is not a known unit; "
            "multiples of others are, as in '201.168*m'",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, published=["z"]),
            "published names 'z', which is not a variable. There are x.",
        ),
        (
            lambda: dv.Dynamic(states={"x": math.inf}, derivatives=rates),
            "the start value of 'x' must be a finite number, not inf.",
        ),
        (
            lambda: dv.Dynamic(states={"x": 0.0}, derivatives=rates, types={"x": "reel"}),
            "types gives 'x' the unknown type 'reel'. Did you mean 'real'?",
        ),
        (
            lambda: dv.Algebraic(inputs="ab", outputs=["y"], function=lambda *given: [0.0]),
            "inputs must be a list of names or a mapping, not the text 'ab'.",
        ),
        (
            lambda: dv.Algebraic(inputs=["a", "a"], outputs=["y"], function=lambda *given: [0.0]),
            "inputs holds 'a' twice.",
        ),
        (
            lambda: dv.Algebraic(inputs=[], outputs=[], function=lambda *given: [0.0]),
            'an Algebraic needs outputs, as in outputs=["y"].',
        ),
        (
            lambda: dv.Algebraic(
                inputs=["a"], outputs=["y"], function=lambda *given: [0.0], feedthrough={"y": ["b"]}
            ),
            "feedthrough names 'b', which is no input.",
        ),
        (
            lambda: dv.Source(outputs=[], function=lambda *given: [0.0]),
            'a Source needs outputs, as in outputs=["y"].',
        ),
        (
            lambda: dv.Source(outputs=["y"], function=lambda *given: [0.0], jumps=[1.0, math.nan]),
            "jumps must be finite times, not nan.",
        ),
        (
            lambda: dv.Table(time=["noon"], columns={"a": [1.0]}),
            "a table needs a time column of finite numbers: seconds, one for each row.",
        ),
        (
            lambda: dv.Discrete(period=0.0, output=rates, outputs=["y"]),
            "the period must be a number above zero, not 0.0.",
        ),
        (
            lambda: dv.Discrete(period=1.0, offset=-1.0, output=rates, outputs=["y"]),
            "the offset must be a number not below zero, not -1.0.",
        ),
        (
            lambda: dv.Discrete(period=1.0, states={"x": 0.0}, output=rates, outputs=["y"]),
            "a Discrete with states needs update=, a function of (t, x, u, p).",
        ),
        (
            lambda: dv.Table(time=[0.0, 1.0, 0.5], columns={"a": [1.0, 2.0, 3.0]}),
            "time must not decrease, but row 3 (0.5) follows 1.",
        ),
        (
            lambda: dv.Table(time=[0.0, 1.0], columns={"a": [1.0, 2.0, 3.0]}),
            "column 'a' has 3 rows, the time column 2.",
        ),
        (
            lambda: dv.Table(time=[0.0, 1.0], columns={"a": [1.0, math.nan]}),
            "column 'a' has no number in row 2; fill it in, or leave the row out.",
        ),
        (
            lambda: dv.Table(time=[], columns={"a": []}),
            "a table needs a time column of finite numbers: seconds, one for each row.",
        ),
        (
            lambda: dv.Table(time=[0.0], columns={"speed": [1.0]}, hold=["sped"]),
            "hold names 'sped', which is no column. Did you mean 'speed'?",
        ),
        (
            lambda: dv.Dynamic(
                states={"v": 0.0},
                inputs=["i"],
                outputs=["v"],
                derivatives=rates,
                ports={"pin": dv.Port("electrical", effort="v", flow="v")},
            ),
            "effort and flow of port 'pin' are both outputs; one must be an input, the other an "
            "output.",
        ),
        (
            lambda: dv.Dynamic(
                states={"v": 0.0},
                derivatives=rates,
                ports={"pin": dv.Port("electric", effort="v", flow="i")},
            ),
            "port 'pin' has the unknown domain 'electric'. Did you mean 'electrical'?",
        ),
    ],
)
def test_a_model_that_makes_no_sense(make, message):
    with pytest.raises(dv.ModelError) as caught:
        make()
    assert str(caught.value) == message


# Options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dv.GaussSeidel(0), "max_iterations must be at least 1, not 0"),
        (lambda: dv.GaussSeidel("ramp"), "max_iterations must be a whole number, not 'ramp'"),
        (lambda: dv.GaussSeidel(rtol=-1.0), "rtol must be above zero, not -1.0"),
        (
            lambda: dv.GaussSeidel(inputs="held"),
            "inputs must be one of hold, ramp, hermite, not 'held'",
        ),
        (
            lambda: dv.GaussSeidel(inputs="hermite"),
            "GaussSeidel with inputs='hermite' must iterate: give max_iterations above 1",
        ),
        (lambda: dv.Ifosmondi(tolerance=0.0), "tolerance must be above zero, not 0.0"),
        (lambda: dv.Missiles(tolerance=-1.0), "tolerance must be above zero, not -1.0"),
        (
            lambda: dv.Costarica("laplace"),
            "linear must be one of exact, gaver-stehfest, not 'laplace'",
        ),
        (lambda: dv.Costarica(terms=13), "terms must be even and above zero, not 13"),
        (lambda: dv.Costarica(reuse=-1.0), "reuse must be at least zero, not -1.0"),
        (lambda: dv.Direct(0), "substeps must be at least 1, not 0"),
        (
            lambda: dv.Identified(forgetting=0.0),
            "forgetting must be above zero and at most 1, not 0.0",
        ),
        (
            lambda: dv.Newton(on_limit="ignore"),
            "on_limit must be one of stop, accept, not 'ignore'",
        ),
        (
            lambda: dv.Jacobi(inputs="ramp"),
            "Jacobi with inputs='ramp' must iterate: give max_iterations above 1",
        ),
        (lambda: dv.FixedStep(0.0), "the window size must be above zero, not 0.0"),
        (
            lambda: dv.FixedStep(0.1, min_size=1.0),
            "min_size must be above zero and at most 0.1, not 1.0",
        ),
        (lambda: dv.FixedStep(math.inf), "the window size must be finite, not inf"),
        (lambda: dv.FixedStep("a"), "the window size must be a number, not 'a'"),
        (
            lambda: dv.Energy(bonds="left.force * right.speed"),
            'bonds must be a list of texts as in ("left.force * right.speed",), '
            "not 'left.force * right.speed'",
        ),
        (
            lambda: dv.Iterative(dv.rootfinders.Newton),
            "solver must be something like dv.rootfinders.Anderson(), not the class Newton",
        ),
        (
            lambda: dv.GaussSeidel(solver=dv.rootfinders.Aitken),
            "solver must be something like dv.rootfinders.Aitken(), not the class Aitken",
        ),
        (
            lambda: dv.GaussSeidel(extrapolation=1, solver=dv.rootfinders.Aitken()),
            "extrapolation is for a single pass, and a solver finds the inputs: give one of them",
        ),
        (lambda: dv.Rollback("no"), "predict must be True or False, not 'no'"),
        (
            lambda: dv.StepDoubling(first_size=1.0, max_size=0.5),
            "first_size must be above zero and at most 0.5, not 1.0",
        ),
        (lambda: dv.StepDoubling(rtol=0.0), "rtol must be above zero, not 0.0"),
    ],
)
def test_an_option_that_makes_no_sense(make, message):
    with pytest.raises(dv.OptionError) as caught:
        make()
    assert str(caught.value) == message


FAMILIES = {
    dv.FixedStep: (0.1,),
    dv.ErrorCheck: (0.1,),
    dv.Sampling: (0.1,),
    dv.File: ("run.csv",),
    dv.rootfinders.Cascade: ((dv.rootfinders.Newton(),),),
} | dict.fromkeys(
    (
        *(dv.Adaptive, dv.Defect, dv.Energy, dv.InputDefect, dv.StepDoubling),
        *(dv.GaussSeidel, dv.Ifosmondi, dv.Iterative, dv.Jacobi, dv.Missiles, dv.Newton),
        *(dv.Costarica, dv.Direct, dv.Identified, dv.Rollback),
        *(dv.Calendar, dv.Consistent, dv.Thinning),
        *(dv.rootfinders.Aitken, dv.rootfinders.Anderson, dv.rootfinders.FixedPoint),
        *(dv.rootfinders.IqnIls, dv.rootfinders.Newton, dv.rootfinders.NewtonKrylov),
    ),
    (),
)


@pytest.mark.parametrize(
    ("kind", "option"),
    [(kind, f.name) for kind in FAMILIES for f in fields(kind) if f.init],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
@pytest.mark.parametrize("nonsense", [object(), [1], math.nan], ids=["object", "list", "nan"])
def test_every_option_refuses_nonsense_in_one_sentence(kind, option, nonsense):
    usual = dict(zip((f.name for f in fields(kind)), FAMILIES[kind], strict=False))
    with pytest.raises(dv.OptionError) as caught:
        kind(**usual | {option: nonsense})
    assert repr(nonsense) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_this_package_does_not_have():
    with pytest.raises(AttributeError) as caught:
        dv.GausSeidel  # noqa: B018
    assert str(caught.value) == "dovetail has no 'GausSeidel'. Did you mean 'GaussSeidel'?"
