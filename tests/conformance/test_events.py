"""Events and clocks of FMUs: found at their time, felt by all, in legal calls."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import brief
from conformance.fleet import ALGORITHMS, CONTROLLERS, is_clean

import dovetail as dv
from dovetail.fmi.parts.clockwork import ClockHand

every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)


def alone(model, **values):
    system = dv.System("alone")
    system.add("it", model, **values)
    return system


def simulate(system, stop, algorithm=dv.GaussSeidel(), controller=dv.FixedStep(0.1), **more):
    options = {"algorithm": algorithm, "controller": controller, "quiet": True, **more}
    return dv.simulate(system, stop=stop, **options)


def twice(result):
    """Times that stand in two rows, and where the right one of the two is."""
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    return result.time[right], right


def hits(count, keep=0.7):
    """When a ball dropped from 1 m hits the ground, and how fast it leaves it."""
    speed, time, found = np.sqrt(2 * 9.81), np.sqrt(2 / 9.81), []
    for _ in range(count):
        speed *= keep
        found.append((time, speed))
        time += 2 * speed / 9.81
    return found


# Events that an FMU finds ---------------------------------------------------------------------


@every_algorithm
@pytest.mark.parametrize("controller", CONTROLLERS.values(), ids=CONTROLLERS)
def test_a_ball_bounces_at_the_right_times(fmu, algorithm, controller):
    model = fmu("ball", 3, strict=True)
    result = simulate(alone(model), 2.0, algorithm, controller)
    times, right = twice(result)
    expected = [(t, v) for t, v in hits(8) if t < 2.0]
    assert times == pytest.approx([t for t, _ in expected], rel=1e-12)
    assert result["it.v"][right] == pytest.approx([v for _, v in expected], rel=1e-12)
    assert result["it.v"][right - 1] == pytest.approx(-result["it.v"][right] / 0.7, rel=1e-12)
    assert result.statistics.events == len(expected)
    assert is_clean(model)


def test_a_ball_that_cannot_go_back_bounces_as_well(fmu):
    model = fmu("ball", 3, strict=True, state_saving=False)
    result = simulate(alone(model), 2.0)
    assert twice(result)[0] == pytest.approx([t for t, _ in hits(8) if t < 2.0], rel=1e-12)
    assert is_clean(model)


def test_without_events_a_ball_keeps_its_bounces_to_itself(fmu):
    model = fmu("ball", 3, strict=True, load={"events": False})
    result = simulate(alone(model), 2.0)
    assert result.statistics.events == 0
    assert result["it.bounces"][-1] == 4
    assert len(result) == 21
    assert is_clean(model)


def test_an_early_return_without_event_mode_ends_the_window(fmu):
    """Other parts get a communication point there, but no event."""
    model = fmu("ball", 3, strict=True, event_mode=False)
    system = alone(model)
    system.add("clock", dv.Dynamic(states={"t": 0.0}, outputs=["t"],
                                   derivatives=lambda t, x, u, p: [1.0]))  # fmt: skip
    result = simulate(system, 2.0)
    expected = [t for t, _ in hits(8) if t < 2.0]
    assert len(result) == 21 + len(expected)
    assert result["clock.t"] == pytest.approx(result.time, abs=1e-12)
    for t in expected:
        assert np.min(np.abs(result.time - t)) < 1e-12
    assert result.statistics.events == 0
    assert is_clean(model)


@every_algorithm
def test_announced_events_end_windows_beforehand(fmu, algorithm):
    """A part without rollback meets them, though it steps first."""
    model = fmu("stair", 3, strict=True, state_saving=False)
    plant = fmu("linear", 3, state_saving=False, strict=True)
    system = dv.System("stairs")
    system.add("plant", plant, a=-1.0, b=1.0, drive=0.0, x=0.0)
    system.add("stair", model, period=0.25)
    system.connect("stair.y", "plant.u")
    result = simulate(system, 1.0, algorithm)
    times, right = twice(result)
    assert times == pytest.approx([0.25, 0.5, 0.75, 1.0], abs=1e-12)
    assert result["stair.y"][right].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert result["plant.u"][right].tolist() == [1.0, 2.0, 3.0, 4.0]
    exact = sum(1 - np.exp(-(1.0 - t)) for t in (0.25, 0.5, 0.75))
    assert result["plant.y"][-1] == pytest.approx(exact, rel=1e-12)
    assert result.statistics.beyond_by_part == {}
    assert is_clean(model, plant)


def switched(relay):
    """x' = y: up and down between the thresholds of a relay."""
    system = dv.System("switched")
    plant = dv.Dynamic(
        states={"x": 0.0}, inputs={"y": -1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [-u.y]
    )
    system.add("plant", plant)
    system.add("relay", relay, low=-1.0, high=1.0)
    system.connect("plant.x", "relay.u")
    system.connect("relay.y", "plant.y")
    return system


def test_an_event_before_a_step_can_begin_is_felt_by_all(fmu):
    """The relay holds its input over a step: it switches where a window starts, not later."""
    model = fmu("relay", 3, strict=True)
    result = simulate(switched(model), 12.0, dv.Jacobi(), dv.FixedStep(0.3))
    times, right = twice(result)
    assert times == pytest.approx([1.2, 3.6, 6.0, 8.4, 10.8], abs=1e-9)
    assert result["relay.y"][right].tolist() == [1.0, -1.0] * 2 + [1.0]
    assert result["plant.y"][right].tolist() == [1.0, -1.0] * 2 + [1.0]
    assert np.abs(result["plant.x"]).max() == pytest.approx(1.2)
    assert result.statistics.events == 5
    assert is_clean(model)


RELAYS = {"co-simulation": (3, {}), "model exchange": (3, {"co_simulation": False}),
          "model exchange 2": (2, {"co_simulation": False})}  # fmt: skip


@pytest.mark.parametrize("kind", RELAYS)
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(20), dv.Newton()])
def test_a_switch_that_a_held_input_throws_waits_for_the_end_of_the_window(fmu, kind, algorithm):
    """A sweep holds the plant's value at the window's end: that is where the relay switches."""
    version, options = RELAYS[kind]
    model = fmu("relay", version, strict=True, **options)
    result = simulate(switched(model), 12.0, algorithm, dv.FixedStep(0.3))
    times, right = twice(result)
    assert times == pytest.approx([1.2, 3.6, 6.0, 8.4, 10.8], abs=1e-9)
    assert result["relay.y"][right - 1].tolist() == [-1.0, 1.0] * 2 + [-1.0]
    assert result["relay.y"][right].tolist() == [1.0, -1.0] * 2 + [1.0]
    assert result["plant.y"][right].tolist() == [1.0, -1.0] * 2 + [1.0]
    assert np.abs(result["plant.x"]).max() == pytest.approx(1.2)
    assert result.statistics.events == 5
    assert result.verdict.notes[-1] == (
        "5 switches were thrown by inputs that are held, where their window ends: late by up to "
        "0.3 s."
    )
    assert is_clean(model)


