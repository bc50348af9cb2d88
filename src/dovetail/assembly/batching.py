"""Which subsystems can be asked in one call."""

from __future__ import annotations

from collections.abc import Sequence

from ..estimators.base import Estimator, predicts
from ..estimators.direct import Direct
from ..estimators.rollback import Rollback
from ..subsystems.batch import BatchFactory, SupportsBatch
from ..subsystems.live import Live

Member = tuple[int, Live, bool]


def grouped(
    subsystems: Sequence[Live], estimators: Sequence[Estimator], *, may_cut: bool
) -> dict[BatchFactory, list[Member]]:
    """Those that belong together, if they only step or roll back: number, part, may it roll back.

    Who cannot go back stays apart where windows may be cut: it may have to go on ahead.
    """
    found: dict[BatchFactory, list[Member]] = {}
    for i, (live, estimator) in enumerate(zip(subsystems, estimators, strict=True)):
        part, restores = live.subsystem, isinstance(estimator, Rollback)
        factory = part.batch_factory if isinstance(part, SupportsBatch) else None
        alone = live.pieces > 1 or predicts(estimator) or (may_cut and not restores)
        if factory is not None and isinstance(estimator, Direct | Rollback) and not alone:
            found.setdefault(factory, []).append((i, live, restores))
    return found
