"""Events: found, felt by everybody, recorded on both sides, and brought to an end."""

import numpy as np
import problems
import pytest
from catalogue import algorithms, brief, iterated, single_pass

import dovetail as dv
from dovetail.rootfinders import Aitken

every_algorithm = pytest.mark.parametrize("algorithm", algorithms, ids=brief)


def simulate(system, stop=1.0, algorithm=dv.GaussSeidel(), size=0.1, **more):
    controller = dv.FixedStep(size) if isinstance(size, float) else size
    return dv.simulate(system, stop=stop, algorithm=algorithm, controller=controller, **more)


def alone(model, **values):
    system = dv.System("alone")
    system.add("it", model, **values)
    return system


def integrator():
    return problems.Linear(("u",), ("x",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[0.0])


# A ball that bounces ------------------------------------------------------------------------


def ball(keep=0.7):
    return dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, x, u, p: [x.v, -9.81],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -keep * x.v},
        rtol=1e-10,
        atol=1e-12,
    )


def bounces(count, keep=0.7):
    """When a ball dropped from 1 m hits the ground, and how fast it leaves it."""
    speed, time, found = np.sqrt(2 * 9.81), np.sqrt(2 / 9.81), []
    for _ in range(count):
        speed *= keep
        found.append((time, speed))
        time += 2 * speed / 9.81
    return found


def height(t, keep=0.7):
    start, speed = -np.sqrt(2 / 9.81), np.sqrt(2 * 9.81)
    for time, leaving in bounces(20, keep):
        if t >= time:
            start, speed = time, leaving
    return speed * (t - start) - 9.81 * (t - start) ** 2 / 2


@every_algorithm
@pytest.mark.parametrize("size", [0.1, 0.37, 5.0])
def test_a_ball_bounces_as_in_closed_form(algorithm, size):
    result = simulate(alone(ball()), 2.2, algorithm, size)
    hits = bounces(6)
    twice = result.time[1:][np.diff(result.time) == 0]
    assert twice == pytest.approx([t for t, _ in hits if t < 2.2], abs=1e-7)
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result["it.v"][right] == pytest.approx([v for t, v in hits if t < 2.2], rel=1e-7)
    assert result["it.v"][right - 1] == pytest.approx(-result["it.v"][right] / 0.7, rel=1e-9)
    assert result.statistics.events == len(right)
    assert result["it.h"] == pytest.approx([height(t) for t in result.time], abs=1e-6)


def test_a_ball_that_never_rests_is_said_to_and_its_flight_is_kept():
    with pytest.raises(dv.EndlessEvents, match="'it'") as caught:
        simulate(alone(ball()), 5.0)
    limit = bounces(200)[-1][0]
    assert caught.value.time == pytest.approx(limit, abs=1e-6)
    kept = caught.value.result
    assert not kept.finished
    assert kept.time[-1] == pytest.approx(limit, abs=1e-6)
    assert kept["it.h"].min() > -1e-9
    assert "did not reach its end" in str(kept.verdict)


def test_only_the_part_that_never_rests_is_blamed():
    system = alone(ball())
    other = dv.Dynamic(
        states={"x": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [1.0],
        zero_crossings=lambda t, x, u, p: [x.x - 0.1],
    )
    system.add("innocent", other)
    with pytest.raises(dv.EndlessEvents) as caught:
        simulate(system, 5.0)
    assert caught.value.parts == ("it",)


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.7, 0.9])
def test_no_ball_falls_through_the_ground(keep):
    with pytest.raises(dv.EndlessEvents) as caught:
        simulate(alone(ball(keep)), 9.0)
    assert caught.value.result["it.h"].min() > -1e-9


def test_many_fast_events_are_no_endless_ones():
    """A square wave a million times faster than the windows is slow work, but work."""
    jumps = [1e-5 * k for k in range(1, 200)]
    source = dv.Source(outputs=["y"], function=lambda t, p: [0.0], jumps=jumps)
    result = simulate(alone(source), 20.0, size=10.0)
    assert result.statistics.events == 199


# A signal that jumps ------------------------------------------------------------------------


