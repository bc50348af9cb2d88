"""FMUs that cannot save their state, iterated all the same, through `dovetail run`.

The two cases of the article on COSTARICA, with the errors that exact parts have.
"""

import json

import numpy as np
import problems
import pytest
from conformance.fleet import is_clean
from costarica_cases import FIGURES, motion, populations

import dovetail as dv
from dovetail.cli.main import main

CUBIC = {"state_saving": False, "input_derivatives": 3}  # and directional derivatives, and states
PREDATION = """\
dovetail: 1
name: predation
parts:
  prey: {{model: {0}, values: {{rate: 0.67, gain: -1.33, x: 1, u: 1}}}}
  predator: {{model: {1}, values: {{rate: -1, gain: 1, x: 1, u: 1}}}}
connections:
  - prey.x -> predator.u
  - predator.x -> prey.u
"""
BODIES = """\
dovetail: 1
name: bodies
parts:
  left: {0}
  right: {{model: {1}, values: {{switch_time: 100}}}}
connections:
  - left.position -> right.position
  - left.velocity -> right.velocity
  - right.force -> left.force
"""


@pytest.fixture
def run(tmp_path, capfd):
    """`dovetail run` on a file: what it says of the run, and the recorded columns."""

    def call(text, *options):
        (tmp_path / "system.yaml").write_text(text)
        words = [
            "run",
            str(tmp_path / "system.yaml"),
            "--json",
            "-o",
            str(tmp_path / "run.parquet"),
        ]
        code = main([*words, *map(str, options)])
        out, err = capfd.readouterr()
        assert code in (0, 3), err  # 3: it ended, and is doubtful
        return json.loads(out), dv.read(tmp_path / "run.parquet"), err

    return call


def missed(result):
    found = np.array([result["prey.x"], result["predator.x"]])
    return np.max(np.abs(found - populations(result.time)))


@pytest.mark.parametrize("version", [2, 3])
def test_prey_and_predators_without_rollback(archive, run, version):
    """FMI 3 has no input derivatives to set; its windows are cut, and hold the order of a half."""
    options = CUBIC if version == 2 else {"state_saving": False}
    paths = [archive(name, version, **options) for name in ("prey", "predator")]
    solve = ("--stop", 20, "--algorithm", "ifosmondi(tolerance=1e-12)", "--step")
    told, result, err = run(PREDATION.format(*paths), *solve, 0.1)
    assert "'prey', 'predator': estimated by dv.Costarica(), because it cannot roll back" in err
    assert told["evaluations"] == 2 * told["windows"] == 400
    error = missed(result)
    if version == 2:
        expected = FIGURES["lotka_volterra_max_error_1_1_T20"]["0.1"]
        assert error == pytest.approx(expected["costarica_restart_and_carry_over"], rel=1e-3)
        finer = missed(run(PREDATION.format(*paths), *solve, 0.05)[1])
        assert np.log2(error / finer) > 3.8
    else:
        assert "stepped in 10 substeps, because inputs there cannot follow cubics" in err
        assert error < 3e-4
    estimates = told["verdict"]["estimates"]
    assert 0 < estimates["prey"]["worst"] < 1e-4
    assert is_clean(*(dv.load(path) for path in paths))


@pytest.mark.parametrize("algorithm", ["ifosmondi(tolerance=1e-12)", "missiles(tolerance=1e-12)"])
def test_bodies_without_rollback(archive, run, algorithm):
    """Fourth order, with the same errors as exact parts."""
    paths = [archive(name, 2, **CUBIC) for name in ("body", "spring")]
    figures, errors = FIGURES["mechanical_max_error_x_right_0_to_100_by_step"], []
    for size in ("2", "1"):
        options = ("--stop", 100, "--algorithm", algorithm, "--step", size)
        told, result, _ = run(BODIES.format(*paths), *options)
        assert told["evaluations"] == 2 * told["windows"]
        early = result.time < 100  # at 100 s the force is another one
        right = (result["right.position"] - result["right.force"] / 1000)[early]
        errors.append(np.max(np.abs(right - motion(result.time[early])[2])))
        assert errors[-1] == pytest.approx(figures[size], rel=2e-4)
    assert np.log2(errors[0] / errors[1]) > 3.8


