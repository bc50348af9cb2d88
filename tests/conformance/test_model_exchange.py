"""Model-exchange FMUs as parts: the same in every version, called as the standard wants it."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import alone, counts, is_clean, last_violation
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.integrators import FixedSize
from dovetail.subsystems.subsystem import Equations

ONLY = {"co_simulation": False}
versions = pytest.mark.parametrize("version", [2, 3])
every_version = pytest.mark.parametrize("version", [1, 2, 3])
NONE = Signals(np.zeros(0))


def van_der_pol(mu, times):
    found = solve_ivp(
        lambda t, x: [x[1], mu * (1 - x[0] ** 2) * x[1] - x[0]],
        (0.0, times[-1]),
        [2.0, 0.0],
        t_eval=times,
        rtol=1e-11,
        atol=1e-12,
        method="Radau" if mu > 10 else "DOP853",
    )
    return found.y[0]


def run(system, stop, size=0.1, **options):
    return dv.simulate(system, stop=stop, controller=dv.FixedStep(size), quiet=True, **options)


def derivatives(given):
    return {"directional_derivatives": given, "adjoint_derivatives": given}


def live(model, **values):
    part = model.instantiate("part")
    part.initialize(0.0, values)
    part.begin()
    return part


# what comes out -------------------------------------------------------------------------------


@every_version
@pytest.mark.parametrize("directional", [True, False])
@pytest.mark.parametrize("solver", [None, "rk45", "radau", "bdf"])
def test_van_der_pol_is_solved(fmu, version, directional, solver):
    options = {
        "strict": True,
        "directional_derivatives": directional,
        "adjoint_derivatives": directional,
        **ONLY,
    }
    model = fmu("vanderpol", version, load={"solver": solver, "rtol": 1e-8}, **options)
    result = run(alone(model), 5.0)
    assert result["part.x1"] == pytest.approx(van_der_pol(1.0, result.time), abs=2e-5)
    assert is_clean(model)


@every_version
def test_a_stiff_one_is_solved_too(fmu, version):
    model = fmu("vanderpol", version, **ONLY)
    result = run(alone(model, mu=1000.0), 1000.0, 100.0)
    assert result["part.x1"] == pytest.approx(van_der_pol(1000.0, result.time), abs=1e-4)


def flight(bounces, e=0.7, g=9.81):
    """Times of the bounces of a ball that falls from 1 m."""
    fall = np.sqrt(2 / g)
    ups = 2 * fall * e ** np.arange(1, bounces)
    return fall + np.concatenate([[0.0], np.cumsum(ups)])


@every_version
@pytest.mark.parametrize("solver", [None, "rk45", "radau"])
def test_a_ball_bounces_on_time_and_both_sides_are_recorded(fmu, version, solver):
    model = fmu("ball", version, load={"solver": solver, "rtol": 1e-9}, strict=True, **ONLY)
    result = run(alone(model), 2.0, 0.05)
    twice = np.flatnonzero(np.diff(result.time) == 0)
    assert result.time[twice] == pytest.approx(flight(len(twice)), abs=1e-6)
    v = result["part.v"]
    assert v[twice + 1] == pytest.approx(-0.7 * v[twice], rel=1e-9)
    assert result["part.bounces"][-1] == len(twice) == result.statistics.events
    assert is_clean(model)


def euler(size, stop, e=0.7, g=9.81, v_min=0.1):
    """The ball by Euler's method, whose bounces are where steps end below the ground."""
    rows, h, v = [(0.0, 1.0, 0.0)], 1.0, 0.0
    resting = False
    for step in range(1, round(stop / size) + 1):
        if not resting:
            h, v = h + size * v, v + size * -g
        rows.append((step * size, h, v))
        if h < 0:
            h, v = np.finfo(float).tiny, v * -e
            if v < v_min:
                h, v, resting = 0.0, 0.0, True
            rows.append((step * size, h, v))
    return np.array(rows)


@every_version
@pytest.mark.parametrize("windows", [0.01, 0.1])
def test_fixed_steps_without_location_are_those_of_a_plain_loop(fmu, version, windows):
    """So do fmuCheck and the Reference FMUs, and people compare with them."""
    solver = FixedSize(0.01, "euler", locate=False)
    model = fmu("ball", version, load={"solver": solver}, strict=True, **ONLY)
    result = run(alone(model), 3.0, windows)
    expected = euler(0.01, 3.0)
    kept = [k for k, row in enumerate(expected) if any(abs(result.time - row[0]) < 1e-12)]
    assert len(result.time) == len(kept)
    assert result.time == pytest.approx(expected[kept, 0], abs=1e-12)
    assert result["part.h"] == pytest.approx(expected[kept, 1], abs=1e-12)
    assert result["part.v"] == pytest.approx(expected[kept, 2], abs=1e-12)
    assert result["part.bounces"][-1] == result.statistics.events > 5
    assert is_clean(model)


