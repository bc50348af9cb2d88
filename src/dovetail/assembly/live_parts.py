"""From the parts of a drawing to live ones, and which of them share a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..core.description import Kind
from ..core.signals import Signals
from ..core.values import signals
from ..drawing.part import Part
from ..estimators.base import Estimator, substeps_of
from ..estimators.rollback import Rollback
from ..hosts.homes import Homes
from ..runplan.making import MemberFacts
from ..runplan.plan import Calls
from ..subsystems.batch import BatchFactory, SupportsBatch
from ..subsystems.live import Live


def live_parts(parts: Mapping[str, Part], homes: Homes) -> list[Live]:
    """Every part made live, here or in a host; none stays if one fails."""
    live: list[Live] = []
    try:
        for name, part in parts.items():
            live.append(Live(name, homes.make(name, part.adapted)))
    except BaseException:
        for subsystem in live:
            subsystem.subsystem.close()
        homes.close()
        raise
    return live


Batches = Mapping[BatchFactory, Mapping[int, MemberFacts]]


def batches_of(
    parts: Iterable[Part], members: Sequence[int], estimators: Sequence[Estimator]
) -> Batches:
    """These members, by what makes a batch of them, with what a plan says of each."""
    models, found = [p.adapted for p in parts], dict[BatchFactory, dict[int, MemberFacts]]()
    for i in members:
        if isinstance(model := models[i], SupportsBatch):
            factory = model.batch_factory
            facts = factory.facts(model)
            if isinstance(estimators[i], Rollback):
                facts = replace(facts, calls=facts.calls | Calls.ROLLBACK)
            facts = replace(facts, substeps=substeps_of(estimators[i]))
            found.setdefault(factory, {})[i] = facts
    return found


def start_values(parts: Iterable[Part]) -> Signals:
    """Values of all inputs before anything is known."""
    return Signals.join([signals(p.description.inputs, p.values) for p in parts])


def clock_places(subsystems: Iterable[Live]) -> list[int]:
    """Where clocks are among the discrete outputs of all."""
    kinds = [
        v.kind
        for s in subsystems
        for v in s.description.outputs
        if not v.is_real
        for _ in range(v.size)
    ]
    return [k for k, kind in enumerate(kinds) if kind == Kind.CLOCK]