def deviations(result):
    """Of the left body, before the switch at 100 s and behind it."""
    off = np.abs(result["left.position"] - motion(result.time)[0])
    return np.max(off[result.time < 100]), np.max(off[result.time >= 100])


TABLE = "time,on\n0,0\n100,0\n100,1\n200,1\n"
SWITCHING = {
    # FMI 3: the FMU announces the switch, and asks for its inputs inside a step
    "event mode": (3, {"intermediate_update": True, "event_mode": True}, ""),
    # FMI 2 knows no events: a table that jumps at the same time tells everybody
    "told": (2, {"input_derivatives": 3}, "  switch: {0}/switch.csv\n"),
}


@pytest.mark.parametrize("algorithm", ["ifosmondi(tolerance=1e-12)", "missiles(tolerance=1e-12)"])
@pytest.mark.parametrize("way", SWITCHING)
def test_order_four_across_the_switch_without_rollback(archive, run, tmp_path, way, algorithm):
    version, options, more = SWITCHING[way]
    paths = [archive(n, version, state_saving=False, **options) for n in ("body", "spring")]
    (tmp_path / "switch.csv").write_text(TABLE)
    text = BODIES.replace("connections:", more.format(tmp_path) + "connections:").format(*paths)
    errors = []
    for size in ("2", "1"):
        told, result, _ = run(text, "--stop", 200, "--algorithm", algorithm, "--step", size)
        assert told["evaluations"] == (2 + bool(more)) * told["windows"]
        errors.append(deviations(result))
    assert np.all(np.log2(np.divide(*errors)) > 3.8)
    assert errors[1] == pytest.approx([6.2085e-5, 5.7774e-6], rel=1e-4)  # as with exact parts


def test_order_one_behind_a_switch_that_nobody_is_told_of(archive, run):
    paths = [archive(name, 2, **CUBIC) for name in ("body", "spring")]
    errors = []
    for size in ("1", "0.5"):
        options = ("--stop", 200, "--algorithm", "missiles(tolerance=1e-12)", "--step", size)
        errors.append(deviations(run(BODIES.format(*paths), *options)[1]))
    before, behind = np.log2(np.divide(*errors))
    assert before > 3.8
    assert behind == pytest.approx(1, abs=0.1)


SILENT = {"state_saving": False, "output_derivatives": 0}


@pytest.mark.parametrize(
    ("version", "options", "order", "limit"),
    [
        (2, {"state_saving": False}, 2.6, 2e-5),
        (3, {"state_saving": False}, 2.6, 2e-5),
        (2, {}, 2.6, 2e-5),  # rollback
        (2, {"directional_derivatives": False}, 2.6, 3e-4),  # and slopes from differences
        (2, {**SILENT, "input_derivatives": 3}, 3.8, 4e-6),
        (3, {**SILENT, "intermediate_update": True}, 3.8, 4e-6),
    ],
)
def test_outputs_that_feel_inputs_at_once_keep_their_order(fmu, version, options, order, limit):
    """Held in pieces, an input is late by half a piece, and slopes do not know that it moves."""
    errors = []
    for size in (1.0, 0.5):
        system = dv.System("bodies")
        system.add("left", fmu("body", version, **options))
        system.add("right", fmu("spring", version, **options))
        system.connect("left.position", "right.position")
        system.connect("left.velocity", "right.velocity")
        system.connect("right.force", "left.force")
        result = dv.simulate(
            system, stop=40.0, algorithm=dv.Ifosmondi(), controller=dv.FixedStep(size), quiet=True
        )
        errors.append(np.max(np.abs(result["left.position"] - motion(result.time)[0])))
    assert np.log2(errors[0] / errors[1]) > order
    assert errors[1] < limit


def test_windows_sized_by_the_defect_do_not_creep_where_inputs_are_held(fmu):
    system = dv.System("bodies")
    for name, model in (("left", "body"), ("right", "spring")):
        system.add(name, fmu(model, 2, state_saving=False))
    system.connect("left.position", "right.position")
    system.connect("left.velocity", "right.velocity")
    system.connect("right.force", "left.force")
    result = dv.simulate(
        system, stop=50.0, algorithm=dv.Missiles(), controller=dv.Defect(1e-4, 1e-4), quiet=True
    )
    assert result.statistics.windows < 500
    assert np.max(np.abs(result["left.position"] - motion(result.time)[0])) < 1e-4


