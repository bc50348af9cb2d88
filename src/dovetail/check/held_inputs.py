"""What held inputs miss of the slow motion of a loop, however short its windows are.

A part may be far faster than the windows and have two inputs of one source, such as a position
and its velocity. Held, the two contradict each other: the part settles where it would never be.
Shorter windows do not help before they resolve its time constant, and no loop gain shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assembly.assembly import Assembly
from ..core.signals import Vector
from ..subsystems.subsystem import Linearizable
from ..topology.component import Component

MISSED = 0.1  # of an output: held inputs that miss more, and not less in short windows, mislead
_SHORTER = 8.0
_STAYS = 0.5  # of it is left in windows an eighth as long; of a usual error an eighth is
_SLOW = 0.5  # of a window: modes that change less in it are those that windows are meant for
_RESOLVED = 5.0  # time constants in a window, up to which it may be said to resolve them
_TINY = 1e-9  # of what could be: an output that does not take part in a mode
_MOST_STATES = 200


@dataclass(frozen=True, slots=True)
class HeldInputs:
    """How much of an output held inputs miss, and the fastest time constant of the loop."""

    missed: float
    output: str
    time_constant: float


@dataclass(frozen=True, slots=True, eq=False)
class LinearLoop:
    """x' = A x + B u, y = C x + D u of all parts of a cycle, and what it feeds back: u = K y."""

    A: Vector
    B: Vector
    C: Vector
    D: Vector
    K: Vector
    names: tuple[str, ...]  # of the outputs

    @staticmethod
    def of(assembly: Assembly, component: Component) -> LinearLoop | None:
        """Where every part can be linearized; None where not, or where it would take long."""
        from scipy.linalg import block_diag

        found, taken, given = [], list[int](), list[int]()
        for i in component.parts:
            live = assembly.subsystems[i]
            if not live.capabilities.can_linearize or not isinstance(live.subsystem, Linearizable):
                return None
            found.append(live.subsystem.linearize())
            inputs, outputs = assembly.inputs_of[i].reals, assembly.outputs_of[i].reals
            taken += range(inputs.start, inputs.stop)
            given += range(outputs.start, outputs.stop)
        if sum(at.A.shape[0] for at in found) > _MOST_STATES:
            return None
        A, B, C, D = (block_diag(*(getattr(at, m) for at in found)) for m in "ABCD")
        K = np.zeros((len(taken), len(given)))
        wires = zip(component.targets, component.sources, component.gains, strict=True)
        for target, source, gain in wires:
            K[taken.index(int(target)), given.index(int(source))] = gain
        names = assembly.structure.layout.outputs.reals
        return LinearLoop(A, B, C, D, K, tuple(names[j] for j in given))

    def missed(self, size: float) -> HeldInputs | None:
        """What held inputs miss in windows of this size and hardly less in shorter ones."""
        closed = self._fed_back()
        if closed is None or not np.isfinite(closed).all():
            return None
        rates, modes = np.linalg.eig(closed)
        worst: HeldInputs | None = None
        alone = np.linalg.eigvals(self.A)
        fastest = max((float(abs(s)) for s in (*alone, *rates)), default=0.0)
        if fastest * size <= _RESOLVED:
            return None
        for rate, mode in zip(rates, modes.T, strict=True):
            if abs(rate) * size > _SLOW:
                continue
            off = np.minimum(
                self._off(size, rate, mode), self._off(size / _SHORTER, rate, mode) / _STAYS
            )
            k = int(np.argmax(off)) if off.size else 0
            if off.size and off[k] > max(MISSED, worst.missed if worst else 0.0):
                worst = HeldInputs(min(float(off[k]), 1.0), self.names[k], 1.0 / fastest)
        return worst

    def _fed_back(self) -> Vector | None:
        """The matrix of the whole: x' = (A + B (1 - K D)^-1 K C) x."""
        try:
            found: Vector = self.A + self.B @ self._inputs(self.C)
        except np.linalg.LinAlgError:
            return None
        return found

    def _inputs(self, outputs: Vector) -> Vector:
        found = np.linalg.solve(np.eye(len(self.K)) - self.K @ self.D, self.K @ outputs)
        return np.asarray(found)

    def _off(self, size: float, rate: complex, mode: Vector) -> Vector:
        """By output, how far a window with held inputs ends from the mode it started on."""
        from scipy.linalg import expm

        n, k = self.B.shape
        u = self._inputs(self.C @ mode)
        whole = np.zeros((n + k, n + k))
        whole[:n, :n], whole[:n, n:] = self.A * size, self.B * size
        flow = expm(whole)[:n]
        y = self.C @ mode + self.D @ u
        held = self.C @ (flow[:, :n] @ mode + flow[:, n:] @ u) + self.D @ u
        scale = np.abs(y) * max(1.0, abs(np.exp(rate * size)))
        could = np.abs(self.C) @ np.abs(mode) + np.abs(self.D) @ np.abs(u)
        seen = scale > _TINY * could
        found = np.zeros(len(y))
        found[seen] = np.abs(held - np.exp(rate * size) * y)[seen] / scale[seen]
        return found
