"""A run in progress: window by window, interrupted, closed, asked how it stands."""

import os
import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import problems
import pytest
from catalogue import algorithms, brief
from hearing import hearing

import dovetail as dv
from dovetail.observe.progress import Progress
from dovetail.results.recorders.memory import MemoryRecording


def session(system=None, stop=1.0, **more):
    options = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.1), **more}
    return dv.Session(system or problems.prey_predator_system(), stop=stop, **options)


# One window at a time -----------------------------------------------------------------------


def test_iterating_gives_one_step_per_window():
    with session() as run:
        steps = list(run)
    assert [s.time for s in steps] == [0.1 * k for k in range(1, 10)] + [1.0]
    assert [s.window.start for s in steps] == [0.0] + [s.time for s in steps[:-1]]
    assert not any(s.event for s in steps)
    assert run.finished
    for k, step in enumerate(steps):
        assert step["prey.x"] == run.result["prey.x"][k + 1]
    assert set(steps[-1].values) == {"prey.x", "prey.u", "predator.x", "predator.u"}


def test_steps_tell_of_events_and_the_values_right_of_them():
    with session(problems.control_loop_system(), 0.5) as run:
        steps = {round(s.time, 9): s for s in run}
    assert steps[0.37].event
    assert steps[0.37]["set.r"] == 2.0
    assert isinstance(steps[0.37]["controller.u"], float)


def test_a_session_can_be_left_and_entered_again():
    with session() as run:
        for step in run:
            if step.time > 0.35:
                break
        assert run.time == 0.4
        rest = [s.time for s in run]
    assert rest[0] == 0.5
    assert len(run.result) == 11


class Bar:
    """Hears what a bar would show."""

    def __init__(self):
        self.shown = []

    def update(self, task, **fields):
        self.shown.append(fields)

    def stop(self):
        """Nothing to take away."""


@pytest.mark.parametrize(
    ("calendar", "told"),
    [
        (dv.Calendar(), "t = 5400 s"),
        (dv.Calendar("h"), "t = 1.5 h"),
        (dv.Calendar("h", "2026-03-01"), "t = 1.5 h (2026-03-01 01:30:00)"),
    ],
)
def test_progress_tells_time_as_the_calendar_does(calendar, told):
    progress = Progress(0.0, 7200.0, "a day", calendar, shown=True)
    progress._bar, progress._next = Bar(), 0.0
    progress.moved(5400.0, 12)
    assert progress._bar.shown == [{"completed": 5400.0, "windows": 12, "at": told}]


