"""What a unit is: exponents of the base units, a factor and an offset."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
Exponents = tuple[int, int, int, int, int, int, int, int]


class UnitError(ValueError):
    """A unit that cannot be read."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text, reason)
        self.text = text
        self.reason = reason

    def __str__(self) -> str:
        return f"the unit '{self.text}' cannot be read: {self.reason}"


@dataclass(frozen=True, slots=True)
class Unit:
    """Exponents of the base units, a factor and an offset.

    value in base units = factor * value + offset. The name is there for messages.
    """

    exponents: Exponents = (0, 0, 0, 0, 0, 0, 0, 0)
    factor: float = 1.0
    offset: float = 0.0
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.factor == 0 or not isfinite(self.factor) or not isfinite(self.offset):
            raise UnitError(self.name, "its factor is zero, or a number is not finite")

    @staticmethod
    def of(name: str = "", *, factor: float = 1.0, offset: float = 0.0, **exponents: int) -> Unit:
        """A unit from the exponents that are not zero: `Unit.of("N", kg=1, m=1, s=-2)`."""
        for unknown in exponents.keys() - set(BASE):
            raise UnitError(name, f"'{unknown}' is not one of {', '.join(BASE)}")
        kg, m, s, a, k, mol, cd, rad = (exponents.get(base, 0) for base in BASE)
        return Unit((kg, m, s, a, k, mol, cd, rad), factor, offset, name)

    @property
    def dimension(self) -> str:
        """What it measures, in base units: `kg.m/s2`."""
        powers = list(zip(BASE, self.exponents, strict=True))
        above = ".".join(_power(base, e) for base, e in powers if e > 0) or "1"
        below = [_power(base, -e) for base, e in powers if e < 0]
        if not below:
            return above
        return f"{above}/{below[0]}" if len(below) == 1 else f"{above}/({'.'.join(below)})"

    def __str__(self) -> str:
        """The definition, in a form that `parse` reads: `0.5555555555555556*K + 255.37`."""
        factor = "" if self.factor == 1 else f"{self.factor!r}*"
        offset = f" {'-' if self.offset < 0 else '+'} {abs(self.offset)!r}" if self.offset else ""
        return f"{factor}{self.dimension}{offset}"

    def __mul__(self, other: Unit) -> Unit:
        """The product. Offsets are dropped: in `J/degC` only differences count."""
        return _product(self, other, 1)

    def __truediv__(self, other: Unit) -> Unit:
        """The quotient. Offsets are dropped."""
        return _product(self, other, -1)

    def __pow__(self, power: int) -> Unit:
        """A whole power. The offset is dropped, except by the power of one."""
        return self if power == 1 else _product(Unit(), self, power)


def _product(a: Unit, b: Unit, power: int) -> Unit:
    kg, m, s, i, k, mol, cd, rad = (
        p + power * q for p, q in zip(a.exponents, b.exponents, strict=True)
    )
    factor = float(exact(a.factor) * exact(b.factor) ** power)
    if factor == 0:
        raise OverflowError
    return Unit((kg, m, s, i, k, mol, cd, rad), factor)


def exact(number: float) -> Fraction:
    """The fraction or decimal that was meant: 5/18 m/s for km/h, a thousandth for 0.001.

    So that m/s to km/h is 3.6, and m3 to mm3 a round 1e9.
    """
    simple = Fraction(number).limit_denominator(1_000_000)
    return simple if float(simple) == number else Fraction(repr(float(number)))


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}{exponent}"
