"""How an error of coupling grows: the linearization of all parts, driven by what inputs were off.

A part that was given u(t) while its sources made w(t) = K y(t) has the defect d = u - w at its
inputs. To first order the error e of all states obeys

    e' = (A + B N K C) e + B N d,    N = (1 - K D)^-1,

and that of the outputs is C e + D N (K C e + d). Of our own, by the variational equation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assembly.assembly import Assembly
from ..core.signals import Vector
from ..subsystems.live import Live


@dataclass(frozen=True, slots=True, eq=False)
class LinearWhole:
    """x' = A x + B u, y = C x + D u of all parts, and u = K y."""

    A: Vector
    B: Vector
    C: Vector
    D: Vector
    K: Vector

    @staticmethod
    def of(assembly: Assembly) -> LinearWhole:
        """Where the parts stand now."""
        from scipy.linalg import block_diag

        found = [_matrices(live) for live in assembly.subsystems]
        A, B, C, D = (block_diag(*(part[k] for part in found)) for k in range(4))
        routing = assembly.structure.routing
        K = np.zeros((B.shape[1], C.shape[0]))
        np.add.at(K, (routing.target, routing.source), routing.gain)
        return LinearWhole(A, B, C, D, K)

    def between(self, other: LinearWhole) -> LinearWhole:
        """The mean of two, for the window between them."""
        pairs = ((getattr(self, m), getattr(other, m)) for m in "ABCD")
        A, B, C, D = (0.5 * (a + b) for a, b in pairs)
        return LinearWhole(A, B, C, D, self.K)

    @property
    def largest(self) -> Vector:
        """The largest entry of each matrix of the parts."""
        return np.array([np.abs(m).max(initial=0.0) for m in (self.A, self.B, self.C, self.D)])

    def change(self, other: LinearWhole) -> Vector:
        """By how much entries differ at most, matrix by matrix."""
        pairs = ((getattr(self, m), getattr(other, m)) for m in "ABCD")
        return np.array([np.abs(a - b).max(initial=0.0) for a, b in pairs])

    def outputs(self, error: Vector, defect: Vector) -> Vector:
        """The error of the outputs, with that of the states and the defect of the inputs."""
        found: Vector = self.C @ error + self.D @ self._solved(self.K @ self.C @ error + defect)
        return found

    def after(self, error: Vector, defect: Vector, size: float) -> Vector:
        """The error of the states after a window; `defect`: a column per power of s / size.

        Exact for a defect that is a polynomial: the powers are states of their own.
        """
        from scipy.linalg import expm

        n, powers = self.A.shape[0], defect.shape[1]
        if not n:
            return error
        whole = np.zeros((n + powers, n + powers))
        whole[:n, :n] = self.A + self.B @ self._solved(self.K @ self.C)
        whole[:n, n:] = self.B @ self._solved(defect)
        whole[:n] *= size
        for k in range(1, powers):
            whole[n + k, n + k - 1] = k  # of s / size: the derivative of its k-th power
        start = np.concatenate([error, np.eye(powers)[0]])
        found: Vector = (expm(whole) @ start)[:n]
        return found

    def _solved(self, right: Vector) -> Vector:
        return np.asarray(np.linalg.solve(np.eye(len(self.K)) - self.K @ self.D, right))


def _matrices(live: Live) -> tuple[Vector, Vector, Vector, Vector]:
    """A, B, C, D of a part; a source has no states that anything could reach."""
    inputs = sum(v.size for v in live.description.inputs if v.is_real)
    if not inputs:
        outputs = sum(v.size for v in live.description.outputs if v.is_real)
        none = np.zeros((0, 0))
        return none, none, np.zeros((outputs, 0)), np.zeros((outputs, 0))
    at = live.linearize()
    return at.A, at.B, at.C, at.D
