"""Coupled problems that nothing was tuned on: for judging the identified estimator.

All but the species are linear, so that exact solutions are one matrix exponential away.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import problems
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import dovetail as dv


def linear(name, parts, wires, watched, stop):
    """Parts as (name, A, B, C, D, c, x), wires as (source part, output, target part, input)."""
    sizes = [np.atleast_2d(p[1]).shape[0] for p in parts]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    place = {p[0]: k for k, p in enumerate(parts)}

    def draw():
        system = dv.System(name)
        for part, A, B, C, D, c, x in parts:
            inputs = tuple(f"u{k}" for k in range(np.shape(B)[1]))
            outputs = tuple(f"y{k}" for k in range(np.shape(C)[0]))
            model = problems.Linear(inputs, outputs, A=A, B=B, C=C, D=D, c=c, x=tuple(x))
            system.add(part, model)
        for source, y, target, u in wires:
            system.connect(f"{source}.y{y}", f"{target}.u{u}")
        return system

    n = starts[-1]
    F, x0 = np.zeros((n + 1, n + 1)), np.ones(n + 1)
    spans = [slice(a, b) for a, b in pairwise(starts)]
    for span, (_, A, _, _, _, c, x) in zip(spans, parts, strict=True):
        F[span, span], F[span, n], x0[span] = A, c, x
    seen = {}  # outputs as rows over all states; only the source's states count, and its inputs
    for part, _, _, C, _, _, _ in parts:
        rows = np.zeros((np.shape(C)[0], n + 1))
        rows[:, spans[place[part]]] = C
        seen[part] = rows
    fed = [(wire, parts[place[wire[0]]]) for wire in wires]
    for _ in range(2):  # feed-through of one part into another
        rows = {p: r.copy() for p, r in seen.items()}
        for part, _, _, C, D, _, _ in parts:
            own = np.zeros((np.shape(C)[0], n + 1))
            own[:, spans[place[part]]] = C
            for (source, y, target, u), _ in fed:
                if target == part and np.any(D):
                    own += np.outer(np.atleast_2d(D)[:, u], seen[source][y])
            rows[part] = own
        seen = rows
    for source, y, target, u in wires:
        B = np.atleast_2d(parts[place[target]][2])
        F[spans[place[target]]] += np.outer(B[:, u], seen[source][y])

    def exact(times):
        picked = [seen[w.split(".")[0]][int(w.split(".y")[1])] for w in watched]
        return np.array([[row @ (expm(F * t) @ x0) for t in times] for row in picked])

    return problems.Problem(name, draw, stop, watched, exact)


def _node(name, rate, gain, level, x):
    return name, [[rate]], [[gain]], [[1.0]], [[0.0]], [level], (x,)


def lags(gain):
    """Two lags that turn each other back."""
    parts = [_node("one", -1.0, gain, 1.0, 1.0), _node("two", -1.0, -gain, 1.0, 1.0)]
    wires = [("one", 0, "two", 0), ("two", 0, "one", 0)]
    return linear(f"lags, gain {gain:g}", parts, wires, ("one.y0", "two.y0"), 10.0)


def warmth(gain):
    """Two bodies that exchange heat."""
    parts = [_node("one", -1 - gain, gain, 1.0, 1.0), _node("two", -1 - gain, gain, -0.5, 0.0)]
    wires = [("one", 0, "two", 0), ("two", 0, "one", 0)]
    return linear(f"warmth, gain {gain:g}", parts, wires, ("one.y0", "two.y0"), 5.0)


def ring(gain):
    """Three lags in a ring."""
    parts = [_node(n, -1.0, gain if k else -gain, 0.5, 1.0 - k) for k, n in enumerate("abc")]
    wires = [("a", 0, "b", 0), ("b", 0, "c", 0), ("c", 0, "a", 0)]
    return linear(f"ring, gain {gain:g}", parts, wires, ("a.y0", "b.y0", "c.y0"), 6.0)


def masses(m, k, d, m2, spring, damper, k2):
    """A mass between wall and spring, the spring with another mass; force feels motion at once."""
    A2 = [[0, 1], [-(spring + k2) / m2, -damper / m2]]
    B2 = [[0, 0], [spring / m2, damper / m2]]
    parts = [
        (
            "one",
            [[0, 1], [-k / m, -d / m]],
            [[0], [-1 / m]],
            np.eye(2),
            np.zeros((2, 1)),
            0,
            (1, 0),
        ),
        ("two", A2, B2, [[-spring, -damper]], [[spring, damper]], 0, (-0.5, 0)),
    ]
    wires = [("one", 0, "two", 0), ("one", 1, "two", 1), ("two", 0, "one", 0)]
    name = f"masses {m:g} and {m2:g}, spring {spring:g}"
    return linear(name, parts, wires, ("one.y0", "one.y1"), 6.0)


def species(a, b, c, d, x, y):
    """Prey and predators of other appetites."""

    def draw():
        system = dv.System("species")
        system.add("prey", problems.Species(a, -b, x))
        system.add("predator", problems.Species(-c, d, y))
        system.connect("prey.x", "predator.u")
        system.connect("predator.x", "prey.u")
        return system

    def rates(t, z):
        return [z[0] * (a - b * z[1]), z[1] * (d * z[0] - c)]

    options = {"rtol": 1e-12, "atol": 1e-13, "dense_output": True}
    found = solve_ivp(rates, (0, 15), [x, y], **options).sol
    return problems.Problem(f"species {a:g}", draw, 15.0, ("prey.x", "predator.x"), found)


def drawn_by_lot(seed):
    """Two parts of one to three states each, coupled somehow: stable, and not too fast."""
    rng = np.random.default_rng(1000 + seed)
    while True:
        n, m = rng.integers(1, 4, 2)
        A, A2 = (rng.normal(size=(k, k)) * 0.7 - np.eye(k) for k in (n, m))
        gain = 10 ** rng.uniform(-0.3, 0.8)
        B, B2 = gain * rng.normal(size=(n, 1)), gain * rng.normal(size=(m, 1))
        C, C2 = rng.normal(size=(1, n)), rng.normal(size=(1, m))
        values = np.linalg.eigvals(np.block([[A, B @ C2], [B2 @ C, A2]]))
        if values.real.max() < 0.1 and np.abs(values).max() < 8:
            break
    parts = [
        ("one", A, B, C, [[0.0]], 0, rng.normal(size=n)),
        ("two", A2, B2, C2, [[0.0]], 0, rng.normal(size=m)),
    ]
    wires = [("one", 0, "two", 0), ("two", 0, "one", 0)]
    return linear(f"lot {seed}", parts, wires, ("one.y0", "two.y0"), 5.0)


def every():
    """Problems and window sizes."""
    return [
        *((lags(g), h) for g in (2, 3, 4, 8) for h in (0.1, 0.04)),
        *((warmth(g), h) for g in (1, 2.5, 4) for h in (0.2, 0.1, 0.05)),
        *((ring(g), h) for g in (1.0, 1.8) for h in (0.1, 0.05)),
        *((masses(2, 3, 0.1, 0.5, 10, 0.1, 1), h) for h in (0.1, 0.05)),
        *((masses(1, 1, 0.05, 3, 5, 0.3, 0.5), h) for h in (0.2, 0.1)),
        *((masses(0.3, 8, 0.2, 1, 2, 0, 4), h) for h in (0.1, 0.05)),
        (masses(5, 20, 1, 1, 8, 0.5, 3), 0.1),
        (species(1.1, 0.4, 0.4, 0.1, 10.0, 5.0), 0.1),
        (species(2.0, 1.0, 1.5, 1.0, 1.5, 1.0), 0.07),
        (species(0.5, 0.8, 0.6, 0.7, 0.5, 0.6), 0.2),
        (species(0.9, 0.6, 0.7, 0.8, 1.2, 0.4), 0.15),
        *((drawn_by_lot(seed), 0.1) for seed in (*range(20), *range(100, 116))),
    ]


def error(problem, algorithm, estimator, size):
    """The largest error of a run with every part estimated like this; infinite where it fails."""
    system = problem.draw()
    try:
        with np.errstate(all="ignore"):
            result = dv.simulate(
                system,
                stop=problem.stop,
                algorithm=algorithm,
                controller=dv.FixedStep(size),
                estimators=dict.fromkeys(system.parts, estimator) if estimator else "auto",
                rtol=1e-8,
                atol=1e-9,
                quiet=True,
            )
    except dv.RunError:
        return np.inf
    return problem.error(result)