FINDERS = [
    dv.StepDoubling(1e-4, 1e-4, first_size=0.3, max_size=0.3),
    dv.Defect(1e-3, 1e-3, first_size=0.3, max_size=0.3),
]


MET = [
    *((kind, dv.Ifosmondi()) for kind in RELAYS),
    *((kind, dv.GaussSeidel(10, inputs="ramp")) for kind in RELAYS if kind != "co-simulation"),
]


@pytest.mark.parametrize(("kind", "algorithm"), MET, ids=[f"{k}, {brief(a)}" for k, a in MET])
@pytest.mark.parametrize("controller", FINDERS, ids=brief)
def test_controllers_meet_events_of_relays(fmu, kind, controller, algorithm):
    """They come a rounding beside where they are looked for, and at starts of windows."""
    version, options = RELAYS[kind]
    model = fmu("relay", version, strict=True, **options)
    result = simulate(switched(model), 12.0, algorithm, controller)
    _, right = twice(result)
    thrown = right[result["relay.y"][right] != result["relay.y"][right - 1]]
    assert result.time[thrown] == pytest.approx([1.0, 3.0, 5.0, 7.0, 9.0, 11.0], abs=1e-6)
    assert np.abs(result["plant.x"]).max() == pytest.approx(1.0, abs=1e-6)
    assert is_clean(model)


