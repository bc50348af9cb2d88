"""The live subsystems, and the one door algorithms have to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from .coordinators.base import Coordinator
from .coordinators.wires import Wires
from .crew import Aboard, Crew, Mustering
from .errors import OptionError, PartFailed, did_you_mean
from .estimators.base import Estimator, Rehearsal
from .estimators.direct import Direct
from .estimators.rollback import Rollback
from .live import Live
from .signals import Discrete, Shape, Signals, Vector, Waveform
from .structure.components import Component, Structure
from .subsystem import Reached
from .system import System
from .values import Values, signals
from .window import Window


class Assembly:
    """The live subsystems of a drawing, with the coordinator between them."""

    def __init__(
        self,
        subsystems: Sequence[Live],
        structure: Structure,
        coordinator: Coordinator,
        estimators: Sequence[Estimator],
        start: Signals,
    ) -> None:
        self.start = start  # values of all inputs before anything is known
        self.subsystems = tuple(subsystems)
        self.structure = structure
        self.coordinator = coordinator
        self.estimators = tuple(estimators)
        self.rehearsals: list[Rehearsal] = [
            e.bind(s) for e, s in zip(estimators, subsystems, strict=True)
        ]
        self.crew: Crew | None = None
        self.inputs_of = structure.layout.inputs.spans
        self.outputs_of = structure.layout.outputs.spans
        early = [s.capabilities.can_return_early for s in subsystems]
        self.apart = sorted(range(len(early)), key=lambda i: not early[i])  # early ones first
        self.aboard: tuple[int, ...] = ()
        self._foreseeing = [s for s in subsystems if s.capabilities.knows_next_event]
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
        *,
        repeats: bool = False,
    ) -> Assembly:
        """Make every part of a drawing live; `repeats` says that windows may be asked anew."""
        structure = Structure.of(system)
        parts = system.parts
        chosen = choose_estimators(system, estimators, repeats=repeats)
        start = Signals.join([signals(p.description.inputs, p.values) for p in parts.values()])
        wires = Wires(structure.layout, structure.routing, start)
        live: list[Live] = []
        try:
            for name, part in parts.items():
                live.append(Live(name, part.model.instantiate(name)))
        except BaseException:
            for subsystem in live:
                subsystem.subsystem.close()
            raise
        return Assembly(live, structure, wires, [chosen[name] for name in parts], start)

    def initialize(self, start: float, values: Mapping[str, Values], *, slopes: bool) -> None:
        """Bring every subsystem into initialization."""
        for subsystem in self.subsystems:
            subsystem.initialize(start, values.get(subsystem.name, {}), slopes=slopes)

    def begin(self) -> None:
        """Leave initialization, everywhere; whoever can be asked in one call is mustered."""
        for subsystem in self.subsystems:
            subsystem.begin()
        self._muster()

    def close(self) -> None:
        """Give back whatever the subsystems hold."""
        if self.crew is not None:
            self.crew.close()
            self.crew = None
        for subsystem in self.subsystems:
            subsystem.subsystem.close()

    def next_event(self) -> float:
        """The earliest event that somebody foresees; infinity if nobody does."""
        return min((s.next_event() for s in self._foreseeing), default=inf)

    @property
    def ending(self) -> str | None:
        """A part that asks to end the simulation here, if any."""
        if self.crew is not None and self.crew.ending is not None:
            return self.crew.ending
        return next((s.name for s in self._may_end if s.ending), None)

    def count(self) -> None:
        """Bring the counters of all subsystems up to date."""
        if self.crew is not None:
            self.crew.counted()

    def attempt(self, window: Window, before: Signals, z: Vector) -> Attempt:
        """Open `window` for every subsystem."""
        for rehearsal in self.rehearsals:
            rehearsal.open(window)
        if self.crew is not None:
            self.crew.open(window)
        return Attempt(self, window, before, z)

    def now(self, inputs: Signals, order: int, wanted: Vector) -> Vector:
        """Derivatives of the wanted outputs, without moving in time; zeros for the rest."""
        result = np.zeros(len(self.structure.layout.outputs.reals))
        for s, i, o in zip(self.subsystems, self.inputs_of, self.outputs_of, strict=True):
            if np.any(wanted[o.reals]):
                result[o.reals] = s.outputs(inputs[i], order).reals
        return result

    def mark(self) -> Mark:
        """Where every subsystem stands, and what its rehearsal knows."""
        return [(s.snapshot(), r.dump()) for s, r in self._pairs()]

    def restore(self, mark: Mark) -> None:
        """Go back to a mark."""
        for (s, r), (snapshot, learned) in zip(self._pairs(), mark, strict=True):
            s.restore(snapshot)
            r.load(learned)

    def _muster(self) -> None:
        """Put those who belong together behind one door, if they only step or roll back."""
        found: dict[Mustering, list[tuple[int, Live, bool]]] = {}
        for i, (s, e) in enumerate(zip(self.subsystems, self.estimators, strict=True)):
            mustering = getattr(s.subsystem, "mustering", None)
            if mustering is not None and isinstance(e, Direct | Rollback):
                found.setdefault(mustering, []).append((i, s, isinstance(e, Rollback)))
        for mustering, members in found.items():
            self.crew = mustering(members, self.structure, self.start)
            self.aboard = tuple(sorted(self.crew.members))
            self.apart = [i for i in self.apart if i not in self.crew.members]
            for i, live, _ in members:
                spans = self.inputs_of[i], self.outputs_of[i]
                self.rehearsals[i] = Aboard(self.crew, i, live, *spans)

    def _pairs(self) -> list[tuple[Live, Rehearsal]]:
        return list(zip(self.subsystems, self.rehearsals, strict=True))


Mark = list[tuple[Any, Any]]


class Draft:
    """The outputs of all subsystems as far as they are known, changed in place."""

    __slots__ = ("_assembly", "_z", "discrete", "reals", "slopes")

    def __init__(self, assembly: Assembly, outputs: Signals, z: Vector) -> None:
        self._assembly, self._z = assembly, z
        self.reals = outputs.reals.copy()
        self.slopes = None if outputs.slopes is None else outputs.slopes.copy()
        self.discrete: list[Discrete] = list(outputs.discrete)

    def differs(self, index: int, found: Signals) -> bool:
        """Whether what one subsystem answered is not what stands here."""
        span = self._assembly.outputs_of[index]
        return tuple(self.discrete[span.discrete]) != found.discrete or not np.array_equal(
            self.reals[span.reals], found.reals
        )

    def take(self, index: int, found: Signals) -> None:
        """Put in what one subsystem answered."""
        span = self._assembly.outputs_of[index]
        self.reals[span.reals] = found.reals
        if self.slopes is not None and found.reals.size:
            if found.slopes is None:
                self.slopes = None
            else:
                self.slopes[span.reals] = found.slopes
        if found.discrete:
            self.discrete[span.discrete] = found.discrete

    def outputs_of(self, index: int) -> Signals:
        """What stands here for one subsystem."""
        span = self._assembly.outputs_of[index]
        slopes = None if self.slopes is None else self.slopes[span.reals].copy()
        return Signals(self.reals[span.reals].copy(), slopes, tuple(self.discrete[span.discrete]))

    def inputs_of(self, index: int) -> Signals:
        """The inputs these outputs make for one subsystem."""
        coordinator = self._assembly.coordinator
        return coordinator.inputs_of(index, self.reals, self.slopes, self.discrete, self._z)

    def outputs(self) -> Signals:
        """The outputs as they are now, as a value."""
        slopes = None if self.slopes is None else self.slopes.copy()
        return Signals(self.reals.copy(), slopes, tuple(self.discrete))


class Proposal:
    """Inputs over a window, subsystem by subsystem, as an algorithm finds them."""

    __slots__ = ("_assembly", "coefficients", "discrete")

    def __init__(self, assembly: Assembly, start: Signals, columns: int) -> None:
        self._assembly = assembly
        self.coefficients = np.zeros((start.reals.size, columns))
        self.coefficients[:, 0] = start.reals
        self.discrete: list[Discrete] = list(start.discrete)

    def put(self, index: int, inputs: Waveform) -> None:
        """Take over the inputs of one subsystem."""
        span = self._assembly.inputs_of[index]
        self.coefficients[span.reals] = inputs.coefficients
        if inputs.discrete:
            self.discrete[span.discrete] = inputs.discrete

    def of(self, index: int) -> Waveform:
        """The inputs of one subsystem, as a value."""
        span = self._assembly.inputs_of[index]
        return Waveform(self.coefficients[span.reals].copy(), tuple(self.discrete[span.discrete]))

    def waveform(self) -> Waveform:
        """The inputs of all."""
        return Waveform(self.coefficients.copy(), tuple(self.discrete))


_COLUMNS: dict[Shape, int] = {"hold": 1, "ramp": 2, "hermite": 4}


@dataclass(slots=True, eq=False)
class Attempt:
    """A window that is not decided yet. `before` are the outputs it starts from.

    When a subsystem returns early the window ends there, for all: `window` is exchanged for
    the shorter one and those beyond are taken back. The session sees it and steps again.
    """

    assembly: Assembly
    window: Window
    before: Signals
    z: Vector
    event: bool = False

    @property
    def components(self) -> tuple[Component, ...]:
        """Strong components of the system, in dependency order."""
        return self.assembly.structure.components

    def inputs(self, outputs: Signals) -> Signals:
        """The inputs these outputs make, with the coordinator's unknowns as they were."""
        return self.assembly.coordinator.inputs(outputs, self.z)

    def draft(self) -> Draft:
        """The outputs at the window's start, to be exchanged for those at its end."""
        return Draft(self.assembly, self.before, self.z)

    def proposal(self, begin: Signals, shape: Shape) -> Proposal:
        """Room for inputs of this shape."""
        return Proposal(self.assembly, begin, _COLUMNS[shape])

    def outputs(self, inputs: Waveform) -> Signals:
        """Outputs at the window's end if the inputs were these."""
        return self._everyone(inputs, genuine=False)

    def outputs_of(self, index: int, inputs: Waveform) -> Signals:
        """Outputs of one subsystem, for algorithms that go in sequence; its own inputs only."""
        return self._ask(index, inputs, genuine=False).outputs

    def ask(self, parts: Sequence[int], proposal: Proposal, draft: Draft) -> None:
        """Ask several subsystems at once, each with its inputs in the proposal."""
        ours, others = self._split(parts)
        if self.assembly.crew is not None and ours:
            self.assembly.crew.ask(ours, proposal.coefficients, draft.reals)
        for i in others:
            draft.take(i, self.outputs_of(i, proposal.of(i)))

    def sweep(
        self, parts: Sequence[int], begin: Signals, draft: Draft, proposal: Proposal, shape: Shape
    ) -> None:
        """Ask one subsystem after another, each seeing the outputs found before it."""
        crew = self.assembly.crew
        if crew is not None and shape != "hermite" and crew.members.issuperset(parts):
            crew.sweep(parts, begin.reals, proposal.coefficients, draft.reals)
            return
        for i in parts:
            end = draft.inputs_of(i)
            if shape == "hold":
                inputs = Waveform.hold(end)
            else:
                start = begin[self.assembly.inputs_of[i]]
                inputs = Waveform.shaped(shape, start, end, self.window.size)
            proposal.put(i, inputs)
            draft.take(i, self.outputs_of(i, inputs))

    def sensitivity(
        self, index: int, inputs: Waveform, directions: Sequence[Waveform]
    ) -> list[Signals]:
        """What moving the inputs of one subsystem by each direction adds to its outputs."""
        return self.assembly.rehearsals[index].sensitivity(inputs, directions)

    def columns(
        self,
        parts: Sequence[int],
        rows: Sequence[tuple[slice, Any]],
        moves: Vector,
        proposal: Proposal,
        shape: Shape,
    ) -> Vector:
        """What moving each of some inputs at the window's end changes in their part's outputs.

        `rows` gives, for each part, its share of `moves` and which of its inputs they move. The
        changes lie one after another: part by part, move by move, all outputs of the part.
        """
        crew = self.assembly.crew
        if crew is not None and crew.members.issuperset(parts):
            places, shares = [r[1] for r in rows], [moves[r[0]] for r in rows]
            return crew.columns(parts, places, shares, proposal.coefficients)
        changes: list[Vector] = [np.zeros(0)]
        for i, (share, local) in zip(parts, rows, strict=True):
            wave = proposal.of(i)
            n = wave.coefficients.shape[0]
            directions = []
            for place, move in zip(local, moves[share], strict=True):
                end = np.zeros(n)
                end[place] = move
                still = Signals(np.zeros(n))
                directions.append(Waveform.shaped(shape, still, Signals(end), self.window.size))
            if directions:
                changes += [s.reals for s in self.sensitivity(i, wave, directions)]
        return np.concatenate(changes)

    def commit(self, inputs: Waveform) -> Signals:
        """Make these the inputs that happened. Who answered them last does not step again."""
        return self._everyone(inputs, genuine=True)

    def abandon(self) -> None:
        """Leave every subsystem at the window's start."""
        for rehearsal in self.assembly.rehearsals:
            rehearsal.abandon()
        if self.assembly.crew is not None:
            self.assembly.crew.abandon()

    def _split(self, parts: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Members of the crew, and the others."""
        crew = self.assembly.crew
        if crew is None:
            return (), parts
        if crew.members.issuperset(parts):
            return parts, ()
        members = crew.members
        return [i for i in parts if i in members], [i for i in parts if i not in members]

    def _everyone(self, inputs: Waveform, *, genuine: bool) -> Signals:
        spans = self.assembly.inputs_of
        while True:  # again after an early return: those who are there answer from memory
            window, event = self.window, False
            answers: dict[int, Signals] = {}
            for i in self.assembly.apart:
                reached = self._ask(i, inputs[spans[i]], genuine=genuine)
                if self.window is not window:
                    break
                answers[i] = reached.outputs
                event = event or reached.event
            else:
                self.event = event
                if self.assembly.crew is None:
                    return Signals.join([answers[i] for i in range(len(spans))])
                if not answers:
                    found = np.empty(self.before.reals.size)
                    self.assembly.crew.ask(self.assembly.aboard, inputs.coefficients, found)
                    return Signals(found)
                together = self._together(inputs)
                for i, answer in answers.items():
                    together.take(i, answer)
                return together.outputs()

    def _together(self, inputs: Waveform) -> Draft:
        """What the crew answers, asked in one call."""
        assert self.assembly.crew is not None
        draft = self.draft()
        self.assembly.crew.ask(self.assembly.aboard, inputs.coefficients, draft.reals)
        return draft

    def _ask(self, index: int, inputs: Waveform, *, genuine: bool) -> Reached:
        rehearsal = self.assembly.rehearsals[index]
        reached = rehearsal.commit(inputs) if genuine else rehearsal.outputs(inputs)
        if reached.time < self.window.stop:
            if not reached.time > self.window.start:
                name, time = self.assembly.subsystems[index].name, self.window.start
                raise PartFailed(name, "advancing", time, "it stopped where it started")
            self.window = Window.between(self.window.start, reached.time)
            for other in self.assembly.rehearsals:
                other.shorten(self.window)
            if self.assembly.crew is not None:
                self.assembly.crew.shorten(self.window)
        return reached


def choose_estimators(
    system: System, given: Mapping[str, Estimator] | None, *, repeats: bool
) -> dict[str, Estimator]:
    """An estimator for each part: the one given, or the best its capabilities allow."""
    wanted = dict(given or {})
    for name in wanted:
        if name not in system.parts:
            raise OptionError(
                f"estimators names a part '{name}' that is not in the system."
                f"{did_you_mean(name, system.parts)}"
            )
    parts = system.parts
    early = any(p.description.capabilities.can_return_early for p in parts.values())
    return {name: wanted.get(name) or _auto(p, repeats or early) for name, p in parts.items()}


def _auto(part: Any, going_back: bool) -> Estimator:
    """Rollback only where somebody may have to go back: saving a state has its price."""
    return Rollback() if going_back and part.description.capabilities.can_restore else Direct()
