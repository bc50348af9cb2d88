"""Whether a run goes natively, and what stands against it: the one place that decides."""
# Over 250 lines: one decision, with every reason against it.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from ..core.obstacle import Obstacle
from ..core.signals import Shape
from ..drawing.alike import answers
from ..drawing.part import Part
from ..drawing.system import System
from ..estimators.base import substeps_of
from ..estimators.choice import EstimatorChoice, cannot_follow
from ..estimators.direct import Direct
from ..estimators.rollback import Rollback
from ..hosts.homes import Residence, residences
from ..junctions.bonds import bonds_of
from ..subsystems.batch import BatchRole, SupportsBatch, SupportsCubics
from ..topology.components import Structure
from .lock_step_decision import all_elsewhere, lock_step_obstacles

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm, Schedule
    from ..controllers.base import Controller

Level = Literal["windows", "hosts", "steps", "python"]


@runtime_checkable
class SupportsNativeWindows(Protocol):
    """A controller that need not see every window."""

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """What stands against windows that it does not see, if anything does."""


@dataclass(frozen=True, slots=True)
class NativeDecision:
    """How a run is made, with all that stands against native windows.

    Its `level`: "windows", many windows in one native call; "hosts", many windows that parts on
    other machines make side by side; "steps", windows from Python in which native code steps the
    parts `members` in one call; "python", all from Python.
    """

    members: tuple[int, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    schedule: Schedule | None = None  # of native windows
    lock_step: Schedule | None = None  # of parts on other machines that step side by side

    @property
    def level(self) -> Level:
        """How much of the run is native."""
        if self.schedule is not None:
            return "windows"
        if self.lock_step is not None:
            return "hosts"
        return "steps" if self.members else "python"

    @property
    def change(self) -> str:
        """The small change that would make the whole run native; nothing if it takes more."""
        changes = {o.change for o in self.obstacles}
        return changes.pop() if len(changes) == 1 else ""

    def __str__(self) -> str:
        if self.level == "windows":
            return "runs natively"
        if self.level == "hosts":
            return "runs between the machines of its parts"
        if self.level == "python":
            return f"runs from Python because {self.reasons}"
        count = len(self.members)
        some = "1 part" if count == 1 else f"{count} parts"
        return f"runs from Python, {some} stepped natively, because {self.reasons}"

    @property
    def reasons(self) -> str:
        """The obstacles in a sentence: one of each part, and parts with the same one together."""
        by_reason: dict[str, list[str]] = {}
        named = set[str]()
        for o in self.obstacles:
            if o.part not in named or not o.part:
                by_reason.setdefault(o.what, []).append(o.part)
                named.add(o.part)
        return "; ".join(_sentence(parts, what) for what, parts in by_reason.items())


def decide(
    system: System,
    structure: Structure,
    algorithm: Algorithm,
    controller: Controller,
    estimators: Mapping[str, EstimatorChoice],
) -> NativeDecision:
    """How this run is made: from the drawing, descriptions and choices, before anything lives."""
    members, found = native_members(system, structure, estimators, algorithm.inputs)
    if algorithm.inputs == "hermite" and _takes_inputs(algorithm):
        described = (p.description for p in system.parts.values())
        shape = "hold" if any(cannot_follow(d, "ramp") for d in described) else "ramp"
        models = (p.adapted for p in system.parts.values())
        cured = {o.what for m in models for o in _of_cubics(m, 1)} | {_NO_CUBICS}
        found = [
            replace(o, change=f"inputs='{shape}'") if o.what in cured and not o.change else o
            for o in found
        ]
    schedule = _schedule(algorithm, structure)
    if isinstance(schedule, Obstacle):
        found.append(schedule)
        iterates = algorithm.repeats
    else:
        iterates = schedule.iteration is not None
    if all_elsewhere(system):
        against = _of_controller(controller, iterates)
        found = lock_step_obstacles(system, structure, schedule, against, estimators)
        goes = None if found or isinstance(schedule, Obstacle) else schedule
        return NativeDecision((), tuple(dict.fromkeys(found)), lock_step=goes)
    found += _of_controller(controller, iterates)
    names = structure.layout.names
    again, roles = iterates or controller.rejects, _roles(system)
    leaving = [names[i] for i in members if roles[i] not in ("asked", "lent")]  # states are saved
    for i in members:
        choice, rolls_back = estimators[names[i]], bool(leaving) or roles[i] != "asked"
        alone = not found
        if leaving and roles[i] == "asked":
            found += _beside(leaving[0], names[i], choice)
        found += _in_a_run(names[i], choice, again, alone=alone, rolls_back=rolls_back)
    ports = (e for b in bonds_of(system, structure.layout) for e in b.ends if not system.junctions)
    if any(e.effort.size > _MOST_OF_PORT for e in ports):
        found.append(Obstacle("power passes between ports of many elements"))
    if found or isinstance(schedule, Obstacle):
        stepped = asked_natively(system, members, algorithm.inputs)
        return NativeDecision(stepped, tuple(dict.fromkeys(found)))
    return NativeDecision(members, (), schedule)


def native_members(
    system: System,
    structure: Structure,
    estimators: Mapping[str, EstimatorChoice],
    shape: Shape,
) -> tuple[tuple[int, ...], list[Obstacle]]:
    """The parts that native code can step, several in one call, and why the others are not in it.

    A part that cannot roll back stays apart where windows may be cut: it may have to go on ahead.
    Some are members of whole windows only; where inputs are cubics, all are.
    """
    parts = system.parts
    found = [] if parts else [Obstacle("it has no parts")]
    if system.junctions:
        found.append(Obstacle("parts meet at junctions"))
    if structure.routing.adds_up:
        found.append(Obstacle("an input adds up several sources"))
    hosted = residences(parts, system.run_settings.placement)
    early = [n for n, p in parts.items() if p.description.capabilities.can_return_early]
    members, whole = [], not found
    own = answers((part.adapted for part in parts.values()), _of_model)
    for i, (name, part) in enumerate(parts.items()):
        other = next((e for e in early[:2] if e != name), None)
        against = [*(_of_host(part, hosted[name]) if name in hosted else own[i])]
        against += _of_estimator(estimators[name], other, shape)
        if shape == "hermite" and name in hosted:
            against.append(Obstacle("lives in a host, where native windows know no cubics"))
        elif shape == "hermite" and not against:
            against += _of_cubics(part.adapted, substeps_of(estimators[name].estimator))
        found += [replace(o, part=name) for o in against]
        if not against:
            members.append(i)
    return tuple(members) if whole else (), found


_NO_CUBICS = "takes no cubics natively"
_MOST_OF_PORT = 7  # elements: NumPy adds up more in an order of its own
_LEAVE_OUT = "leave its estimator out"


def _of_model(model: object) -> Sequence[Obstacle]:
    if isinstance(model, SupportsBatch):
        return model.batch_obstacles
    return (Obstacle("is no FMU"),)


def _of_cubics(model: object, substeps: int) -> Sequence[Obstacle]:
    """What cubic inputs take of a part beside all else; `substeps`: of each of its steps."""
    if isinstance(model, SupportsCubics):
        return model.cubic_obstacles(substeps)
    return (Obstacle(_NO_CUBICS),)


def _of_host(part: Part, residence: Residence) -> Sequence[Obstacle]:
    """A host is asked natively about what it steps natively, unless it may be started again."""
    model = part.adapted
    if residence.options.restart:
        change = "leave restart= out of its placement"
        return (Obstacle("lives in a host that may be started again", change=change),)
    if part.tuned:
        return (Obstacle(f"lives in a host, and its parameter '{part.tuned[0]}' is connected"),)
    if isinstance(model, SupportsBatch) and model.batch_role != "asked":
        has_events = model.batch_role == "lent, rolls back"
        does = "has events" if has_events else "its equations are solved"
        return (Obstacle(f"lives in a host, and {does} there"),)
    return _of_model(model)


def _of_estimator(choice: EstimatorChoice, early: str | None, shape: Shape) -> list[Obstacle]:
    """Why a part with this estimator is asked from Python; `early`: who else may end windows."""
    estimator, found = choice.estimator, []
    change = _LEAVE_OUT if choice.given else ""
    if not isinstance(estimator, Direct | Rollback):
        return [Obstacle(f"is estimated by {type(estimator).__name__}", change=change)]
    if estimator.substeps > 1 and shape != "hermite":
        found.append(Obstacle("is stepped in substeps", change=change))
    if isinstance(estimator, Rollback) and estimator.predict:
        found.append(Obstacle("is forecast in each window", change=change))
    if isinstance(estimator, Direct) and early is not None:
        what = f"does not roll back, and '{early}' may end windows early"
        found.append(Obstacle(what, change=change))
    return found


def _in_a_run(
    name: str, choice: EstimatorChoice, again: bool, *, alone: bool, rolls_back: bool
) -> list[Obstacle]:
    """Native windows roll back with all parts when they are tried again or events may cut them."""
    estimator, change = choice.estimator, _LEAVE_OUT if choice.given else ""
    if again and isinstance(estimator, Direct):
        return [Obstacle("cannot be stepped again, as iterated windows do", name, change)]
    needless = not again and not rolls_back and isinstance(estimator, Rollback)
    if needless and (choice.given or alone):
        return [Obstacle("is to roll back, which a single pass does not", name, change)]
    return []


def asked_natively(system: System, members: Sequence[int], shape: Shape) -> tuple[int, ...]:
    """Those of these members that native code steps in windows from Python, too."""
    if shape == "hermite":
        return ()  # Python makes such windows by itself, derivatives and all
    roles = _roles(system)
    return tuple(i for i in members if roles[i] == "asked")


def _roles(system: System) -> list[BatchRole | None]:
    models = (p.adapted for p in system.parts.values())
    return answers(models, lambda m: m.batch_role if isinstance(m, SupportsBatch) else None)


def _beside(leaving: str, name: str, choice: EstimatorChoice) -> list[Obstacle]:
    """What stands against a part beside one that may leave windows."""
    if not isinstance(choice.estimator, Direct):
        return []
    what = f"is not rolled back, and '{leaving}' may leave a window to Python in its midst"
    return [Obstacle(what, name, f"estimators={{'{name}': dv.Rollback()}}")]


def _of_controller(controller: Controller, iterates: bool) -> list[Obstacle]:
    """What a controller declares; one that declares nothing is asked at every window."""
    if not isinstance(controller, SupportsNativeWindows):
        return [Obstacle(f"the controller {type(controller).__name__} judges each window")]
    against = controller.native_obstacle(iterates)
    return [] if against is None else [against]


def _schedule(algorithm: Algorithm, structure: Structure) -> Schedule | Obstacle:
    """The algorithm as data, unless its `step` is newer than its data."""
    name = type(algorithm).__name__
    by = [next(c for c in type(algorithm).__mro__ if m in vars(c)) for m in ("step", "schedule")]
    if by[0] is not by[1] and issubclass(*by):
        return Obstacle(f"the algorithm {name} has a step of its own")
    found = algorithm.schedule(structure)
    return Obstacle(f"the algorithm {name} has no native twin") if found is None else found


def _takes_inputs(algorithm: Algorithm) -> bool:
    return any(f.name == "inputs" for f in fields(algorithm))  # type: ignore[arg-type]


def _sentence(parts: Sequence[str], what: str) -> str:
    if not parts[0]:
        return what
    more = f" (and {len(parts) - 1} more)" if len(parts) > 1 else ""
    return f"part '{parts[0]}'{more} {what}"