@pytest.mark.parametrize("kind", RELAYS)
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.Newton()])
def test_step_doubling_finds_switches_that_held_inputs_throw_to_its_tolerance(fmu, kind, algorithm):
    """The plant moves on straight lines: the only error is that of switching late."""
    version, options = RELAYS[kind]
    model = fmu("relay", version, strict=True, **options)
    controller = dv.StepDoubling(1e-3, 1e-3, first_size=0.1)
    result = simulate(switched(model), 6.0, algorithm, controller)
    times, _ = twice(result)
    late = times - [1.0, 3.0, 5.0]
    assert np.all(np.diff([0.0, *late]) > 0) and np.all(np.diff([0.0, *late]) < 2e-3)
    assert is_clean(model)


def test_a_jump_where_a_window_starts_is_no_leap_inside_it(fmu):
    """The plant feels it at once; nothing is doubtful about that."""
    model = fmu("relay", 3, strict=True)
    result = simulate(switched(model), 3.0, dv.Jacobi(), dv.FixedStep(0.3))
    assert len(twice(result)[0]) == 1
    assert not any(hint.signal == "relay.y -> plant.y" for hint in result.verdict.hints)
    assert is_clean(model)


@pytest.mark.parametrize("controller", [dv.FixedStep(0.3), FINDERS[0]], ids=brief)
def test_an_event_where_a_window_starts_is_felt_by_all_in_every_branch(fmu, controller):
    model = fmu("relay", 3, strict=True)
    result = simulate(switched(model), 2.5, dv.Jacobi(), controller)
    times, right = twice(result)
    assert len(times) == 1 and 1.0 <= times[0] <= 1.2 + 1e-9
    assert result["relay.y"][right].tolist() == result["plant.y"][right].tolist() == [1.0]
    assert is_clean(model)


def test_a_part_that_jumps_asks_others_to_jump_with_it(fmu):
    """An FMU's step is felt by a Python part and by another FMU at once."""
    stair, types = fmu("stair", 3, strict=True), fmu("relay", 3, strict=True)
    system = dv.System("chain")
    system.add("stair", stair, period=0.25)
    system.add("relay", types, low=0.5, high=1.5)
    gain = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [10 * u.a])
    system.add("gain", gain)
    system.connect("stair.y", "relay.u")
    system.connect("relay.y", "gain.a")
    result = simulate(system, 0.7)
    times, right = twice(result)
    assert times == pytest.approx([0.25, 0.5])
    assert result["relay.on"][right].tolist() == [False, True]
    assert result["gain.b"][right - 1].tolist() == [-10.0, -10.0]
    assert result["gain.b"][right].tolist() == [-10.0, 10.0]
    assert is_clean(stair, types)


# Discarded steps of FMI 2 ---------------------------------------------------------------------


def test_a_discarded_step_is_an_event_where_that_is_asked_for(fmu):
    model = fmu("discard", 2, strict=True, load={"events": True})
    system = alone(model)
    system.add("other", fmu("linear", 2, strict=True))
    result = simulate(system, 1.0)
    assert result.time.tolist().count(0.55) == 2
    assert result["it.y"] == pytest.approx(result.time, abs=1e-12)
    assert result.statistics.events == 1
    assert is_clean(model)


