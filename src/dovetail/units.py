"""Units of measure: reading them, and converting between them.

A unit is what FMI and SSP call a `BaseUnit`: exponents of kg, m, s, A, K, mol, cd and rad, a
factor and an offset. The radian is a base unit there, so that angles and cycles do not get lost:
`rpm` is 2 pi/60 rad/s and `Hz` is 2 pi rad/s, as in the table of the FMI standard.

Many tools leave the radian away all the same, and connect `rad` with `1`, `rad/s` or `Hz` with
`1/s`, `rpm` with `1/min`. That is accepted where one side has no radian at all and the other is
the same but for a radian or a full turn: the values then pass unchanged. Everything else that
differs in the radian (`deg` with `1`, `rpm` with `1/s`) could mean two things, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from math import isclose, isfinite, pi

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


class UnitMismatch(UnitError):
    """Two units that measure different things."""

    def __init__(self, source: Unit, target: Unit) -> None:
        ValueError.__init__(self, source, target)
        self.source = source
        self.target = target

    def __str__(self) -> str:
        a, b = self.source, self.target
        told = f"'{a.name or a}' is {a.dimension} but '{b.name or b}' is {b.dimension}"
        if _left_away(a, b):
            told += (
                "; whether angles count in radians or in turns cannot be told: "
                "give both units with 'rad', 'deg' or 'rev', or neither"
            )
        return told


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
    unit = _exact(b.factor)
    return Conversion(
        1.0 if same else float(_exact(a.factor) / unit),
        float((_exact(a.offset) - _exact(b.offset)) / unit) if shifted else 0.0,
    )


def find(text: str | None, definitions: Mapping[str, Unit]) -> Unit | None:
    """The unit of this name: as a model defines it itself, or else as it reads."""
    if not text:
        return None
    return definitions[text] if text in definitions else parse(text)


@lru_cache(maxsize=1024)
def parse(text: str) -> Unit:
    """The unit that a text names.

    `N.m/rad`, `kg*m2/s2`, `m s-1`, `W/(m2.K)`, `m^2` and `m**2` are all read. A product below
    the line needs parentheses: `J/kg.K` is ambiguous, and refused as Modelica does; `J/kg/K` is
    read from left to right. A symbol is first looked for as it stands and then with a prefix:
    `min` is a minute, `cd` a candela, `Pa` a pascal.
    """
    whole = text.strip().translate(_PLAIN)
    if whole in _NO_UNIT:
        return Unit(name=text)
    shifted = _OFFSET.fullmatch(whole)
    reader = _Reader(text, shifted[1] if shifted else whole)
    try:
        unit = reader.expression()
        if reader.kind:
            raise reader.error("a multiplication sign or the end")
        offset = float(shifted[2] + shifted[3]) if shifted else 0.0
        return replace(unit, offset=unit.offset + offset, name=text)
    except (OverflowError, ZeroDivisionError):
        raise UnitError(text, "its factor is too large or too small") from None


# Reading -----------------------------------------------------------------------------------

_NO_UNIT = frozenset(["", "-", "p.u."])
_PLAIN = str.maketrans(
    {
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)),
        **dict.fromkeys("·⋅×", "*"),  # noqa: RUF001
        **dict.fromkeys("µ\u03bc", "u"),
        **dict.fromkeys("\u03a9\u2126", "Ohm"),
        "°": "deg",
    }
)
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_OFFSET = re.compile(rf"(.+?)\s([+-])\s({_NUMBER})")
_TOKEN = re.compile(
    rf"""(?P<number>{_NUMBER}) | (?P<symbol>[^\W\d]+|%) | (?P<times>\*(?!\*)|\.) | (?P<over>/)
    | (?P<open>\() | (?P<close>\))""",
    re.VERBOSE,
)
_POWER = re.compile(r"(\^|\*\*)?([+-]?\d+(?:\.\d+)?|\([+-]?\d+(?:[./]\d+)?\))")
_LARGEST_POWER = 99


class _Reader:
    """Reads one unit by recursive descent. `kind` and `value` tell what comes next."""

    def __init__(self, text: str, rest: str) -> None:
        self.text = text
        self.rest = rest
        self.next()

    def next(self) -> None:
        """Go on to what comes next."""
        rest = self.rest.lstrip()
        self.spaced = len(rest) < len(self.rest)
        self.kind = self.value = ""
        self.rest = rest
        if rest:
            found = _TOKEN.match(rest)
            if not found:
                raise UnitError(self.text, f"'{rest}' is no part of a unit")
            self.kind = str(found.lastgroup)
            self.value = found[0]
            self.rest = rest[found.end() :]

    def error(self, expected: str) -> UnitError:
        """What should have come next, and what did."""
        found = f"'{self.value}' follows" if self.kind else "there it ends"
        return UnitError(self.text, f"{expected} should follow, but {found}")

    def expression(self) -> Unit:
        """Factors with `.`, `*` or a blank between them; then others with `/` before each."""
        unit, divided = self.factor(), False
        while True:
            if self.kind == "over":
                self.next()
                unit, divided = unit / self.factor(), True
            elif self.kind == "times" or (self.spaced and self.kind not in ("", "close")):
                if divided:
                    reason = "a product after '/' needs parentheses, as in 'J/(kg.K)'"
                    raise UnitError(self.text, reason)
                if self.kind == "times":
                    self.next()
                unit = unit * self.factor()
            else:
                return unit

    def factor(self) -> Unit:
        """A symbol, a number, or an expression in parentheses; then its power."""
        if self.kind == "open":
            self.next()
            unit = self.expression()
            if self.kind != "close":
                raise self.error("')'")
        elif self.kind == "number":
            unit = Unit(factor=float(self.value), name=self.text)
        elif self.kind == "symbol":
            unit = _symbol(self.text, self.value)
        else:
            raise self.error("a unit")
        power = self.power()
        self.next()
        return unit**power

    def power(self) -> int:
        """The exponent right here, if there is one. That of a number needs a sign for power."""
        found = _POWER.match(self.rest)
        if not found or not (found[1] or (self.kind != "number" and found[2][0] != "(")):
            return 1
        self.rest = self.rest[found.end() :]
        exponent = Fraction(found[2].strip("()"))
        if exponent.denominator != 1 or abs(exponent) > _LARGEST_POWER:
            reason = f"exponents must be whole and at most {_LARGEST_POWER}"
            raise UnitError(self.text, reason)
        return int(exponent)


def _symbol(text: str, symbol: str) -> Unit:
    """The unit of a symbol, first as it stands, then with a prefix."""
    if symbol in _KNOWN:
        return _KNOWN[symbol]
    for length in (1, 2):
        prefix, stem = symbol[:length], symbol[length:]
        if prefix in _PREFIXES and stem in _PREFIXABLE:
            return Unit(factor=_PREFIXES[prefix]) * _KNOWN[stem]
    near = _nearest(symbol)
    hint = f". Did you mean '{near}'?" if near else ""
    raise UnitError(text, f"'{symbol}' is not a known unit{hint}")


def _nearest(symbol: str) -> str | None:
    """What may have been meant: another case, a word, or a slip of the finger."""
    prefixed = [prefix + stem for prefix in "kmMcunGh" for stem in _PREFIXABLE]
    spellings = [*_KNOWN, *prefixed]
    folded = symbol.casefold()
    same = [spelling for spelling in spellings if spelling.casefold() == folded]
    if same:
        return max(same, key=lambda s: sum(a == b for a, b in zip(s, symbol, strict=False)))
    close = get_close_matches(symbol, spellings, n=1)
    return _MEANT.get(folded) or (close[0] if close else None)


# Calculating -------------------------------------------------------------------------------


def _product(a: Unit, b: Unit, power: int) -> Unit:
    kg, m, s, i, k, mol, cd, rad = (
        p + power * q for p, q in zip(a.exponents, b.exponents, strict=True)
    )
    factor = float(_exact(a.factor) * _exact(b.factor) ** power)
    if factor == 0:
        raise OverflowError
    return Unit((kg, m, s, i, k, mol, cd, rad), factor)


def _exact(number: float) -> Fraction:
    """The fraction or decimal that was meant: 5/18 m/s for km/h, a thousandth for 0.001.

    So that m/s to km/h is 3.6, and m3 to mm3 a round 1e9.
    """
    simple = Fraction(number).limit_denominator(1_000_000)
    return simple if float(simple) == number else Fraction(repr(float(number)))


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}{exponent}"


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


# What is known -----------------------------------------------------------------------------

_POWERS_OF_TEN = """
    Q = 30  R = 27  Y = 24  Z = 21  E = 18  P = 15  T = 12  G = 9   M = 6   k = 3   h = 2   da = 1
    q = -30 r = -27 y = -24 z = -21 a = -18 f = -15 p = -12 n = -9  u = -6  m = -3  c = -2  d = -1