def stepped(at, wrap=lambda model: model):
    """A step, an integrator that feels it, and a gain that shows it at once."""
    system = dv.System("step")
    step = dv.Source(outputs=["y"], function=lambda t, p: [1.0 if t < at else -1.0], jumps=[at])
    system.add("step", step)
    system.add("integrator", wrap(integrator()))
    system.add(
        "gain", dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [2 * u.a])
    )
    system.connect("step.y", "integrator.u")
    system.connect("step.y", "gain.a")
    return system


@every_algorithm
@pytest.mark.parametrize("at", [0.37, 0.3, 0.1 * 3, 0.7, 0.1 * 7, 0.95])
def test_a_jump_is_felt_by_all_with_a_row_on_either_side(algorithm, at):
    """Also where the jump and the grid line are the same but for rounding."""
    result = simulate(stepped(at), 1.0, algorithm)
    rows = np.flatnonzero(np.abs(result.time - at) < 1e-9)
    assert len(rows) == 2
    assert result.time[rows[0]] == result.time[rows[1]]
    assert result["step.y"][rows].tolist() == [1.0, -1.0]
    assert result["integrator.u"][rows].tolist() == [1.0, -1.0]
    assert result["gain.b"][rows].tolist() == [2.0, -2.0]
    assert result["integrator.x"][rows] == pytest.approx([at, at], abs=1e-12)
    assert result["integrator.x"][-1] == pytest.approx(at - (1 - at), abs=1e-12)
    assert result.statistics.events == 1


def test_jumps_at_the_start_are_past_and_at_the_stop_are_seen():
    source = dv.Source(
        outputs=["y"],
        function=lambda t, p: [float(t >= 0) + float(t >= 1)],
        jumps=[1.0, 0.0, 1.0, 2.0],
    )
    result = simulate(alone(source), 1.0)
    assert result["it.y"][0] == 1.0
    assert result["it.y"][-2:].tolist() == [1.0, 2.0]
    assert result.time[-2:].tolist() == [1.0, 1.0]
    assert result.statistics.events == 1


def test_jumps_closer_than_a_window_all_count():
    at = [0.5, 0.5 + 1e-13, 0.5 + 1e-6, 0.55]
    source = dv.Source(outputs=["y"], function=lambda t, p: [sum(t >= a for a in at)], jumps=at)
    result = simulate(alone(source), 1.0)
    assert result["it.y"][-1] == 4.0
    assert sorted(set(result["it.y"])) == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("size", [0.1, 0.07, 0.25])
def test_a_table_jumps_where_a_time_stands_twice_and_where_a_held_column_changes(size):
    table = dv.Table(
        time=[0.0, 0.3, 0.3, 0.6, 1.0],
        columns={"a": [0.0, 3.0, 5.0, 5.0, 1.0], "gear": [1.0, 1.0, 1.0, 2.0, 2.0]},
        hold=["gear"],
    )
    result = simulate(alone(table), 1.0, size=size)
    at = {round(t, 9): k for k, t in enumerate(result.time)}
    k = at[0.3]
    assert result["it.a"][k - 1 : k + 1].tolist() == pytest.approx([3.0, 5.0])
    k = at[0.6]
    assert result["it.gear"][k - 1 : k + 1].tolist() == [1.0, 2.0]
    assert result.statistics.events == 2


# Sampling -----------------------------------------------------------------------------------


