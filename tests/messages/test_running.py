"""What is said when a run cannot be started, or cannot go on."""

import math

import numpy as np
import problems
import pytest

import dovetail as dv


def simulate(system, algorithm=dv.GaussSeidel(), size=0.1, stop=1.0, **more):
    controller = dv.FixedStep(size) if isinstance(size, float) else size
    return dv.simulate(system, stop=stop, algorithm=algorithm, controller=controller, **more)


def alone(model):
    system = dv.System("alone")
    system.add("tank", model)
    return system


def said(error, action):
    with pytest.raises(error) as caught:
        action()
    return str(caught.value)


# Parts that fail ----------------------------------------------------------------------------


def tank(derivatives=lambda t, x, u, p: [0.0], output=lambda t, x, u, p: [x.level]):
    return alone(
        dv.Dynamic(
            states={"level": 1.0},
            inputs=["inflow"],
            outputs=["level"],
            derivatives=derivatives,
            output=output,
        )
    )


def line_of(function):
    return function.__code__.co_firstlineno


def bad_division(t, x, u, p):
    return [1 / (0.25 - t) if t < 0.2 else 1 / 0]


def bad_name(t, x, u, p):
    return [u.inflw]


def bad_library(t, x, u, p):
    return np.linalg.solve(np.zeros((1, 1)), [1.0])


def test_a_failing_function_is_named_with_its_place():
    message = said(dv.PartFailed, lambda: simulate(tank(bad_division)))
    assert message == (
        "part 'tank' failed while evaluating its derivatives at t = 0.2 s: ZeroDivisionError: "
        f"division by zero (test_running.py, line {line_of(bad_division) + 1})"
    )


def test_a_name_typed_wrong_inside_a_function_is_placed_there():
    assert said(dv.PartFailed, lambda: simulate(tank(bad_name))) == (
        "part 'tank' failed while evaluating its derivatives at t = 0 s: AttributeError: 'u' has "
        f"no 'inflw': it has inflow (test_running.py, line {line_of(bad_name) + 1})"
    )


def test_a_failure_in_a_library_is_placed_where_it_was_called():
    assert said(dv.PartFailed, lambda: simulate(tank(bad_library))).endswith(
        f"LinAlgError: Singular matrix (test_running.py, line {line_of(bad_library) + 1})"
    )


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (lambda x: -x.level, "it returned -1.0, not a list of 1 number"),
        (lambda x: None, "it returned None, not a list of 1 number"),
        (lambda x: [1.0, 2.0], "it returned 2 values for 1 state"),
        (lambda x: [], "it returned 0 values for 1 state"),
        (lambda x: ["a"], "it returned ['a'], not a list of 1 number"),
        (lambda x: {"level": 1.0}, "it returned {'level': 1.0}, not a list of 1 number"),
    ],
)
def test_a_function_that_returns_something_else(returned, reason):
    message = said(dv.PartFailed, lambda: simulate(tank(lambda t, x, u, p: returned(x))))
    assert message == f"part 'tank' failed while evaluating its derivatives at t = 0 s: {reason}"


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ([1.0], "it returned 1 value for 2 outputs"),
        (1.0, "it returned 1.0, not a list of 2 values"),
        (["a", "b"], "'y' must be a real value, not 'a'"),
        ([1.0, 2.0], "'said' must be a string value, not 2.0"),
        ([[1.0, 2.0], "b"], "it returned 2 values for 'y', which has 1"),
    ],
)
def test_values_of_several_kinds_that_do_not_fit(returned, reason):
    model = dv.Algebraic(
        inputs=[], outputs={"y": 0.0, "said": ""}, function=lambda t, u, p: returned
    )
    message = said(dv.PartFailed, lambda: simulate(alone(model)))
    assert message == f"part 'tank' failed while evaluating its function at t = 0 s: {reason}"


def test_states_of_several_kinds_that_do_not_fit():
    model = dv.Discrete(
        period=0.1,
        states={"n": 0.0, "s": ""},
        outputs=["y"],
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [1.0],
    )
    assert said(dv.PartFailed, lambda: simulate(alone(model))) == (
        "part 'tank' failed while evaluating its update at t = 0 s: it returned 1 value for 2 "
        "states"
    )