"""

_WITH_PREFIX = """
    g = 0.001*kg        rev = 6.283185307179586*rad     Hz = rev/s      N = kg.m/s2
    Pa = N/m2           J = N.m         W = J/s         C = A.s         V = W/A
    F = C/V             Ohm = V/A       ohm = Ohm       S = A/V         Wb = V.s
    T = Wb/m2           H = Wb/A        sr = 1          lm = cd         lx = lm/m2
    Bq = 1/s            Gy = J/kg       Sv = J/kg       kat = mol/s     eV = 1.602176634e-19*J
    l = 0.001*m3        L = l           t = 1000*kg     bar = 100000*Pa
    VA = W              var = W         Wh = 3600*J     Ws = J          Ah = 3600*C
    As = C              Vs = Wb         Nm = N.m        cal = 4.184*J
    P = 0.1*Pa.s        St = 0.0001*m2/s
"""

_WITHOUT_PREFIX = """
    min = 60*s          h = 60*min      d = 24*h        a = 365.25*d
    deg = rev/360       gon = rev/400   arcmin = deg/60     arcsec = deg/3600
    rpm = rev/min       rps = rev/s     % = 0.01        ppm = 1e-6      ppb = 1e-9
    pu = 1              ha = 10000*m2   in = 0.0254*m   inch = in       ft = 12*in
    yd = 3*ft           mi = 1760*yd    nmi = 1852*m    kn = nmi/h      mph = mi/h
    gn = 9.80665*m/s2   kgf = 9.80665*N                 lb = 0.45359237*kg
    lbm = lb            oz = lb/16      lbf = 4.4482216152605*N         slug = lbf.s2/ft
    psi = lbf/in2       atm = 101325*Pa                 Torr = atm/760
    mmHg = 133.322387415*Pa             hp = 550*ft.lbf/s               PS = 735.49875*W
    Btu = 1055.05585262*J               BTU = Btu       debye = 3.33564095198152e-30*C.m
    degRk = 0.5555555555555556*K
