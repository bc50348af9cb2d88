"""What every algorithm promises, on every problem it can solve."""

import numpy as np
import problems
import pytest
from catalogue import algorithms, brief, iterated, single_pass

import dovetail as dv
from dovetail.core.errors import CannotRollBack

SIZE = 0.05

PAIRS = [
    pytest.param(a, p, id=f"{brief(a)}-{p}")
    for a in algorithms
    for p in problems.everything
    if problems.solvable(p, a)
]
SMOOTH = [
    pytest.param(a, p, id=f"{brief(a)}-{p}")
    for a in algorithms
    for p in (*problems.smooth, problems.algebraic_loop)
]


def session(problem, algorithm, stop=0.5, size=SIZE, wrap=lambda model: model, **more):
    return dv.Session(
        problem.draw(wrap),
        stop=stop,
        algorithm=algorithm,
        controller=dv.FixedStep(size),
        quiet=True,
        **more,
    )


@pytest.mark.parametrize(("algorithm", "problem"), PAIRS)
def test_time_moves_along_the_grid_and_ends_at_the_stop(algorithm, problem):
    with session(problem, algorithm) as run:
        times = [step.time for step in run]
        result = run.result
    assert times[-1] == result.time[-1] == 0.5
    assert times == sorted(set(times))
    assert {0.05 * k for k in range(1, 10)} <= set(times)
    assert np.all(np.diff(result.time) >= 0)
    assert len(result) == 1 + len(times) + result.statistics.events
    assert result.statistics.windows == len(times)


@pytest.mark.parametrize(("algorithm", "problem"), PAIRS)
def test_parts_are_left_where_the_committed_inputs_lead(algorithm, problem):
    """A fresh part that is given those inputs, and no others, tells the same to the last bit."""
    with session(problem, algorithm) as run:
        system, layout = run.system, run.assembly.structure.layout
        twins = [part.model.instantiate(name) for name, part in system.parts.items()]
        spans = list(zip(layout.inputs.spans, layout.outputs.spans, strict=True))
        position = run._stepper.position
        start = run.assembly.coordinator.inputs(position.outputs, position.coordination)
        for twin, part, (before, _) in zip(twins, system.parts.values(), spans, strict=True):
            twin.initialize(0.0, part.values)
            twin.outputs(start[before])
            twin.begin()
        while not run.finished:
            for segment in run.advance():
                for twin, (before, after) in zip(twins, spans, strict=True):
                    inputs = segment.trial.inputs[before]
                    reached = twin.advance(segment.window, inputs)
                    assert reached.time == segment.window.stop
                    assert reached.outputs.equals(segment.outputs[after])
                    if segment.event and hasattr(twin, "event"):
                        seen = run.assembly.coordinator.inputs(
                            segment.after.outputs, segment.after.coordination
                        )
                        assert twin.event(seen[before]).equals(segment.after.outputs[after])


@pytest.mark.parametrize(("algorithm", "problem"), SMOOTH)
def test_every_genuine_advance_is_counted_and_no_other(algorithm, problem):
    logs = []

    def spied(model):
        logs.append([])
        return problems.Spied(model, logs[-1])

    with session(problem, algorithm, wrap=spied) as run:
        result = run.run()
    statistics = result.statistics
    by_part = dict(zip(run.system.parts, [len(log) for log in logs], strict=True))
    assert statistics.evaluations_by_part == by_part
    assert statistics.evaluations == sum(by_part.values())
    assert statistics.windows == 10
    assert statistics.iterations >= statistics.windows
    assert min(by_part.values()) >= statistics.windows


@pytest.mark.parametrize("problem", [*problems.smooth, problems.algebraic_loop], ids=str)
@pytest.mark.parametrize("algorithm", single_pass, ids=brief)
def test_one_pass_is_one_advance_per_part_and_window(algorithm, problem):
    with session(problem, algorithm, wrap=problems.Blind) as run:
        statistics = run.run().statistics
    assert statistics.iterations == statistics.windows == 10
    assert set(statistics.evaluations_by_part.values()) == {10}


def chained(wrap):
    """A source in front of a cycle and a lag behind it, neither of them in it."""
    system = problems.two_mass_system()
    ahead = dv.Source(outputs=["force"], function=lambda t, p: [np.sin(t)])
    behind = problems.Linear(("x",), ("y",), A=[[-1]], B=[[1]], C=[[1]], D=0, x=[0.0])
    driven = problems.sampled_masses_system().parts["left"].model
    outer = dv.System("chained")
    outer.add("ahead", wrap(ahead))
    outer.add("left", driven)
    outer.add("right", system.parts["right"].model)
    outer.add("behind", wrap(behind))
    outer.connect("ahead.force", "left.drive")
    outer.connect("right.force", "left.force")
    outer.connect("left.x", "right.x")
    outer.connect("left.v", "right.v")
    outer.connect("right.x2", "behind.x")
    return outer


