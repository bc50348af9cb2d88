"""Python models: what users write, and what becomes of it."""

from dataclasses import replace

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import PartFailed
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.subsystems.derivatives import along, jacobian_of


def alone(model, stop=1.0, size=0.1, **values):
    system = dv.System("alone")
    system.add("it", model, **values)
    return dv.simulate(system, stop=stop, algorithm=dv.GaussSeidel(), controller=dv.FixedStep(size))


# Dynamic ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": "radau"},
        {"solver": "bdf", "rtol": 1e-8},
        {"solver": "rk4", "step": 0.01},
        {"solver": dv.integrators.Rk45(rtol=1e-9)},
    ],
    ids=["rk45", "radau", "bdf", "rk4", "given"],
)
def test_a_decay_decays_with_every_solver(options):
    model = dv.Dynamic(
        states={"x": 2.0},
        outputs=["x"],
        parameters={"k": 1.5},
        derivatives=lambda t, x, u, p: [-p.k * x.x],
        **options,
    )
    result = alone(model)
    assert result["it.x"] == pytest.approx(2 * np.exp(-1.5 * result.time), rel=2e-5)


def test_vectors_and_names_are_two_ways_to_write_the_same():
    A = np.array([[0.0, 1.0], [-4.0, -0.2]])
    vector = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs={"f": 0.3},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: A @ x + np.array([0.0, u[0]]),
        vector=True,
    )
    named = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs={"f": 0.3},
        outputs=["x", "v"],
        derivatives=lambda t, x, u, p: [x.v, -4 * x.x - 0.2 * x.v + u.f],
    )
    a, b = alone(vector), alone(named)
    assert a["it.x"] == pytest.approx(b["it.x"], abs=1e-9)


def test_a_vector_model_with_arrays_and_discrete_inputs():
    model = dv.Dynamic(
        states={"z": [1.0, 2.0], "w": 3.0},
        inputs={"a": 1.0, "on": True},
        outputs=["w", "z"],
        parameters={"k": 2.0, "label": "x"},
        derivatives=lambda t, x, u, p: -p[0][0] * x * (1.0 if u[1][0] else 0.0),
        vector=True,
    )
    result = alone(model)
    factor = np.exp(-2.0)
    assert result.final == pytest.approx(
        {"it.w": 3 * factor, "it.z[1]": factor, "it.z[2]": 2 * factor}, rel=1e-5
    )
    still = alone(model, on=False)
    assert still.final["it.w"] == 3.0


def test_a_variable_says_everything_about_itself():
    model = dv.Dynamic(
        states={"x": dv.Variable("x", start=[1, 2, 3], shape=(3,), unit="m")},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [0 * x.x],
    )
    state = model.description.parameters[0]
    assert state.start.tolist() == [1.0, 2.0, 3.0]
    assert alone(model).units == {f"it.x[{k}]": "m" for k in (1, 2, 3)}
    with pytest.raises(dv.ModelError, match="the start value of 'x' has the shape"):
        dv.Dynamic(
            states={"x": dv.Variable("x", start=[1, 2], shape=(3,))},
            derivatives=lambda t, x, u, p: [x.x],
        )


def test_names_that_are_no_identifiers_are_reached_by_name():
    model = dv.Algebraic(
        inputs={"tank[1].level": 2.0, "class": 3.0},
        outputs=["sum"],
        function=lambda t, u, p: [u["tank[1].level"] + u["class"] + u[0]],
    )
    assert alone(model)["it.sum"][-1] == 7.0


def test_inputs_that_move_are_followed_inside_a_window():
    """x' = u with u = t^2 given as a polynomial: exact at any window size."""
    model = dv.Dynamic(
        states={"x": 0.0}, inputs=["u"], outputs=["x"], derivatives=lambda t, x, u, p: [u.u]
    )
    part = model.instantiate("it")
    part.initialize(0.0, {})
    part.begin()
    reached = part.advance(Window.between(0.0, 2.0), Waveform(np.array([[0.0, 0.0, 1.0]])))
    assert reached.outputs.reals[0] == pytest.approx(8 / 3, rel=1e-9)


@pytest.mark.parametrize("jacobian", ["differences", "complex", "given"])
def test_linearization_is_exact_for_what_is_linear(jacobian):
    given = lambda t, x, u, p: [[0.0, 1.0], [-p.k, -0.1]]  # noqa: E731
    model = dv.Dynamic(
        states={"x": 1.0, "v": 0.5},
        inputs=["f"],
        outputs=["x", "a"],
        parameters={"k": 4.0},
        derivatives=lambda t, x, u, p: [x.v, u.f - p.k * x.x - 0.1 * x.v],
        output=lambda t, x, u, p: [x.x, u.f - p.k * x.x],
        jacobian=given if jacobian == "given" else jacobian,
    )
    part = model.instantiate("it")
    part.initialize(0.0, {})
    part.begin()
    part.advance(Window.between(0.0, 0.1), Waveform.hold(Signals(np.array([0.7]))))
    found = part.linearize()
    exact = {"A": [[0, 1], [-4, -0.1]], "B": [[0], [1]], "C": [[1, 0], [-4, 0]], "D": [[0], [1]]}
    for name, matrix in exact.items():
        assert getattr(found, name) == pytest.approx(np.array(matrix), abs=1e-8), name
    assert found.u == [0.7]


