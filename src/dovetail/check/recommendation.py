"""One way to run a system, and why: an algorithm and windows.

From what is known before a run: what parts can do, how they depend on each other, and how strongly
they answer where they start. Nothing is timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from ..algorithms import Algorithm, GaussSeidel, Newton
from ..controllers import Controller, FixedStep, StepDoubling, bound
from ..core.brief import brief
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..subsystems.preferred_step import SupportsPreferredStep
from ..topology.components import Structure
from .advice import GENTLE, STRONG, Advice
from .default_algorithm import default_algorithm
from .shortfalls import shortfalls

WINDOWS = 500  # of a run, where nothing else is known
_RTOL, _ATOL = 1e-4, 1e-6  # of one window
_TIGHTER = 0.1  # tolerances of an iteration beside those of a window
_FIRST, _LEAST, _LARGEST = 1e-3, 1e-6, 0.02  # window sizes, as shares of a run


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An algorithm and a controller for a system, and why.

    The controller is None where no stop time is known, and a size would be a guess: a run then
    takes five hundred windows.
    """

    algorithm: Algorithm
    controller: Controller | None
    why: str

    @property
    def windows(self) -> str:
        """The controller as text."""
        return f"{WINDOWS} windows" if self.controller is None else brief(self.controller)

    def __str__(self) -> str:
        return f"{brief(self.algorithm)} with {self.windows}, because {self.why}"


def recommend(system: System, settings: RunSettings, advice: Sequence[Advice]) -> Recommendation:
    """What to run a system with; `settings` say how long, `advice` how strongly parts answer."""
    algorithm, reason = _algorithm(system, settings, advice)
    controller, windows = _windows(system, settings, algorithm, advice)
    if isinstance(controller, StepDoubling) and algorithm.repeats:
        # an iteration that is off by as much as a window may be would keep windows short
        algorithm = replace(algorithm, rtol=_TIGHTER * _RTOL, atol=_TIGHTER * _ATOL)
    return Recommendation(algorithm, controller, f"{reason}, and {windows}")


def _algorithm(
    system: System, settings: RunSettings, advice: Sequence[Advice]
) -> tuple[GaussSeidel | Newton, str]:
    usual, why = default_algorithm(system, settings.estimators)
    if isinstance(usual, Newton):
        return usual, why
    strongest = max(advice, key=lambda a: a.instant or 0.0, default=None)
    gain = strongest.instant or 0.0 if strongest else 0.0
    newton = Newton(inputs=usual.inputs)
    if strongest and usual.repeats and gain >= STRONG and not _lacking(system, newton, settings):
        names = " and ".join(strongest.parts) if len(strongest.parts) < 4 else "its parts"
        return newton, f"the loop of {names} has a gain of {gain:.2g} in windows of any size"
    loops = Structure.of(system).loops
    if loops and not usual.repeats and not _lacking(system, newton, settings):
        lags = "in one pass it lags by a window, and may grow"
        return newton, f"{' and '.join(loops[0])} form an algebraic loop: {lags}"
    order = tuple(name for one in advice for name in one.order)
    if not usual.repeats and order != tuple(name for name in system.parts if name in order):
        return replace(usual, order_of_parts=order), why
    return usual, why


def _windows(
    system: System, settings: RunSettings, algorithm: Algorithm, advice: Sequence[Advice]
) -> tuple[Controller | None, str]:
    span = None if settings.stop is None else settings.stop - (settings.start or 0.0)
    wanted = _wanted(system)
    if system.connections or system.junctions:
        adapting = _adapting(span)
        if wanted is None and not _lacking(system, algorithm, settings, adapting):
            return adapting, "every part can roll back, so that windows follow their error"
        why = "not every part can roll back, so that windows have one size"
    else:
        why = "nothing is exchanged, so that windows only say how often values are kept"
    drawn = settings.controller
    if wanted is not None:
        size, why = wanted[1], f"windows are those that '{wanted[0]}' asks for"
    elif isinstance(drawn, FixedStep):
        size, why = drawn.size, f"{why}, that of the drawing"
    else:
        size = inf if not span else span / WINDOWS
    most = _most(algorithm, advice)
    if most < size:
        return FixedStep(most), f"longer windows would have a loop gain above {_gain(algorithm):g}"
    return (None if size == inf else FixedStep(size)), why


def _adapting(span: float | None) -> StepDoubling:
    """Windows that follow their error, within what is sensible for a run of this length."""
    if not span:
        return StepDoubling(_RTOL, _ATOL)
    first, least, largest = (_rounded(share * span) for share in (_FIRST, _LEAST, _LARGEST))
    return StepDoubling(_RTOL, _ATOL, first_size=first, min_size=least, max_size=largest)


def _wanted(system: System) -> tuple[str, float] | None:
    """The shortest windows that a part asks for, and which part it is."""
    asked = [
        (size, name)
        for name, part in system.parts.items()
        if isinstance(part.model, SupportsPreferredStep)
        and (size := part.model.preferred_step) is not None
    ]
    return min(asked)[::-1] if asked else None


def _gain(algorithm: Algorithm) -> float:
    """The loop gain that an algorithm takes without harm."""
    return STRONG if algorithm.repeats else GENTLE


def _most(algorithm: Algorithm, advice: Sequence[Advice]) -> float:
    """The longest windows with that gain, which grows with them."""
    known = [a.window for a in advice if a.window is not None and a.window > 0]
    found = min(known, default=inf) * _gain(algorithm) / STRONG
    return _rounded(found)


def _rounded(size: float) -> float:
    """A size that is easily read."""
    return size if size == inf else float(f"{size:.2g}")


def _lacking(
    system: System,
    algorithm: Algorithm,
    settings: RunSettings,
    controller: Controller | None = None,
) -> bool:
    """Whether parts cannot be run like this."""
    pace = controller or FixedStep(1.0)
    try:
        bound(pace, system, Structure.of(system), algorithm)
    except OptionError:
        return True
    return bool(shortfalls(system, algorithm, pace, settings.estimators))
