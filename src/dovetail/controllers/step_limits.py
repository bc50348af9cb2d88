"""What a window may not do to a signal, and how long the next one may be: one class for each rule.

A rule is written as a text, `crossing tank.level controller.top atol=0.01`: its kind, the signals
it looks at, its options. `Constraints` holds several.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from math import floor, inf, sqrt
from typing import Any, ClassVar

from ..core.errors import OptionError, did_you_mean
from ..core.signals import Vector

_RELAX_STRONGLY, _RELAX, _TIGHTEN = 3.0, 1.2, 0.5
_TINY = 5e-324  # in place of a distance of zero
_GRID = 1e-9  # of an interval: rounding of an instant


@dataclass(frozen=True, slots=True, eq=False)
class SignalCourse:
    """The signals of one rule where a window ended, one and two windows before, and how they go."""

    now: Vector
    before: Vector
    earlier: Vector | None
    slopes: Vector  # first and second derivatives, by row
    errors: Vector  # what lines and parabolas missed of late, relative, by row
    size: float  # of the window
    free_size: float  # of the last window that a sampling instant did not cut


@dataclass(frozen=True, slots=True)
class DifferenceLimit:
    """A signal changes by no more than `atol` and by no more than a share `rtol` of it.

    Of several signals the distance of the largest and the smallest.
    """

    signals: tuple[str, ...]
    rtol: float = 1e-2
    atol: float = 1e-3
    safety: float = 0.0

    word: ClassVar[str] = "difference"
    fewest: ClassVar[int] = 1
    most: ClassVar[int] = 1000

    def is_violated(self, before: Vector, now: Vector) -> bool:
        """Whether a window went too far."""
        change, share = self._distances(before, now)
        return change > self.atol or share > self.rtol

    def factor(self, course: SignalCourse) -> float:
        """How much longer the next window may be, by the room that is left."""
        change, share = self._distances(course.before, course.now)
        return min(self._room(change, self.atol), self._room(share, self.rtol))

    def _distances(self, before: Vector, now: Vector) -> tuple[float, float]:
        if now.size == 1:
            change = abs(float(now[0] - before[0]))
            scale = max(abs(float(now[0])), abs(float(before[0])))
        else:
            change = float(now.max() - now.min())
            scale = max(abs(float(now.max())), abs(float(now.min())))
        return change, change / max(scale, _TINY)

    def _room(self, distance: float, tolerance: float) -> float:
        share = distance * (1 + self.safety) / tolerance
        for bound, factor in ((0.2, _RELAX_STRONGLY), (0.4, _RELAX), (0.6, 1.0)):
            if share <= bound:
                return factor
        return _TIGHTEN if distance <= tolerance else 0.01


@dataclass(frozen=True, slots=True)
class CrossingLimit:
    """A window that ends behind a zero ends within `atol` of it, or begins there.

    The signal is one, or the difference of two. Windows shrink towards the zero, foreseen by a
    line through the last two points or, at `order` 2, a parabola through three.
    """

    signals: tuple[str, ...]
    atol: float = 1e-3
    safety: float = 0.0
    order: int = 2

    word: ClassVar[str] = "crossing"
    fewest: ClassVar[int] = 1
    most: ClassVar[int] = 2

    def is_violated(self, before: Vector, now: Vector) -> bool:
        """Whether a window jumped over a zero."""
        a, b = self._value(before), self._value(now)
        return a * b <= 0 and min(abs(a), abs(b)) > self.atol

    def factor(self, course: SignalCourse) -> float:
        """How much longer the next window may be; 0 for the least size."""
        x, before = self._value(course.now), self._value(course.before)
        well, within = abs(x) < self.atol / 2, abs(x) < self.atol
        if x * before <= 0:
            if self._builds_up(course):
                return 1.0 if well else _TIGHTEN if within else 0.0
            return _RELAX if well else 1.0 if within else _TIGHTEN
        if abs(x) >= abs(before):
            return _RELAX_STRONGLY
        if within:
            return _RELAX if well else 1.0
        steps = self._steps(course) / (1 + self._missed(course) + self.safety)
        if steps <= 1:
            return steps
        for bound, factor in ((30.0, _RELAX_STRONGLY), (3.0, _RELAX), (1.8, 1.0)):
            if steps > bound:
                return factor
        return _TIGHTEN

    def _steps(self, course: SignalCourse) -> float:
        """In how many windows like the last one it is at zero."""
        x, before = self._value(course.now), self._value(course.before)
        slope, bend = (self._value(row) for row in course.slopes)
        if self.order == 1 or bend == 0:
            return abs(x) / max(abs(x - before), _TINY)
        p, q = slope / bend, 2 * x / bend
        inside = p * p - q
        if inside < 0:
            return inf
        roots = (-p - sqrt(inside), -p + sqrt(inside))
        return min((r for r in roots if r > 0), default=inf) / course.free_size

    def _builds_up(self, course: SignalCourse) -> bool:
        """Whether it swings over zero, farther each time."""
        if course.earlier is None:
            return False
        x, before, earlier = map(self._value, (course.now, course.before, course.earlier))
        return x * before < 0 <= x * earlier and abs(earlier) < abs(before) < abs(x)

    def _missed(self, course: SignalCourse) -> float:
        return float(course.errors[self.order - 1].max())

    def _value(self, values: Vector) -> float:
        return float(values[0] - values[1]) if values.size == 2 else float(values[0])


@dataclass(frozen=True, slots=True)
class SamplingLimit:
    """Windows end at `offset`, and then `every` so many seconds."""

    signals: tuple[str, ...]
    every: float = 1.0
    offset: float = 0.0

    word: ClassVar[str] = "sampling"
    fewest: ClassVar[int] = 0
    most: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if not self.every > 0:
            raise OptionError(f"sampling: every must be above zero, not {self.every:g}")

    def next_size(self, time: float) -> float:
        """How far the next instant is."""
        if time < self.offset - _GRID * self.every:
            return self.offset - time
        count = floor((time - self.offset) / self.every + _GRID) + 1
        return self.offset + count * self.every - time


StepLimit = DifferenceLimit | CrossingLimit | SamplingLimit
_KINDS = {kind.word: kind for kind in (DifferenceLimit, CrossingLimit, SamplingLimit)}


def step_limit(text: str) -> StepLimit:
    """The rule that a text says; OptionError where it says none."""
    try:
        word, *rest = shlex.split(text)
    except ValueError:
        raise OptionError(f"the limit {text!r} cannot be read") from None
    kind = _KINDS.get(word)
    if kind is None:
        hint = did_you_mean(word, _KINDS)
        raise OptionError(f"a limit begins with {', '.join(_KINDS)}, not {word!r}.{hint}")
    known = {n for n in kind.__dataclass_fields__ if n not in ("signals", "word", "fewest", "most")}
    options: dict[str, Any] = {}
    while rest and rest[-1].partition("=")[0] in known and "=" in rest[-1]:
        name, _, value = rest.pop().partition("=")
        try:
            options[name] = int(value) if name == "order" else float(value)
        except ValueError:
            raise OptionError(f"the limit {text!r}: {name} must be a number") from None
    if not kind.fewest <= len(rest) <= kind.most:
        raise OptionError(f"the limit {text!r} looks at {len(rest)} signals; {_shape(kind)}")
    if options.get("order", 1) not in (1, 2):
        raise OptionError(f"the limit {text!r}: order must be 1 or 2")
    for name in ("rtol", "atol"):
        if not options.get(name, 1.0) > 0:
            raise OptionError(f"the limit {text!r}: {name} must be above zero")
    return kind(tuple(rest), **options)


def _shape(kind: type[StepLimit]) -> str:
    if not kind.most:
        return "a sampling names none"
    return "a crossing takes one, or two to compare" if kind.most == 2 else "name one or more"


def limit_text(word: str, signals: tuple[str, ...], options: dict[str, float]) -> str:
    """A rule as a text."""
    given = (f"{name}={value:.17g}" for name, value in options.items())
    return " ".join([word, *map(shlex.quote, signals), *given])
