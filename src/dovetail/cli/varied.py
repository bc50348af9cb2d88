"""`--set` of a study: lists, ranges and distributions, given on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DrawingError, OptionError

if TYPE_CHECKING:
    from ..drawing.system import System

_NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
_RANGE = re.compile(f"{_NUMBER}:{_NUMBER}")
_DISTRIBUTION = re.compile(f"(uniform|log_uniform|normal)\\({_NUMBER},{_NUMBER}\\)")
_DRAWN = re.compile(r"(uniform|log_uniform|normal)\(")
_COMMA = re.compile(r",(?![^\[(]*[\])])")  # none inside brackets


def varied(system: System, texts: Iterable[str], points: Path | None) -> dict[Any, Any]:
    """What `dv.sweep` is told: by name a list of values or a distribution; rows of a file."""
    from ..studies.points_file import points_from

    found: dict[Any, Any] = {}
    for text in texts:
        name, sign, given = (word.strip() for word in text.partition("="))
        if not (name and sign and given):
            examples = "car.m=900,1200, damper.d=500:5000 or pid.Kp=normal(3,0.1)"
            raise OptionError(f"--set '{text}': write part.name=values, such as {examples}")
        if name in found:
            raise OptionError(f"--set '{text}': '{name}' is varied already")
        try:
            found[name] = _values(system, name, given)
        except (OptionError, ValueError) as error:
            raise OptionError(f"--set '{text}': {error}") from None
    if points is not None:
        return {**points_from(points), **found}
    if not found:
        way = "--set car.m=900,1200, or --points with a CSV file"
        raise OptionError(f"say what is varied: {way}")
    return found


def _values(system: System, name: str, text: str) -> Any:
    from ..studies import LogUniform, Normal, Uniform

    if limits := _RANGE.fullmatch(text):
        return Uniform(*map(float, limits.groups()))
    if drawn := _DISTRIBUTION.fullmatch(text):
        kind = {"uniform": Uniform, "log_uniform": LogUniform, "normal": Normal}[drawn[1]]
        return kind(float(drawn[2]), float(drawn[3]))
    if wanted := _DRAWN.match(text):
        example = {"normal": "300,10"}.get(wanted[1], "1,10")
        raise OptionError(f"{wanted[1]} takes two numbers, as in {wanted[1]}({example})")
    words = [word.strip() for word in _COMMA.split(text)]
    if not all(words):
        raise OptionError("a value is missing between two commas, or at an end")
    return [_value(system, name, word) for word in words]


def _value(system: System, name: str, text: str) -> Any:
    """A value as its variable reads it; a part is an FMU, and all else a number or a text."""
    from ..drawing.given_values import variable_of
    from ..entry.values import full_name
    from ..formats.value_text import value_from_text

    if name in system.parts:
        return _model(name, text)
    try:
        return value_from_text(variable_of(system, full_name(system, name)), text)
    except DrawingError:
        try:
            return float(text)
        except ValueError:
            return text


def _model(name: str, text: str) -> Any:
    """Another model for a part."""
    from ..formats import load

    if not text.lower().endswith(".fmu"):
        example = f"{name}=a.fmu,b.fmu"
        raise OptionError(f"'{name}' is a part: its values are FMUs, as in {example}")
    return load(text)