def sampled(size, start=0.0, stop=1.0, **more):
    """A sampler of a ramp."""
    system = dv.System("sampled")
    system.add("ramp", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    sampler = dv.Discrete(
        period=0.1,
        inputs=["u"],
        outputs=["held", "count"],
        states={"count": 0.0},
        output=lambda t, x, u, p: [u.u, x.count],
        update=lambda t, x, u, p: [x.count + 1],
        **more,
    )
    system.add("sampler", sampler)
    system.connect("ramp.y", "sampler.u")
    return simulate(system, stop, size=size, start=start)


@pytest.mark.parametrize("size", [0.01, 0.03, 0.07, 0.1, 0.25, 3.0])
def test_samples_are_taken_when_they_are_due_on_and_off_the_grid(size):
    result = sampled(size)
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result.time[right] == pytest.approx([0.1 * k for k in range(1, 11)], abs=1e-12)
    assert result["sampler.held"][right] == pytest.approx(result.time[right], abs=1e-12)
    assert result["sampler.count"][right].tolist() == list(range(1, 11))
    between = np.floor(result.time * 10 + 1e-9) / 10
    left = np.setdiff1d(np.arange(len(result)), right - 1)
    assert result["sampler.held"][left] == pytest.approx(between[left], abs=1e-12)


def test_before_a_late_first_sample_the_start_values_hold():
    result = sampled(0.05, offset=0.25)
    before = result.time < 0.25 - 1e-9
    assert not result["sampler.held"][before].any()
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result.time[right] == pytest.approx([0.25 + 0.1 * k for k in range(8)], abs=1e-12)


@pytest.mark.parametrize("start", [-5.0, 3.3, 1000.1])
def test_samples_count_from_the_start(start):
    result = sampled(0.03, start, start + 1.0)
    assert result["sampler.count"][-1] == 10.0


def test_two_samplers_of_unlike_periods_never_miss_each_other():
    """0.1 and 0.3 meet every three samples, but for rounding."""
    system = dv.System("two")
    for name, period in (("fast", 0.1), ("slow", 0.3)):
        counter = dv.Discrete(
            period=period,
            outputs=["n"],
            states={"n": 0.0},
            output=lambda t, x, u, p: [x.n],
            update=lambda t, x, u, p: [x.n + 1],
        )
        system.add(name, counter)
    result = simulate(system, 9.0, size=0.07)
    assert result.final == {"fast.n": 90.0, "slow.n": 30.0}
    # never more rows than both have samples: meeting by rounding may take two windows
    assert result.statistics.events <= 90 + 30


# Discrete values ----------------------------------------------------------------------------


def test_discrete_values_of_every_kind_travel_through_connections():
    system = dv.System("kinds")
    counter = dv.Discrete(
        period=0.1,
        states={"n": dv.Variable("n", kind="integer", start=0)},
        outputs={
            "n": dv.Variable("n", kind="integer"),
            "odd": False,
            "said": "",
            "raw": b"",
            "mode": dv.Variable("mode", kind="enumeration", literals=("off", "on")),
            "pair": dv.Variable("pair", kind="boolean", shape=(2,)),
        },
        output=lambda t, x, u, p: [
            x.n, x.n % 2 == 1, f"#{x.n}", bytes([x.n]), "on" if x.n % 2 else "off",
            [x.n % 2 == 1, x.n > 2],
        ],
        update=lambda t, x, u, p: [x.n + 1],
    )  # fmt: skip
    echo = dv.Algebraic(
        inputs={
            "n": dv.Variable("n", kind="integer"),
            "odd": False,
            "said": "",
            "raw": b"",
            "mode": dv.Variable("mode", kind="enumeration", literals=("off", "on")),
            "pair": dv.Variable("pair", kind="boolean", shape=(2,)),
            "real": 0.0,
        },
        outputs={"told": "", "twice": 0.0},
        function=lambda t, u, p: [
            f"{u.n} {u.odd} {u.said} {u.raw[0]} {u.mode} {u.pair}", 2 * u.real,
        ],
    )  # fmt: skip
    system.add("counter", counter)
    system.add("echo", echo)
    for name in ("n", "odd", "said", "raw", "mode", "pair"):
        system.connect(f"counter.{name}", f"echo.{name}")
    system.connect("counter.n", "echo.real", gain=3.0, offset=1.0)
    result = simulate(system, 0.35, size=0.1)
    assert result["echo.told"][-1] == "3 True #3 3 2 (True, True)"
    assert result["echo.twice"][-1] == 2 * (3.0 * 3 + 1)
    assert result["counter.n"].dtype == np.int64
    assert result["echo.odd"].dtype == np.bool_
    assert result["counter.mode"].tolist() == [1, 1, 2, 2, 1, 1, 2, 2]
    assert result["echo.pair[2]"][-1]
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result["echo.said"][right].tolist() == ["#1", "#2", "#3"]


def heating():
    """A heater with hysteresis: a boolean inside the cycle, thrown by a crossing of an input."""
    room = dv.Dynamic(
        states={"T": 18.0},
        inputs={"heat": False},
        outputs={"T": 18.0},
        derivatives=lambda t, x, u, p: [(5.0 if u.heat else 0.0) - 0.2 * (x.T - 10)],
        rtol=1e-9,
        atol=1e-9,
    )
    thermostat = dv.Dynamic(
        states={"on": 1.0},
        inputs={"T": 18.0},
        outputs={"heat": True},
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: [x.on > 0.5],
        zero_crossings=lambda t, x, u, p: [u.T - 21 if x.on > 0.5 else u.T - 19],
        on_event=lambda which, t, x, u, p: {"on": 0.0 if x.on > 0.5 else 1.0},
    )
    system = dv.System("heating")
    system.add("room", room)
    system.add("thermostat", thermostat)
    system.connect("thermostat.heat", "room.heat")
    system.connect("room.T", "thermostat.T")
    return system


def switchings():
    warm = 5 * np.log((35 - 18) / (35 - 21))  # up to 21, on the way to 35
    return [warm, warm + 5 * np.log((21 - 10) / (19 - 10))]


def thrown(result):
    heat = result["thermostat.heat"]
    return result.time[1:][heat[1:] != heat[:-1]]


RAMPED = [a for a in algorithms if a.inputs == "ramp" and "Aitken" not in brief(a)]


def followed(algorithm, size, stop, most):
    """A run that is stopped when it takes more windows than it may."""
    options = {"algorithm": algorithm, "controller": dv.FixedStep(size)}
    with dv.Session(heating(), stop=stop, **options) as run:
        for _ in run:
            assert run.statistics.windows <= most, f"does not get beyond {run.time} s"
        return run.result


@pytest.mark.parametrize("algorithm", RAMPED, ids=brief)
def test_a_switch_that_an_input_throws_is_thrown_on_time(algorithm):
    """The window ends at the crossing, though it moves each time the window is solved again."""
    result = followed(algorithm, 0.02, 2.5, 135)
    assert thrown(result) == pytest.approx(switchings(), abs=1e-6)
    assert result.statistics.events == 2
    assert result["room.T"].max() < 21 + 1e-6


def test_an_iterate_that_is_dropped_leaves_the_window_as_it_was():
    """Aitken's first steps swing too far, beyond the crossing; the solution does not."""
    assert thrown(followed(dv.Iterative(Aitken()), 0.01, 1.2, 150)) == pytest.approx(
        switchings()[:1], abs=1e-6
    )


@pytest.mark.parametrize("algorithm", [a for a in single_pass if a.inputs == "hold"], ids=brief)
def test_held_inputs_throw_a_switch_a_few_windows_late(algorithm):
    result = simulate(heating(), 2.5, algorithm, 0.01)
    assert thrown(result) == pytest.approx(switchings(), abs=0.1)
    assert thrown(result)[0] == pytest.approx(switchings()[0], abs=0.03)


@pytest.mark.parametrize("algorithm", [a for a in iterated if a.inputs == "hold"], ids=brief)
def test_held_inputs_that_are_iterated_throw_a_switch_at_the_end_of_their_window(algorithm):
    """On, it gets too warm over the window; off, it does not: it is on until the window's end."""
    result = simulate(heating(), 2.5, algorithm, 0.02)
    late = thrown(result) - switchings()
    assert np.all(late > -1e-9) and late[0] < 0.02 and late[1] < 0.08
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result["thermostat.heat"][right - 1].tolist() == [True, False]
    assert result["thermostat.heat"][right].tolist() == [False, True]
    assert result.statistics.events == 2
    assert result.statistics.iteration_limit_reached == 0


def test_below_the_fall_back_size_one_sweep_is_taken_and_counted():
    algorithm = dv.GaussSeidel(20, fall_back_size=0.05)
    result = simulate(heating(), 1.0, algorithm, 0.02)
    assert result.statistics.iterations == result.statistics.windows == 50
    assert result.statistics.iteration_limit_reached > 0


# Parts that cannot roll back ------------------------------------------------------------------

GRID = [0.0, 0.1, 0.2, 0.1 * 3, 0.37, 0.37, 0.4, 0.5, 0.1 * 6, 0.1 * 7, 0.8, 0.9, 1.0]


def switched(wrap, *, first=True):
    system = dv.System("switched")
    parts = {"switch": problems.Switch(0.37), "integrator": wrap(integrator())}
    for name in parts if first else reversed(parts):
        system.add(name, parts[name])
    system.connect("switch.y", "integrator.u")
    return system


@pytest.mark.parametrize("algorithm", single_pass, ids=brief)
@pytest.mark.parametrize("first", [True, False])
def test_nobody_needs_to_go_back_if_who_may_return_early_goes_first(algorithm, first):
    result = simulate(switched(problems.Blind, first=first), 1.0, algorithm)
    assert result.time.tolist() == GRID
    assert result["integrator.x"][-1] == pytest.approx(-0.26, abs=1e-12)
    assert set(result.statistics.evaluations_by_part.values()) == {11}


@pytest.mark.parametrize("algorithm", iterated, ids=brief)
def test_an_event_ends_the_window_for_all(algorithm):
    result = simulate(switched(lambda model: model), 1.0, algorithm)
    assert result.time.tolist() == GRID
    assert result["switch.y"][4:6].tolist() == [1.0, -1.0]
    assert result["integrator.x"][-1] == pytest.approx(-0.26, abs=1e-12)


def upstream(wrap):
    """A part that steps before the switch, because it feeds something the switch's part needs."""
    system = dv.System("upstream")
    timer = dv.Dynamic(
        states={"s": 0.0},
        inputs=["rate"],
        outputs=["s"],
        derivatives=lambda t, x, u, p: [u.rate],
        zero_crossings=lambda t, x, u, p: [x.s - 0.37],
    )
    system.add("ahead", wrap(dv.Source(outputs=["one"], function=lambda t, p: [1.0])))
    system.add("timer", timer)
    system.connect("ahead.one", "timer.rate")
    return system


@every_algorithm
def test_who_went_too_far_is_brought_back(algorithm):
    result = simulate(upstream(lambda model: model), 1.0, algorithm)
    assert result.time == pytest.approx(GRID, abs=1e-9)
    assert result.statistics.events == 1


def test_who_went_too_far_and_cannot_come_back_goes_on_ahead_and_is_named():
    system = upstream(problems.Blind)
    result = simulate(system, 1.0, dv.GaussSeidel())
    assert result.time == pytest.approx(GRID, abs=1e-9)
    assert result.statistics.events == 1
    assert result.statistics.evaluations_by_part["ahead"] == 10
    assert result.statistics.beyond_by_part == {"ahead": 1}
    assert "'ahead' cannot roll back and had stepped beyond an event 1 times" in str(result.verdict)
    assert "'ahead' cannot roll back: if 'timer' finds an event" in str(system.check())


def test_outputs_of_a_part_that_went_ahead_are_interpolated_until_the_others_are_there():
    clock = dv.Dynamic(states={"t": 0.0}, outputs=["t"], derivatives=lambda t, x, u, p: [1.0])
    timer = dv.Dynamic(
        states={"s": 0.0},
        inputs=["t"],
        outputs=["s"],
        derivatives=lambda t, x, u, p: [1.0 + 0 * u.t],
        zero_crossings=lambda t, x, u, p: [x.s - 0.37],
    )
    gain = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a])
    system = dv.System("ahead")
    for name, model in {"clock": problems.Blind(clock), "timer": timer, "gain": gain}.items():
        system.add(name, model)
    system.connect("clock.t", "timer.t")
    system.connect("clock.t", "gain.a")
    result = simulate(system, 1.0, dv.GaussSeidel())
    assert result.time == pytest.approx(GRID, abs=1e-9)
    assert result["clock.t"] == pytest.approx(result.time, abs=1e-9)
    assert result["gain.b"] == pytest.approx(result.time, abs=1e-9)
    assert result.statistics.beyond_by_part == {"clock": 1}


