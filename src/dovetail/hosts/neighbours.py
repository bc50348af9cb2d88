"""In a host: windows in lock step with parts in other hosts, and nobody in between.

Each part knows what it reads of whom and who reads what of it. It steps over a window as soon as
it has what that takes, and sends its outputs straight to those who read them.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..core.signals import Signals, Vector, Waveform
from ..subsystems.batch import WindowRange
from ..subsystems.extrapolating import History, flattened, passing
from .answers import failure
from .frames import Ended, Garbled, TooLate
from .peer_link import PeerLink, secured

Past = tuple[Vector, Vector]
NO_NUMBER = "no number"  # why it stopped: the last of its outputs are none


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One at the other end of a connection, and what passes.

    `reads`: the outputs here that go there. `gives`: where among the known values its outputs go.
    `early`: it steps over a window before this part does. `dials`: this side has dialled.
    """

    reads: Any
    gives: Any
    early: bool
    dials: bool
    certificate: str  # of the other side; empty without TLS


@dataclass(frozen=True, slots=True)
class LockStep:
    """What a part does in each window: where its inputs come from, and who is beside it.

    Inputs are gain * known[source] + offset at `target`; `plain`: those at a window's start, and
    those at its end, are known[source] as it is. `base`: values of all inputs of the model,
    `inputs` and `outputs` what is published of them. `own`: outputs that it reads of itself.
    """

    shape: str
    target: Any
    source: Any
    gain: Any
    offset: Any
    plain: tuple[bool, bool]
    own: tuple[Any, Any]
    base: Any
    inputs: Any
    outputs: Any
    neighbours: tuple[Neighbour, ...]
    certificate: str
    key: str
    patience: float
    columns: int = 1  # of curves through the past, where inputs are extrapolated
    order: int = -1  # the highest power of time that the part follows; -1: any


@dataclass(frozen=True, slots=True)
class LockStepAnswer:
    """What came of some windows: outputs at their ends, and why there are no more of them.

    `stopped_by`: the number of the neighbour that was waited for in vain; -1 if none was.
    """

    done: int
    outputs: bytes
    seconds: float
    failed: tuple[int, bytes] | None = None
    stopped_by: int = -1
    why: str = ""


class _Stopped(Exception):
    def __init__(self, by: int, why: str) -> None:
        super().__init__(why)
        self.by, self.why = by, why


