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
        for part, variables in parts:
            before = len(reals), len(discrete)
            for v in variables:
                names = reals if v.is_real else discrete
                place[part, v.name] = len(names)
                names.extend(f"{part}.{scalar}" for scalar in v.scalars())
            sizes.append((len(reals) - before[0], len(discrete) - before[1]))
        spans = Span.sequence([s[0] for s in sizes], [s[1] for s in sizes])
        return Slots(spans, tuple(reals), tuple(discrete), place)


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
