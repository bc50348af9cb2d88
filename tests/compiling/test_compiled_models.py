"""Python models with their functions in C: the same to rounding, refused by name."""

from __future__ import annotations

import pickle
from multiprocessing import get_context

import numpy as np
import pytest

import dovetail as dv
from dovetail.compiling import building, compiled_function
from dovetail.core.signals import Signals
from dovetail.models import in_c

FIXED = {"stop": 2.0, "controller": dv.FixedStep(0.1), "algorithm": dv.GaussSeidel()}
RUN = {**FIXED, "quiet": True, "verify": False}


def swinging(**options):
    return dv.Dynamic(
        states={"x": 1.0, "v": [0.0, 0.5]},
        inputs={"u": 0.0},
        outputs=["e", "w"],
        parameters={"k": 4.0, "d": 0.3},
        derivatives=lambda t, x, u, p: [
            x.v[0],
            [-p.k * np.sin(x.x) - p.d * x.v[0] + u.u, np.cos(t) - x.v[1] ** 3],
        ],
        output=lambda t, x, u, p: [0.5 * p.k * x.x**2 + u.u, x.v[0] * x.v[1]],
        **options,
    )


def bent(**options):
    return dv.Algebraic(
        inputs=["a"],
        outputs=["b"],
        parameters={"c": 0.2},
        function=lambda t, u, p: [np.where(u.a > 1.0, p.c * u.a, np.tanh(u.a) + t)],
        **options,
    )


def sampled(**options):
    return dv.Discrete(
        period=0.25,
        states={"s": 0.0},
        inputs=["a"],
        outputs=["b"],
        update=lambda t, x, u, p: [x.s + 0.1 * u.a],
        output=lambda t, x, u, p: [x.s - 0.2 * u.a],
        **options,
    )


def wave(**options):
    return dv.Source(
        outputs=["y"],
        function=lambda t, p: [np.where(t < 1.0, np.sin(t), 2.0)],
        jumps=[1.0],
        **options,
    )


def loop(**options):
    system = dv.System("loop")
    system.add("swing", swinging(**options), k=3.0)
    system.add("bent", bent(**options))
    system.add("sampled", sampled(**options))
    system.add("wave", wave(**options))
    system.connect("swing.e", "bent.a")
    system.connect("bent.b", "sampled.a")
    system.connect("sampled.b", "swing.u")
    return system


@pytest.mark.parametrize("solver", ["auto", "rk45", "radau", "rk4"])
def test_compiled_parts_give_the_same_but_for_rounding(solver):
    step = {"step": 0.02} if solver == "rk4" else {}
    both = []
    for compile in (False, True):
        system = loop(compile=compile)
        system.replace("swing", swinging(compile=compile, solver=solver, **step))
        both.append(dv.simulate(system, **RUN))
    for name in ("swing.e", "swing.w", "bent.b", "sampled.b", "wave.y"):
        assert np.allclose(both[0][name], both[1][name], rtol=1e-8, atol=1e-9), name
    assert both[0].statistics.windows == both[1].statistics.windows


def test_jacobians_are_those_of_the_trace():
    u = Signals(np.array([0.7]))
    found = []
    for compile in (False, True):
        part = swinging(compile=compile).instantiate("it")
        part.initialize(0.3, {"x": 0.4, "v": np.array([0.2, 0.9])})
        part.begin()
        part.outputs(u)
        found.append(part.linearize())
    exact = [[0, 1, 0], [-4 * np.cos(0.4), -0.3, 0], [0, 0, -3 * 0.9**2]]
    assert np.allclose(found[1].A, exact, rtol=1e-15, atol=1e-15)
    for name in "ABCD":
        assert np.allclose(getattr(found[0], name), getattr(found[1], name), atol=1e-5)


def test_events_happen_where_they_did():
    def ball(**options):
        return dv.Dynamic(
            states={"h": 1.0, "v": 0.0},
            outputs=["h", "v"],
            derivatives=lambda t, x, u, p: [x.v, -9.81],
            zero_crossings=lambda t, x, u, p: [x.h],
            on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.7 * x.v},
            **options,
        )

    both = [dv.simulate(ball(compile=c), **RUN) for c in (False, True)]
    assert both[0].statistics.events == both[1].statistics.events > 2
    assert np.allclose(both[0]["model.h"], both[1]["model.h"], atol=1e-9)


def test_parameters_that_are_connected_are_inputs_of_the_compiled_model():
    both = []
    for compile in (False, True):
        system = dv.System("tuned")
        system.add("wave", wave())
        system.add("swing", swinging(compile=compile))
        system.connect("wave.y", "swing.k")
        both.append(dv.simulate(system, **RUN)["swing.e"])
    assert np.allclose(*both, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda t, x, u, p: [x.x if x.x > 0 else -x.x], "it branches on a value"),
        (lambda t, x, u, p: [np.random.default_rng().normal()], "when it is called again"),
        (lambda t, x, u, p: [float(x.x)], "it makes a plain number of a value"),
        (lambda t, x, u, p: [np.interp(x.x, [0, 1], [0, 1])], "np.interp is not known"),
    ],
)
def test_what_is_no_plain_arithmetic_is_refused_by_name(function, why):
    with pytest.raises(dv.ModelError, match=f"its function derivatives cannot be compiled.*{why}"):
        dv.Dynamic(states={"x": 1.0}, outputs=["x"], derivatives=function, compile=True)


