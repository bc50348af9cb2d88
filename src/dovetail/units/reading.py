"""Reading a unit from a text."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache

from .symbols import POWERS_OF_TEN, WITH_PREFIX, WITHOUT_PREFIX, WORDS, entries
from .unit import BASE, Unit, UnitError


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
    """Reads one unit by recursive descent. `kind` and `value` are those of the next token."""

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
                bare = self.text.strip("[] ")
                hint = f"; write '{bare}'" if self.text.strip() == f"[{bare}]" else ""
                raise UnitError(self.text, f"'{rest}' is no part of a unit{hint}")
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
    hint = f". Did you mean '{near}'?" if near else "; multiples of others are, as in '201.168*m'"
    raise UnitError(text, f"'{symbol}' is not a known unit{hint}")


def _nearest(symbol: str) -> str | None:
    """What may have been meant: another case, a word, or a slip of the finger."""
    prefixed = [prefix + stem for prefix in "kmMcunGh" for stem in _PREFIXABLE]
    spellings = [*_KNOWN, *prefixed]
    folded = symbol.casefold()
    word = _MEANT.get(folded) or _MEANT.get(folded.removesuffix("s"))
    if word is not None:
        return word
    same = [spelling for spelling in spellings if spelling.casefold() == folded]
    if same:
        return max(same, key=lambda s: sum(a == b for a, b in zip(s, symbol, strict=False)))
    close = get_close_matches(symbol, spellings, n=1)
    return close[0] if close else None


_PREFIXES = {prefix: float(f"1e{power}") for prefix, power in entries(POWERS_OF_TEN)}
_MEANT = dict(entries(WORDS))
_PREFIXABLE = (*BASE[1:], *dict(entries(WITH_PREFIX)))
_KNOWN = {base: Unit.of(base, **{base: 1}) for base in BASE}
_KNOWN["degC"] = Unit.of("degC", K=1, offset=273.15)
_KNOWN["degF"] = Unit.of("degF", K=1, factor=5 / 9, offset=45967 / 180)
for _entry, _definition in entries(WITH_PREFIX + WITHOUT_PREFIX):  # each uses those before it
    _KNOWN[_entry] = replace(parse(_definition), name=_entry)
