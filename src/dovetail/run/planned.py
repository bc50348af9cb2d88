"""The plan of a run, before anything of it lives and when it is launched: the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..assembly.live_parts import batches_of, start_values
from ..controllers.as_data import as_data
from ..core.window import Grid
from ..estimators.choice import choose_estimators
from ..junctions.bonds import Bond, bonds_of
from ..observe.columns import Selection
from ..runplan.making import WantedRun, plan_of
from ..runplan.plan import BondSection, RunPlan
from .run_request import RunRequest
from .terms import Terms


def wanted_run(terms: Terms, selection: Selection, grid: Grid) -> WantedRun | None:
    """What native code is to make of the windows of a run; None where Python makes them."""
    if terms.native.schedule is None:
        return None
    names, schedule = tuple(c.name for c in selection.columns), terms.native.schedule
    data = as_data(terms.controller)
    if data is not None and data.options.kind == "cut" and schedule.iteration is None:
        data = None  # nothing that could fail to converge
    control = None if data is None else data.options
    bonds = _bonds(bonds_of(terms.system, terms.structure.layout))
    return WantedRun(schedule, grid, selection.reals, names, control, bonds)


def _bonds(bonds: Sequence[Bond]) -> BondSection | None:
    """What native code notes of ports, for the ledger."""
    if not bonds:
        return None
    ends = [(b, k) for b in bonds for k in range(len(b.ends))]

    def wholes(values: Iterable[int]) -> Any:
        return np.array(list(values), dtype=np.int32)

    def factors(place: int) -> Any:
        return np.array([b.factors[k][place] for b, k in ends], dtype=np.float64)

    return BondSection(
        wholes(len(b.ends) for b in bonds),
        wholes(int(b.domain.is_power) for b in bonds),
        wholes(b.inputs[k].size for b, k in ends),
        wholes(int(b.inputs[k][0]) for b, k in ends),
        wholes(int(b.outputs[k][0]) for b, k in ends),
        wholes(int(b.ends[k].takes == "effort") for b, k in ends),
        *(factors(place) for place in range(4)),
    )


def planned(terms: Terms, asked: RunRequest) -> RunPlan | None:
    """What native code would be told; None where there is nothing for it to do."""
    system, structure = terms.system, terms.structure
    parts = system.parts
    chosen = choose_estimators(system, terms.estimators, terms.needs, structure)
    estimators = [chosen[name].estimator for name in parts]
    grid = Grid(asked.start, terms.controller.first_size, asked.stop)
    selection = Selection.of(system, structure.layout, asked.record)
    for members in batches_of(parts.values(), terms.native.members, estimators).values():
        start = start_values(parts.values()).reals
        return plan_of(structure, start, members, wanted_run(terms, selection, grid))
    return None