def test_variables_that_are_no_reals_are_refused():
    with pytest.raises(
        dv.ModelError, match="its variable 'on' is not real; leave compile=True out"
    ):
        dv.Algebraic(
            inputs={"on": False}, outputs=["y"], function=lambda t, u, p: [1.0], compile=True
        )


def test_a_global_that_changed_is_found_out():
    scale = [2.0]
    model = dv.Algebraic(
        inputs=["a"], outputs=["b"], function=lambda t, u, p: [scale[0] * u.a], compile=True
    )
    scale[0] = 3.0
    with pytest.raises(dv.ModelError, match="function is compiled to something else: at t = "):
        model.instantiate("it")


def test_too_few_values_are_not_trusted():
    model = dv.Algebraic(
        inputs=["a"], outputs=["b"], function=lambda t, u, p: [np.sqrt(u.a - 1e9)], compile=True
    )
    with pytest.raises(dv.ModelError, match="at 0 of 1000 random points only, too few"):
        model.instantiate("it")


def test_compiled_models_travel_to_other_processes():
    import cloudpickle

    model = swinging(compile=True)
    _ = model.in_c
    part = cloudpickle.loads(cloudpickle.dumps(model)).instantiate("it")
    assert type(part.model.derivatives) is compiled_function.CompiledFunction
    again = pickle.loads(pickle.dumps(part.model.derivatives))
    x, u, p = np.array([0.4, 0.2, 0.9]), np.array([0.7]), np.array([4.0, 0.3])
    assert np.array_equal(again(0.0, x, u, p), part.model.derivatives(0.0, x, u, p))


def _values_of(text):
    function = compiled_function.CompiledFunction(text, "f", "p", 1)
    return function(0.0, np.array([3.0]))[0]


def test_processes_that_compile_the_same_text_at_once_get_one_library(tmp_path, monkeypatch):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    text = (
        "#include <stdint.h>\n"
        "void f(double t, const double *x, const double *u, const double *p, double *y)"
        "{ y[0] = 7 * p[0]; }\n"
        "void f_of_arrays(int64_t at, double t, char *x, char *u, char *p, char *y)"
        "{ f(t, 0, 0, *(double **)(p + at), *(double **)(y + at)); }\n"
    ).replace("void f", '__attribute__((visibility("default"))) void f')
    with get_context("spawn").Pool(2) as pool:
        assert pool.map(_values_of, [text] * 2, chunksize=1) == [21.0] * 2
    made = list((tmp_path / "equations").iterdir())
    assert len(made) == 1
    assert made[0].parent.stat().st_mode & 0o077 == 0


def test_without_a_compiler_there_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(building, "find_spec", lambda name: None)
    compiled_function.loaded.cache_clear()
    with pytest.raises(dv.InputError, match="no C compiler was found; install gcc or clang, or"):
        bent(compile=True).instantiate("it")
    compiled_function.loaded.cache_clear()


def test_points_are_compared_once_for_each_function(monkeypatch):
    asked = []
    monkeypatch.setattr(in_c, "_compare", lambda *given: asked.append(given))
    monkeypatch.setattr(in_c, "_compared", set())
    for _ in range(3):
        bent(compile=True).instantiate("it")
    assert len(asked) == 1


def test_a_run_compiles_all_parts_that_can_be_and_names_the_others(tmp_path, capsys):
    system = dv.System("mixed run")
    system.add("swing", swinging(), k=3.0)
    system.add(
        "branch",
        dv.Algebraic(
            inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a if u.a > 1 else 1.0]
        ),
    )
    system.connect("swing.e", "branch.a")
    plain = dv.simulate(system, **RUN)
    told = {**RUN, "quiet": False}
    compiled = dv.simulate(system, compile=True, **told)
    assert np.allclose(plain["swing.e"], compiled["swing.e"], rtol=1e-8, atol=1e-9)
    assert not np.array_equal(plain["swing.e"], compiled["swing.e"])
    said = capsys.readouterr().err
    assert "part 'branch' stays in Python: its function function cannot be compiled: it br" in said
    assert "swing" not in said
    assert not system.parts["swing"].model.compile  # the drawing stays as it is


def test_a_run_of_a_file_is_compiled_as_it_says_or_by_an_option(tmp_path, monkeypatch):
    (tmp_path / "parts.py").write_text(
        "import dovetail as dv\n"
        "decay = dv.Dynamic(states={'x': 1.0}, outputs=['x'], parameters={'k': 1.0},\n"
        "    derivatives=lambda t, x, u, p: [-p.k * x.x])\n"
    )
    text = "dovetail: 1\nparts:\n  decay: {model: 'parts.py:decay'}\n"
    text += "run:\n  stop: 1.0\n  step: 0.1\n  algorithm: jacobi\n"
    counts = []
    for run in ("", "  compile: true\n"):
        (tmp_path / "it.yaml").write_text(text + run)
        found = dv.simulate(str(tmp_path / "it.yaml"), quiet=True)
        counts.append(found.statistics.native_windows)
    assert counts == [0, 10]
    again = dv.open(tmp_path / "it.yaml")
    again.save(tmp_path / "again.yaml")
    assert "compile: true" in (tmp_path / "again.yaml").read_text()
    off = dv.simulate(str(tmp_path / "it.yaml"), compile=False, quiet=True)
    assert off.statistics.native_windows == 0
