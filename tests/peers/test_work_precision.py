"""The study of docs/work-precision.md: complete, against true references, of the right orders."""

from __future__ import annotations

import re

import catalogue
import exchanger
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv
from benchmarks.peers.roll import PEERS
from benchmarks.work_precision import entries, study
from benchmarks.work_precision.problems import PROBLEMS, ROOT

SMALLEST = 1e-10  # no error on the page is smaller


def kinds(rows):
    return {type(row) for row in rows}


def test_every_algorithm_estimator_and_controller_is_tried():
    """Whoever adds a row to the catalogue finds it in the study, or says why not."""
    problem = PROBLEMS["mechanical"]
    tried = entries.by_algorithm(problem)
    assert all(a in [e.algorithm for e in tried] for a in catalogue.algorithms)
    assert len({e.title for e in tried}) == len(tried)
    estimators = kinds(e.estimator for e in tried) | set(entries.EXCUSED)
    assert kinds(catalogue.estimators) <= estimators
    ladders = [c for ladder in entries.LADDERS.values() for c in ladder(problem)]
    assert kinds(catalogue.controllers) <= kinds(ladders) | set(entries.EXCUSED)


def test_the_table_of_solvers_has_every_scheme_with_every_root_finder():
    """Whoever adds a combination runs `python -m benchmarks.work_precision --solvers --write`."""
    page = (ROOT / "docs" / "work-precision.md").read_text(encoding="utf-8")
    table = page.split("<!-- measured: solvers -->", 1)[1].split("<!-- end", 1)[0]
    titles = re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE)
    assert titles == [e.title for e in entries.with_solvers(PROBLEMS["predation"])]
    tried = {type(a.solver) for a in entries.SOLVED}
    able = {type(f) for f in catalogue.rootfinders}
    assert able <= tried, "a root finder that no scheme is tried with"


def test_titles_are_what_one_would_type():
    inner = {n: getattr(dv, n) for n in dv.__all__} | vars(dv.rootfinders)
    for entry in entries.by_algorithm(PROBLEMS["mechanical"]):
        outer = inner | {"Newton": dv.Newton} if isinstance(entry.algorithm, dv.Newton) else inner
        assert eval(entries.spelled(entry.algorithm), dict(outer)) == entry.algorithm


def test_two_bodies_follow_their_equations():
    def rates(t, z):
        force = 1e3 * (z[0] - z[2])
        left, right = -force - 1e3 * (z[0] + z[1]), force - 1e3 * (z[2] + z[3])
        return [z[1], left / 1e4, z[3], right / 1e4]

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}
    z = solve_ivp(rates, (0.0, 20.0), [1.0, 0.0, 0.0, 0.0], **options).y[:, -1]
    found = PROBLEMS["mechanical"].exact([20.0])[:, 0]
    assert found == pytest.approx([z[0], 1e3 * (z[0] - z[2])], rel=1e-11)


def test_the_heat_exchanger_follows_its_equations():
    A, b = exchanger.matrix(6)
    # 1e-13 is too near to rounding: DOP853 then accepts noise, 1e-9 off on some processors
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-11}
    x = solve_ivp(lambda t, x: A @ x + b, (0.0, 1.0), np.full(18, exchanger.START), **options)
    found = PROBLEMS["exchanger"].exact([1.0])[:, 0]
    assert found == pytest.approx([x.y[5, -1], x.y[17, -1]], rel=1e-12)


def test_predators_and_prey_keep_their_first_integral():
    x, y = PROBLEMS["predation"].exact(np.linspace(0.0, 40.0, 200))
    kept = 0.02 * x - 0.4 * np.log(x) + 0.02 * y - 0.1 * np.log(y)
    assert np.ptp(kept) < SMALLEST / 100


def test_the_relay_switches_at_its_edges():
    """Slopes are those of the plant between switches, and it turns at the edges only."""
    time = np.linspace(0.0, 6.0, 60001)
    (x,) = PROBLEMS["control loop"].exact(time)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(x)))) + 1
    assert len(turns) > 5
    assert np.abs(np.abs(x[turns]) - 0.3).max() < 2e-4
    for k in (turns[0] // 2, (turns[0] + turns[1]) // 2):
        up = 1.0 if x[k + 1] > x[k] else -1.0
        slope = (x[k + 1] - x[k - 1]) / (time[k + 1] - time[k - 1])
        assert slope == pytest.approx(-0.5 * x[k] + up, abs=1e-8)


def test_flows_of_three_pipes_add_up_to_nothing():
    flows = PROBLEMS["junction"].exact(np.linspace(0.0, 1.0, 50))
    assert np.abs(flows.sum(axis=0)).max() < SMALLEST / 100 * np.abs(flows).max()


@pytest.mark.parametrize(
    ("name", "algorithm", "order"),
    [
        ("mechanical", dv.Jacobi(), 1),
        ("mechanical", dv.GaussSeidel(extrapolation=1), 2),
        ("mechanical", dv.Newton(inputs="ramp"), 2),
        ("mechanical", dv.Missiles(), 4),
        ("predation", dv.GaussSeidel(), 1),
        ("predation", dv.Newton(inputs="hermite"), 4),
    ],
    ids=entries.spelled,
)
def test_curves_fall_with_the_order_of_the_algorithm(name, algorithm, order, folder):
    problem = PROBLEMS[name]
    sizes = problem.sizes[-2:]
    entry = entries.Entry(algorithm, tuple(map(dv.FixedStep, sizes)))
    coarse, fine = study.curve(problem, entry, folder).points
    assert np.log2(coarse.error / fine.error) == pytest.approx(order, abs=0.15)


def test_peers_make_the_error_of_jacobi(folder):
    """Same windows, same held inputs, same numbers."""
    problem = PROBLEMS["predation"]
    size = problem.sizes[3]
    windows = round(problem.stop / size)
    case = problem.case(folder, size)
    loop = PEERS["FMPy, a loop in Python"]
    if loop.missing():
        pytest.skip(f"FMPy: {loop.missing()}")
    rows = np.array(loop.series(case, windows))
    theirs = problem.error(size * np.arange(windows + 1), rows.T)
    entry = entries.Entry(dv.Jacobi(), (dv.FixedStep(size),))
    (ours,) = study.curve(problem, entry, folder).points
    assert theirs == pytest.approx(ours.error, rel=1e-9)
