"""Parts in other processes: all are asked before anybody waits for an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from typing import Any, TypeVar

from ..core.signals import Span, Waveform
from ..estimators.base import Rehearsal, SupportsPreparing
from ..subsystems.live import Live
from ..topology.components import Structure

Inputs = Callable[[int], Waveform]
Call = TypeVar("Call", bound=tuple[Any, ...])


class PostingParts:
    """Those of an assembly that can be asked so, and their rehearsals.

    It changes nothing in what parts are asked and what they answer: only when they begin to think
    of it. What is asked ahead and not wanted then is taken back.
    """

    def __init__(
        self, lives: Sequence[Live], rehearsals: Sequence[Rehearsal], structure: Structure
    ) -> None:
        self._lives, self._structure = lives, structure
        self._rehearsals = {
            i: r
            for i, (live, r) in enumerate(zip(lives, rehearsals, strict=True))
            if live.takes_posts and isinstance(r, SupportsPreparing)
        }
        self.released = cache(self._released)

    def __bool__(self) -> bool:
        return bool(self._rehearsals)

    @contextmanager
    def asked(self, parts: Sequence[int], inputs: Inputs, *, genuine: bool) -> Iterator[None]:
        """While their answers are fetched, in whatever order."""
        ours = [i for i in parts if i in self._rehearsals]
        with self.taken_back(ours):
            if ours:
                self.ask(ours, inputs, parts, genuine=genuine)
            yield

    def ask(
        self, parts: Sequence[int], inputs: Inputs, beside: Sequence[int], *, genuine: bool
    ) -> None:
        """These are asked, `beside` others that may cut the window."""
        may_be_cut = any(self._lives[i].capabilities.can_return_early for i in beside)
        for i in parts:
            if i in self._rehearsals:
                self._rehearsals[i].prepare(inputs(i), genuine=genuine, may_be_cut=may_be_cut)
        self._send(parts)

    @contextmanager
    def moved(self, asked: Mapping[int, tuple[Waveform, Sequence[Waveform]]]) -> Iterator[None]:
        """While it is found what moving the inputs of some by some directions changes."""
        ours = [i for i in asked if i in self._rehearsals]
        with self.taken_back(ours):
            for i in ours:
                self._rehearsals[i].prepare_sensitivity(*asked[i])
            self._send(ours)
            yield

    @contextmanager
    def taken_back(self, parts: Sequence[int]) -> Iterator[None]:
        """In the end, what these were asked and nobody has fetched is taken back."""
        try:
            yield
        except KeyboardInterrupt:
            for i in self._rehearsals:  # nobody waits for those that are in the midst of a step
                self._lives[i].leave_posts()
            raise
        except BaseException:
            self._recall(parts)
            raise
        self._recall(parts)

    def _recall(self, parts: Sequence[int]) -> None:
        """How that went is less than why it was done."""
        for i in parts:
            if i in self._rehearsals:
                with suppress(Exception):
                    self._rehearsals[i].recall()

    def called(self, method: str, asked: Iterable[Call]) -> list[Call]:
        """Calls of parts that change nothing, with what is given to each; as they will be made."""
        found = list(asked)
        for i, *given in found:
            self._lives[i].post_call(method, *given)
        self._send([i for i, *_ in found])
        return found

    def _send(self, parts: Sequence[int]) -> None:
        for i in parts:
            self._lives[i].send()

    def _released(self, parts: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """In a sweep over these: before each, who can be asked as nobody behind feeds them."""
        turn = {i: k for k, i in enumerate(parts)}
        found = [list[int]() for _ in parts]
        if self._structure.groups:
            return tuple((i,) for i in parts)  # unknowns of junctions feed them as well
        for k, i in enumerate(parts):
            before = [turn[j] + 1 for j in self._feeders[i] if turn.get(j, k) < k]
            found[max(before, default=0)].append(i)
        return tuple(map(tuple, found))

    @cached_property
    def _feeders(self) -> list[set[int]]:
        """The parts that feed each part."""
        layout, routing = self._structure.layout, self._structure.routing
        found = [set[int]() for _ in self._lives]
        ins, outs = _owners(layout.inputs.spans), _owners(layout.outputs.spans)
        kinds = [
            (routing.target, ins[0], routing.source, outs[0]),
            (routing.widened_target, ins[0], routing.widened_source, outs[1]),
            (routing.discrete_target, ins[1], routing.discrete_source, outs[1]),
        ]
        for targets, fed, sources, feeding in kinds:
            for target, source in zip(targets.tolist(), sources.tolist(), strict=True):
                found[fed[target]].add(feeding[source])
        return found


def _owners(spans: Sequence[Span]) -> tuple[list[int], list[int]]:
    """Whose each real and each discrete signal is."""
    reals = [i for i, s in enumerate(spans) for _ in range(s.reals.stop - s.reals.start)]
    discrete = [i for i, s in enumerate(spans) for _ in range(s.discrete.stop - s.discrete.start)]
    return reals, discrete