def test_derivatives_of_outputs_of_any_order():
    """y = sin(2 t) as a system of two states: y', y'', y'''."""
    f = lambda t, x, u: np.array([2 * x[1], -2 * x[0]])  # noqa: E731
    g = lambda t, x, u: x[:1]  # noqa: E731
    t, none = 0.3, np.zeros(0)
    x = np.array([np.sin(2 * t), np.cos(2 * t)])
    exact = [np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t), -8 * np.cos(2 * t)]
    for order, accuracy in enumerate((1e-15, 1e-8, 1e-6, 1e-4)):
        found = along(g, f, t, x, none, none, order)
        assert found[0] == pytest.approx(exact[order], rel=accuracy)


def test_jacobians_by_differences_and_complex_step():
    function = lambda v: np.array([v[0] ** 2 * v[1], np.exp(v[1])])  # noqa: E731
    at = np.array([1.5, -0.5])
    exact = np.array([[2 * 1.5 * -0.5, 1.5**2], [0.0, np.exp(-0.5)]])
    assert jacobian_of(function, at, 2) == pytest.approx(exact, rel=1e-8)
    assert jacobian_of(function, at, 2, complex_step=True) == pytest.approx(exact, rel=1e-15)


def test_an_event_sees_the_crossing_that_fired_and_moves_only_what_it_names():
    seen = []

    def on_event(which, t, x, u, p):
        seen.append((which, round(t, 6)))
        return {"a": 0.0} if which == 0 else None

    model = dv.Dynamic(
        states={"a": 0.0, "b": 0.0},
        outputs=["a", "b"],
        derivatives=lambda t, x, u, p: [1.0, 2.0],
        zero_crossings=lambda t, x, u, p: [x.a - 0.4, x.b - 1.5],
        on_event=on_event,
    )
    result = alone(model)
    assert seen[0] == (0, 0.4)
    assert (1, 0.75) in seen
    assert result["it.b"][-1] == pytest.approx(2.0)
    assert result["it.a"][-1] == pytest.approx(0.2)