def test_an_output_that_is_no_number():
    system = tank(output=lambda t, x, u, p: [math.nan if t > 0.25 else 1.0])
    with pytest.raises(dv.PartFailed) as caught:
        simulate(system)
    assert str(caught.value) == (
        "part 'tank' failed while advancing at t = 0.3 s: it returned nan for its output 'level'"
    )
    assert caught.value.result.time[-1] == 0.2


def test_an_output_that_is_no_number_at_the_start():
    assert said(dv.PartFailed, lambda: simulate(tank(output=lambda t, x, u, p: [math.inf]))) == (
        "part 'tank' failed while giving its outputs at t = 0 s: it returned inf for its "
        "output 'level'"
    )


def test_rates_that_are_no_number():
    message = said(dv.PartFailed, lambda: simulate(tank(lambda t, x, u, p: [math.nan])))
    assert message == (
        "part 'tank' failed while integrating at t = 0 s: the rates of change are not finite; look "
        "there for a division by zero, a root or logarithm of a negative number, or a solution "
        "that grows without bound"
    )


def test_a_solution_that_runs_away():
    message = said(
        dv.PartFailed, lambda: simulate(tank(lambda t, x, u, p: [x.level**2]), size=0.5, stop=2.0)
    )
    assert message.startswith("part 'tank' failed while integrating at t = 1 s: ")


def test_events_that_move_what_is_no_state():
    model = dv.Dynamic(
        states={"h": 1.0},
        outputs=["h"],
        derivatives=lambda t, x, u, p: [-2.0],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"height": 1.0},
    )
    assert said(dv.PartFailed, lambda: simulate(alone(model))) == (
        "part 'tank' failed while evaluating its on_event at t = 0.5 s: it moves 'height', which "
        "is no state"
    )


# Iterations that fail -----------------------------------------------------------------------


def test_a_diverging_iteration():
    system, strict = problems.stiff_loop_system(), dv.FixedStep(0.01, min_size=0.01)
    message = said(dv.StepFailed, lambda: simulate(system, dv.GaussSeidel(20), strict))
    assert message == (
        "stopped at t = 0 s with a window of 0.01 s: the iteration does not converge: after 20 "
        "sweeps 'plant.y' still changes by 2.6e+06 times the tolerance; try a smaller window, "
        "more iterations, or dv.Newton() or dv.Iterative()"
    )


def test_an_iteration_that_diverges_at_any_size():
    """A gain of minus 25 around an algebraic loop is the same at any window: ten halvings."""
    system = problems.stiff_loop_system()
    message = said(dv.StepFailed, lambda: simulate(system, dv.GaussSeidel(20), 0.01))
    loud = message.replace("'feedback.u'", "'plant.y'")  # the last bit of the start values decides
    assert loud == (
        "stopped at t = 0 s with a window of 9.76563e-06 s: the iteration does not converge: after "
        "20 sweeps 'plant.y' still changes by 2.6e+06 times the tolerance; shorter windows do not "
        "help; try more iterations, or dv.Newton() or dv.Iterative()"
    )


def test_a_diverging_iteration_keeps_what_came_before():
    """Prey and predator agree while the windows are short compared with their numbers."""
    system = problems.prey_predator_system()
    with pytest.raises(dv.StepFailed) as caught:
        strict = dv.FixedStep(0.5, min_size=0.5)
        simulate(system, dv.Jacobi(6), strict, 5.0, rtol=1e-8, atol=1e-9)
    assert "does not converge: after 6 evaluations '" in str(caught.value)
    assert caught.value.result is not None
    assert caught.value.result.time[-1] == caught.value.window.start


