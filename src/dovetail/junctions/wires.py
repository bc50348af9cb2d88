"""Every input is an output, or stays as it started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from ..core.signals import Discrete, Signals, Span, Vector
from ..subsystems.live import Live
from ..topology.layout import Layout
from ..topology.routing import Index, Routing, Table
from .coordination import Coordination
from .coordinator import InstantView
from .finding import Finding

_NOTHING = Coordination()


@dataclass(frozen=True, slots=True, eq=False)
class _Share:
    """The wires that end at some inputs, counted from the first of these."""

    target: Index
    source: Index
    gain: Vector | None  # None: all one, and all offsets zero
    offset: Vector | None
    widened: tuple[tuple[int, int, float, float, Table | None], ...]
    discrete: tuple[tuple[int, int, Table | None], ...]
    start: Signals
    shared: Index | None = None  # targets of several wires that add up

    @staticmethod
    def of(routing: Routing, span: Span, start: Signals) -> _Share:
        r, d = span.reals, span.discrete
        a, b = np.searchsorted(routing.target, [r.start, r.stop])
        gain, offset = routing.gain[a:b], routing.offset[a:b]
        target = routing.target[a:b] - r.start
        several = target[1:][target[1:] == target[:-1]]
        plain = bool(np.all(gain == 1.0) and np.all(offset == 0.0)) and not several.size
        c, e = np.searchsorted(routing.widened_target, [r.start, r.stop])
        widened = zip(
            (routing.widened_target[c:e] - r.start).tolist(),
            routing.widened_source[c:e].tolist(),
            routing.widened_gain[c:e].tolist(),
            routing.widened_offset[c:e].tolist(),
            map(routing.widened_tables.get, routing.widened_target[c:e].tolist()),
            strict=True,
        )
        f, g = np.searchsorted(routing.discrete_target, [d.start, d.stop])
        pairs = zip(
            (routing.discrete_target[f:g] - d.start).tolist(),
            routing.discrete_source[f:g].tolist(),
            map(routing.discrete_tables.get, routing.discrete_target[f:g].tolist()),
            strict=True,
        )
        return _Share(
            target,
            routing.source[a:b],
            None if plain else gain,
            None if plain else offset,
            tuple(widened),
            tuple(pairs),
            start[span],
            np.unique(several) if several.size else None,
        )

    def inputs(
        self, reals: Vector, derivatives: Vector | None, discrete: Sequence[Discrete]
    ) -> Signals:
        """What these inputs see of all outputs."""
        values = self.start.reals.copy()
        if self.gain is None or self.offset is None:
            values[self.target] = reals[self.source]
        elif self.shared is None:
            values[self.target] = self.gain * reals[self.source] + self.offset
        else:
            values[self.target] = 0.0
            np.add.at(values, self.target, self.gain * reals[self.source] + self.offset)
        for target, source, gain, offset, table in self.widened:
            given = discrete[source] if table is None else _looked_up(table, discrete[source])
            values[target] = gain * float(given) + offset
        rates = None
        if derivatives is not None:
            rates = np.zeros(values.size)
            passed = derivatives[self.source]
            passed = passed if self.gain is None else self.gain * passed
            if self.shared is None:
                rates[self.target] = passed
            else:
                np.add.at(rates, self.target, passed)
        held = self.start.discrete
        if self.discrete:
            changed = list(held)
            for target, source, table in self.discrete:
                given = discrete[source]
                changed[target] = given if table is None else _looked_up(table, given)
            held = tuple(changed)
        return Signals(values, rates, held)


def _looked_up(table: Table, given: Discrete) -> Discrete:
    return table.get(given, given)


class Wires:
    """u = gain y + offset where an input is connected, its start value elsewhere.

    No unknowns of its own. Routes by index arrays made once, for all parts or for one.
    """

    has_unknowns = False
    probe = 0.05
    warnings: Mapping[str, str] = MappingProxyType({})

    def __init__(self, layout: Layout, routing: Routing, start: Signals) -> None:
        everything = Span(slice(0, len(layout.inputs.reals)), slice(0, len(layout.inputs.discrete)))
        self._all = _Share.of(routing, everything, start)
        self._routed: tuple[Signals | None, Signals] = None, start  # outputs, and their inputs
        self._spans = layout.inputs.spans
        self._shares = [_Share.of(routing, span, start) for span in self._spans]

    def check(self, subsystems: Sequence[Live]) -> None:
        """No part is asked."""

    def start(self) -> Coordination:
        """No unknowns."""
        return _NOTHING

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on."""
        self._all, self._routed = replace(self._all, start=start), (None, start)
        pairs = zip(self._shares, self._spans, strict=True)
        self._shares = [replace(share, start=start[span]) for share, span in pairs]

    def inputs(self, outputs: Signals, coordination: Coordination) -> Signals:
        """The wired outputs; from memory for those that were asked for last.

        They are asked for where a window ends and again where the next begins, and by every
        branch that starts there. So what comes back must not be written to.
        """
        if outputs is not self._routed[0]:
            found = self._all.inputs(outputs.reals, outputs.derivatives, outputs.discrete)
            found.reals.flags.writeable = False
            if found.derivatives is not None:
                found.derivatives.flags.writeable = False
            self._routed = outputs, found
        return self._routed[1]

    def fed(self, inputs: Signals, coordination: Coordination) -> Signals:
        """Nothing is fed by unknowns."""
        return inputs

    def inputs_of(
        self,
        part: int,
        reals: Vector,
        derivatives: Vector | None,
        discrete: Sequence[Discrete],
        coordination: Coordination,
    ) -> Signals:
        """The wired outputs, for one part."""
        return self._shares[part].inputs(reals, derivatives, discrete)

    def settle(
        self,
        now: InstantView,
        outputs: Signals,
        coordination: Coordination,
        size: float,
        left: Signals | None = None,
    ) -> Coordination:
        """Nothing to settle."""
        return coordination

    def findings(self, coordination: Coordination) -> Sequence[Finding]:
        """No junctions."""
        return ()
