"""The drawing: parts, connections, units, values, and what can be said of them."""

import numpy as np
import problems
import pytest
from catalogue import brief

import dovetail as dv


def source(value, unit=None, **more):
    units = {} if unit is None else {"y": unit}
    return dv.Source(outputs=["y"], function=lambda t, p: [value], units=units, **more)


def meter(unit=None):
    units = {} if unit is None else {"u": unit}
    return dv.Algebraic(inputs=["u"], outputs=["seen"], function=lambda t, u, p: [u.u], units=units)


def measured(value, unit, target, **connection):
    """What a meter in one unit shows of a source in another."""
    system = dv.System("units")
    system.add("source", source(value, unit))
    system.add("meter", meter(target))
    system.connect("source.y", "meter.u", **connection)
    result = dv.simulate(system, stop=0.1, algorithm=dv.GaussSeidel(), controller=dv.FixedStep(0.1))
    return result["meter.seen"][-1]


@pytest.mark.parametrize(
    ("value", "unit", "target", "seen"),
    [
        (36.0, "km/h", "m/s", 10.0),
        (20.0, "degC", "K", 293.15),
        (293.15, "K", "degC", 20.0),
        (50.0, "degF", "degC", 10.0),
        (60.0, "rpm", "rad/s", 2 * np.pi),
        (1.0, "bar", "Pa", 1e5),
        (7.0, None, "m", 7.0),
        (7.0, "m", None, 7.0),
    ],
)
def test_units_convert_by_themselves(value, unit, target, seen):
    assert measured(value, unit, target) == pytest.approx(seen, rel=1e-12)


@pytest.mark.parametrize(
    ("unit", "target", "seen"),
    [("degC", "K", 2 * 293.15 + 5), ("km/h", "m/s", 2 * 20 / 3.6 + 5), (None, None, 45.0)],
)
def test_gain_and_offset_count_in_the_unit_of_the_target(unit, target, seen):
    """input = gain * output + offset, with the output in the input's unit."""
    assert measured(20.0, unit, target, gain=2.0, offset=5.0) == pytest.approx(seen, rel=1e-12)


