"""A run as plain numbers: what the kernel is told, and nothing that belongs to a process.

Members, signals, wires and groups are known by number. Function pointers, instances, threads, logs
and the memory of rows are not in it: whoever runs a plan binds them, by the same numbers.

docs/design/plan.md says what each field means; `SECTIONS` in layout.py how it is stored.
"""
# Over 250 lines: one format, a class for each of its sections.

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

from .section import PlanSection, Reals, References, Whole


class MemberKind(IntEnum):
    """What a member is."""

    CO_SIMULATION = 1
    MODEL_EXCHANGE = 2  # its equations and what solves them are bound to it


class Calls(IntFlag):
    """What a member is asked beside setting, stepping and getting."""

    ROLLBACK = 1  # its state is saved where a window opens, and restored
    DERIVATIVES = 2  # it is told derivatives of its inputs before a step (FMI 2)
    INSIDE = 4  # it asks for its inputs inside a step (FMI 3)
    EVENTS = 8  # its steps may end at events, and such a window is left (FMI 3)


class SolverKind(IntEnum):
    """How a cycle is solved."""

    SWEEPS = 0  # until two agree
    FIXED_POINT = 1
    NEWTON = 2
    AITKEN = 3
    ANDERSON = 4
    IQN_ILS = 5


class ControllerKind(IntEnum):
    """How long windows are."""

    FIXED = 0
    DOUBLING = 1  # by the difference of one step and two
    ADAPTIVE = 2  # by the convergence of iterations
    CHECKED = 3  # of one size, and their error is watched
    DEFECT = 4  # by what inputs were off by
    CUT = 5  # of one size, and cut where an iteration does not converge
    FOLLOWS = 6  # by the ends of the windows of another run, which are bound to it


@dataclass(frozen=True, slots=True, eq=False)
class SignalSection(PlanSection):
    """How many real outputs there are, and the values of all real inputs before a run."""

    outputs: int
    start: Reals


@dataclass(frozen=True, slots=True, eq=False)
class MemberSection(PlanSection):
    """The members, a row for each; `order`: the highest power of time inputs follow, -1 any."""

    kind: Whole
    version: Whole  # of FMI: 1, 2, 3
    calls: Whole
    order: Whole
    part: Whole  # its number among the parts of the system
    n_in: Whole  # scalars
    n_out: Whole
    in_at: Whole  # the first of them among those of all
    out_at: Whole
    n_in_refs: Whole  # variables, of which some may be arrays
    n_out_refs: Whole
    in_refs: References  # of all members, one after another
    out_refs: References


@dataclass(frozen=True, slots=True, eq=False)
class WireSection(PlanSection):
    """input[target] = gain * output[source] + offset, sorted by target."""

    target: Whole
    source: Whole
    gain: Reals
    offset: Reals


@dataclass(frozen=True, slots=True, eq=False)
class GridSection(PlanSection):
    """Windows lie along origin + k size, up to stop."""

    origin: float
    size: float
    stop: float


@dataclass(frozen=True, slots=True, eq=False)
class SchemeSection(PlanSection):
    """All at once, or one after another; the order of members; columns of inputs over a window."""

    sequential: int
    columns: int  # 1: held, 2: straight lines, 4: cubics
    order: Whole


@dataclass(frozen=True, slots=True, eq=False)
class RecordSection(PlanSection):
    """What is recorded: places among outputs, then inputs behind them."""

    places: Whole


@dataclass(frozen=True, slots=True, eq=False)
class ControllerSection(PlanSection):
    """How long windows are. With windows of one size nothing but the kind counts.

    `order` is that of the algorithm's error, or the steps over two windows of another run;
    `ranged`: errors are weighed by the ranges that signals have covered; `rejects`: every member
    rolls back; `stops`: at an error beyond the tolerance. `max_size` may be infinite.
    """

    kind: int
    order: int = 0
    ranged: int = 0
    rejects: int = 0
    stops: int = 0
    rtol: float = 0.0
    atol: float = 0.0
    first_size: float = 0.0
    min_size: float = 0.0
    max_size: float = 0.0
    safety: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class ExtrapolationSection(PlanSection):
    """Inputs follow polynomials of this order through the past.

    `weights`: for each lower order four rows of four, from powers of a time between 0 and 1 to the
    best powers up to that order.
    """

    order: int
    weights: Reals