def test_events_of_fmi_2_need_a_state_to_go_back_to(fmu):
    with pytest.raises(dv.FileError, match=r"cannot save its state.*leave events=True out"):
        fmu("discard", 2, state_saving=False, load={"events": True})
    with pytest.raises(dv.FileError, match="events=True, but it offers neither"):
        fmu("linear", 3, load={"events": True})


# Clocks ---------------------------------------------------------------------------------------

KINDS = ("co-simulation", "model exchange", "scheduled execution")


def clocked(fmu, kind, name="clocks"):
    if kind == "model exchange":
        return fmu(name, 3, strict=True, model_exchange=True, load={"kind": kind})
    scheduled = kind == "scheduled execution"
    return fmu(name, 3, strict=True, scheduled=scheduled, model_exchange=False)


@pytest.mark.parametrize("kind", KINDS)
@every_algorithm
def test_clocks_of_every_kind_tick_when_they_should(fmu, kind, algorithm):
    model = clocked(fmu, kind)
    result = simulate(alone(model), 1.05, algorithm, dv.FixedStep(0.5))
    ticks = {
        "steady": [0.0, 0.25, 0.5, 0.75, 1.0],
        "paced": [0.0, 0.4, 0.8],
        "changing": [0.1, 0.3, 0.6, 1.0],
        "countdown": [],
        "go": [],
    }
    for name, times in ticks.items():
        counted = result[f"it.n_{name}"]
        found = result.time[1:][np.diff(counted) == 1]
        assert found == pytest.approx(times, abs=1e-12), name
        assert counted[-1] == len(times)
    both = sorted({round(t, 9) for times in ticks.values() for t in times})
    assert twice(result)[0] == pytest.approx(both, abs=1e-12)
    assert is_clean(model)