def test_a_part_that_cannot_go_back_may_return_early_from_a_ramp():
    """The default algorithm of a system without cycles interpolates."""
    system = dv.System("timer")
    timer = dv.Dynamic(
        states={"s": 0.0},
        inputs=["u"],
        outputs=["s"],
        derivatives=lambda t, x, u, p: [1.0],
        zero_crossings=lambda t, x, u, p: [x.s - 0.37],
    )
    system.add("wave", dv.Source(outputs=["y"], function=lambda t, p: [np.sin(t)]))
    system.add("timer", problems.Blind(timer))
    system.connect("wave.y", "timer.u")
    result = simulate(system, 1.0, None, quiet=True)
    assert result.statistics.events == 1
    assert result["timer.s"] == pytest.approx(result.time, abs=1e-9)
    assert result.statistics.beyond_by_part == {}  # it ended where the window ends


def test_jacobi_asks_whoever_may_return_early_first():
    result = simulate(upstream(problems.Blind), 1.0, dv.Jacobi())
    assert result.time == pytest.approx(GRID, abs=1e-9)
    assert result.statistics.evaluations_by_part["ahead"] == result.statistics.windows == 11


# Controllers that go back -------------------------------------------------------------------


@every_algorithm
def test_every_branch_of_step_doubling_ends_at_the_event(algorithm):
    controller = dv.StepDoubling(1e-3, 1e-3, first_size=0.1, max_size=0.1)
    result = simulate(stepped(0.37), 1.0, algorithm, controller)
    assert np.count_nonzero(result.time == 0.37) == 2
    assert result["integrator.x"][-1] == pytest.approx(-0.26, abs=1e-12)
    assert result.statistics.rejected_by_error == 0


