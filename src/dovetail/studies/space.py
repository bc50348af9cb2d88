"""What is varied: lists make a grid, distributions are drawn together, and both multiply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.stats import qmc

from ..core.brief import brief
from ..core.errors import OptionError, did_you_mean
from ..core.options import check_whole
from ..core.signals import Vector
from .distributions import Distribution
from .points_file import points_from

Method = Literal["latin", "sobol", "random"]
METHODS = ("latin", "sobol", "random")
SAMPLE = "sample"  # the dimension of what is drawn
_LONGEST = 60  # letters of a label
Point = dict[str, Any]
Vary = Mapping[Any, Any] | str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of a study: what is varied along it, and for each place the values of all."""

    name: str
    entries: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def column(self, entry: str) -> list[Any]:
        """The values of one entry along it."""
        k = self.entries.index(entry)
        return [row[k] for row in self.rows]


@dataclass(frozen=True)
class Space:
    """All points of a study, counted with the last axis first; none is kept in memory."""

    axes: tuple[Axis, ...]
    drawn: Mapping[str, Any] = field(default_factory=dict)  # how, where anything was drawn

    @staticmethod
    def of(vary: Vary, samples: int | None, method: Method, seed: int) -> Space:
        """From what a user varies."""
        if method not in METHODS:
            hint = did_you_mean(str(method), METHODS)
            raise OptionError(f"method is 'latin', 'sobol' or 'random', not {method!r}.{hint}")
        if isinstance(vary, str | PathLike):
            vary = points_from(Path(vary))
        if not isinstance(vary, Mapping) or not vary:
            example = "{'car.m': [900, 1200]}"
            raise OptionError(f"say what is varied, as in {example}, not {vary!r}")
        listed: list[Axis] = []
        random: dict[str, Distribution] = {}
        for key, given in vary.items():
            if isinstance(given, Distribution) and not isinstance(given, type):
                random[_one_name(key)] = given
            else:
                listed.append(_axis(key, given))
        drawn = {"samples": samples, "method": method, "seed": seed} if random else {}
        if random:
            listed.append(_drawn(random, samples, method, seed))
        elif samples is not None:
            raise OptionError("samples= is for distributions such as dv.studies.Uniform(0, 1)")
        names = [name for axis in listed for name in axis.entries]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise OptionError(f"'{twice[0]}' is varied twice")
        return Space(tuple(listed), drawn)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many places each axis has."""
        return tuple(len(axis.rows) for axis in self.axes)

    @property
    def entries(self) -> list[str]:
        """All that is varied."""
        return [name for axis in self.axes for name in axis.entries]

    def stored(self) -> dict[str, Any]:
        """All of it as JSON values; what is no number or text by its label."""
        axes = [
            [axis.name, axis.entries, [[label(value) for value in row] for row in axis.rows]]
            for axis in self.axes
        ]
        return {"axes": axes, "drawn": dict(self.drawn)}

    @staticmethod
    def restored(axes: Any, drawn: Any) -> Space:
        """What `stored` has made; models and the like are labels."""
        found = ((n, tuple(e), tuple(map(tuple, rows))) for n, e, rows in axes)
        return Space(tuple(Axis(*one) for one in found), dict(drawn))

    def __len__(self) -> int:
        return prod(self.shape)

    def __getitem__(self, i: int) -> Point:
        """The values of run number i."""
        if not isinstance(i, Integral):
            raise OptionError(f"runs are known by their numbers, from 0 on, not by {i!r}")
        if not 0 <= i < len(self):
            raise IndexError(f"there are {len(self)} runs, numbered from 0; {i} is none of them")
        found: Point = {}
        for axis in reversed(self.axes):
            i, place = divmod(i, len(axis.rows))
            found |= zip(axis.entries, axis.rows[place], strict=True)
        return {name: found[name] for name in self.entries}

    def __iter__(self) -> Iterator[Point]:
        return (self[i] for i in range(len(self)))


def _axis(key: Any, given: Any) -> Axis:
    """A list of values, or for several names a list of rows."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        way = "a list, or a distribution such as dv.studies.Uniform(0, 1)"
        raise OptionError(f"'{key}' is varied over {way}, not {given!r}")
    values = [_plain(value) for value in given]
    if not values:
        raise OptionError(f"'{key}' is varied over an empty list")
    if not isinstance(key, tuple):
        return Axis(_one_name(key), (key,), tuple((value,) for value in values))
    names = tuple(_one_name(name) for name in key)
    for row in values:
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(names):
            raise OptionError(
                f"{names} are varied together: each row has {len(names)} values, not {row!r}"
            )
    return Axis(" & ".join(names), names, tuple(tuple(map(_plain, row)) for row in values))


def _drawn(
    random: Mapping[str, Distribution], samples: int | None, method: Method, seed: int
) -> Axis:
    if samples is None:
        some = next(iter(random))
        raise OptionError(f"'{some}' is drawn from a distribution: say how often, samples=100")
    check_whole("samples", samples)
    check_whole("seed", seed, least=0)
    shares = _shares(method, len(random), samples, seed)
    columns = [one.at(shares[:, k]) for k, one in enumerate(random.values())]
    return Axis(SAMPLE, tuple(random), tuple(zip(*columns, strict=True)))


def _shares(method: Method, n: int, samples: int, seed: int) -> Vector:
    """Points in the unit cube."""
    match method:
        case "random":
            return np.random.default_rng(seed).random((samples, n))
        case "sobol":
            power = max(samples - 1, 0).bit_length()  # a whole net, of which the first are taken
            return _array(qmc.Sobol(n, seed=seed).random_base2(power)[:samples])
        case _:
            return _array(qmc.LatinHypercube(n, seed=seed).random(samples))


def _array(found: Any) -> Vector:
    return np.asarray(found, dtype=float)


def _one_name(key: Any) -> str:
    if not isinstance(key, str) or not key.strip():
        raise OptionError(f"what is varied has a name such as 'car.m', not {key!r}")
    return key


def label(value: Any) -> Any:
    """A value as a table or a picture shows it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    text = brief(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's own, which compare and print as users write them."""
    return value.item() if isinstance(value, np.generic) else value
