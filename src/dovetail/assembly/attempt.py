"""A window that is not decided yet: the one door algorithms have to the subsystems."""
# Over 250 lines: the one door, every way of asking behind it.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import PartFailed
from ..core.signals import Shape, Signals, Vector, Waveform
from ..core.window import Window
from ..subsystems.subsystem import Reached
from .attempt_view import AttemptView
from .draft import Draft, Proposal
from .ensemble import JointForecast


@dataclass(slots=True, eq=False)
class Attempt(AttemptView):
    """A window that is not decided yet. `before` are the outputs it starts from.

    When a subsystem returns early the window ends there, for all: `window` is exchanged for
    the shorter one and those beyond are rolled back. The session sees it and steps again. One
    that has an event before it can move at all is noted in `standing`. No part is asked from then
    on: answers are the outputs at the window's start, inputs have no effect, and the session
    lets the event happen before it steps again. An algorithm need not know of it.
    """

    event: bool = False
    found_by: tuple[str, ...] = ()  # parts whose step ended at an event of theirs
    late: bool = False  # inputs that are held have thrown one of them
    standing: str = ""  # a part that has an event where the window starts
    recut: bool = False  # a sweep has cut the window: no part is asked until it begins anew
    iterating: bool = False  # an early return may be that of an iterate which is dropped
    answered: set[int] = field(default_factory=set)  # parts that could step over the window
    early: dict[int, float] = field(default_factory=dict)
    together: dict[tuple[tuple[int, ...], int], JointForecast] = field(default_factory=dict)

    def outputs(self, inputs: Waveform) -> Signals:
        """Outputs at the window's end if the inputs were these."""
        return self._everyone(inputs, genuine=False)

    def outputs_of(self, index: int, inputs: Waveform) -> Signals:
        """Outputs of one subsystem, for algorithms that go in sequence; its own inputs only."""
        return self._ask(index, inputs, genuine=False).outputs

    def derivatives_of(self, index: int, inputs: Signals) -> Vector:
        """Time derivatives of the outputs of one subsystem where its last answer left it."""
        if self.resting:
            return np.zeros(self.before[self._assembly.outputs_of[index]].reals.size)
        return self._assembly.subsystems[index].outputs(inputs, 1).reals

    def ask(self, parts: Sequence[int], proposal: Proposal, draft: Draft) -> None:
        """Ask several subsystems at once, each with its inputs in the proposal."""
        if self.resting:
            return
        ours, others = self._split(parts)
        if ours:
            self._ask_batch(ours, proposal.coefficients, draft.reals)
        estimated, others = self._assembly.forecasts.among(others)
        if estimated:
            self.predict(estimated, proposal, draft)
        aside = self._assembly.aside.asked(others, lambda i: self._rehearsed(i, proposal.of(i)))
        with self._assembly.posting.asked(others, proposal.of, genuine=False):
            for i in others:
                given = aside[i]() if i in aside else None
                draft.take(i, self._ask(i, proposal.of(i), genuine=False, given=given).outputs)

    def predict(self, parts: tuple[int, ...], proposal: Proposal, draft: Draft) -> None:
        """What the forecasts of these subsystems say, whether or not they answer by them."""
        columns = proposal.coefficients.shape[1]
        together = self.together.get((parts, columns))
        if together is None:
            together = self._assembly.forecasts.together(parts, columns)
            self.together[parts, columns] = together
        together.ask(proposal.coefficients, draft)

    def sweep(
        self, parts: Sequence[int], begin: Signals, draft: Draft, proposal: Proposal, shape: Shape
    ) -> None:
        """Ask one subsystem after another, each seeing the outputs found before it."""
        if self.resting:
            return
        batch = self._assembly.batch
        if batch is not None and shape != "hermite" and batch.members.issuperset(parts):
            batch.sweep(parts, begin.reals, proposal.coefficients, draft.reals)
            self.answered.update(parts)
            return
        posting, window = self._assembly.posting, self.window
        turns = iter(posting.released(tuple(parts))) if posting else None

        def inputs_of(i: int) -> Waveform:
            end = draft.inputs_of(i)
            if shape == "hold":
                return Waveform.hold(end)
            start = begin[self._assembly.inputs_of[i]]
            return Waveform.shaped(shape, start, end, window.size)

        with posting.taken_back(parts):
            for i in parts:
                if turns is not None:
                    posting.ask(next(turns), inputs_of, parts, genuine=False)
                inputs = inputs_of(i)
                proposal.put(i, inputs)
                draft.take(i, self.outputs_of(i, inputs))
                if self.window is not window:  # outputs found before are those at another time
                    self.recut = True
                    return

    def begin_anew(self) -> None:
        """The algorithm starts over, with the window as it is now."""
        self.recut = False

    @property
    def resting(self) -> bool:
        """Whether no part is asked any more: an event is due, or the window was cut."""
        return bool(self.standing) or self.recut

    def iterate(self) -> None:
        """Answers are tried out from here on: an early return does not cut the window yet."""
        self.iterating = True
        self.early.clear()

    def decide(self) -> None:
        """The last answers count: if one of them returned early, the window ends there."""
        self.iterating = False
        if self.early and not self.standing:
            stop = min(self.early.values())
            self.early.clear()
            self._shorten(stop)

    def sensitivity(
        self, index: int, inputs: Waveform, directions: Sequence[Waveform]
    ) -> list[Signals]:
        """What moving the inputs of one subsystem by each direction adds to its outputs."""
        if self.resting:
            still = self.before[self._assembly.outputs_of[index]]
            derivatives = None if still.derivatives is None else np.zeros(still.reals.size)
            return [Signals(np.zeros(still.reals.size), derivatives)] * len(directions)
        return self._assembly.rehearsals[index].sensitivity(inputs, directions)

    def sensitivities(
        self, asked: Sequence[tuple[int, Waveform, Sequence[Waveform]]]
    ) -> list[list[Signals]]:
        """As `sensitivity`, for several parts."""
        given = {i: (inputs, directions) for i, inputs, directions in asked}

        def moved(i: int) -> list[Signals]:
            return self.sensitivity(i, *given[i])

        if self.resting:
            return [moved(i) for i in given]
        aside = self._assembly.aside.asked(list(given), moved)
        with self._assembly.posting.moved(given):
            return [aside[i]() if i in aside else moved(i) for i in given]

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
        batch = self._assembly.batch
        if batch is not None and batch.members.issuperset(parts) and not self.resting:
            places, shares = [r[1] for r in rows], [moves[r[0]] for r in rows]
            return batch.columns(parts, places, shares, proposal.coefficients)
        asked = []
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
                asked.append((i, wave, directions))
        found = self.sensitivities(asked)
        return np.concatenate([np.zeros(0), *(s.reals for changes in found for s in changes)])

    def commit(self, inputs: Waveform) -> Signals:
        """Make these the inputs that happened. Parts that answered them last do not step again."""
        return self._everyone(inputs, genuine=True)

    def abandon(self) -> None:
        """Leave every subsystem at the window's start."""
        for rehearsal in self._assembly.rehearsals:
            rehearsal.abandon()
        if self._assembly.batch is not None:
            self._assembly.batch.abandon()

    def _split(self, parts: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Members of the batch, and the others."""
        batch = self._assembly.batch
        if batch is None:
            return (), parts
        if batch.members.issuperset(parts):
            return parts, ()
        members = batch.members
        return [i for i in parts if i in members], [i for i in parts if i not in members]

    def _everyone(self, inputs: Waveform, *, genuine: bool) -> Signals:
        assembly = self._assembly
        if self.resting:
            return self.before
        if assembly.batch is not None and not assembly.apart:
            self.event, self.found_by, self.late = False, (), False
            found = np.empty(self.before.reals.size)
            self._ask_batch(assembly.batched, inputs.coefficients, found)
            return Signals(found)

        def wave(i: int) -> Waveform:
            return inputs[assembly.inputs_of[i]]

        while True:  # again after an early return: parts that are there answer from memory
            window, answers = self.window, dict[int, Reached]()
            aside = assembly.aside.asked(
                assembly.apart, lambda i: self._rehearsed(i, wave(i), genuine=genuine)
            )
            for parts in assembly.apart_by_turn:
                with assembly.posting.asked(parts, wave, genuine=genuine):
                    for i in parts:
                        given = aside[i]() if i in aside else None
                        answers[i] = self._ask(i, wave(i), genuine=genuine, given=given)
                        if self.standing:
                            return self.before
                        if self.window is not window:
                            break
                if self.window is not window:
                    break
            else:
                return self._joined(inputs, answers)

    def _joined(self, inputs: Waveform, answers: Mapping[int, Reached]) -> Signals:
        """What all answered, those of the batch too; whether that is an event, and whose."""
        assembly = self._assembly
        found_by = [assembly.subsystems[i].name for i, r in answers.items() if r.event]
        self.event, self.found_by = bool(found_by), tuple(found_by)
        self.late = any(r.late for r in answers.values())
        if not assembly.batched:
            return Signals.join([answers[i].outputs for i in range(len(answers))])
        together = self.draft()
        self._ask_batch(assembly.batched, inputs.coefficients, together.reals)
        for i, answer in answers.items():
            together.take(i, answer.outputs)
        return together.outputs()

    def _ask_batch(self, parts: Sequence[int], coefficients: Vector, found: Vector) -> None:
        """Ask members of the batch, in one call."""
        assert self._assembly.batch is not None
        self._assembly.batch.ask(parts, coefficients, found)
        self.answered.update(parts)

    def _rehearsed(self, index: int, inputs: Waveform, *, genuine: bool = False) -> Reached:
        """The answer of one part, whatever follows from it."""
        rehearsal = self._assembly.rehearsals[index]
        return rehearsal.commit(inputs) if genuine else rehearsal.outputs(inputs)

    def _ask(
        self, index: int, inputs: Waveform, *, genuine: bool, given: Reached | None = None
    ) -> Reached:
        if self.resting:
            return Reached(self.window.start, self.before[self._assembly.outputs_of[index]])
        reached = given or self._rehearsed(index, inputs, genuine=genuine)
        self.answered.add(index)
        if reached.time < self.window.stop:
            if not reached.time > self.window.start:
                name, time = self._assembly.subsystems[index].name, self.window.start
                if reached.event:
                    self.standing = name
                    return reached
                raise PartFailed(name, "advancing", time, "it stopped where it started")
            if self.iterating and not genuine:
                self.early[index] = reached.time
            else:
                self._shorten(reached.time)
        elif self.early:
            self.early.pop(index, None)
        return reached

    def _shorten(self, stop: float) -> None:
        """The window ends earlier, for all: those beyond are rolled back."""
        self.window = Window.between(self.window.start, stop)
        self.together.clear()
        for other in self._assembly.rehearsals:
            other.shorten(self.window)
        if self._assembly.batch is not None:
            self._assembly.batch.shorten(self.window)