@pytest.mark.parametrize("algorithm", iterated, ids=brief)
def test_parts_outside_cycles_are_never_asked_twice(algorithm):
    result = dv.simulate(
        chained(problems.Blind), stop=0.5, algorithm=algorithm, controller=dv.FixedStep(SIZE)
    )
    made = result.statistics.evaluations_by_part
    assert made["ahead"] == made["behind"] == result.statistics.windows == 10
    assert made["left"] > 10 or (made["left"] == 10 and algorithm.predicts)


@pytest.mark.parametrize("algorithm", iterated, ids=brief)
def test_the_same_results_whether_or_not_others_can_go_back(algorithm):
    blind, able = (
        dv.simulate(chained(wrap), stop=0.5, algorithm=algorithm, controller=dv.FixedStep(SIZE))
        for wrap in (problems.Blind, lambda model: model)
    )
    for name in able:
        assert np.array_equal(blind[name], able[name]), name


@pytest.mark.parametrize(("algorithm", "problem"), PAIRS)
def test_two_runs_agree_to_the_last_bit(algorithm, problem):
    first, second = (session(problem, algorithm, stop=0.15).run() for _ in range(2))
    assert np.array_equal(first.time, second.time)
    for name in first:
        assert np.array_equal(first[name], second[name]), name


@pytest.mark.parametrize("algorithm", algorithms, ids=brief)
def test_a_system_without_connections_is_run_as_it_is(algorithm):
    system = dv.System("apart")
    system.add("one", problems.Species(-1.0, 0.0, 2.0))
    system.add("two", problems.Species(-2.0, 0.0, 3.0))
    result = dv.simulate(system, stop=1.0, algorithm=algorithm, controller=dv.FixedStep(0.1))
    assert result["one.x"][-1] == pytest.approx(2 * np.exp(-1), rel=1e-13)
    assert result["two.x"][-1] == pytest.approx(3 * np.exp(-2), rel=1e-13)
    assert result.statistics.evaluations == 20


@pytest.mark.parametrize("algorithm", algorithms, ids=brief)
def test_a_part_connected_with_itself_is_a_cycle_of_its_own(algorithm):
    """x' = -2 x + u with u = x: iterated like any other cycle."""
    system = dv.System("itself")
    part = problems.Linear(("u",), ("x",), A=[[-2]], B=[[1]], C=[[1]], D=0, x=[1.0])
    system.add("it", part)
    system.connect("it.x", "it.u")
    assert system.check().cycles == (("it",),)
    result = dv.simulate(
        system, stop=0.5, algorithm=algorithm, controller=dv.FixedStep(0.01), rtol=1e-9, atol=1e-9
    )
    limit = 1e-5 if algorithm.order == 2 else 6e-3
    if getattr(algorithm, "extrapolation", 0):  # the first window knows no slope
        limit = 1e-4
    assert np.max(np.abs(result["it.x"] - np.exp(-result.time))) < limit


@pytest.mark.parametrize("algorithm", iterated, ids=brief)
def test_iterated_methods_agree_on_where_inputs_meet_outputs(algorithm):
    """Whoever finds it, there is one solution per shape of inputs."""
    best = dv.Newton(inputs=algorithm.inputs)
    problem = problems.two_mass
    options = {"stop": 0.5, "rtol": 1e-11, "atol": 1e-12}
    finals = [problem.run(a, SIZE, **options).final for a in (best, algorithm)]
    for name, value in finals[0].items():
        assert finals[1][name] == pytest.approx(value, abs=1e-9), name


def test_a_part_that_cannot_repeat_says_so_if_it_is_asked_all_the_same():
    """An algorithm that lies about its needs is caught by the estimator."""

    class Liar:
        repeats, inputs, order = False, "hold", 1

        def schedule(self, structure):
            return None

        def step(self, attempt, state):
            from dovetail.algorithms import Trial
            from dovetail.core.signals import Signals, Waveform

            start = attempt.inputs(attempt.before)
            attempt.outputs(Waveform.hold(start))
            return Trial(Waveform.hold(Signals(start.reals + 1.0)))

    run = session(problems.prey_predator, dv.Jacobi(), wrap=problems.Blind)
    run._stepper.algorithm = Liar()
    with pytest.raises(CannotRollBack, match="'prey' has already stepped from t = 0 s"):
        run.advance()
    run.close()
