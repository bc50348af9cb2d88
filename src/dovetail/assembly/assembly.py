"""The live subsystems of a drawing."""
# Over 250 lines: the life of all parts together, from the first value to the last.

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf
from types import MappingProxyType
from typing import Any

from ..core.description import Variable
from ..core.signals import Signals
from ..core.values import Value, Values, signals
from ..core.window import Window
from ..drawing.system import System
from ..estimators.base import Estimator, Rehearsal
from ..estimators.choice import Needs
from ..estimators.differences import DifferenceRehearsal
from ..hosts.homes import Homes, committed, residences
from ..junctions.coordination import Coordination
from ..junctions.coordinator import InterfaceCoordinator
from ..junctions.service import coordinator_of, with_feedthrough
from ..runplan.making import WantedRun, plan_of
from ..subsystems.batch import Batch, BatchRehearsal
from ..subsystems.disclosure import Disclosure
from ..subsystems.live import Live
from ..subsystems.subsystem import SupportsEventUpdate, SupportsSwitching
from ..topology.components import Structure
from .attempt import Attempt
from .blueprint import Blueprint
from .draft import Draft
from .forecasts import Forecasts
from .live_parts import Batches, clock_places, live_parts, start_values
from .posting import PostingParts
from .side_by_side import SideBySide
from .trial import Trial


