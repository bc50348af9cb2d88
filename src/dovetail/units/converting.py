"""Converting between units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose, pi

from .mistaken import mistaken
from .reading import parse
from .unit import Unit, UnitError, exact


class UnitMismatch(UnitError):
    """Two units that measure different things."""

    def __init__(self, source: Unit, target: Unit) -> None:
        ValueError.__init__(self, source, target)
        self.source = source
        self.target = target

    def __str__(self) -> str:
        a, b = self.source, self.target
        text = f"'{a.name or a}' is {a.dimension} but '{b.name or b}' is {b.dimension}"
        if _left_away(a, b):
            text += (
                "; whether angles count in radians or in turns is not known: "
                "give both units with 'rad', 'deg' or 'rev', or neither"
            )
        return text + mistaken(a, b)


@dataclass(frozen=True, slots=True)
class Conversion:
    """target value = factor * source value + offset."""

    factor: float = 1.0
    offset: float = 0.0

    def __call__(self, value: float) -> float:
        """A source value in the target unit."""
        return self.factor * value + self.offset


UNCHANGED = Conversion()


def conversion(
    source: str | Unit | None, target: str | Unit | None, *, relative: bool = False
) -> Conversion:
    """How values in one unit become values in another; `UnitMismatch` if they cannot.

    Where a unit is missing on one side (None, or an empty text) values pass unchanged, as FMI
    has it. So they do where both units are the same to nine digits. Offsets do not count for a
    relative quantity, such as a difference of temperatures.
    """
    if source is None or target is None or source == "" or target == "":
        return UNCHANGED
    a = parse(source) if isinstance(source, str) else source
    b = parse(target) if isinstance(target, str) else target
    if a.exponents != b.exponents:
        a, b = _reconciled(a, b)
    same = isclose(a.factor, b.factor)
    shifted = not (relative or isclose(a.offset, b.offset))
    unit = exact(b.factor)
    return Conversion(
        1.0 if same else float(exact(a.factor) / unit),
        float((exact(a.offset) - exact(b.offset)) / unit) if shifted else 0.0,
    )


def find(text: str | None, definitions: Mapping[str, Unit]) -> Unit | None:
    """The unit of this name: as a model defines it itself, or else as it reads."""
    if not text:
        return None
    return definitions[text] if text in definitions else parse(text)


def _left_away(a: Unit, b: Unit) -> bool:
    """Whether the units are the same but for radians, and one of them has none."""
    same = a.exponents[:-1] == b.exponents[:-1]
    return same and (a.exponents[-1] == 0) != (b.exponents[-1] == 0)


def _reconciled(a: Unit, b: Unit) -> tuple[Unit, Unit]:
    """Both units with the radians that one has left away; `UnitMismatch` if that is not it."""
    if not _left_away(a, b):
        raise UnitMismatch(a, b)
    plain, angular = (a, b) if b.exponents[-1] else (b, a)
    meant = _as_named(plain)
    if meant.exponents != angular.exponents:
        turns = (2 * pi) ** angular.exponents[-1]
        if not any(isclose(angular.factor, plain.factor * angle) for angle in (1.0, turns)):
            raise UnitMismatch(a, b)
        meant = angular
    return (meant, b) if plain is a else (a, meant)


def _as_named(unit: Unit) -> Unit:
    """What the name says: a model may call a unit `Hz` and define it as 1/s."""
    try:
        return parse(unit.name) if unit.name else unit
    except UnitError:
        return unit
