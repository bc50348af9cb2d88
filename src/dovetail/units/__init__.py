"""Units of measure: reading them, and converting between them.

A unit is what FMI and SSP call a `BaseUnit`: exponents of kg, m, s, A, K, mol, cd and rad, a
factor and an offset. The radian is a base unit there, so that angles and cycles do not get lost:
`rpm` is 2 pi/60 rad/s and `Hz` is 2 pi rad/s, as in the table of the FMI standard.

Many tools leave the radian away all the same, and connect `rad` with `1`, `rad/s` or `Hz` with
`1/s`, `rpm` with `1/min`. That is accepted where one side has no radian at all and the other is
the same but for a radian or a full turn: the values then pass unchanged. Everything else that
differs in the radian (`deg` with `1`, `rpm` with `1/s`) could mean two things, and is refused.
"""

from .converting import UNCHANGED, Conversion, UnitMismatch, conversion, find
from .reading import parse
from .unit import BASE, Exponents, Unit, UnitError

__all__ = [
    "BASE",
    "UNCHANGED",
    "Conversion",
    "Exponents",
    "Unit",
    "UnitError",
    "UnitMismatch",
    "conversion",
    "find",
    "parse",
]
