"""Clocks of an FMU, and the variables that live only while they are active."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from ...core.signals import Discrete, Signals, Vector
from ..calls.access import Channel
from ..calls.fmi3 import Fmi3
from ..description import FmuVariable

if TYPE_CHECKING:
    from ..model import Fmu

Grouped = Callable[..., tuple[list[Channel], Any]]


class ClockedVariables:
    """Input and output clocks of one instance, and its clocked variables by their clocks."""

    def __init__(self, instance: Fmi3, model: Fmu, channels: Grouped) -> None:
        self._instance, self._known = instance, model.fmu.by_name
        self.active: list[str] = []  # input clocks, in this instant
        self._seen: set[str] | None = None  # output clocks, where the FMU calls back about them
        inputs, outputs = _places(model, model.inputs), _places(model, model.outputs)
        self._triggers = [(v, place) for v, place in inputs if v.type == "Clock"]
        self._tickers = [(v, place) for v, place in outputs if v.type == "Clock"]
        self._inputs = _by_clocks(model.inputs, channels)
        self._outputs = _by_clocks(model.outputs, channels)
        known = {u.name for u in model.fmu.structure.initial_unknowns}
        self._early = _by_clocks(model.outputs, channels, lambda v: _starts(v, known))
        unclocked = [p for v, p in inputs if v.type != "Clock" and not v.clocks and not v.is_float]
        self._plain = [k for p in unclocked for k in p]
        self.clocked_reals = [k for v, p in inputs if v.clocks and v.is_float for k in p]
        self.any = bool(self._triggers or self._tickers or self._inputs or self._outputs)

    def plain(self, discrete: Sequence[Discrete]) -> tuple[Discrete, ...]:
        """Those of the discrete inputs that no clock governs."""
        return tuple(discrete[k] for k in self._plain)

    def triggered(self, discrete: Sequence[Discrete]) -> list[str]:
        """The input clocks that other parts let tick now."""
        return [v.name for v, place in self._triggers if discrete[place[0]]]

    def activate(self, ticking: Sequence[str]) -> bool:
        """Make these input clocks active, and others not where that can be; if any was new."""
        new = [name for name in ticking if name not in self.active]
        given = [v.name for v, _ in self._triggers]
        gone = [n for n in self.active if n in given and n not in ticking and self._recallable(n)]
        self._instance.set_clocks([self._known[n].reference for n in gone], active=False)
        self._instance.set_clocks([self._known[n].reference for n in new], active=True)
        self.active = [n for n in self.active if n not in gone] + new
        return bool(new or gone)

    def deactivate(self) -> None:
        """The instant is over: the FMU has deactivated all clocks itself."""
        self.active = []

    def write(self, reals: Vector, discrete: Sequence[Discrete]) -> None:
        """Set the inputs whose clock is active."""
        for clocks, channels in self._inputs:
            if not clocks.isdisjoint(self.active):
                for channel in channels:
                    pointer, check = self._instance.pointer or 0, self._instance.check
                    channel.set(pointer, check, reals, discrete)

    def read(self, found: Signals, held: Signals, *, active: bool) -> Signals:
        """Outputs with those that are clocked: read while a clock is active, else held."""
        reals, discrete = found.reals, list(found.discrete)
        for v, place in self._tickers:
            discrete[place[0]] = active and self._ticks(v)
        running = {*self.active, *(v.name for v, place in self._tickers if discrete[place[0]])}
        for clocks, channels in self._outputs:
            awake = active and not clocks.isdisjoint(running)
            for channel in channels:
                if awake:
                    pointer, check = self._instance.pointer or 0, self._instance.check
                    channel.get(pointer, check, reals, discrete)
                elif channel.is_real:
                    reals[channel.places] = held.reals[channel.places]
                else:
                    for k in channel.places.tolist():
                        discrete[k] = held.discrete[k]
        return Signals(reals, found.derivatives, tuple(discrete))

    def started(self, found: Signals, held: Signals) -> Signals:
        """Outputs during initialization: clocked ones that have a value may be read there."""
        found = self.read(found, held, active=False)
        reals, discrete = found.reals, list(found.discrete)
        for _, channels in self._early:
            for channel in channels:
                pointer, check = self._instance.pointer or 0, self._instance.check
                channel.get(pointer, check, reals, discrete)
        return Signals(reals, found.derivatives, tuple(discrete))

    def reference(self, name: str) -> int:
        """The value reference of a clock."""
        return self._known[name].reference

    def by_priority(self, names: Sequence[str]) -> list[str]:
        """Clocks, the most urgent first; a smaller number is more urgent."""

        def urgency(name: str) -> int:
            timing = self._known[name].timing
            return 0 if timing is None or timing.priority is None else timing.priority

        return sorted(names, key=urgency)

    def listen(self) -> None:
        """Ask for the output clocks in the one moment when they may be asked for."""
        references = [v.reference for v, _ in self._tickers]
        ticks = zip(self._tickers, self._instance.clocks(references), strict=True)
        self._seen = (self._seen or set()) | {v.name for (v, _), active in ticks if active}

    def silenced(self, outputs: Signals) -> Signals:
        """The same outputs with no clock ticking; themselves if none does."""
        self._seen = set()
        ticking = [place[0] for _, place in self._tickers if outputs.discrete[place[0]]]
        if not ticking:
            return outputs
        discrete = (False if k in ticking else v for k, v in enumerate(outputs.discrete))
        return Signals(outputs.reals, outputs.derivatives, tuple(discrete))

    def _ticks(self, v: FmuVariable) -> bool:
        """Whether an output clock is active; one that is itself clocked only with its clock."""
        if self._seen is not None:
            return v.name in self._seen
        if v.clocks and not set(v.clocks).intersection(self.active):
            return False
        return self._instance.clocks([v.reference])[0]

    def _recallable(self, name: str) -> bool:
        timing = self._known[name].timing
        return timing is not None and timing.can_be_deactivated


def _places(model: Fmu, variables: Sequence[FmuVariable]) -> list[tuple[FmuVariable, range]]:
    """Each variable, and where it lies among the reals or the discrete values."""
    counts, found = [0, 0], []
    for v in variables:
        sort, size = int(not v.is_float), model.size_of(v)
        found.append((v, range(counts[sort], counts[sort] + size)))
        counts[sort] += size
    return found


def _by_clocks(
    variables: Sequence[FmuVariable],
    channels: Grouped,
    wanted: Callable[[FmuVariable], bool] = lambda v: True,
) -> list[tuple[frozenset[str], list[Channel]]]:
    groups = {v.clocks for v in variables if v.clocks and v.type != "Clock"}
    return [(frozenset(g), channels(variables, g, wanted)[0]) for g in sorted(groups)]


def _starts(v: FmuVariable, unknowns: Collection[str]) -> bool:
    """Whether a variable has a value before its clock first ticks."""
    return v.initial in ("exact", "approx") or v.name in unknowns