def test_a_value_that_flips():
    system = dv.System("flip")
    same = dv.Algebraic(
        inputs={"u": False},
        outputs={"y": False},
        function=lambda t, u, p: [u.u if t > 0 else False],
        feedthrough=False,
    )
    other = dv.Algebraic(
        inputs={"u": False},
        outputs={"y": True},
        function=lambda t, u, p: [not u.u if t > 0 else True],
        feedthrough=False,
    )
    system.add("same", same)
    system.add("other", other)
    system.connect("same.y", "other.u")
    system.connect("other.y", "same.u")
    for algorithm, told in (
        (dv.GaussSeidel(20), "after 20 sweeps 'same.y' still flips"),
        (dv.Iterative(), "after 20 evaluations 'other.y' still flips"),
        (dv.Newton(), "after 20 evaluations 'other.y' still flips"),
        (dv.Jacobi(20), "after 20 evaluations 'other.y' still flips"),
    ):
        message = said(dv.StepFailed, lambda a=algorithm: simulate(system, a))
        assert f"the iteration does not converge: {told}; " in message


def test_a_failed_window_that_somebody_cannot_take_back():
    system = problems.prey_predator_system()
    system.add("clock", problems.Blind(dv.Source(outputs=["t"], function=lambda t, p: [t])))
    tight = dv.GaussSeidel(2, rtol=1e-12, atol=1e-13)
    for controller in (dv.FixedStep(0.5), dv.FixedStep(0.5, min_size=0.01)):
        first = dv.System("clock first")
        first.add("clock", system.parts["clock"].model)
        for name in ("prey", "predator"):
            first.add(name, system.parts[name].model)
        first.connect("prey.x", "predator.u")
        first.connect("predator.x", "prey.u")
        message = said(dv.StepFailed, lambda c=controller, f=first: simulate(f, tight, c))
        assert "and 'clock' cannot roll back to try anything else; try a smaller window" in message


# Starts that fail ---------------------------------------------------------------------------


def loop(function):
    system = dv.System("loop")
    system.add("a", dv.Algebraic(inputs=["u"], outputs=["y"], function=function))
    system.add("b", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u]))
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    return system


def test_an_algebraic_loop_without_a_solution():
    message = said(
        dv.StartFailed, lambda: simulate(loop(lambda t, u, p: [u.u + 1 + u.u**2]), dv.Newton())
    )
    assert message.startswith("no consistent start values for 'a.u', 'b.u': they still disagree")
    assert message.endswith(
        "give start values near a solution, or break the loop with a part that has a state"
    )


def test_a_discrete_loop_without_a_solution():
    system = dv.System("loop")
    for name in ("a", "b"):
        part = dv.Algebraic(
            inputs={"u": False},
            outputs={"y": False},
            function=(lambda t, u, p: [u.u]) if name == "a" else (lambda t, u, p: [not u.u]),
        )
        system.add(name, part)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    message = said(dv.StartFailed, lambda: simulate(system))
    assert message.startswith("no consistent start values for '")
    assert "': they oscillate between values; give start values near a solution" in message


def test_an_algebraic_loop_that_loses_its_solution_at_an_event():
    """y = u up to t = 0.5, y = u + 1 + u^2 from there on."""
    system = dv.System("lost")
    late = dv.Source(outputs=["r"], function=lambda t, p: [float(t >= 0.5)], jumps=[0.5])
    system.add("late", late)
    system.add(
        "a",
        dv.Algebraic(
            inputs=["u", "r"],
            outputs=["y"],
            function=lambda t, u, p: [u.r * (u.u + 1 + u.u**2)],
        ),
    )
    system.add("b", dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u]))
    system.connect("late.r", "a.r")
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    with pytest.raises(dv.RunError) as caught:
        simulate(system, dv.Newton())
    assert "t = 0.5 s" in str(caught.value)
    assert "start values" not in str(caught.value).split(":")[0]


# Capabilities -------------------------------------------------------------------------------