def conducted(model):
    """A Python clock triggers an FMU, whose own clock triggers a Python part."""
    system = dv.System("conducted")
    system.add("conductor", dv.Clock(times=[0.0, 0.33, 0.6]))
    system.add("ramp", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    system.add("it", model)
    logger = dv.Discrete(
        clock="tick",
        inputs=["u"],
        outputs=["n", "last"],
        states={"n": 1.0},
        output=lambda t, x, u, p: [x.n, u.u],
        update=lambda t, x, u, p: [x.n + 1],
    )
    system.add("logger", logger)
    system.connect("conductor.tick", "it.go")
    system.connect("ramp.y", "it.sample")
    system.connect("it.done", "logger.tick")
    system.connect("ramp.y", "logger.u")
    return system


@pytest.mark.parametrize("kind", KINDS)
@every_algorithm
def test_triggered_clocks_travel_through_connections(fmu, kind, algorithm):
    model = clocked(fmu, kind)
    result = simulate(conducted(model), 1.0, algorithm, dv.FixedStep(0.5))
    assert result.time[result["conductor.tick"]] == pytest.approx([0.0, 0.33, 0.6])
    assert result.time[result["it.go"]] == pytest.approx([0.0, 0.33, 0.6])
    assert result.time[result["it.done"]] == pytest.approx([0.15, 0.48, 0.75])
    assert result.time[result["logger.tick"]] == pytest.approx([0.15, 0.48, 0.75])
    at_tick = result["it.done"]
    assert result["logger.n"][at_tick].tolist() == [1.0, 2.0, 3.0]
    assert result["logger.last"][at_tick] == pytest.approx([0.15, 0.48, 0.75])
    assert result["it.taken"][result["it.go"]] == pytest.approx([0.0, 0.33, 0.6])
    assert result.final["it.n_countdown"] == 3
    assert is_clean(model)


def test_a_clock_and_a_sampler_that_tick_together_make_one_event(fmu):
    model = fmu("counter", 3, strict=True)
    system = alone(model)
    counter = dv.Discrete(
        period=0.1,
        inputs={"count": dv.Variable("count", kind="integer")},
        outputs=["seen"],
        output=lambda t, x, u, p: [float(u.count)],
    )
    system.add("sampler", counter)
    system.connect("it.count", "sampler.count")
    result = simulate(system, 2.05, controller=dv.FixedStep(0.07))
    assert result.final["it.count"] == 21
    assert result.final["sampler.seen"] == 21.0  # it sees what ticked at the same instant
    assert result.time[result["it.ten"]] == pytest.approx([0.9, 1.9])
    assert result.statistics.events == 21
    assert is_clean(model)


def test_intervals_that_are_left_to_the_importer(fmu):
    model = fmu("clocks", 3, strict=True, load={"intervals": {"steady": 0.125}})
    result = simulate(alone(model), 1.0)
    assert result.final["it.n_steady"] == 9
    for name, interval, message in (
        ("speady", 0.1, "'speady' is not a clock that keeps its own time"),
        ("changing", 0.1, "the interval of its clock 'changing' is not for others to set"),
        ("steady", 0.0, "must be above zero, not 0.0"),
    ):
        with pytest.raises(dv.FileError, match=message):
            fmu("clocks", 3, strict=True, load={"intervals": {name: interval}})


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_that_are_fractions_do_not_drift(fmu, kind):
    model = clocked(fmu, kind, "metronome")
    result = simulate(alone(model, rest=0.5), 3.0, dv.GaussSeidel(), dv.FixedStep(1.0))
    times, right = twice(result)
    beats = [1 / 6 + k / 3 for k in range(9)]
    assert times.tolist() == sorted([*beats, beats[3] + 0.5])
    assert result["it.beats"][0] == 7  # told before its clock ticks
    assert result["it.beats"][right].tolist() == [8, 9, 10, 11, 12, 12, 13, 14, 15, 16]
    assert result["it.pauses"][right].tolist() == [0] * 5 + [1] * 5
    assert is_clean(model)


def test_a_million_ticks_are_where_they_should_be():
    for hand, expected in (
        (ClockHand(0.0, 0.1, 1_000_000), 1e5),
        (ClockHand(5.0, 1 / 3, 3_000_000, (1, 3)), 1_000_005.0),
        (ClockHand(1 / 7, 1 / 7, 6_999_999, (1, 7)), 1e6),
    ):
        assert hand.time == expected


@pytest.mark.parametrize("kind", KINDS)
def test_an_interval_that_no_clock_can_have_is_told(fmu, kind):
    model = clocked(fmu, kind, "metronome")
    with pytest.raises(dv.PartFailed, match="interval of its clock 'pause' is -1 s"):
        simulate(alone(model, rest=-1.0), 3.0)


def test_a_countdown_of_nothing_ticks_at_once(fmu):
    model = clocked(fmu, "co-simulation", "metronome")
    result = simulate(alone(model, rest=0.0), 3.0, dv.GaussSeidel(), dv.FixedStep(1.0))
    times, right = twice(result)
    assert times.tolist() == [1 / 6 + k / 3 for k in range(9)]
    assert result["it.pauses"][right].tolist() == [0] * 3 + [1] * 6


# Going on from the middle ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_clocked_run_goes_on_from_a_checkpoint(fmu, kind, tmp_path):
    model = clocked(fmu, kind)
    options = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.2), "quiet": True}
    whole = dv.simulate(conducted(model), stop=1.0, **options)
    for windows in (1, 4, 7):
        with dv.Session(conducted(model), stop=1.0, **options) as session:
            for _ in range(windows):
                session.advance()
            session.checkpoint(tmp_path / "run.checkpoint")
        path = tmp_path / "run.checkpoint"
        with dv.Session(conducted(model), stop=1.0, resume=path, **options) as session:
            again = session.run()
        assert again.time.tolist() == whole.time.tolist()
        for name in whole.final:
            assert again[name].tolist() == whole[name].tolist(), name
    assert is_clean(model)


