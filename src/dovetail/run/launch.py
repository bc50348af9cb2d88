"""A run before its first window: started, or taken up where a checkpoint was written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..assembly.assembly import Assembly
from ..assembly.consistent import Consistent
from ..controllers.base import SupportsRemarks
from ..core.errors import CapabilityError, Shortfall
from ..core.seconds import Seconds
from ..core.statistics import Statistics
from ..core.window import Grid
from ..results.recorders import Recorder
from .changes import Changes
from .checkpoint import Checkpoint, taken_up
from .copies import by_one_process
from .journal import Journal
from .planned import wanted_run
from .stepping import Stepper
from .terms import Say, Terms


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """What a run needs to make its first window; `earlier` is what it had cost before."""

    stepper: Stepper
    journal: Journal
    changes: Changes
    earlier: Statistics

    @staticmethod
    @by_one_process
    def of(
        terms: Terms,
        assembly: Assembly,
        span: tuple[float, float],
        initialization: Consistent,
        record: str | Iterable[str],
        recorder: Recorder,
        checkpoint: Checkpoint | None,
        say: Say,
    ) -> Launch:
        """Start the parts and the recording; what there is to say about the start is said."""
        start, stop = span
        system, algorithm, size = terms.system, terms.algorithm, terms.controller.first_size
        journal = Journal(system, assembly, record, iterated=algorithm.repeats)
        changes = Changes(system, assembly)
        derivatives = algorithm.inputs == "hermite"
        values = {name: part.values for name, part in system.parts.items()}
        assembly.initialize(start, values, derivatives=derivatives)
        if checkpoint is not None:
            with taken_up():
                checkpoint.check_fits(**_identity(terms, assembly, start, journal), stop=stop)
                checkpoint.check_sizes(assembly.structure.layout)
                made = _resumed(checkpoint, terms, assembly, stop, journal, changes, recorder)
                if isinstance(terms.pilot, SupportsRemarks):  # it must know its memory again
                    terms.pilot.remarks(made.stepper.position.control, Seconds())
                return made
        position = initialization.position(assembly, start, size, derivatives=derivatives)
        grid = Grid(start, size, stop)
        assembly.begin(wanted_run(terms, journal.selection, grid))
        position = initialization.left(assembly, position)
        stepper = Stepper(assembly, algorithm, terms.pilot, grid, position)
        shown = stepper.open()
        stepper.position = initialization.under_way(assembly, stepper.position, size)
        for warning in assembly.coordinator.warnings.values():
            say(warning)
        before = stepper.position if shown is None else position
        journal.open(recorder, before, stepper.position, shown)
        return Launch(stepper, journal, changes, Statistics())


def _resumed(
    found: Checkpoint,
    terms: Terms,
    assembly: Assembly,
    stop: float,
    journal: Journal,
    changes: Changes,
    recorder: Recorder,
) -> Launch:
    """Go on from a checkpoint."""
    grid = replace(found.grid, stop=stop)
    assembly.begin(wanted_run(terms, journal.selection, grid))
    changes.load(found.changes)
    pairs = zip(assembly.subsystems, assembly.rehearsals, strict=True)
    for (part, rehearsal), (time, state, learned) in zip(pairs, found.parts, strict=True):
        part.load(time, state)
        rehearsal.load(learned)
    stepper = Stepper(assembly, terms.algorithm, terms.pilot, grid, found.position)
    stepper.statistics = replace(found.statistics)
    journal.reopen(recorder, found)
    return Launch(stepper, journal, changes, found.statistics)


def check_serializable(assembly: Assembly) -> None:
    """Refuse a checkpoint of parts that cannot serialize their states."""
    mute = [p.name for p in assembly.subsystems if not p.capabilities.can_serialize]
    if mute:
        lacks, remedy = "cannot serialize its state", "run without checkpoints"
        raise CapabilityError("A checkpoint", [Shortfall(n, lacks, remedy) for n in mute])


def saved(
    terms: Terms,
    assembly: Assembly,
    span: tuple[float, float],
    stepper: Stepper,
    journal: Journal,
    changes: Changes,
    statistics: Statistics,
) -> Checkpoint:
    """Everything that `Launch.of` needs to go on from here."""
    pairs = zip(assembly.subsystems, assembly.rehearsals, strict=True)
    return Checkpoint.of(
        **_identity(terms, assembly, span[0], journal),
        stop=span[1],
        grid=stepper.grid,
        position=stepper.position,
        parts=[(p.time, p.dump(), r.dump()) for p, r in pairs],
        statistics=statistics,
        witness=journal.witness.dump(),
        recording=journal.recording.position(),
        ledger=journal.ledger.dump(),
        changes=changes.dump(),
    )


def _identity(terms: Terms, assembly: Assembly, start: float, journal: Journal) -> dict[str, Any]:
    """What a run must have in common with the one that goes on from its checkpoint."""
    return {
        "fingerprint": terms.system.fingerprint(),
        "algorithm": terms.algorithm,
        "controller": terms.controller,
        "estimators": assembly.estimators,
        "start": start,
        "columns": journal.names,
    }