def test_a_bar_shows_title_time_and_windows(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if it were a terminal
    progress = Progress(0.0, 7200.0, "a day", dv.Calendar("h", "2026-03-01"), shown=True)
    progress._next = 0.0
    progress.moved(5400.0, 12)
    progress._bar.refresh()
    progress.close()
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert "a day" in shown
    assert "t = 1.5 h (2026-03-01 01:30:00), 12 windows" in shown


def test_run_goes_on_from_where_it_stands():
    with session() as run:
        run.advance()
        result = run.run()
    assert len(result) == 11
    assert result.finished


def test_iterating_and_running_agree_to_the_last_bit():
    with session() as run:
        for _ in run:
            pass
    whole = dv.simulate(
        problems.prey_predator_system(),
        stop=1.0,
        algorithm=dv.GaussSeidel(),
        controller=dv.FixedStep(0.1),
    )
    assert np.array_equal(run.result["prey.x"], whole["prey.x"])


def test_the_result_holds_what_was_computed_when_it_is_asked_for():
    run = session()
    run.advance()
    result = run.result
    assert len(result) == 2
    assert not result.finished
    assert result.facts["reached"] == 0.1
    assert "did not reach its end" in str(result.verdict)
    with pytest.raises(dv.OptionError, match="this session is closed"):
        run.advance()


def test_leaving_a_session_closes_its_parts_whatever_happened():
    closed = []

    class Closing(problems.Species):
        def instantiate(self, name):
            part = super().instantiate(name)
            part.close = lambda: closed.append(name)
            return part

    def system():
        drawing = dv.System("closing")
        drawing.add("a", Closing(1.0, 0.0, 1.0))
        drawing.add("b", Closing(1.0, 0.0, 1.0))
        return drawing

    with session(system()):
        pass
    assert closed == ["a", "b"]
    closed.clear()
    with pytest.raises(ZeroDivisionError), session(system()):
        raise ZeroDivisionError
    assert closed == ["a", "b"]


def test_parts_made_before_one_that_cannot_be_made_are_closed():
    closed = []

    class Closing(problems.Species):
        def instantiate(self, name):
            part = super().instantiate(name)
            part.close = lambda: closed.append(name)
            return part

    class Broken(problems.Species):
        def instantiate(self, name):
            raise RuntimeError("no licence")

    system = dv.System("broken")
    system.add("fine", Closing(1.0, 0.0, 1.0))
    system.add("broken", Broken(1.0, 0.0, 1.0))
    with pytest.raises(RuntimeError, match="no licence"):
        session(system)
    assert closed == ["fine"]


def test_there_is_nothing_beyond_the_end():
    with session() as run:
        list(run)
        with pytest.raises(dv.OptionError, match="this session is at its end, t = 1 s"):
            run.advance()


def test_a_drawing_is_not_touched_by_its_runs():
    system = problems.control_loop_system()
    before = system.fingerprint()
    first, second = (session(system, 0.5).run() for _ in range(2))
    assert system.fingerprint() == before
    assert np.array_equal(first["plant.y"], second["plant.y"])


def test_two_sessions_of_one_drawing_do_not_meet():
    system = problems.prey_predator_system()
    one, other = session(system), session(system)
    for _ in range(10):
        one.advance()
        other.advance()
    assert np.array_equal(one.result["prey.x"], other.result["prey.x"])


# Statistics ---------------------------------------------------------------------------------


def test_statistics_are_there_at_any_time():
    with session() as run:
        run.advance()
        assert run.statistics.windows == 1
        assert run.statistics.evaluations_by_part == {"prey": 1, "predator": 1}
        run.run()
    statistics = run.result.statistics
    assert statistics.windows == 10
    assert statistics.evaluations == 20
    assert statistics.iterations == 10
    assert statistics.wall_seconds > 0
    assert set(statistics.seconds_by_part) == {"prey", "predator"}
    assert statistics.iteration_limit_reached == statistics.events == 0


def test_a_verdict_names_the_weakest_connection():
    with session(controller=dv.FixedStep(0.1)) as run:
        verdict = run.run().verdict
    assert verdict.weakest in ("prey.x -> predator.u", "predator.x -> prey.u")
    assert 0 < verdict.mismatch < 1
    with session(controller=dv.FixedStep(0.01)) as run:
        assert run.run().verdict.mismatch < verdict.mismatch


def test_a_verdict_sees_array_connections_too():
    system = dv.System("arrays")
    source = dv.Source(outputs={"y": [0.0, 0.0]}, function=lambda t, p: [[t, t * t]])
    system.add("source", source)
    sink = dv.Algebraic(
        inputs={"u": [0.0, 0.0]}, outputs=["s"], function=lambda t, u, p: [u.u.sum()]
    )
    system.add("sink", sink)
    system.connect("source.y", "sink.u")
    verdict = session(system, algorithm=dv.Jacobi()).run().verdict
    assert verdict.weakest == "source.y[2] -> sink.u[2]"


# Options ------------------------------------------------------------------------------------


def test_what_is_chosen_for_the_user_is_said(capsys):
    result = dv.simulate(problems.prey_predator_system(), stop=1.0)
    said = capsys.readouterr().err
    assert "nothing given: GaussSeidel(50, inputs='hermite'" in said
    assert "with StepDoubling(0.0002" in said
    assert "every part can roll back, so that windows follow their error" in said
    assert len(result.facts["messages"]) == 1


def test_what_is_chosen_beside_a_step_is_said(capsys):
    dv.simulate(problems.prey_predator_system(), stop=1.0, step=0.002)
    said = capsys.readouterr().err
    assert "no algorithm given: GaussSeidel(50, inputs='ramp'), because" in said
    assert "every part of each cycle can answer a window repeatedly" in said


def test_quiet_is_quiet(capsys):
    dv.simulate(problems.prey_predator_system(), stop=1.0, quiet=True)
    assert capsys.readouterr() == ("", "")


def test_a_blind_part_in_a_cycle_leads_to_a_single_pass(capsys):
    result = dv.simulate(problems.prey_predator_system(problems.Blind), stop=1.0)
    assert "'prey' can step over a window only once" in capsys.readouterr().err
    assert "max_iterations=1" in result.facts["algorithm"]


def test_tolerances_are_the_algorithms_else_the_controllers_else_the_runs():
    doubling = dv.StepDoubling(1e-3, 1e-4)
    for given, controller, rtol, expected in (
        (dv.GaussSeidel(5, rtol=1e-8, atol=1e-9), doubling, 1e-2, (1e-8, 1e-9)),
        (dv.GaussSeidel(5), doubling, 1e-2, (1e-3, 1e-4)),
        (dv.GaussSeidel(5, rtol=1e-8), doubling, 1e-2, (1e-8, 1e-4)),
        (dv.GaussSeidel(5), dv.FixedStep(0.1), 1e-2, (1e-2, 1e-6)),
    ):
        run = session(algorithm=given, controller=controller, rtol=rtol)
        assert (run.algorithm.rtol, run.algorithm.atol) == expected
        run.close()


def test_step_doubling_takes_the_order_of_the_algorithm():
    for algorithm, order in ((dv.GaussSeidel(), 1), (dv.GaussSeidel(9, inputs="ramp"), 2)):
        run = session(algorithm=algorithm, controller=dv.StepDoubling())
        assert run.controller.order == order
        run.close()


@pytest.mark.parametrize("algorithm", algorithms, ids=brief)
def test_start_and_stop_may_lie_anywhere(algorithm):
    """Nothing in these parts knows the time, so nothing may depend on where it starts."""
    here = session(algorithm=algorithm).run()
    there = session(algorithm=algorithm, start=-7.0, stop=-6.0).run()
    assert there.time[0] == -7.0
    assert there.time[-1] == -6.0
    assert there["prey.x"] == pytest.approx(here["prey.x"], rel=1e-12)


def test_a_run_from_start_to_start_is_one_row():
    result = session(stop=0.0).run()
    assert len(result) == 1
    assert result.finished
    assert result.final["prey.x"] == 1.0


@pytest.mark.parametrize("start", [1e6, 1e9, -1.7e9])
def test_a_clock_that_shows_a_date_is_no_trouble(start):
    """Times of 1e9 s are known to a tenth of a microsecond: windows and samples are not lost."""
    system = dv.System("late")
    counter = dv.Discrete(
        period=0.1,
        states={"n": 0.0},
        outputs=["n"],
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [x.n + 1],
    )
    system.add("counter", counter)
    lag = dv.Dynamic(
        states={"x": 1.0}, inputs=["u"], outputs=["x"], derivatives=lambda t, x, u, p: [-x.x]
    )
    system.add("lag", lag)
    for size in (0.1, 0.03, 0.25):
        result = session(system, start + 1.0, start=start, controller=dv.FixedStep(size)).run()
        assert result.time[-1] == start + 1.0
        assert result["counter.n"][-1] == 10.0
        assert result["lag.x"][-1] == pytest.approx(np.exp(-1), rel=1e-5)
        assert result.statistics.windows <= 10 + 1 / size + 1


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_time_has_no_preferred_scale(scale):
    """The same run in nanoseconds, milliseconds or weeks."""

    def run(scale):
        system = dv.System("scaled")
        system.add("prey", problems.Species(2 / 3 / scale, -4 / 3 / scale, 1.0))
        system.add("predator", problems.Species(-1 / scale, 1 / scale, 1.0))
        system.connect("prey.x", "predator.u")
        system.connect("predator.x", "prey.u")
        return session(system, scale, controller=dv.FixedStep(0.1 * scale)).run()

    result, reference = run(scale), run(1.0)
    assert len(result) == 11
    assert result["prey.x"] == pytest.approx(reference["prey.x"], rel=1e-12)


@pytest.mark.parametrize("scale", [1e-12, 1e-9, 1e6])
def test_events_have_no_preferred_time_scale_either(scale):
    system = dv.System("scaled")
    at = [0.31 * scale, 0.3101 * scale, 0.75 * scale]
    source = dv.Source(outputs=["y"], function=lambda t, p: [sum(t >= a for a in at)], jumps=at)
    system.add("source", source)
    counter = dv.Discrete(
        period=0.1 * scale,
        states={"n": 0.0},
        outputs=["n"],
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [x.n + 1],
    )
    system.add("counter", counter)
    result = session(system, scale, controller=dv.FixedStep(0.07 * scale)).run()
    assert result.final == {"source.y": 3.0, "counter.n": 10.0}
    assert result.statistics.events == 13


def test_sizes_that_do_not_divide_the_span_leave_a_shorter_last_window():
    result = session(stop=1.0, controller=dv.FixedStep(0.3)).run()
    assert result.time.tolist() == [0.0, 0.3, 0.6, 0.3 * 3, 1.0]


def test_a_part_that_shows_nothing_is_run_all_the_same():
    system = dv.System("silent")
    seen = []

    def rates(t, x, u, p):
        seen.append(t)
        return [0.0]

    system.add("it", dv.Dynamic(states={"x": 0.0}, derivatives=rates))
    for controller in (dv.FixedStep(0.1), dv.StepDoubling(first_size=0.1)):
        result = session(system, controller=controller).run()
        assert result.names == []
        assert result.time[-1] == 1.0
    assert max(seen) == 1.0


# Ctrl-C -------------------------------------------------------------------------------------


def interrupting(at):
    def function(t, p):
        if t > at:
            raise KeyboardInterrupt
        return [t]

    system = dv.System("interrupted")
    system.add("it", dv.Source(outputs=["y"], function=function))
    return system


def test_ctrl_c_inside_a_part_ends_a_run_with_results_kept():
    with pytest.raises(dv.Interrupted) as caught:
        dv.simulate(
            interrupting(0.45), stop=1.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1)
        )
    assert str(caught.value) == "interrupted at t = 0.4 s of 1 s; what was computed is kept"
    assert isinstance(caught.value, KeyboardInterrupt)
    result = caught.value.result
    assert result.time.tolist() == [0.1 * k for k in range(5)]
    assert not result.finished
    assert "interrupted" in result.facts["message"]