def test_a_bouncing_run_goes_on_from_a_checkpoint(fmu, tmp_path):
    model = fmu("ball", 3, strict=True)
    options = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.2), "quiet": True}
    whole = dv.simulate(alone(model), stop=2.0, **options)
    path = tmp_path / "run.checkpoint"
    with dv.Session(alone(model), stop=2.0, **options) as session:
        while session.time < 0.46:
            session.advance()
        session.checkpoint(path)
    with dv.Session(alone(model), stop=2.0, resume=path, **options) as session:
        again = session.run()
    assert again["it.h"].tolist() == whole["it.h"].tolist()
    assert again.statistics.events == whole.statistics.events == 4


# Events without end ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stuck", "endless"])
def test_an_fmu_whose_events_never_end_is_named(fmu, name):
    model = fmu(name, 3, strict=True)
    with pytest.raises(dv.EndlessEvents, match="'it'") as caught:
        simulate(alone(model), 1.0)
    assert caught.value.time == pytest.approx(0.5)
    assert caught.value.parts == ("it",)
    assert caught.value.result.time[-1] == pytest.approx(0.4)


# Curves and events together -------------------------------------------------------------------


def test_inputs_that_return_to_where_they_were_are_set_again(fmu):
    """Inside a step the FMU follows a ramp; the next one may start where the last one did."""
    model = fmu("derivatives", 3, strict=True, event_mode=True)
    wave = dv.Table(time=[0.0, 0.1, 0.1, 0.2, 0.2, 0.3], columns={"y": [0.0, 1.0] * 3})
    system = alone(model)
    system.add("wave", wave)
    system.connect("wave.y", "it.u")
    result = simulate(system, 0.3, dv.GaussSeidel(inputs="ramp"))
    assert result["it.y"][-1] == pytest.approx(0.15, abs=1e-9)
    assert is_clean(model)


@pytest.mark.parametrize("version", [2, 3])
def test_a_part_with_steps_of_one_size_beside_events_is_named(fmu, version):
    system = dv.System("uneven")
    system.add("plant", fmu("body", version, variable_step=False))
    assert not any("one size" in p.what for p in system.check().problems)
    system.add("tick", dv.Clock(period=0.25))
    said = [p.what for p in system.check().problems if p.where == "plant" and "one size" in p.what]
    assert said == [
        "'plant' declares that it takes steps of one size only: where an event of 'tick' ends a "
        "window early, it is stepped over what there is of it all the same."
    ]
    with dv.Session(system, stop=1.0, controller=dv.FixedStep(0.1), quiet=True) as session:
        assert any("one size" in message for message in session.messages)


@pytest.mark.parametrize("kind", RELAYS)
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(10), dv.Missiles(inputs="hold")], ids=brief)
def test_defect_does_not_leap_over_a_switch_that_held_inputs_throw(fmu, kind, algorithm):
    """Nothing is missed by estimates here; but over a window the held input moves."""
    version, options = RELAYS[kind]
    system, controller = switched(fmu("relay", version, **options)), dv.Defect(1e-2, 1e-2, 0.1)
    result = dv.simulate(
        system,
        stop=4.0,
        algorithm=algorithm,
        controller=controller,
        estimators={"relay": dv.Identified()},
        quiet=True,
    )
    times, _ = twice(result)
    assert times == pytest.approx([1.0, 3.0], abs=0.04)
    assert any("2 switches were thrown by inputs that are held" in n for n in result.verdict.notes)


def test_a_switch_found_between_pieces_of_a_window_is_called_late(fmu):
    """A relay that cannot follow cubics is stepped in pieces, with their means."""
    system, controller = switched(fmu("relay", 3)), dv.Defect(1e-3, 1e-3, first_size=0.1)
    result = simulate(system, 6.0, dv.Missiles(), controller)
    times, _ = twice(result)
    assert len(times) == 3 and np.all(times > [1.0, 3.0, 5.0])
    (said,) = [n for n in result.verdict.notes if "thrown by inputs that are held" in n]
    assert float(said.split()[-2]) > times[0] - 1.0
