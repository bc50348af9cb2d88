"""Where the signals of each part lie among those of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..core.description import Variable
from ..core.signals import Span
from ..drawing.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """All inputs, or all outputs, of a system: one span per part, one name per scalar."""

    spans: tuple[Span, ...]
    reals: tuple[str, ...]
    discrete: tuple[str, ...]
    place: dict[tuple[str, str], int]  # (part, variable) -> its first slot of its sort

    @staticmethod
    def of(parts: Sequence[tuple[str, tuple[Variable, ...]]]) -> Slots:
        """Slots for the variables of each part, in order."""
        reals: list[str] = []
        discrete: list[str] = []
        place: dict[tuple[str, str], int] = {}
        sizes: list[tuple[int, int]] = []
        known: dict[int, _Own] = {}  # by variables, which parts of one model share
        for part, variables in parts:
            own = known.get(id(variables))
            if own is None:
                own = known[id(variables)] = _Own.of(variables)
            first = len(reals), len(discrete)
            for name, is_discrete, k in own.places:
                place[part, name] = first[is_discrete] + k
            reals.extend([f"{part}.{scalar}" for scalar in own.reals])
            discrete.extend([f"{part}.{scalar}" for scalar in own.discrete])
            sizes.append((len(own.reals), len(own.discrete)))
        spans = Span.sequence([s[0] for s in sizes], [s[1] for s in sizes])
        return Slots(spans, tuple(reals), tuple(discrete), place)


@dataclass(frozen=True, slots=True)
class _Own:
    """The scalars of one part, and for each variable its sort and its first place among those."""

    reals: tuple[str, ...]
    discrete: tuple[str, ...]
    places: tuple[tuple[str, bool, int], ...]

    @staticmethod
    def of(variables: tuple[Variable, ...]) -> _Own:
        """Those of these variables."""
        names: tuple[list[str], list[str]] = ([], [])
        places = []
        for v in variables:
            is_discrete = not v.is_real
            places.append((v.name, is_discrete, len(names[is_discrete])))
            names[is_discrete].extend(v.scalars())
        return _Own(tuple(names[0]), tuple(names[1]), tuple(places))


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the signals of each part lie among those of all."""

    names: tuple[str, ...]
    inputs: Slots
    outputs: Slots

    @staticmethod
    def of(system: System) -> Layout:
        """The layout of a drawing."""
        parts = system.parts.values()
        return Layout(
            tuple(system.parts),
            Slots.of([(p.name, p.description.inputs) for p in parts]),
            Slots.of([(p.name, p.description.outputs) for p in parts]),
        )


def numbered(names: Iterable[str]) -> dict[str, int]:
    """Each name with its place."""
    return {name: k for k, name in enumerate(names)}
