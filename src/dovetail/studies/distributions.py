"""What values a sample is drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import ndtri

from ..core.errors import OptionError
from ..core.options import check_number, worded
from ..core.signals import Vector


@runtime_checkable
class Distribution(Protocol):
    """Makes values of numbers that are spread evenly between 0 and 1."""

    def at(self, shares: Vector) -> list[Any]:
        """The values below which these shares of all lie."""
        ...


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every value between two limits is as likely as any other."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _check_limits("Uniform", self.low, self.high)

    def at(self, shares: Vector) -> list[float]:
        """The values below which these shares of all lie."""
        found: list[float] = (self.low + shares * (self.high - self.low)).tolist()
        return found


@dataclass(frozen=True, slots=True)
class LogUniform:
    """Every order of magnitude between two limits above zero is as likely as any other."""

    low: float
    high: float

    def __post_init__(self) -> None:
        check_number("the lower limit of LogUniform", self.low, above=0)
        _check_limits("LogUniform", self.low, self.high)

    def at(self, shares: Vector) -> list[float]:
        """The values below which these shares of all lie."""
        least, most = log(self.low), log(self.high)
        found: list[float] = np.exp(least + shares * (most - least)).tolist()
        return found


@dataclass(frozen=True, slots=True)
class Normal:
    """Values around a mean, with a standard deviation."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        check_number("the mean of Normal", self.mean)
        check_number("the deviation of Normal", self.deviation, above=0)

    def at(self, shares: Vector) -> list[float]:
        """The values below which these shares of all lie."""
        inside = np.clip(shares, 1e-16, 1 - 1e-16)  # Sobol's first point may be zero
        found: list[float] = (self.mean + self.deviation * ndtri(inside)).tolist()
        return found


@dataclass(frozen=True, slots=True, init=False)
class Choice:
    """One of several values, each as likely as any other."""

    options: tuple[Any, ...]

    def __init__(self, options: Iterable[Any]) -> None:
        given = None if isinstance(options, str) else tuple(options)
        if not given:
            raise OptionError(f"Choice takes a list of values, as in [1, 2], not {options!r}")
        object.__setattr__(self, "options", given)

    def at(self, shares: Vector) -> list[Any]:
        """The values below which these shares of all lie."""
        places = np.minimum((shares * len(self.options)).astype(int), len(self.options) - 1)
        return [self.options[k] for k in places]


def _check_limits(name: str, low: Any, high: Any) -> None:
    check_number(f"the lower limit of {name}", low)
    check_number(f"the upper limit of {name}", high)
    if not low < high:
        raise OptionError(f"the limits of {name} must rise: {low!r} is not below {high!r}")


worded(Uniform, LogUniform, Normal)
