"""From a planned run and its parts to what the shim is told beside the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.signals import Signals
from ..core.values import signals
from .block import ExportBlock, reals, wholes
from .carried import CarriedWire, carried_wires
from .derivatives import DerivedEntry, SystemDerivatives
from .inner_exchange import solvers_of
from .inner_part import InnerPart, PartValue
from .interface import ExportInterface, code_of
from .planned_run import ExportedRun


def block_of(
    run: ExportedRun,
    parts: Sequence[InnerPart],
    made: ExportInterface,
    derived: SystemDerivatives | None,
) -> ExportBlock:
    """What the shim is told beside the plan."""
    values = [(i, v) for i, one in enumerate(parts) for v in one.values]
    numbers, texts, places = list[float](), list[str](), list[int]()
    for _, v in values:
        target: list[Any] = texts if v.is_text else numbers
        places.append(len(target))
        target.extend(v.elements)
    blank = Signals.join([signals(one.part.description.outputs, {}) for one in parts])
    groups = run.terms.structure.instant
    loops = [g for g in groups if g.cyclic]
    states = {name: k for k, name in enumerate(made.states)}
    return ExportBlock(
        token=("",),
        size=run.size,
        least=run.least,
        folders=tuple(one.folder for one in parts),
        identifiers=tuple(one.model.interface.model_identifier for one in parts),
        tokens=tuple(one.model.token for one in parts),
        names=tuple(one.name for one in parts),
        kinds=wholes([2 * one.is_exchange + one.is_equations for one in parts]),
        versions=wholes([one.version for one in parts]),
        resources=wholes([one.has_resources for one in parts]),
        follows=wholes([one.model.follows_curves for one in parts]),
        saves=wholes([one.saves for one in parts]),
        tolerances=reals([one.tolerance for one in parts]),
        blank=reals(blank.reals),
        value_part=wholes([i for i, _ in values]),
        value_type=wholes([v.code for _, v in values]),
        value_reference=np.array([v.variable.reference for _, v in values], dtype=np.uint32),
        value_count=wholes([len(v.elements) for _, v in values]),
        value_at=wholes(places),
        value_given=wholes([v.is_given for _, v in values]),
        value_tunable=wholes([_may_change(v) and not parts[i].is_exchange for i, v in values]),
        numbers=reals(numbers),
        texts=tuple(texts),
        role=wholes([v.role for v in made.variables]),
        type=wholes([code_of(v) for v in made.variables]),
        place=wholes([v.place for v in made.variables]),
        value=wholes([v.value for v in made.variables]),
        element=wholes([v.element for v in made.variables]),
        state=wholes([states.get(v.name, -1) for v in made.variables]),
        group_parts=wholes([len(g.parts) for g in groups]),
        group_targets=wholes([len(g.targets) if g.cyclic else 0 for g in groups]),
        parts=wholes([i for g in groups for i in g.parts]),
        targets=wholes([t for g in loops for t in g.targets]),
        sources=wholes([s for g in loops for s in g.sources]),
        gains=reals([x for g in loops for x in g.gains]),
        offsets=reals([x for g in loops for x in g.offsets]),
        derives=wholes([derived is not None and derived.are_exact]),
        states=wholes([0 if derived is None else derived.states]),
        **_entries("known", () if derived is None else derived.knowns),
        **_entries("unknown", () if derived is None else derived.unknowns),
        **_carried(carried_wires(run.terms, parts), run),
    )


def _may_change(value: PartValue) -> bool:
    return value.variable.variability == "tunable" or value.variable.causality == "input"


def _carried(wires: Sequence[CarriedWire], run: ExportedRun) -> dict[str, Any]:
    rows = [row for one in wires for row in one.table]
    return {
        "carried_source": wholes([one.source for one in wires]),
        "carried_source_element": wholes([one.source_element for one in wires]),
        "carried_target": wholes([one.target for one in wires]),
        "carried_target_element": wholes([one.target_element for one in wires]),
        "carried_input": wholes([one.input for one in wires]),
        "carried_gain": reals([one.gain for one in wires]),
        "carried_offset": reals([one.offset for one in wires]),
        "carried_rows": wholes([len(one.table) for one in wires]),
        "carried_given": reals([given for given, _ in rows]),
        "carried_instead": reals([instead for _, instead in rows]),
        "control": reals(run.control),
        **solvers_of([part.adapted for part in run.terms.system.parts.values()]),
    }


def _entries(title: str, listed: Sequence[DerivedEntry]) -> dict[str, Any]:
    return {
        f"{title}_part": wholes([one.part for one in listed]),
        f"{title}_count": wholes([one.count for one in listed]),
        f"{title}_place": wholes([one.place for one in listed]),
        f"{title}_reference": np.array([one.reference for one in listed], dtype=np.uint32),
    }
