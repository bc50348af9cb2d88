"""Which estimator a part gets if the user names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..core.description import Description
from ..core.errors import OptionError, did_you_mean
from ..core.signals import Shape
from ..drawing.alike import Likes
from ..drawing.system import System
from ..topology.components import Structure
from ..topology.junction_groups import groups_of
from .base import Estimator, substeps_of
from .costarica import Costarica
from .direct import Direct
from .identified import Identified
from .rollback import Rollback

ORDERS: dict[Shape, int] = {"hold": 0, "ramp": 1, "hermite": 3}
SUBSTEPS = 10  # of a window, for a part that cannot follow cubics


@runtime_checkable
class UsesForecasts(Protocol):
    """An algorithm that wants forecasts even of parts that can roll back."""

    @property
    def predicts(self) -> bool:
        """Whether it does."""


@runtime_checkable
class SolvesJunctions(Protocol):
    """An algorithm that can find the unknowns of junctions inside a window."""

    @property
    def solves_junctions(self) -> bool:
        """Whether it does; with Hermite inputs no part does."""


@runtime_checkable
class SupportsInputsKnownAhead(Protocol):
    """An algorithm whose inputs may not depend on where a window ends."""

    @property
    def known_ahead(self) -> bool:
        """Whether they do not."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a run asks of its parts."""

    iterates: bool = False  # parts of a cycle are asked about one window repeatedly
    rolls_back: bool = False  # whole windows may be rolled back
    predicts: bool = False  # forecasts are wanted even of parts that can roll back
    shape: Shape = "hold"  # of the inputs over a window
    solves_junctions: bool = False  # their unknowns are found inside a window
    known_ahead: bool = False  # inputs do not depend on where a window ends

    @staticmethod
    def of(algorithm: Any, controller: Any) -> Needs:
        """Those of an algorithm and a controller together."""
        shape = algorithm.inputs
        predicts = isinstance(algorithm, UsesForecasts) and algorithm.predicts
        solves = isinstance(algorithm, SolvesJunctions) and algorithm.solves_junctions
        solves = solves and shape != "hermite"
        known_ahead = isinstance(algorithm, SupportsInputsKnownAhead) and algorithm.known_ahead
        return Needs(algorithm.repeats, controller.rejects, predicts, shape, solves, known_ahead)


@dataclass(frozen=True, slots=True)
class EstimatorChoice:
    """The estimator of one part, and why it is this one; `given`: the user named it."""

    estimator: Estimator
    why: str
    given: bool = False


def choose_estimators(
    system: System,
    given: Mapping[str, Estimator] | None,
    needs: Needs,
    structure: Structure | None = None,
) -> dict[str, EstimatorChoice]:
    """An estimator for each part: the one given, or the best its capabilities allow."""
    wanted, parts = dict(given or {}), system.parts
    for name in wanted:
        if name not in parts:
            raise OptionError(
                f"estimators names a part '{name}' that is not in the system."
                f"{did_you_mean(name, parts)}"
            )
    structure = structure or Structure.of(system)
    same = structure.likes
    early = _returning_early(same)
    alone = _alone(system, same, early, needs)
    always = needs.iterates or needs.rolls_back
    names = structure.layout.names
    cyclic = {names[i] for c in structure.components if c.cyclic for i in c.parts}
    if needs.solves_junctions:
        cyclic |= _solved_at_junctions(system, structure)
    found: dict[str, EstimatorChoice] = {}
    for likes in same:
        made: dict[tuple[bool, bool], EstimatorChoice] = {}
        for name in likes.names:
            back = always or len(early) > (name in alone)
            asked = needs.iterates and name in cyclic
            if (back, asked) not in made:
                made[back, asked] = _auto(likes.description, needs, back, asked)
            found[name] = made[back, asked]
    for name, estimator in wanted.items():
        if estimator is not None:
            found[name] = EstimatorChoice(estimator, "it was given", given=True)
    return found if len(same) == 1 else {name: found[name] for name in parts}


def _returning_early(same: Sequence[Likes]) -> set[str]:
    """Parts whose events may end a window."""
    able = (likes for likes in same if likes.description.capabilities.can_return_early)
    return {name for likes in able for name in likes.names}


def _alone(system: System, same: Sequence[Likes], early: set[str], needs: Needs) -> set[str]:
    """Of these, those whose own event takes them nowhere: what they did up to there stands."""
    if not early or needs.known_ahead:
        return early
    fed = {c.target.part for c in system.connections} if not system.junctions else early
    free = (likes for likes in same if not likes.description.inputs)
    return (early - fed) | early.intersection(name for likes in free for name in likes.names)


def _solved_at_junctions(system: System, structure: Structure) -> set[str]:
    """Parts of junctions worth solving inside a window: all roll back, or are linearized."""
    found = set[str]()
    for group in groups_of(system, structure.layout) if system.junctions else ():
        if group.coordinator is None:
            parts = {t.end.part for t in group.touches}
            abilities = [system.parts[name].description.capabilities for name in parts]
            if all(a.can_answer_again or a.can_linearize for a in abilities):
                found |= parts
    return found


def cannot_follow(description: Description, shape: Shape) -> bool:
    """Whether inputs of this shape are beyond a part."""
    highest = description.capabilities.input_order
    return bool(description.inputs) and highest is not None and highest < ORDERS[shape]


def announced(chosen: Mapping[str, EstimatorChoice]) -> list[str]:
    """Messages about automatic choices that are out of the ordinary."""
    lines: dict[str, list[str]] = {}
    for name, choice in chosen.items():
        if choice.given:
            continue
        substeps = substeps_of(choice.estimator)
        if isinstance(choice.estimator, Costarica | Identified):
            kind = type(choice.estimator).__name__
            lines.setdefault(f"estimated by dv.{kind}(), because {choice.why}", []).append(name)
        if substeps > 1:
            why = "inputs there cannot follow cubics"
            lines.setdefault(f"stepped in {substeps} substeps, because {why}", []).append(name)
    return [f"{_listed(names)}: {line}" for line, names in lines.items()]


def _auto(description: Description, needs: Needs, back: bool, asked: bool) -> EstimatorChoice:
    """Rollback only where a part may have to roll back: saving a state has its price."""
    able = description.capabilities
    cut = needs.shape == "hermite" and able.can_vary_size and cannot_follow(description, "hermite")
    substeps = SUBSTEPS if cut else 1
    again = able.can_restore or (able.can_answer_again and substeps == 1)
    if back and again:
        predict = needs.predicts and asked and able.can_linearize
        return EstimatorChoice(Rollback(predict, substeps), "it can roll back")
    if asked and able.can_linearize:
        why = "it cannot roll back, but can be linearized"
        return EstimatorChoice(Costarica(substeps=substeps), why)
    if asked:
        why = "it can neither roll back nor be linearized"
        return EstimatorChoice(Identified(substeps=substeps), why)
    return EstimatorChoice(Direct(substeps), "it is asked once a window")


def _listed(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return ", ".join(quoted[:3]) + (f" and {len(quoted) - 3} more" if len(quoted) > 3 else "")