"""

_WORDS = """
    sec = s     hr = h      hour = h    day = d     year = a    amp = A     volt = V
    kph = km/h  kmh = km/h  mps = m/s   celsius = degC          fahrenheit = degF
    meter = m   metre = m   gram = g    kelvin = K  newton = N  pascal = Pa
    joule = J   watt = W    degree = deg            degrees = deg           radian = rad
"""


def _entries(table: str) -> list[tuple[str, str]]:
    """The pairs `symbol = definition` of a table."""
    words = table.split()
    return list(zip(words[::3], words[2::3], strict=True))


_PREFIXES = {prefix: float(f"1e{power}") for prefix, power in _entries(_POWERS_OF_TEN)}
_MEANT = dict(_entries(_WORDS))
_PREFIXABLE = (*BASE[1:], *dict(_entries(_WITH_PREFIX)))
_KNOWN = {base: Unit.of(base, **{base: 1}) for base in BASE}
_KNOWN["degC"] = Unit.of("degC", K=1, offset=273.15)
_KNOWN["degF"] = Unit.of("degF", K=1, factor=5 / 9, offset=45967 / 180)
for _entry, _definition in _entries(_WITH_PREFIX + _WITHOUT_PREFIX):  # each uses those before it
    _KNOWN[_entry] = replace(parse(_definition), name=_entry)