def test_shortfalls_are_listed_part_by_part():
    system = problems.prey_predator_system(problems.Blind)
    assert said(
        dv.CapabilityError,
        lambda: simulate(
            system,
            dv.GaussSeidel(5),
            dv.StepDoubling(),
            estimators={"prey": dv.Direct(), "predator": dv.Direct()},
        ),
    ) == (
        "GaussSeidel with StepDoubling cannot run on this system:\n"
        "  'prey' can step over a window only once; give it an estimator, or use an algorithm "
        "that evaluates each window once\n"
        "  'prey' cannot roll back; use a controller that never repeats a window, such as "
        "dv.FixedStep\n"
        "  'predator' can step over a window only once; give it an estimator, or use an algorithm "
        "that evaluates each window once\n"
        "  'predator' cannot roll back; use a controller that never repeats a window, such as "
        "dv.FixedStep"
    )


def test_an_estimator_that_a_part_cannot_follow():
    system = problems.prey_predator_system(problems.Blind)
    action = lambda: simulate(system, estimators={"prey": dv.Rollback()})  # noqa: E731
    assert said(dv.CapabilityError, action) == (
        "GaussSeidel with FixedStep cannot run on this system:\n"
        "  'prey' cannot roll back, as dv.Rollback() wants it to; give it another estimator, or "
        "none"
    )


def test_inputs_that_a_part_cannot_follow():
    system = problems.prey_predator_system(lambda model: problems.Blind(model, input_order=0))
    assert said(dv.CapabilityError, lambda: simulate(system, dv.GaussSeidel(inputs="ramp"))) == (
        "GaussSeidel with FixedStep cannot run on this system:\n"
        "  'prey' cannot follow inputs that ramp over a window; use inputs='hold'\n"
        "  'predator' cannot follow inputs that ramp over a window; use inputs='hold'"
    )