def test_crossings_without_a_reaction_still_end_windows():
    model = dv.Dynamic(
        states={"x": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [1.0],
        zero_crossings=lambda t, x, u, p: [x.x - 0.37],
    )
    result = alone(model)
    assert np.count_nonzero(np.abs(result.time - 0.37) < 1e-9) == 2
    assert result.statistics.events == 1


def test_a_jump_may_cause_another_one():
    """b falls when a fires, and that fires b's own crossing, at the same instant."""
    model = dv.Dynamic(
        states={"a": 0.0, "b": 1.0, "c": 0.0},
        outputs=["a", "b", "c"],
        derivatives=lambda t, x, u, p: [1.0, 0.0, 0.0],
        zero_crossings=lambda t, x, u, p: [x.a - 0.5, x.b],
        on_event=lambda which, t, x, u, p: {"b": -1.0} if which == 0 else {"c": 5.0},
    )
    result = alone(model)
    assert result.final == pytest.approx({"it.a": 1.0, "it.b": -1.0, "it.c": 5.0})
    assert result.statistics.events == 1


def test_inputs_that_are_only_tried_out_at_an_event_leave_no_trace():
    """A crossing of an input, asked on both sides while time stands still."""
    model = dv.Dynamic(
        states={"count": 0.0},
        inputs=["u"],
        outputs=["count"],
        derivatives=lambda t, x, u, p: [0.0],
        zero_crossings=lambda t, x, u, p: [u.u - 1.0],
        on_event=lambda which, t, x, u, p: {"count": x.count + 1},
    )
    part = model.instantiate("it")
    part.initialize(0.0, {})
    low, high = (Signals(np.array([v])) for v in (0.0, 2.0))
    part.outputs(low)
    part.begin()
    part.advance(Window.between(0.0, 0.1), Waveform.hold(low))
    counts = [part.event(u).reals[0] for u in (low, high, low, high, high)]
    assert counts == [0.0, 1.0, 0.0, 1.0, 1.0]
    part.event(low)
    assert part.advance(Window.between(0.1, 0.2), Waveform.hold(low)).outputs.reals[0] == 0.0


# Discrete -----------------------------------------------------------------------------------


def test_states_of_all_kinds_step_together():
    model = dv.Discrete(
        period=0.2,
        states={
            "n": dv.Variable("n", kind="integer", start=0),
            "log": "",
            "on": False,
            "v": [0.0, 1.0],
        },
        outputs={"log": "", "v": [0.0, 0.0]},
        output=lambda t, x, u, p: [x.log, x.v],
        update=lambda t, x, u, p: [x.n + 1, x.log + str(x.n), not x.on, x.v[::-1]],
    )
    result = alone(model)
    assert result["it.log"][-1] == "01234"
    assert result.final["it.v[1]"] == 1.0


def test_a_delay_of_one_sample():
    system = dv.System("delay")
    system.add("ramp", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    delay = dv.Discrete(
        period=0.1,
        states={"last": -1.0},
        inputs=["u"],
        outputs=["y"],
        output=lambda t, x, u, p: [x.last],
        update=lambda t, x, u, p: [u.u],
    )
    system.add("delay", delay)
    system.connect("ramp.y", "delay.u")
    result = dv.simulate(system, stop=0.5, algorithm=dv.GaussSeidel(), controller=dv.FixedStep(0.1))
    right = np.flatnonzero(np.diff(result.time) == 0) + 1
    assert result["delay.y"][right] == pytest.approx(result.time[right] - 0.1, abs=1e-12)


# Table --------------------------------------------------------------------------------------


def test_a_table_is_linear_between_rows_and_constant_outside():
    table = dv.Table(time=[1.0, 2.0, 4.0], columns={"a": [1.0, 3.0, -1.0]})
    result = alone(table, stop=5.0, size=0.5)
    exact = np.interp(result.time, [1, 2, 4], [1, 3, -1])
    assert result["it.a"] == pytest.approx(exact, abs=1e-12)


def test_other_columns_hold_the_last_value():
    table = dv.Table(
        time=[0.0, 0.5, 1.0],
        columns={"on": [True, False, True], "word": ["a", "b", "c"], "n": [1, 2, 3]},
    )
    result = alone(table, stop=1.0, size=0.25)
    right = {round(t, 9): k for k, t in enumerate(result.time)}
    assert result["it.on"][right[0.25]]
    assert not result["it.on"][right[0.75]]
    assert result["it.word"][right[0.5]] == "b"
    assert result["it.n"][right[0.25]] == pytest.approx(1.5)


def test_tables_are_read_from_files(tmp_path):
    (tmp_path / "road.csv").write_text("time [ms], slope [%], name\n0, 1.5, a\n500, 2.5, b\n")
    table = dv.Table.read(tmp_path / "road.csv")
    assert table.times.tolist() == [0.0, 0.5]
    assert table.units == {"slope": "%"}
    with pytest.raises(dv.FileError, match="there is no such file"):
        dv.Table.read(tmp_path / "none.csv")
    (tmp_path / "bad.csv").write_text("time,a\n0,1\n0.5\n")
    with pytest.raises(dv.FileError, match="it cannot be read as a table"):
        dv.Table.read(tmp_path / "bad.csv")
    (tmp_path / "words.csv").write_text("when,a\nnoon,1\nnight,2\n")
    with pytest.raises(dv.FileError, match="its first column, 'when', is not a time"):
        dv.Table.read(tmp_path / "words.csv")
    (tmp_path / "back.csv").write_text("time,a\n1,1\n0,2\n")
    with pytest.raises(dv.FileError, match="time must not decrease"):
        dv.Table.read(tmp_path / "back.csv")


# Pickling and functions ---------------------------------------------------------------------


def test_a_failing_part_leaves_its_model_usable():
    calls = []

    def function(t, u, p):
        calls.append(t)
        if len(calls) == 3:
            raise RuntimeError("once")
        return [t]

    model = dv.Algebraic(inputs=[], outputs=["y"], function=function)
    with pytest.raises(PartFailed, match="once"):
        alone(model)
    assert alone(model)["it.y"][-1] == 1.0


def test_ports_are_kept_as_data():
    capacitor = dv.Dynamic(
        states={"v": 0.0},
        inputs=["i"],
        outputs=["v"],
        derivatives=lambda t, x, u, p: [u.i],
        ports={"pin": dv.Port("electrical", effort="v", flow="i")},
    )
    port = capacitor.description.ports["pin"]
    assert (port.domain, port.effort, port.flow) == ("electrical", "v", "i")


def test_jumps_may_be_a_whole_vector_of_states():
    ball = dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, x, u, p: np.array([x[1], -9.81]),
        zero_crossings=lambda t, x, u, p: [x[0]],
        on_event=lambda which, t, x, u, p: np.array([0.0, -x[1]]),
        vector=True,
    )
    system = dv.System("ball")
    system.add("ball", ball)
    result = dv.simulate(system, stop=0.6, controller=dv.FixedStep(0.1), quiet=True)
    assert result.statistics.events == 1
    assert result.final["ball.v"] > 0


def test_integers_in_a_table_keep_all_their_digits(tmp_path):
    """The largest of 64 bits, as in the inputs of the FMI project's Feedthrough."""
    path = tmp_path / "large.csv"
    rows = "0,-9223372036854775808,0,1", "1,9223372036854775807,18446744073709551615,1e19"
    path.write_text("\n".join(["time,signed,unsigned,real", *rows]))
    table = replace(dv.load(path), types={"signed": "integer", "unsigned": "integer"})
    assert table.data["signed"].tolist() == [-(2**63), 2**63 - 1]
    assert table.data["unsigned"].tolist() == [0, 2**64 - 1]
    assert [str(v.kind) for v in table.description.outputs] == ["integer", "integer", "real"]
    with pytest.raises(dv.ModelError, match="'real' holds numbers that are too large for integers"):
        replace(table, types={"real": "integer"})