@every_version
def test_a_ball_that_comes_to_rest_stays_on_the_ground(fmu, version):
    model = fmu("ball", version, strict=True, **ONLY)
    result = run(alone(model), 3.0)
    assert result["part.h"][-1] == 0.0
    assert result["part.v"][-1] == 0.0
    assert is_clean(model)


@every_version
def test_time_events_end_windows_beforehand(fmu, version):
    model = fmu("stair", version, strict=True, **ONLY)
    result = run(alone(model, period=0.37), 2.0, 0.25)
    twice = np.flatnonzero(np.diff(result.time) == 0)
    assert result.time[twice] == pytest.approx(0.37 * np.arange(1, 6), rel=1e-12)
    assert np.diff(result["part.y"])[twice] == pytest.approx(1.0)
    assert is_clean(model)


@pytest.mark.parametrize(
    ("algorithm", "version"),
    [
        (dv.Jacobi(), 1),  # which cannot roll back
        *((a, v) for a in (dv.Jacobi(), dv.GaussSeidel(20, inputs="ramp")) for v in (2, 3)),
    ],
    ids=repr,
)
def test_a_relay_switches_a_plant_of_another_kind(fmu, version, algorithm):
    relay = fmu("relay", version, strict=True, **ONLY)
    plant = dv.Dynamic(
        states={"x": 0.0},
        inputs={"y": -1.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [-2.0 * u.y],
    )
    system = dv.System("thermostat")
    system.add("relay", relay)
    system.add("plant", plant)
    system.connect("plant.x", "relay.u")
    system.connect("relay.y", "plant.y")
    size = 0.01
    result = run(system, 3.0, size, algorithm=algorithm, rtol=1e-10, atol=1e-10)
    switched = result.time[1:][np.diff(result["relay.y"]) != 0]
    # x climbs to 1 in half a second, then goes to and fro between 1 and -1
    late = 1e-8 if algorithm.repeats else size  # held inputs tell of it at the window's end
    wanted = np.array([0.5, 1.5, 2.5])
    assert len(switched) == 3
    assert np.all(switched - wanted > -1e-8)
    assert np.all(switched - wanted < 3 * late * np.array([1, 3, 5]))
    assert is_clean(relay)


def kinked(size):
    """A table that begins to rise between two ends of windows, and what runs follow it with."""
    times = np.arange(151) / 100
    ways = {"algorithm": dv.GaussSeidel(inputs="ramp"), "controller": dv.FixedStep(size)}
    return dv.Table(time=times, columns={"u": (times > 0.895).astype(float)}), ways


@pytest.mark.parametrize("size", [0.003, 0.004, 0.0015])
@every_version
def test_a_switch_at_the_value_where_a_table_begins_to_rise_is_thrown_once(fmu, version, size):
    """A ramp over the window rises at once, the table 2 ms later: the event undid itself."""
    relay = fmu("relay", version, **ONLY)
    table, ways = kinked(size)
    system = alone(relay, on=True, low=0.0, high=10.0)
    system.add("table", table)
    system.connect("table.u", "part.u")
    result = dv.simulate(system, stop=1.5, quiet=True, **ways)
    assert result.statistics.windows < 1.5 / size + 10
    assert any("late by up to" in note for note in result.verdict.notes)


@versions
def test_discrete_inputs_are_set_in_event_mode_only(fmu, version):
    model = fmu("grumpy", version, model_exchange=True, **ONLY)
    system = alone(model)
    system.add(
        "counter",
        dv.Discrete(
            period=0.25,
            states={"n": 0},
            outputs={"n": 0, "on": False, "label": ""},
            types={"n": "integer", "on": "boolean", "label": "string"},
            update=lambda t, x, u, p: [x.n + 1],
            output=lambda t, x, u, p: [x.n, x.n % 2 == 1, f"sample {x.n}"],
        ),
    )
    for source, target in (("n", "count"), ("on", "on"), ("label", "label")):
        system.connect(f"counter.{source}", f"part.{target}")
    result = run(system, 1.0, 0.1)
    assert result["part.count_out"][-1] == 4
    assert result["part.label_out"][-1] == "sample 4"
    assert not result["part.on_out"][-1]
    assert is_clean(model)


@versions
def test_real_inputs_that_are_discrete_change_at_events_only(fmu, version):
    def discrete(xml):
        name = "u"
        before, mark, after = xml.partition(f'name="{name}"')
        start = before.rindex("<")
        stop = after.index(">")
        told = (mark + after[:stop]).replace('variability="continuous"', "")
        return f'{before[:start]}{before[start:]}{told} variability="discrete"{after[stop:]}'

    model = fmu("prey", version, model_exchange=True, edit=tidy(discrete), **ONLY)
    assert next(v for v in model.fmu.variables if v.name == "u").variability == "discrete"
    system = alone(model)
    system.add("ramp", dv.Source(outputs=["u"], function=lambda t, p: [10.0 * t]))
    system.connect("ramp.u", "part.u")
    result = run(system, 1.0, 0.25, algorithm=dv.GaussSeidel(inputs="ramp"))
    held = 0.25 * np.sum(0.1 - 0.02 * 10.0 * np.array([0.0, 0.25, 0.5, 0.75]))
    assert result["part.x"][-1] == pytest.approx(10.0 * np.exp(held), rel=1e-6)


def tidy(edit):
    """An edit that keeps a self-closing element closed."""

    def edited(xml):
        return edit(xml).replace('/ variability="discrete">', ' variability="discrete"/>')

    return edited


# what goes wrong ------------------------------------------------------------------------------


@versions
@pytest.mark.parametrize("name", ["stuck", "endless"])
def test_events_without_end_are_told_with_the_part_that_has_them(fmu, version, name):
    model = fmu(name, version, model_exchange=True, strict=True, **ONLY)
    with pytest.raises(dv.EndlessEvents, match=r"events at t = 0.5 s do not end.*'part'"):
        run(alone(model), 1.0)
    assert is_clean(model)


@versions
def test_an_fmu_that_fails_is_named(fmu, version):
    model = fmu("error", version, model_exchange=True, **ONLY)
    part = live(model)
    assert part.rates(0.0, np.zeros(1), Signals(np.zeros(1))) == pytest.approx([1.0])
    part.close()


@versions
def test_equations_that_blow_up_are_told(fmu, version):
    model = fmu("prey", version, model_exchange=True, **ONLY)
    with pytest.raises(dv.PartFailed, match="part 'part' failed while"):
        run(alone(model, rate=1e6, gain=0.0), 10.0)


# choosing it ----------------------------------------------------------------------------------


@versions
def test_co_simulation_is_used_where_there_is_a_choice(fmu, archive, version):
    path = archive("vanderpol", version)
    assert dv.load(path).description.kind == f"FMI {version}.0 co-simulation"
    for kind in ("model exchange", "model_exchange", "Model-Exchange", "me"):
        found = dv.load(path, kind=kind)
        assert found.description.kind == f"FMI {version}.0 model exchange"


def test_wrong_choices_say_the_way_out(archive):
    both, only = archive("vanderpol", 2), archive("vanderpol", 2, co_simulation=False)
    with pytest.raises(dv.OptionError, match="kind must be 'co-simulation', 'model exchange'"):
        dv.load(both, kind="modle exchange")
    with pytest.raises(dv.FileError, match="offers model exchange, but no co-simulation"):
        dv.load(only, kind="co-simulation")
    with pytest.raises(dv.FileError, match="solves its equations itself, so rtol does not apply"):
        dv.load(both, rtol=1e-4)
    with pytest.raises(dv.FileError, match="is not a solver"):
        dv.load(only, solver="rk54")
    with pytest.raises(dv.FileError, match="rtol must be between"):
        dv.load(only, rtol=2.0)
    with pytest.raises(dv.FileError, match="events are part of model exchange"):
        dv.load(only, events=True)


def test_without_cvode_another_solver_is_used_and_that_is_said(fmu, archive, monkeypatch):
    from dovetail.fmi import model as home
    from dovetail.fmi.parts import solving

    for module in (home, solving):
        monkeypatch.setattr(module, "is_installed", lambda: False)
    model = dv.load(archive("vanderpol", 3, co_simulation=False))
    assert model.integrator == dv.integrators.Auto(1e-7, 1e-9)
    assert "note: 'part' is solved by auto (rk45" in str(alone(model).check())
    with dv.Session(alone(model), stop=1.0, controller=dv.FixedStep(0.5)) as session:
        assert any("scikit-sundae is not installed" in told for told in session.messages)
        result = session.run()
    assert result["part.x1"] == pytest.approx(van_der_pol(1.0, result.time), abs=1e-5)


def test_tolerances_are_followed(fmu):
    errors = []
    for rtol in (1e-4, 1e-8):
        result = run(alone(fmu("vanderpol", 2, load={"rtol": rtol}, **ONLY)), 5.0, 0.5)
        errors.append(np.max(np.abs(result["part.x1"] - van_der_pol(1.0, result.time))))
    assert errors[1] < 1e-2 * errors[0]


# going back -----------------------------------------------------------------------------------


@versions
def test_step_doubling_takes_it_back(fmu, version):
    model = fmu("vanderpol", version, strict=True, **ONLY)
    controller = dv.StepDoubling(rtol=1e-3, atol=1e-3, first_size=0.05, max_size=0.5)
    result = dv.simulate(alone(model), stop=3.0, controller=controller, quiet=True)
    assert result["part.x1"] == pytest.approx(van_der_pol(1.0, result.time), abs=1e-4)
    assert is_clean(model)


@versions
@pytest.mark.parametrize("saving", [True, False])
def test_a_restored_part_goes_on_as_it_did(fmu, version, saving):
    step_notes = {} if version == 3 else {"edit": without_step_notes}
    options = {"model_exchange": True, "strict": True, "state_saving": saving, **ONLY}
    model = fmu("prey", version, **options, **step_notes)
    assert model.description.capabilities.can_restore
    part = live(model)
    u = Waveform.hold(Signals(np.array([3.0])))
    part.event(Signals(np.array([3.0])))
    while part.update():
        pass
    part.advance(Window.between(0.0, 0.5), u)
    mark = part.snapshot()
    first = part.advance(Window.between(0.5, 1.0), u)
    other = part.instance.failed
    part.advance(Window.between(1.0, 1.5), Waveform.hold(Signals(np.array([7.0]))))
    for _ in range(2):  # a snapshot may be used again
        part.restore(mark)
        again = part.advance(Window.between(0.5, 1.0), u)
        assert again.outputs.reals == pytest.approx(first.outputs.reals, rel=1e-7)
    assert not other
    del mark
    part.close()
    assert is_clean(model)


def without_step_notes(xml):
    """FMI 2: the FMU does not want to hear of every step."""
    changed = xml.replace(
        "<ModelExchange ", '<ModelExchange completedIntegratorStepNotNeeded="true" '
    )
    assert changed != xml
    return changed


@versions
def test_without_state_saving_only_smooth_fmus_can_go_back(fmu, version):
    ball = fmu("ball", version, state_saving=False, **ONLY)
    assert not ball.description.capabilities.can_restore
    assert not ball.description.capabilities.can_serialize
    report = str(alone(ball).check())
    assert "with ErrorCheck (doubling) or StepDoubling: 'part' cannot roll back" in report
    assert "yes  any algorithm with FixedStep" in report
    result = run(alone(ball), 2.0)
    assert result.statistics.events == 4


@versions
def test_a_checkpoint_goes_on_as_if_nothing_had_been(fmu, version, tmp_path):
    ball = fmu("ball", version, strict=True, **ONLY)
    options = {"stop": 2.0, "controller": dv.FixedStep(0.05), "quiet": True}
    whole = dv.simulate(alone(ball), **options)
    with dv.Session(alone(ball), **options) as session:
        for _ in range(20):
            session.advance()
        session.checkpoint(tmp_path / "half")
    with dv.Session(alone(ball), resume=tmp_path / "half", **options) as session:
        rest = session.run()
    assert rest["part.bounces"][-1] == whole["part.bounces"][-1]
    assert rest["part.h"][-1] == pytest.approx(whole["part.h"][-1], abs=1e-6)
    assert is_clean(ball)


# the equations --------------------------------------------------------------------------------


@versions
def test_its_equations_can_be_evaluated_anywhere(fmu, version):
    part = live(fmu("vanderpol", version, strict=True, **ONLY), mu=3.0)
    part._settle()
    assert isinstance(part, Equations)
    assert [v.name for v in part.states] == ["x1", "x2"]
    x = np.array([0.5, 2.0])
    assert part.rates(7.0, x, NONE) == pytest.approx([2.0, 3.0 * 0.75 * 2.0 - 0.5])
    assert part.values(7.0, x, NONE).reals == pytest.approx(x)
    assert part.state() == pytest.approx([2.0, 0.0])
    assert part.pattern.toarray().tolist() == [[False, True], [True, True]]
    part.close()


@versions
@pytest.mark.parametrize("directional", [True, False])
def test_jacobians_come_by_directional_derivatives_or_differences(fmu, version, directional):
    options = {
        "directional_derivatives": directional,
        "adjoint_derivatives": directional,
        "model_exchange": True,
        **ONLY,
    }
    part = live(fmu("spring", version, **options), mass=2.0, wall_damping=3.0)
    u = Signals(np.array([0.3, 0.7]))
    part._settle()
    found = part.jacobian(0.0, np.array([1.0, 2.0]), u).toarray()
    assert found == pytest.approx(np.array([[0, 1], [-1000.0, -1.5]]), rel=1e-7, abs=1e-7)
    part.u = u
    linear = part.linearize()
    assert pytest.approx(np.array([[0, 0], [500.0, 0]]), rel=1e-6, abs=1e-4) == linear.B
    assert pytest.approx(np.array([[-1000.0, 0]]), rel=1e-6, abs=1e-4) == linear.C
    assert pytest.approx(np.array([[1000.0, 0]]), rel=1e-6, abs=1e-4) == linear.D
    part.close()


def test_a_sparse_jacobian_takes_one_call_per_colour():
    from scipy.sparse import csc_array, diags_array

    from dovetail.integrators.colouring import coloured

    band = csc_array(diags_array([np.ones(29), np.ones(30), np.ones(29)], offsets=[-1, 0, 1]))
    groups = coloured(band)
    assert len(groups) == 3
    assert sorted(k for group in groups for k in group) == list(range(30))
    for group in groups:
        assert max(band[:, group].sum(axis=1)) == 1
    full = csc_array(np.ones((4, 4)))
    assert len(coloured(full)) == 4


def test_fmi_1_tells_the_names_of_its_states(fmu):
    part = live(fmu("ball", 1, strict=True, **ONLY))
    assert [v.name for v in part.states] == ["h", "v"]
    assert part.pattern is None
    part.close()


def test_an_fmi_1_ball_cannot_go_back(fmu):
    able = fmu("vanderpol", 1, **ONLY).description.capabilities
    assert not able.can_restore
    assert not able.can_serialize
    assert able.can_linearize


@versions
def test_evaluating_leaves_no_trace_in_the_next_step(fmu, version):
    asked = live(fmu("prey", version, model_exchange=True, strict=True, **ONLY))
    plain = live(fmu("prey", version, model_exchange=True, strict=True, **ONLY))
    u = Signals(np.array([10.0]))
    for part in (asked, plain):
        part.event(u)
        while part.update():
            pass
    for method in (asked.rates, asked.values, asked.jacobian, asked.crossings):
        method(3.0, np.array([99.0]), Signals(np.array([55.0])))
    window, wave = Window.between(0.0, 1.0), Waveform.hold(u)
    a, b = asked.advance(window, wave), plain.advance(window, wave)
    assert np.array_equal(a.outputs.reals, b.outputs.reals)
    for part in (asked, plain):
        part.close()


def test_the_python_path_gives_the_same(fmu, monkeypatch):
    from dovetail.fmi.parts import evaluation

    model = fmu("vanderpol", 2, strict=True, **ONLY)
    native = run(alone(model), 3.0)
    monkeypatch.setattr(evaluation, "kernel", lambda: None)
    plain = run(alone(model), 3.0)
    assert np.array_equal(native["part.x1"], plain["part.x1"])
    assert is_clean(model)


@versions
def test_calls_are_those_the_standard_allows(fmu, version):
    """Events, iterations, rejected steps, linearization, checkpoints: no call out of turn."""
    model = fmu("relay", version, strict=True, **ONLY)
    plant = fmu("prey", version, model_exchange=True, strict=True, **ONLY)
    system = dv.System("both")
    system.add("relay", model, low=2.0, high=12.0)
    system.add("plant", plant, rate=0.0, gain=-1.0, x=10.0)
    system.connect("plant.x", "relay.u")
    system.connect("relay.y", "plant.u")
    controller = dv.StepDoubling(rtol=1e-3, atol=1e-3, first_size=0.02, max_size=0.2)
    algorithm = dv.GaussSeidel(10, inputs="ramp")
    dv.simulate(system, stop=3.0, algorithm=algorithm, controller=controller, quiet=True)
    for used in (model, plant):
        assert counts(used)["violations"] == 0, last_violation(used)
    assert is_clean(model, plant)
