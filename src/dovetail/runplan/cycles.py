"""Groups of members that depend on each other, as arrays one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .plan import CycleSection

if TYPE_CHECKING:
    from ..topology.component import Component
    from ..topology.components import Structure


def cycles_of(structure: Structure, *, newton: bool) -> CycleSection:
    """The components of a system; `newton`: with what it takes to solve with their Jacobians."""
    components = structure.components
    moved = [newton and k.cyclic for k in components]
    solved = [_solved(k) if m else _NOTHING for k, m in zip(components, moved, strict=True)]
    return CycleSection(
        n_members=_wholes([len(k.parts) for k in components]),
        cyclic=_wholes([int(k.cyclic) for k in components]),
        n_targets=_wholes([k.targets.size for k in components]),
        n_coupling=_wholes([k.outputs.size for k in components]),
        n_moves=_wholes([len(s["moves"]) for s in solved]),
        n_values=_wholes([len(s["row"]) for s in solved]),
        n_terms=_wholes([len(s["term_row"]) for s in solved]),
        n_factor=_wholes([len(s["factor"]) // 3 for s in solved]),
        n_forward=_wholes([len(s["forward"]) // 3 for s in solved]),
        n_backward=_wholes([len(s["backward"]) // 3 for s in solved]),
        targets=_joined([k.targets for k in components]),
        sources=_joined([k.sources for k in components]),
        gains=_joined([k.gains for k in components], np.float64),
        offsets=_joined([k.offsets for k in components], np.float64),
        coupling=_joined([k.outputs for k in components]),
        **{name: _joined([s[name] for s in solved]) for name in _NOTHING},
    )


_NOTHING: dict[str, Any] = dict.fromkeys(
    (
        *("moves", "places", "diagonal", "row", "column"),
        *("term_row", "term_column", "term_change", "term_slot", "factor", "forward", "backward"),
    ),
    (),
)


def _solved(k: Component) -> dict[str, Any]:
    """Which inputs are moved, and how the sparse Jacobian is filled and factored."""
    assert k.elimination is not None  # or there were no native windows
    elimination, slots = k.elimination
    rows, columns, changes = k.pattern
    return {
        "moves": [local.size for _, local in k.rows],
        "places": np.concatenate([local for _, local in k.rows]),
        "diagonal": elimination.diagonal,
        "row": elimination.rows,
        "column": elimination.columns,
        "term_row": rows,
        "term_column": columns,
        "term_change": changes,
        "term_slot": slots,
        "factor": np.ravel(elimination.factor),
        "forward": np.ravel(elimination.forward),
        "backward": np.ravel(elimination.backward),
    }


def _wholes(values: Any) -> Any:
    return np.array(values, dtype=np.int32)


def _joined(arrays: Sequence[Any], dtype: Any = np.int32) -> Any:
    return np.concatenate([np.zeros(0, dtype), *arrays]).astype(dtype)