# Options of a run ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop": -1.0}, "stop (-1) must not lie before start (0)"),
        (
            {"algorithm": dv.GaussSeidel},
            "algorithm must be an object such as dv.GaussSeidel(), not GaussSeidel",
        ),
        (
            {"algorithm": "newtn"},
            "algorithm: there is no algorithm 'newtn'. Did you mean 'newton'?",
        ),
        (
            {"controller": 0.1},
            "controller must be an object such as dv.FixedStep(0.01), not 0.1",
        ),
        ({"stop": math.nan}, "stop must be a number, not nan"),
        ({"stop": "1"}, "stop must be a number, not '1'"),
        (
            {"record": "predatr.x"},
            "record='predatr.x' means no output or connected input. Did you mean 'predator.x'?",
        ),
        (
            {"record": "nothing.*"},
            "record='nothing.*' means no output or connected input. There are 'prey.x', 'prey.u', "
            "'predator.x', 'predator.u'.",
        ),
        (
            {"contoller": dv.FixedStep(0.1)},
            "dv.simulate has no option 'contoller'. Did you mean 'controller'?",
        ),
        (
            {"step_size": 0.1},
            "dv.simulate has no option 'step_size'; the size of windows is step=...",
        ),
        (
            {"estimators": {"pray": dv.Rollback()}},
            "estimators names a part 'pray' that is not in the system. Did you mean 'prey'?",
        ),
        (
            {"algorithm": dv.GaussSeidel(order_of_parts=("predatr",))},
            "order_of_parts names 'predatr', which is no part. Did you mean 'predator'?",
        ),
    ],
)
def test_an_option_that_makes_no_sense(options, message):
    options = {"stop": 1.0, "algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), **options}
    action = lambda: dv.simulate(problems.prey_predator_system(), **options)  # noqa: E731
    assert said(dv.OptionError, action) == message


def test_a_system_that_is_none_or_empty():
    assert said(dv.OptionError, lambda: simulate(problems.Species)) == (
        "dv.simulate runs a dv.System, a model such as dv.load('x.fmu'), or the path of a file, "
        "not the class Species"
    )
    assert said(dv.OptionError, lambda: simulate({"tank": 1})) == (
        "dv.simulate runs a dv.System, a model such as dv.load('x.fmu'), or the path of a file, "
        "not dict"
    )
    assert said(dv.OptionError, lambda: dv.Session("plant.yaml", stop=1.0)) == (
        "a session needs a dv.System, not str; dv.simulate runs a file or a single model too"
    )
    assert said(dv.FileError, lambda: simulate("plant.yaml")) == (
        "plant.yaml: there is no such file"
    )
    assert said(dv.DrawingError, lambda: simulate(dv.System("void"))) == (
        "system 'void' has no parts."
    )


def test_a_closed_session():
    run = dv.Session(
        problems.prey_predator_system(),
        stop=1.0,
        algorithm=dv.Jacobi(),
        controller=dv.FixedStep(0.1),
    )
    run.close()
    assert said(dv.OptionError, run.advance) == (
        "this session is closed; start another one, or resume a checkpoint"
    )


# Reports ------------------------------------------------------------------------------------


def test_a_check_tells_problems_cycles_loops_and_choices():
    system = problems.stiff_loop_system()
    system.add("extra", problems.Blind(problems.Species(1.0, 0.0, 1.0)))
    text = str(system.check())
    assert text.splitlines()[:6] == [
        "System 'stiff loop': fits together.",
        "  note: 'extra.u' is not connected; it stays at 0.",
        "  note: algebraic loop: plant.u -> plant.y -> feedback.y -> feedback.u -> plant.u; "
        "iterate, or it lags by a window.",
        "  cycle: plant, feedback depend on each other",
        "  speed: GaussSeidel(50, inputs='ramp') with FixedStep runs from Python because part "
        "'plant' (and 2 more) is no FMU",
        "It can be run with:",
    ]
    assert "  yes  any algorithm with FixedStep or Defect\n" in text
    assert (
        "any algorithm with ErrorCheck (doubling) or StepDoubling: 'extra' cannot roll back" in text
    )


def test_a_check_of_a_chosen_algorithm_lists_what_it_lacks():
    report = problems.prey_predator_system(problems.Blind).check(dv.Newton(), dv.StepDoubling())
    assert not report.ok
    assert str(report.problems[-1]) == (
        "'predator' cannot roll back; use a controller that never repeats a window, such as "
        "dv.FixedStep."
    )


# Options that are of the wrong kind ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"recorder": "x.csv"}, "recorder must be an object such as dv.File('x.csv'), not 'x.csv'"),
        ({"recorder": 3}, "recorder must be an object such as dv.Memory(), not 3"),
        ({"initialization": 3}, "initialization must be an object such as dv.Consistent(), not 3"),
        ({"calendar": "d"}, "calendar must be an object such as dv.Calendar(\"h\"), not 'd'"),
        (
            {"record": 3},
            'record must be a list of texts as in ["plant.*", "*.force"], not 3',
        ),
        (
            {"estimators": "none"},
            "estimators must name parts, as in {\"plant\": dv.Costarica()}, or be 'auto', "
            "not 'none'",
        ),
        (
            {"estimators": {"tank": dv.Costarica}},
            "the estimator of 'tank' must be an object, as in {\"plant\": dv.Costarica()}, "
            "not <class 'dovetail.estimators.costarica.Costarica'>",
        ),
    ],
)
def test_an_option_of_the_wrong_kind_is_told(given, message):
    assert said(dv.OptionError, lambda: simulate(tank(), **given)) == message


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: dv.merge("x"), "only a dv.System can be merged, not str; put it into one"),
        (
            lambda: dv.Nested("x"),
            "only a dv.System can be nested, not str; dv.open opens one from a file.",
        ),
        (lambda: dv.load(3), "a model must be the path of a file, not 3"),
        (lambda: dv.open(3), "a system must be the path of a file, not 3"),
        (lambda: dv.read(3), "a result must be the path of a file, not 3"),
        (
            lambda: dv.Nested(tank(), controller=0.1),
            "controller must be something like dv.FixedStep(0.01), not 0.1",
        ),
    ],
)
def test_something_of_the_wrong_kind_is_told(action, message):
    assert said(dv.InputError, action) == message


def test_what_was_chosen_is_said_as_one_would_write_it(capsys):
    dv.simulate(problems.two_mass_system(), stop=0.01)
    said = capsys.readouterr().err
    assert "nothing given: GaussSeidel(50, inputs='hermite', rtol=1e-06, atol=1e-09, " in said