def test_units_are_known_in_the_result():
    system = dv.System("units")
    system.add("source", source(1.0, "km/h"))
    system.add("meter", meter("m/s"))
    system.connect("source.y", "meter.u")
    result = dv.simulate(system, stop=0.1, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    assert result.units == {"source.y": "km/h", "meter.u": "m/s"}


def test_parts_and_connections_keep_their_order():
    system = problems.control_loop_system()
    assert list(system.parts) == ["set", "controller", "plant"]
    assert [str(c) for c in system.connections] == [
        "set.r -> controller.r",
        "controller.u -> plant.u",
        "plant.y -> controller.y",
    ]
    assert repr(system) == "System('control loop': 3 parts, 3 connections)"
    with pytest.raises(TypeError):
        system.parts["other"] = None


def test_values_are_taken_by_keyword_and_by_name():
    model = dv.Dynamic(
        states={"tank[1].level": 1.0, "v": 0.0},
        outputs=["v"],
        parameters={"k": 2.0},
        derivatives=lambda t, x, u, p: [x["v"], p.k * x["tank[1].level"]],
    )
    system = dv.System("values")
    system.add("a", model, k=3, values={"tank[1].level": 5})
    assert system.parts["a"].values == {"tank[1].level": 5.0, "k": 3.0}
    result = dv.simulate(system, stop=0.1, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    assert result["a.v"][-1] == pytest.approx(
        5.0 * np.sqrt(3) * np.sinh(0.1 * np.sqrt(3)), rel=1e-5
    )


def test_integers_and_numpy_numbers_are_reals_where_reals_are_wanted():
    system = dv.System("numbers")
    for k, value in enumerate((2, np.float32(2), np.int64(2), np.float64(2))):
        system.add(f"p{k}", problems.Species(0.0, 0.0, 1.0), x0=value)
        assert system.parts[f"p{k}"].values == {"x0": 2.0}
        assert type(system.parts[f"p{k}"].values["x0"]) is float


def test_start_values_of_inputs_hold_where_nothing_feeds_them():
    system = dv.System("open")
    system.add("meter", meter(), u=4.5)
    result = dv.simulate(system, stop=0.2, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    assert result["meter.seen"].tolist() == [4.5] * 3
    assert str(system.check().problems[0]) == "'meter.u' is not connected; it stays at 4.5."


# Arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm",
    [dv.Jacobi(), dv.GaussSeidel(), dv.Newton(inputs="ramp"), dv.Iterative()],
    ids=brief,
)
def test_arrays_travel_from_end_to_end(algorithm):
    """A heat rod of 4 cells, coupled with another by vectors and matrices of values."""
    rod = dv.Dynamic(
        states={"T": np.linspace(1.0, 4.0, 4)},
        inputs={"bath": [0.0, 0.0, 0.0, 0.0]},
        outputs={"T": np.zeros(4), "pairs": np.zeros((2, 2))},
        parameters={"k": [1.0, 2.0, 3.0, 4.0]},
        derivatives=lambda t, x, u, p: [p.k * (u.bath - x.T)],
        output=lambda t, x, u, p: [x.T, x.T.reshape(2, 2)],
        rtol=1e-10,
        atol=1e-12,
    )
    mean = dv.Algebraic(
        inputs={"T": np.zeros((2, 2))},
        outputs={"mean": np.zeros(4)},
        function=lambda t, u, p: [np.full(4, u.T.mean())],
    )
    system = dv.System("rod")
    system.add("rod", rod)
    system.add("mean", mean)
    system.connect("rod.pairs", "mean.T")
    system.connect("mean.mean", "rod.bath", gain=0.5, offset=0.25)
    result = dv.simulate(
        system,
        stop=0.5,
        algorithm=algorithm,
        controller=dv.FixedStep(0.01),
        rtol=1e-9,
        atol=1e-9,
    )
    assert [n for n in result if n.startswith("rod.")] == [
        *(f"rod.T[{k}]" for k in range(1, 5)),
        *(f"rod.pairs[{i},{j}]" for i in (1, 2) for j in (1, 2)),
        *(f"rod.bath[{k}]" for k in range(1, 5)),
    ]
    k = np.diag([1.0, 2.0, 3.0, 4.0])
    A = -k + k @ np.full((4, 4), 0.125)
    steady = np.linalg.solve(A, -np.diag(k) * 0.25)
    exact = steady + problems._modal(A, np.linspace(1, 4, 4) - steady, [0.5])[:, 0]
    found = np.array([result[f"rod.T[{j}]"][-1] for j in range(1, 5)])
    limit = 4e-5 if algorithm.order == 2 else 2e-2
    assert np.max(np.abs(found - exact)) < limit


def test_one_value_is_enough_for_an_array_of_equal_ones():
    model = dv.Dynamic(
        states={"x": np.zeros((2, 3))}, outputs=["x"], derivatives=lambda t, x, u, p: [0 * x.x]
    )
    system = dv.System("array")
    system.add("a", model, x=7.0)
    system.add("b", model, x=[[1, 2, 3], [4, 5, 6]])
    result = dv.simulate(system, stop=0.1, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    assert [v for n, v in result.final.items() if n.startswith("a")] == [7.0] * 6
    assert [v for n, v in result.final.items() if n.startswith("b")] == [1, 2, 3, 4, 5, 6]


# What is hidden -----------------------------------------------------------------------------


def hiding(published):
    return dv.Dynamic(
        states={"x": 1.0, "secret": 2.0},
        inputs={"u": 0.0},
        outputs=["x", "secret", "power"],
        parameters={"k": 1.0, "licence": "abc"},
        derivatives=lambda t, x, u, p: [u.u - p.k * x.x, 0.0],
        output=lambda t, x, u, p: [x.x, x.secret, u.u * x.x],
        published=published,
    )


def test_published_hides_everything_else():
    d = hiding(["power", "k"]).description
    assert [v.name for v in d.outputs] == ["power"]
    assert [v.name for v in d.parameters] == ["k"]
    assert [v.name for v in d.inputs] == ["u"]
    system = dv.System("hidden")
    system.add("a", hiding(["power", "k"]), u=2.0)
    result = dv.simulate(system, stop=0.5, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
    assert result.names == ["a.power"]
    with pytest.raises(dv.DrawingError, match=r"'b\.licence' is not a parameter"):
        system.add("b", hiding(["power"]), licence="xyz")
    with pytest.raises(dv.DrawingError, match=r"'a\.x' is not an output of 'a'. It has: power"):
        system.connect("a.x", "a.u")


def test_what_is_hidden_changes_nothing():
    runs = []
    for published in (None, ["power"]):
        system = dv.System("hidden")
        system.add("a", hiding(published), u=2.0)
        runs.append(
            dv.simulate(system, stop=0.5, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1))
        )
    assert np.array_equal(runs[0]["a.power"], runs[1]["a.power"])


# What can be said before a run --------------------------------------------------------------


def test_a_check_names_each_algebraic_loop_once():
    report = problems.algebraic_loop_system().check()
    assert len(report.loops) == 1
    assert set(report.loops[0]) == {"resistor.i", "resistor.w", "diode.w", "diode.i"}
    assert report.ok


def test_feedthrough_is_read_off_the_function():
    """One that never looks at its inputs has none; any other is taken to use all of them."""

    def depends(output, **more):
        model = dv.Dynamic(
            states={"x": 0.0},
            inputs=["u", "v"],
            outputs=["y"],
            derivatives=lambda t, x, u, p: [u.u],
            output=output,
            **more,
        )
        return model.description.depends("y")

    assert depends(lambda t, x, u, p: [x.x]) == frozenset()
    assert depends(lambda t, x, u, p: [x.x + u.u]) == {"u", "v"}
    assert depends(lambda t, x, u, p: [f(x, u) for f in (max,)]) == {"u", "v"}
    assert depends(lambda t, x, u, p: list(map(lambda k: k * u.u, [1]))) == {"u", "v"}
    assert depends(lambda *a: [a[1].x]) == {"u", "v"}
    assert depends(lambda t, x, u, p: [u.u], feedthrough={"y": ["u"]}) == {"u"}
    assert depends(lambda t, x, u, p: [u.u], feedthrough=False) == frozenset()


def chain(count):
    system = dv.System("chain")
    system.add("p0", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    plus = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u + 1.0])
    for k in range(1, count):
        system.add(f"p{k}", plus)
        system.connect(f"p{k - 1}.y", f"p{k}.u")
    return system


@pytest.mark.parametrize("inputs", ["hold", "ramp"])
def test_hundreds_of_parts_in_a_row_are_seen_in_one_pass(inputs):
    """Whatever order they are drawn in, a sweep follows the connections."""
    system = dv.System("backwards")
    drawn = chain(300)
    for name in reversed(drawn.parts):
        system.add(name, drawn.parts[name].model)
    for c in drawn.connections:
        system.connect(str(c.source), str(c.target))
    result = dv.simulate(
        system,
        stop=2.0,
        algorithm=dv.GaussSeidel(inputs=inputs),
        controller=dv.FixedStep(1.0),
        record="p299.y",
    )
    assert result["p299.y"].tolist() == [299.0, 300.0, 301.0]


def test_cost_grows_with_the_number_of_parts_and_not_with_its_square(monkeypatch):
    """Counted in calls of Python functions, which a busy machine does not change."""
    import sys

    def calls(count):
        options = {"algorithm": dv.GaussSeidel(5), "controller": dv.FixedStep(1.0)}
        run = dv.Session(chain(count), stop=10.0, record="p0.y", **options)
        seen = 0

        def count_calls(frame, event, argument):
            nonlocal seen
            seen += event in ("call", "c_call")

        sys.setprofile(count_calls)
        try:
            run.advance()
        finally:
            sys.setprofile(None)
        run.close()
        return seen

    small, large = calls(50), calls(200)
    assert large < 4.4 * small


def test_tables_give_values_another_meaning():
    system = dv.System()
    kinds = {"n": "integer"}
    system.add("a", dv.Source(outputs=["n"], types=kinds, function=lambda t, p: [round(t * 3) + 1]))
    for name, kind in (("b", "integer"), ("c", "real")):
        system.add(
            name,
            dv.Algebraic(
                inputs=["m"],
                outputs=["y"],
                types={"m": kind, "y": kind},
                function=lambda t, u, p: [u.m],
            ),
        )
    system.connect("a.n", "b.m", table={1: 10, 2: 20})
    system.connect("a.n", "c.m", table={1: 10}, gain=2.0, offset=0.5)
    run = {"stop": 1.0, "controller": dv.FixedStep(1 / 3), "algorithm": dv.GaussSeidel()}
    result = dv.simulate(system, **run, quiet=True)
    assert result["b.y"].tolist() == [10, 20, 3, 4]
    assert result["c.y"].tolist() == [20.5, 4.5, 6.5, 8.5]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"x": 1}, "the table of a.n -> b.m must be an integer value, not 'x'."),
        ([1, 2], "the table of a.n -> b.m must be a mapping such as {1: 3}."),
    ],
)
def test_tables_that_do_not_fit(table, message):
    system = dv.System()
    kinds = {"n": "integer"}
    system.add("a", dv.Source(outputs=["n"], types=kinds, function=lambda t, p: [1]))
    given = {"inputs": ["m"], "outputs": ["y"], "types": {"m": "integer", "y": "integer"}}
    system.add("b", dv.Algebraic(**given, function=lambda t, u, p: [u.m]))
    with pytest.raises(dv.DrawingError) as caught:
        system.connect("a.n", "b.m", table=table)
    assert str(caught.value) == message