def test_step_doubling_follows_a_bouncing_ball():
    controller = dv.StepDoubling(1e-4, 1e-4, first_size=0.01, max_size=0.5)
    result = simulate(alone(ball()), 2.0, dv.GaussSeidel(), controller)
    assert result["it.h"] == pytest.approx([height(t) for t in result.time], abs=1e-6)
    assert result.statistics.events == 4


# Loops and crossings while time stands still -------------------------------------------------


@pytest.mark.parametrize("gain", [-30.0, -3.0, -0.5])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.Newton()], ids=brief)
def test_an_algebraic_loop_that_closes_at_samples_only_is_solved_there(algorithm, gain):
    """A sampled proportional controller in front of a plant with feed-through."""
    system = dv.System("sampled")
    system.add("set", problems.set_point())
    control = dv.Discrete(
        period=0.1,
        inputs=["r", "y"],
        outputs=["u"],
        output=lambda t, x, u, p: [-gain * (u.r - u.y)],
    )
    system.add("control", control)
    plant = problems.Linear(("u",), ("y",), A=[[-1]], B=[[1]], C=[[1]], D=[[1]], x=[0.0])
    system.add("plant", plant)
    system.connect("set.r", "control.r")
    system.connect("plant.y", "control.y")
    system.connect("control.u", "plant.u")
    result = simulate(system, 1.0, algorithm, 0.05)
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    samples = right[np.abs(result.time[right] - problems.JUMP) > 1e-6]
    assert len(samples) == 10
    u, r, y = (result[n][samples] for n in ("control.u", "set.r", "plant.y"))
    assert u == pytest.approx(-gain * (r - y), abs=1e-8)