class Assembly:
    """The live subsystems of a drawing, with the coordinator between them."""

    def __init__(
        self,
        subsystems: Sequence[Live],
        structure: Structure,
        coordinator: InterfaceCoordinator,
        estimators: Sequence[Estimator],
        start: Signals,
        batches: Batches = MappingProxyType({}),
        homes: Homes | None = None,
    ) -> None:
        self._batches = batches  # parts to be asked in one call, once they are under way
        self.homes = homes or Homes()
        self.start = start  # values of all inputs before anything is known
        self.subsystems = tuple(subsystems)
        self.structure = structure
        self.coordinator = coordinator
        self._begun = False
        self._with_feedthrough = with_feedthrough(subsystems, structure)
        self.estimators = tuple(estimators)
        self.aside = SideBySide(self.subsystems)
        self.rehearsals: list[Rehearsal] = [
            e.bind(s) for e, s in zip(estimators, subsystems, strict=True)
        ]
        self.batch: Batch | None = None
        self.inputs_of = structure.layout.inputs.spans
        self.outputs_of = structure.layout.outputs.spans
        spans = self.inputs_of, self.outputs_of
        self.forecasts = Forecasts(self.estimators, self.rehearsals, *spans)
        early = [s.capabilities.can_return_early for s in subsystems]
        self.apart = sorted(range(len(early)), key=lambda i: not early[i])  # early ones first
        self.batched: tuple[int, ...] = ()
        self.posting = PostingParts((), (), structure)  # nobody, until all are under way
        self.apart_by_turn: tuple[list[int], ...] = (self.apart,)
        self._switching = [
            i for i, s in enumerate(subsystems) if isinstance(s.subsystem, SupportsSwitching)
        ]
        self.clocks = clock_places(subsystems)
        self.updating = [s for s in subsystems if isinstance(s.subsystem, SupportsEventUpdate)]
        self._foreseeing = [
            (i, s) for i, s in enumerate(subsystems) if s.capabilities.knows_next_event
        ]
        self._may_end = [s for s in subsystems if s.capabilities.can_ask_to_end]
        self.early_parts = [s.name for s in subsystems if s.capabilities.can_return_early]
        self.eventful = [
            i
            for i, s in enumerate(subsystems)
            if s.capabilities.has_events or s.capabilities.can_evaluate_now
        ]

    @staticmethod
    def of(
        system: System,
        estimators: Mapping[str, Estimator] | None = None,
        needs: Needs = Needs(),
        structure: Structure | None = None,
        members: Sequence[int] | None = None,
        homes: Homes | None = None,
    ) -> Assembly:
        """Make every part of a drawing live; `needs` says what will be asked of them.

        `members`: those that native code steps, where that is decided already. `homes`: where
        parts live, if not as the system's run settings say.
        """
        blueprint = Blueprint.of(system, estimators, needs, structure, members)
        return Assembly.by(blueprint, system, homes)

    @staticmethod
    def by(blueprint: Blueprint, system: System, homes: Homes | None = None) -> Assembly:
        """As `of`, where it is decided how the parts are put together."""
        parts, structure = system.parts, blueprint.structure
        homes = homes or Homes(residences(parts, system.run_settings.placement))
        start = start_values(parts.values())
        coordinator = coordinator_of(structure, blueprint.services, start)
        live = live_parts(parts, homes)
        given = blueprint.estimators, start, blueprint.batches, homes
        return Assembly(live, structure, coordinator, *given)

    @cached_property
    def blank(self) -> Signals:
        """Outputs before any part is asked: their declared start values, or zero."""
        return Signals.join([signals(s.description.outputs, {}) for s in self.subsystems])

    def initialize(self, start: float, values: Mapping[str, Values], *, derivatives: bool) -> None:
        """Bring every subsystem into initialization."""
        for subsystem in self.subsystems:
            subsystem.initialize(start, values.get(subsystem.name, {}), derivatives=derivatives)
        self.coordinator.check(self.subsystems)

    def begin(self, wanted: WantedRun | None = None) -> None:
        """Leave initialization, everywhere; from here on some are asked in one call.

        `wanted`: whole windows, where these are to be made natively.
        """
        for subsystem in self.subsystems:
            subsystem.begin()
        self._begun = True
        self._form_batches(wanted)
        for i, (s, r) in enumerate(self._pairs()):
            if s.derivatives and not (
                s.tells_derivatives or s.capabilities.can_linearize or r.estimates
            ):
                self.rehearsals[i] = DifferenceRehearsal(r, s)
        self.posting = PostingParts(self.subsystems, self.rehearsals, self.structure)
        early = [i for i in self.apart if self.subsystems[i].capabilities.can_return_early]
        if self.posting and early:
            self.apart_by_turn = early, [i for i in self.apart if i not in early]
        else:
            self.apart_by_turn = (self.apart,)

    def late_outputs(self, outputs: Signals, coordination: Coordination) -> Signals:
        """The outputs now that initialization is over: some parts know theirs only then."""
        draft, late = Draft(self, outputs, coordination), False
        for i, subsystem in enumerate(self.subsystems):
            told = subsystem.late_outputs()
            if told is not None and draft.differs(i, told):
                derivatives = draft.outputs_of(i).derivatives
                subsystem.last = Signals(told.reals, derivatives, told.discrete)
                draft.take(i, subsystem.last)
                late = True
        return draft.outputs() if late else outputs

    def close(self) -> None:
        """Give back whatever the subsystems hold."""
        if self.batch is not None:
            self.batch.close()
            self.batch = None
        self.aside.close()
        for subsystem in self.subsystems:
            subsystem.subsystem.close()
        self.homes.close()

    def committed(self) -> None:
        """A window was completed and recorded: hosts that may be started again begin there."""
        if self.homes.hosts or self.aside.restarting:
            committed(s.subsystem for s in self.subsystems)

    def hold(self, part: str, variable: Variable, value: Value) -> None:
        """An input that nothing feeds has this value from now on."""
        place = self.structure.layout.inputs.place[part, variable.name]
        reals, discrete = self.start.reals.copy(), list(self.start.discrete)
        given = signals([variable], {variable.name: value})
        sort: Any = reals if variable.is_real else discrete
        sort[place : place + variable.size] = given.reals if variable.is_real else given.discrete
        self.start = Signals(reals, None, tuple(discrete))
        self.coordinator.hold(self.start)
        if self.batch is not None:
            self.batch.hold(self.start)

    def tune(self, part: str, values: Values) -> None:
        """Parameters of a subsystem have these values from now on."""
        index = self.structure.layout.names.index(part)
        if self.batch is not None and index in self.batch.members:
            self.batch.tune(index, values)
        else:
            self.subsystems[index].tune(values)

    def switches(self, outputs: Signals, coordination: Coordination) -> bool:
        """Whether these outputs throw a switch somewhere, though no step ended at a crossing.

        Inputs held over a window, or found within a tolerance, end beside what the outputs say.
        """
        inputs_of, y = self.coordinator.inputs_of, outputs
        given: Iterable[tuple[int, Signals]] = (
            (i, inputs_of(i, y.reals, y.derivatives, y.discrete, coordination))
            for i in self._switching
        )
        if self.posting:
            given = self.posting.called("switches", given)
        return any(self.subsystems[i].switches(inputs) for i, inputs in given)

    def next_event(self) -> float:
        """The earliest event that somebody foresees; infinity if nobody does."""
        if self.posting:
            self.posting.called("next_event", ((i,) for i, _ in self._foreseeing))
        return min((s.next_event() for _, s in self._foreseeing), default=inf)

    @property
    def ending(self) -> str | None:
        """A part that asks to end the simulation here, if any."""
        if self.batch is not None and self.batch.ending is not None:
            return self.batch.ending
        return next((s.name for s in self._may_end if s.ending), None)

    def count(self) -> None:
        """Bring the counters of all subsystems up to date."""
        if self.batch is not None:
            self.batch.counted()

    def attempt(
        self,
        window: Window,
        before: Signals,
        coordination: Coordination,
        covering: Trial | None = None,
    ) -> Attempt:
        """Open `window` for every subsystem."""
        for rehearsal in self.rehearsals:
            rehearsal.open(window)
        if self.batch is not None:
            self.batch.open(window)
        return Attempt(self, window, before, coordination, covering)

    def settle(
        self,
        outputs: Signals,
        coordination: Coordination,
        size: float,
        left: Signals | None = None,
    ) -> tuple[Signals, Coordination]:
        """The unknowns of junctions where the parts stand, and outputs that feel them at once.

        `left`: the outputs left of an event, if there was one.
        """
        if not self.coordinator.has_unknowns:
            return outputs, coordination
        probe, spans = self.coordinator.probe, (self.inputs_of, self.outputs_of)
        now = Disclosure(self.subsystems, *spans, outputs, size, begun=self._begun, probe=probe)
        coordination = self.coordinator.settle(now, outputs, coordination, size, left)
        if not self._with_feedthrough:
            return outputs, coordination
        draft = Draft(self, outputs, coordination)
        for i in self._with_feedthrough:
            draft.take(i, self.subsystems[i].outputs(draft.inputs_of(i)))
        return draft.outputs(), coordination

    def mark(self) -> Mark:
        """Where every subsystem stands, and what its rehearsal knows."""
        if self.batch is not None:
            self.batch.mark()
        return [(s.snapshot(), r.dump()) for s, r in self._pairs()]

    def restore(self, mark: Mark) -> None:
        """Go back to a mark."""
        for r, (snapshot, learned) in zip(self.rehearsals, mark, strict=True):
            r.restore(snapshot)
            r.load(learned)

    def _form_batches(self, wanted: WantedRun | None) -> None:
        """Put those behind one door of whom it was decided."""
        for batch_factory, members in self._batches.items():
            plan = plan_of(self.structure, self.start.reals, members, wanted)
            self.batch = batch_factory([self.subsystems[i] for i in members], plan)
            self.batched = tuple(sorted(self.batch.members))
            self.apart = [i for i in self.apart if i not in self.batch.members]
            for i in self.batched:
                spans = self.inputs_of[i], self.outputs_of[i]
                self.rehearsals[i] = BatchRehearsal(self.batch, i, self.subsystems[i], *spans)

    def _pairs(self) -> list[tuple[Live, Rehearsal]]:
        return list(zip(self.subsystems, self.rehearsals, strict=True))


Mark = list[tuple[Any, Any]]
