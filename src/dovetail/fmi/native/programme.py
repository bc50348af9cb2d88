"""A fused run as the kernel's structures."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...subsystems.batch import Iteration, Plan
from ...topology.components import Component, Structure
from ..kernel import NativeGroup, NativeIteration, NativePlan
from .curves import Curves

_METHODS = {"sweeps": 0, "fixed point": 1, "newton": 2}


class Programme:
    """A plan with all its arrays as pointers, made once for many calls.

    `places`: its order. `follows`: the highest power of time that each member's inputs follow,
    None for any.
    """

    def __init__(
        self,
        plan: Plan,
        places: Sequence[int],
        structure: Structure,
        *,
        plain: bool,
        follows: Sequence[int | None],
    ) -> None:
        self.plan = plan
        self.curves: Curves | None = None
        if plan.iteration is None and (plan.past is not None or plan.shape == "ramp"):
            self.curves = Curves(plan.past, follows, plan.inputs.size)
        self._alive: list[Any] = []
        recorded = np.asarray(plan.recorded)
        ascending = recorded.size > 0 and bool(np.all(np.diff(recorded) == 1))
        straight = ascending and bool(recorded[-1] < plan.outputs.size)
        iteration = 0
        if plan.iteration is not None:
            native = self._iteration(plan.iteration, plan, places, structure)
            iteration = c.addressof(native)
        seen = plan.worst, plan.when, plan.low, plan.high, plan.jump_size, plan.jump_time
        self.native = NativePlan(
            int(plan.sequential),
            plan.inputs.size,
            plan.outputs.size,
            recorded.size,
            structure.routing.target.size,
            int(plain),
            self._numbers(places),
            self._numbers(recorded),
            *(a.ctypes.data for a in (plan.inputs, plan.outputs, *seen)),
            iteration,
            0 if self.curves is None else c.addressof(self.curves.native),
            0,
            0,
            int(straight),
            0,
            plan.trial.ctypes.data,
        )

    def _iteration(
        self, how: Iteration, plan: Plan, places: Sequence[int], structure: Structure
    ) -> NativeIteration:
        columns = 1 if plan.shape == "hold" else 2
        groups = (NativeGroup * len(structure.components))()
        at, newton = 0, how.method == "newton"
        for group, component in zip(groups, structure.components, strict=True):
            members = places[at : at + len(component.parts)]
            self._group(group, component, members, newton=newton and component.cyclic)
            at += len(members)
        widest = max([1, *(max(g.n_targets, g.n_coupling) for g in groups)])
        changes = max([widest, *(_changes(k) for k in structure.components)])
        values = max([1, *(g.n_values for g in groups)])
        self._alive.append(groups)
        native = NativeIteration(
            _METHODS[how.method],
            how.limit,
            int(how.accept),
            columns,
            len(groups),
            0,
            how.tolerance.rtol,
            how.tolerance.atol,
            how.fall_back_size,
            0,
            c.addressof(groups),
            self._room(plan.inputs.size),
            self._room(plan.outputs.size),
            self._room(plan.inputs.size * columns),
            *(self._room(widest) for _ in range(5)),
            self._room(changes),
            self._room(values),
            self._room(values),
            self._room(len(places)),
        )
        self._alive.append(native)
        return native

    def _group(self, g: NativeGroup, k: Component, members: Sequence[int], *, newton: bool) -> None:
        g.n_parts, g.cyclic, g.n_targets = len(members), int(k.cyclic), k.targets.size
        g.n_coupling = k.outputs.size
        g.parts, g.coupling = self._numbers(members), self._numbers(k.outputs)
        g.targets, g.sources = self._numbers(k.targets), self._numbers(k.sources)
        g.gains, g.offsets = self._reals(k.gains), self._reals(k.offsets)
        if not newton or k.elimination is None:
            return
        elimination, slots = k.elimination
        rows, columns, changes = k.pattern
        g.counts = self._numbers([local.size for _, local in k.rows])
        g.places = self._numbers(np.concatenate([local for _, local in k.rows]))
        g.n_terms, g.n_values = rows.size, elimination.rows.size
        g.term_row, g.term_column = self._numbers(rows), self._numbers(columns)
        g.term_change, g.term_slot = self._numbers(changes), self._numbers(slots)
        g.diagonal = self._numbers(elimination.diagonal)
        g.row, g.column = self._numbers(elimination.rows), self._numbers(elimination.columns)
        for name in ("factor", "forward", "backward"):
            operations = getattr(elimination, name)
            setattr(g, f"n_{name}", len(operations))
            setattr(g, name, self._numbers(operations))

    def _numbers(self, values: Any) -> int:
        return self._kept(np.ascontiguousarray(values, dtype=np.int32))

    def _reals(self, values: Any) -> int:
        return self._kept(np.ascontiguousarray(values, dtype=np.float64))

    def _room(self, size: int) -> int:
        return self._kept(np.zeros(size + 1))

    def _kept(self, array: Any) -> int:
        self._alive.append(array)
        return int(array.ctypes.data)


def _changes(k: Component) -> int:
    """How many changes of outputs the columns of its Jacobian have."""
    widths = [span.stop - span.start for span in k.spans]
    return sum(w * local.size for w, (_, local) in zip(widths, k.rows, strict=True))
