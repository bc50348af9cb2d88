"""Random networks of parts that are linear: coupled, they are one linear system, known exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import Linear
from scipy.linalg import expm

import dovetail as dv

ALGORITHMS = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(200, inputs="ramp"),
    dv.Iterative(),
    dv.Newton(inputs="ramp"),
    dv.GaussSeidel(inputs="ramp", solver=dv.rootfinders.IqnIls()),
    dv.Jacobi(inputs="ramp", solver=dv.rootfinders.IqnIls()),
]


class Network:
    """Parts with one to three states, wired at random, some with feed-through.

    Gains are small enough for every algebraic loop to contract.
    """

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.count = int(rng.integers(1, 6))
        self.parts, self.wires = [], []
        for _ in range(self.count):
            n, m, k = (int(v) for v in rng.integers(1, 4, size=3))
            A = rng.normal(size=(n, n)) - 2 * np.eye(n)
            B, C = rng.normal(size=(n, m)), rng.normal(size=(k, n))
            D = 0.2 * rng.normal(size=(k, m)) * (rng.random((k, m)) < 0.4)
            self.parts.append((A, B, C, D, rng.normal(size=n)))
        outputs = [(i, j) for i, p in enumerate(self.parts) for j in range(p[2].shape[0])]
        for i, part in enumerate(self.parts):
            for u in range(part[1].shape[1]):
                if rng.random() < 0.8:
                    source = outputs[rng.integers(len(outputs))]
                    self.wires.append((source, (i, u), 0.5 * rng.normal(), 0.3 * rng.normal()))

    def draw(self):
        system = dv.System("network")
        for i, (A, B, C, D, x) in enumerate(self.parts):
            inputs = tuple(f"u{k}" for k in range(B.shape[1]))
            outputs = tuple(f"y{k}" for k in range(C.shape[0]))
            system.add(f"p{i}", Linear(inputs, outputs, A, B, C, D, x=x.tolist()))
        for (i, y), (j, u), gain, offset in self.wires:
            system.connect(f"p{i}.y{y}", f"p{j}.u{u}", gain=gain, offset=offset)
        return system

    def exact(self, time):
        """All outputs at a time: x' = A x + B u, y = C x + D u, u = K y + o."""
        blocks = [_block([p[k] for p in self.parts]) for k in range(4)]
        A, B, C, D = blocks
        rows = np.cumsum([0] + [p[1].shape[1] for p in self.parts])
        columns = np.cumsum([0] + [p[2].shape[0] for p in self.parts])
        K, o = np.zeros((rows[-1], columns[-1])), np.zeros(rows[-1])
        for (i, y), (j, u), gain, offset in self.wires:
            K[rows[j] + u, columns[i] + y], o[rows[j] + u] = gain, offset
        solved = np.linalg.inv(np.eye(rows[-1]) - K @ D)  # u = solved (K C x + o)
        F, f = A + B @ solved @ K @ C, B @ solved @ o
        n = F.shape[0]
        block = np.zeros((n + 1, n + 1))
        block[:n, :n], block[:n, n] = F * time, f * time
        x = (expm(block) @ np.append(np.concatenate([p[4] for p in self.parts]), 1.0))[:n]
        return C @ x + D @ solved @ (K @ C @ x + o)

    def error(self, algorithm, size):
        result = dv.simulate(
            self.draw(),
            stop=0.4,
            algorithm=algorithm,
            controller=dv.FixedStep(size),
            rtol=1e-10,
            atol=1e-11,
        )
        names = [n for n in result if ".y" in n]
        return float(np.max(np.abs([result.final[n] for n in names] - self.exact(0.4))))


def _block(matrices):
    rows, columns = (sum(m.shape[k] for m in matrices) for k in (0, 1))
    whole, r, c = np.zeros((rows, columns)), 0, 0
    for m in matrices:
        whole[r : r + m.shape[0], c : c + m.shape[1]] = m
        r, c = r + m.shape[0], c + m.shape[1]
    return whole


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: f"{type(a).__name__}-{a.inputs}")
@settings(max_examples=5)
@given(seed=st.integers(0, 10_000))
def test_whatever_the_network_the_error_falls_at_the_declared_order(algorithm, seed):
    """Down by at least nearly 2^order when windows are halved, unless it is nothing already."""
    network = Network(seed)
    coarse, fine = (network.error(algorithm, h) for h in (0.02, 0.01))
    assert fine < 0.7 / 2 ** (algorithm.order - 1) * coarse or fine < 1e-8


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_whatever_the_network_it_starts_where_it_agrees(seed):
    network = Network(seed)
    result = dv.Session(
        network.draw(), stop=0.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.1)
    ).result
    found = [v for n, v in result.final.items() if ".y" in n]
    assert found == pytest.approx(network.exact(0.0), abs=1e-8)