ALGORITHMS = [
    "gauss_seidel(max_iterations=50)",
    "gauss_seidel(max_iterations=50, inputs=ramp)",
    "gauss_seidel(max_iterations=50, inputs=hermite)",
    "jacobi(max_iterations=50)",
    "iterative",
    "newton",
    "newton(inputs=ramp)",
    "ifosmondi(solver=newton_krylov)",
    "missiles(inputs=ramp)",
]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_iterative_algorithm_runs_without_rollback(archive, run, algorithm):
    """One genuine step a window; the error is that of the algorithm's order."""
    paths = [archive(name, 2, **CUBIC) for name in ("prey", "predator")]
    options = ("--stop", 2, "--algorithm", algorithm, "--step", 0.05)
    told, result, _ = run(PREDATION.format(*paths), *options)
    assert told["evaluations"] == 2 * told["windows"] == 80
    cubic = "ifosmondi" in algorithm or "hermite" in algorithm
    ramp = "ramp" in algorithm or algorithm == "iterative"
    assert missed(result) < (1e-6 if cubic else 2e-4 if ramp else 2e-2)
    assert told["verdict"]["estimates"]["prey"]["worst"] < 1e-5


def test_parts_that_expose_nothing_run_as_well(archive, run):
    """Neither states nor derivatives: a model is learned on the way."""
    hidden = {"state_saving": False, "directional_derivatives": False, "input_derivatives": 1}
    paths = [archive(name, 2, **hidden) for name in ("prey", "predator")]
    options = ("--stop", 20, "--algorithm", "iterative", "--step", 0.1)
    told, result, err = run(PREDATION.format(*paths), *options)
    assert "estimated by dv.Identified(), because it can neither roll back nor be linearized" in err
    assert told["evaluations"] == 2 * told["windows"]
    _, explicit, _ = run(
        PREDATION.format(*paths), "--stop", 20, "--algorithm", "jacobi", "--step", 0.1
    )
    assert missed(result) < missed(explicit) / 10
    assert told["verdict"]["estimates"]["prey"]["worst"] < 0.05


TWO_MASSES = """\
dovetail: 1
name: masses
parts:
  left: {{model: {0}, values: {{mass: 1, stiffness: 4, damping: 0.1}}}}
  right:
    model: {1}
    values: {{mass: 0.8, stiffness: 1.5, damping: 0.2, wall_stiffness: 2, wall_damping: 0, x: -0.5}}
connections:
  - left.position -> right.position
  - left.velocity -> right.velocity
  - right.force -> left.force
"""


def test_a_learned_model_halves_the_error_of_explicit_coupling(archive, run):
    """FMUs that show neither states nor derivatives, coupled so that explicit is wrong by 20 %."""
    hidden = {
        "state_saving": False,
        "directional_derivatives": False,
        "exposed_states": False,
        "output_derivatives": 0,
        "input_derivatives": 1,
    }
    paths, found = [archive(name, 2, **hidden) for name in ("body", "spring")], {}
    for algorithm in (
        "jacobi",
        "gauss_seidel",
        "gauss_seidel(inputs=ramp)",
        "gauss_seidel(max_iterations=100, inputs=ramp)",
    ):
        options = ("--stop", 2.5, "--algorithm", algorithm, "--step", 0.1)
        told, result, err = run(TWO_MASSES.format(*paths), *options)
        assert told["evaluations"] == 2 * told["windows"]
        states = np.array([result["left.position"], result["left.velocity"]])
        found[algorithm] = np.max(np.abs(states - problems.two_mass.exact(result.time)[:2]))
    assert "'left', 'right': estimated by dv.Identified()" in err
    *explicit, identified = found.values()
    assert min(explicit) > 0.15
    assert identified < min(explicit) / 2


def test_linearizations_are_kept_for_three_calls(archive, run):
    """The matrices of an FMU are asked for once more at most, while its estimates are good."""
    paths = [archive(name, 2, **CUBIC) for name in ("body", "spring")]
    kept = "run: {estimators: {left: {costarica: {reuse: 1e-9}}, right: costarica(reuse=1e-9)}}\n"
    options = ("--stop", 50, "--algorithm", "missiles(tolerance=1e-12)", "--step", 1)
    results = [run(BODIES.format(*paths) + more, *options)[1] for more in ("", kept)]
    assert results[1]["left.position"] == pytest.approx(results[0]["left.position"], abs=1e-9)