def test_events_of_three_kinds_at_one_instant_are_one_event():
    """A crossing, a jump and a sample at 0.3, which is no grid line but for rounding."""
    system = dv.System("three")
    crossing = dv.Dynamic(
        states={"x": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [1.0],
        zero_crossings=lambda t, x, u, p: [x.x - 0.3],
        on_event=lambda which, t, x, u, p: {"x": 10.0},
    )
    system.add("crossing", crossing)
    system.add(
        "jump", dv.Source(outputs=["y"], function=lambda t, p: [float(t >= 0.3)], jumps=[0.3])
    )
    counter = dv.Discrete(
        period=0.1,
        states={"n": 0.0},
        outputs=["n"],
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [x.n + 1],
    )
    system.add("counter", counter)
    result = simulate(system, 0.6)
    assert result.final == pytest.approx({"crossing.x": 10.3, "jump.y": 1.0, "counter.n": 6.0})
    assert result.statistics.events == 6


def relay():
    """x falls until it is zero; there the relay turns it round, and it rises again."""
    system = dv.System("relay")
    plant = dv.Dynamic(
        states={"x": 0.3}, inputs={"s": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [-u.s]
    )
    switch = dv.Dynamic(
        states={"q": 1.0},
        inputs=["x"],
        outputs=["s"],
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: [x.q],
        zero_crossings=lambda t, x, u, p: [u.x],
        on_event=lambda which, t, x, u, p: {"q": -x.q},
    )
    system.add("plant", plant)
    system.add("switch", switch)
    system.connect("plant.x", "switch.x")
    system.connect("switch.s", "plant.s")
    return system


@pytest.mark.parametrize(
    "algorithm",
    [
        dv.GaussSeidel(20, inputs="ramp"),
        dv.Iterative(),
        dv.Newton(inputs="ramp"),
        dv.Jacobi(50, inputs="ramp"),
    ],
    ids=brief,
)
def test_a_crossing_that_the_iteration_misses_by_its_tolerance_is_an_event(algorithm):
    result = simulate(relay(), 0.6, algorithm, 0.05)
    assert result.statistics.events == 1
    assert result["plant.x"][-1] == pytest.approx(0.3, abs=1e-6)


# Events without end -------------------------------------------------------------------------


def quarrel():
    """Two samplers that contradict each other at once."""
    system = dv.System("quarrel")
    yes = dv.Discrete(
        period=0.1,
        offset=0.1,
        inputs={"u": False},
        outputs={"y": False},
        output=lambda t, x, u, p: [u.u if t > 0.05 else False],
        feedthrough=False,
    )
    no = dv.Discrete(
        period=0.1,
        offset=0.1,
        inputs={"u": False},
        outputs={"y": False},
        output=lambda t, x, u, p: [not u.u if t > 0.05 else False],
        feedthrough=False,
    )
    system.add("yes", yes)
    system.add("no", no)
    system.add("bystander", dv.Source(outputs=["t"], function=lambda t, p: [t]))
    system.connect("yes.y", "no.u")
    system.connect("no.y", "yes.u")
    return system


@pytest.mark.parametrize("algorithm", single_pass, ids=brief)
def test_events_that_never_end_name_who_keeps_changing(algorithm):
    with pytest.raises(dv.EndlessEvents) as caught:
        simulate(quarrel(), 1.0, algorithm, 0.05)
    assert caught.value.parts == ("yes", "no")
    assert caught.value.time == pytest.approx(0.1)
    assert caught.value.result.time[-1] == pytest.approx(0.05)


def proportional(gain):
    """A set point that jumps in front of an algebraic loop of this gain."""
    system = dv.System("proportional")
    system.add("set", problems.set_point())
    plant = problems.Linear(("u",), ("y",), A=[[-1]], B=[[1]], C=[[1]], D=[[1]], x=[0.0])
    control = problems.Linear(("r", "y"), ("u",), A=0, B=0, C=0, D=[[-gain, gain]])
    system.add("plant", plant)
    system.add("control", control)
    system.connect("set.r", "control.r")
    system.connect("plant.y", "control.y")
    system.connect("control.u", "plant.u")
    return system


@pytest.mark.parametrize("gain", [-25.0, -0.9])
@pytest.mark.parametrize("algorithm", [dv.Newton(), dv.Iterative()], ids=brief)
def test_an_event_in_front_of_an_algebraic_loop_is_solved_like_any_start(algorithm, gain):
    result = simulate(proportional(gain), 0.5, algorithm, 0.05)
    right = np.flatnonzero(np.diff(result.time) == 0)[0] + 1
    x = result["plant.y"][right] - result["plant.u"][right]
    u = -gain * (2 - x) / (1 - gain)
    assert result["plant.u"][right] == pytest.approx(u, rel=1e-6)