def test_ctrl_c_while_iterating_leaves_the_result_with_the_session():
    with pytest.raises(KeyboardInterrupt), session(interrupting(0.45)) as run:
        for _ in run:
            pass
    assert len(run.result) == 5


def test_ctrl_c_from_outside_ends_a_run_with_results_kept(tmp_path):
    """A process that is sent SIGINT once it is on its way."""
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            import dovetail as dv

            def function(t, p):
                if t == 5.0:
                    print("running", flush=True)
                return [t]

            system = dv.System("long")
            system.add("it", dv.Source(outputs=["y"], function=function))
            try:
                dv.simulate(system, stop=1e6, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.5))
            except dv.Interrupted as error:
                print(len(error.result) > 0, error.result.time[-1] == error.time, flush=True)
                sys.exit(7)
            """
        )
    )
    with hearing():
        process = subprocess.Popen(
            [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    assert process.stdout.readline() == "running\n"
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert "True True" in out, err
    assert process.returncode == 7


def test_ctrl_c_while_rows_are_written_waits_for_them():
    system = dv.System("pressed")
    system.add("it", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    pressed = []

    class Pressing(MemoryRecording):
        def row(self, time, reals, discrete):
            if time == 2.0 and not pressed:
                pressed.append(time)
                signal.raise_signal(signal.SIGINT)
            super().row(time, reals, discrete)

    class Recorder(dv.Memory):
        def open(self, columns):
            return Pressing(tuple(columns))

    with hearing(), pytest.raises(dv.Interrupted) as caught:
        dv.simulate(system, stop=9.0, controller=dv.FixedStep(1.0), recorder=Recorder(), quiet=True)
    assert pressed == [2.0]
    assert caught.value.time == caught.value.result.time[-1] == 2.0


# Failures -----------------------------------------------------------------------------------


def failing(at):
    def function(t, u, p):
        if t > at:
            raise ValueError("out of range")
        return [t]

    system = dv.System("failing")
    system.add("it", dv.Algebraic(inputs=[], outputs=["y"], function=function))
    return system


@pytest.mark.parametrize("controller", [dv.FixedStep(0.1), dv.FixedStep(0.1, min_size=0.01)])
def test_a_failing_part_ends_a_run_with_results_kept(controller):
    with pytest.raises(dv.PartFailed, match="out of range") as caught:
        session(failing(0.45), controller=controller).run()
    assert caught.value.part == "it"
    result = caught.value.result
    assert result.time[-1] <= 0.45
    assert result.time[-1] > 0.3
    assert "out of range" in result.facts["message"]


def test_a_failure_that_a_smaller_window_cures_is_cured():
    """The iteration contracts only over windows below a size; the grid is kept."""
    system = problems.prey_predator_system()
    result = session(
        system, 5.0, algorithm=dv.GaussSeidel(6), controller=dv.FixedStep(1.0, min_size=0.01)
    ).run()
    assert result.statistics.rejected_by_convergence > 0
    assert {0.0, 1.0, 2.0, 3.0, 4.0, 5.0} <= set(result.time)


def test_an_error_of_the_user_while_iterating_keeps_the_rows():
    with pytest.raises(RuntimeError, match="mine"), session() as run:
        for step in run:
            if step.time > 0.3:
                raise RuntimeError("mine")
    assert len(run.result) == 5 or len(run.result) == 4
    assert run.result.facts["message"] == "mine"