class PartAmongOthers:
    """One part with its connections to others."""

    def __init__(self, part: Any, plan: LockStep, links: Sequence[socket.socket]) -> None:
        self._part, self._plan = part, plan
        self._links = list[PeerLink]()
        try:
            for link, beside in zip(links, plan.neighbours, strict=True):
                papers = beside.certificate, plan.certificate, plan.key
                talk = secured(link, papers, plan.patience, dials=beside.dials)
                self._links.append(PeerLink(talk, len(beside.gives), plan.patience))
        except BaseException:
            for made in self._links:
                made.close()
            for link in links:
                link.close()
            raise
        pairs = list(zip(self._links, plan.neighbours, strict=True))
        heard = [(k, link, n) for k, (link, n) in enumerate(pairs) if len(n.gives)]
        self._early = [(k, link, n.gives) for k, link, n in heard if n.early]
        self._late = [(k, link, n.gives) for k, link, n in heard if not n.early]
        self._readers = [(k, link, n.reads) for k, (link, n) in enumerate(pairs) if len(n.reads)]
        whole = len(plan.inputs) == len(plan.base)
        self._whole = whole and bool(np.array_equal(plan.inputs, np.arange(len(plan.base))))
        self._ramps, self._curves = plan.shape == "ramp", plan.shape == "curve"
        heard_early = [n.gives for n in plan.neighbours if n.early]
        first = np.concatenate([np.zeros(0, dtype=int), *heard_early])
        self._found = np.zeros(len(plan.inputs), dtype=bool)  # known at a window's end
        self._found[plan.target[np.isin(plan.source, first)]] = True
        self._past = History()
        self._number = 0

    def windows(
        self, stretch: WindowRange, start: Vector, known: Vector, past: Past | None = None
    ) -> LockStepAnswer:
        """Step over these windows; `start`: values of inputs that nothing feeds.

        `past`: times and inputs at the ends of windows before, where those are extrapolated.
        """
        times, points = past or ((), ())
        self._past = History(tuple(map(float, times)), tuple(points))
        found = np.empty((stretch.count, len(self._plan.outputs)))
        spent, done, failed, stopped, why = 0.0, 0, None, -1, ""
        begin = perf_counter()
        for k in range(stretch.count):
            try:
                outputs, took = self._window(stretch.window(k), start, known)
            except _Stopped as error:
                stopped, why = error.by, error.why
                break
            except Exception as error:
                failed = failure(error)
                break
            found[k], done, spent = outputs, k + 1, spent + took
            if not np.isfinite(outputs).all():
                why = NO_NUMBER
                break
            try:
                self._pass_on(outputs, known)
            except _Stopped as error:
                stopped, why = error.by, error.why
                break
        if failed is not None or why:
            self._stop()
            spent = spent or perf_counter() - begin
        return LockStepAnswer(done, found[:done].tobytes(), spent, failed, stopped, why)

    def close(self) -> None:
        """End all connections."""
        for link in self._links:
            link.close()

    def _window(self, window: Any, start: Vector, known: Vector) -> tuple[Vector, float]:
        """One window, once those are there who go first."""
        begins = self._ramps or self._curves
        first = self._inputs(start, known, self._plan.plain[0]) if begins else None
        for k, link, gives in self._early:
            known[gives] = self._heard(k, link)
        last = self._inputs(start, known, self._plan.plain[1])
        if first is not None and self._curves:
            given = Waveform(self._curve(window, first, last))
        elif first is not None:
            given = Waveform.ramp(Signals(first), Signals(last), window.size)
        else:
            given = Waveform(last[:, None])
        begin = perf_counter()
        reached = self._part.advance(window, self._filled(given))
        took = perf_counter() - begin
        if reached.time != window.stop:
            raise RuntimeError("it stopped inside a window, which it had not announced")
        outputs: Vector = reached.outputs.reals[self._plan.outputs]
        return outputs, took

    def _pass_on(self, outputs: Vector, known: Vector) -> None:
        """Outputs go to their readers, and those that follow are heard."""
        for k, link, places in self._readers:
            try:
                link.send(self._number, outputs[places].tobytes())
            except (Ended, TooLate) as error:
                raise _Stopped(k, _words(error)) from None
        ours, theirs = self._plan.own
        if len(ours):
            known[ours] = outputs[theirs]
        for k, link, gives in self._late:
            known[gives] = self._heard(k, link)
        self._number += 1

    def _inputs(self, start: Vector, known: Vector, plain: bool) -> Vector:
        plan, values = self._plan, start.copy()
        passed = known[plan.source]
        values[plan.target] = passed if plain else plan.gain * passed + plan.offset
        return values

    def _curve(self, window: Any, first: Vector, last: Vector) -> Vector:
        """Through the past, and through what is known at the end."""
        columns, order, size = self._plan.columns, self._plan.order, window.size
        self._past = self._past.joined(window.start, first, size, columns)
        points = np.array(self._past.values)
        a = passing(self._past.since, points, columns, size, last, self._found)
        return flattened(a, order, size) if 0 <= order < columns - 1 else a

    def _filled(self, given: Waveform) -> Waveform:
        """As the model takes them: what is not published has its usual value."""
        if self._whole:
            return given
        columns = given.coefficients.shape[1]
        full = np.zeros((len(self._plan.base), columns))
        full[:, 0] = self._plan.base
        full[self._plan.inputs] = given.coefficients
        return Waveform(full)

    def _heard(self, k: int, link: PeerLink) -> Vector:
        try:
            return link.receive(self._number)
        except (Ended, Garbled, TooLate) as error:
            raise _Stopped(k, _words(error)) from None

    def _stop(self) -> None:
        """Nobody is to wait for this part."""
        for link in self._links:
            link.stop(self._number)


def _words(error: Exception) -> str:
    if isinstance(error, TooLate):
        return "late"
    return "nonsense" if isinstance(error, Garbled) else str(error)
