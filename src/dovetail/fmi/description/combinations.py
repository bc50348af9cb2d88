"""Causality, variability and initial: which go together, and what is meant where one is missing."""

from __future__ import annotations

from typing import Literal, get_args

from ...xml.attributes import Attributes
from ...xml.types import FLOATS, Type
from .variable import Causality, Initial, Variability

_VARIABILITIES: tuple[Variability | Literal[""], ...] = get_args(Variability)
_INITIALS: tuple[Initial | Literal[""], ...] = get_args(Initial)
_PARAMETERS = ("parameter", "calculatedParameter", "structuralParameter")
_ALLOWED: dict[Causality, tuple[Variability, ...]] = {
    "parameter": ("fixed", "tunable"),
    "calculatedParameter": ("fixed", "tunable"),
    "structuralParameter": ("fixed", "tunable"),
    "input": ("discrete", "continuous"),
    "output": ("constant", "discrete", "continuous"),
    "local": ("constant", "fixed", "tunable", "discrete", "continuous"),
    "independent": ("continuous",),
}


def is_allowed(causality: Causality, variability: Variability) -> bool:
    """Whether FMI 2 and 3 let these go together."""
    return variability in _ALLOWED[causality]


def possible_initials(
    causality: Causality, variability: Variability, version: str
) -> tuple[Initial, ...]:
    """What `initial` may be, the default first."""
    if causality in ("parameter", "structuralParameter"):
        return ("exact",)
    if causality == "input":
        return ("exact",) if version == "3.0" else ()
    if causality == "independent":
        return ()
    if variability == "constant":
        return ("exact",)
    if causality == "calculatedParameter" or variability in ("fixed", "tunable"):
        return ("calculated", "approx")
    return ("calculated", "exact", "approx")


def default_variability(causality: Causality, type_: Type) -> Variability:
    """What FMI 3 takes for granted; FMI 2 always takes `continuous`, possible or not."""
    if causality in _PARAMETERS:
        return "fixed"
    return "continuous" if type_ in FLOATS else "discrete"


def variability(
    attributes: Attributes, causality: Causality, type_: Type, version: str
) -> Variability:
    """The variability that is written or meant."""
    default = default_variability(causality, type_)
    found = attributes.choice("variability", _VARIABILITIES, "")
    if not found:
        if version == "2.0" and default != "continuous":
            attributes.lenient("variability is missing, and 'continuous' cannot be meant")
        return default
    if found == "continuous" and type_ not in FLOATS:
        attributes.lenient(f"variability 'continuous' is not for {type_}, read as '{default}'")
        return default
    if not is_allowed(causality, found):
        attributes.lenient(f"causality '{causality}' does not go with variability '{found}'")
    return found


def initial(
    attributes: Attributes, causality: Causality, varies: Variability, version: str
) -> Initial | None:
    """The way of initialization that is written or meant."""
    possible = possible_initials(causality, varies, version)
    default: Initial | None = possible[0] if possible else None
    found = attributes.choice("initial", _INITIALS, "")
    if not found or found in possible:
        return found or default
    kept = len(possible) > 1
    attributes.lenient(
        f"initial '{found}' is not for causality '{causality}' with variability '{varies}'"
        + ("" if kept else ", ignored")
    )
    return found if kept else default