@dataclass(frozen=True, slots=True, eq=False)
class SolverSection(PlanSection):
    """What solves cycles; `accept`: at the limit go on all the same."""

    kind: int
    limit: int
    accept: int
    fall_back_size: float


@dataclass(frozen=True, slots=True, eq=False)
class ConvergenceSection(PlanSection):
    """When iterates agree: the weighted root mean square of their difference is at most one."""

    rtol: float
    atol: float


@dataclass(frozen=True, slots=True, eq=False)
class CycleSection(PlanSection):
    """Members that depend on each other, in groups along the order; arrays one after another.

    With Newton's method cyclic groups say which inputs are moved (`moves`, `places`) and how their
    sparse Jacobian is filled and factored; in all others those counts are zero.
    """

    n_members: Whole
    cyclic: Whole
    n_targets: Whole
    n_coupling: Whole
    n_moves: Whole  # members whose inputs are moved: all of the group, or none
    n_values: Whole
    n_terms: Whole
    n_factor: Whole
    n_forward: Whole
    n_backward: Whole
    targets: Whole
    sources: Whole
    gains: Reals
    offsets: Reals
    coupling: Whole
    moves: Whole
    places: Whole
    diagonal: Whole
    row: Whole
    column: Whole
    term_row: Whole
    term_column: Whole
    term_change: Whole
    term_slot: Whole
    factor: Whole  # threes: target, left, right
    forward: Whole
    backward: Whole


@dataclass(frozen=True, slots=True, eq=False)
class FinderSection(PlanSection):
    """The options of a root finder, and which of the targets it looks for.

    `closing`: empty where all targets are unknown and members of a cycle are asked at once; else 1
    for each of those that close the cycle, and members are asked one after another.
    """

    relaxation: float  # of the first step; of a fixed point of all
    largest: float  # factor of Aitken's method
    filter: float  # of a column must be new
    depth: int  # past points that Anderson's method combines
    reused: int  # windows that IQN-ILS learns from
    closing: Whole


@dataclass(frozen=True, slots=True, eq=False)
class CubicSection(PlanSection):
    """With cubics, for each member: substeps of a step; 1 if it tells derivatives of its outputs.

    Members that follow cubics take one step, others hold their inputs over each of several.
    """

    substeps: Whole
    told: Whole


@dataclass(frozen=True, slots=True, eq=False)
class BondSection(PlanSection):
    """Ports between which power passes, bond by bond: what they take is noted of each window.

    A port takes gain times value plus offset of its inputs, and of the outputs beside them.
    """

    ports: Whole  # of each bond
    is_power: Whole  # 0: the flow itself is what counts
    sizes: Whole  # of each port
    inputs: Whole  # the first of them
    outputs: Whole
    shows_flow: Whole  # 1: its output is the flow
    given_gain: Reals
    given_offset: Reals
    shown_gain: Reals
    shown_offset: Reals


@dataclass(frozen=True, slots=True, eq=False)
class TunedSection(PlanSection):
    """Connected parameters: of each member the last so many of its inputs."""

    count: Whole  # scalars
    n_refs: Whole  # variables, of which some may be arrays


@dataclass(frozen=True, slots=True, eq=False)
class NameSection(PlanSection):
    """Names for people; nothing is done with them."""

    parts: tuple[str, ...] = ()  # of each member
    columns: tuple[str, ...] = ()  # of what is recorded


@dataclass(frozen=True, slots=True, eq=False)
class RunPlan(PlanSection):
    """A run; without `grid`, `scheme`, `recorded` and `controller` windows are asked for singly.

    `extrapolation` is there where inputs are extrapolated; `solver`, `convergence` and `cycles`
    where windows are iterated, `finder` where a root finder has options, `cubics` where inputs
    are cubics, `bonds` where power passes between ports, `tuned` where parameters are connected.
    """

    signals: SignalSection
    members: MemberSection
    wires: WireSection
    grid: GridSection | None = None
    scheme: SchemeSection | None = None
    recorded: RecordSection | None = None
    controller: ControllerSection | None = None
    extrapolation: ExtrapolationSection | None = None
    solver: SolverSection | None = None
    convergence: ConvergenceSection | None = None
    cycles: CycleSection | None = None
    finder: FinderSection | None = None
    cubics: CubicSection | None = None
    bonds: BondSection | None = None
    tuned: TunedSection | None = None
    names: NameSection = field(default_factory=NameSection)

    @property
    def is_run(self) -> bool:
        """Whether it says how windows are made, not only of whom."""
        return self.scheme is not None
