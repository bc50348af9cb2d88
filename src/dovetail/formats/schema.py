"""The shape of a drawing in a YAML file."""
# Over 250 lines: one table, everything that a file may say.

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from ..core.calendar import Calendar
from ..drawing.run_settings import RunSettings
from ..hosts.placement import HostOptions, Isolated, LocalHost, Placement
from .choices import FILE, INLINE, STRICT, choice
from .families import ALGORITHMS, CONTROLLERS, COORDINATORS, ESTIMATORS
from .layout import LookEntry

if TYPE_CHECKING:
    AlgorithmChoice: TypeAlias = Any
    ControllerChoice: TypeAlias = Any
    CoordinatorChoice: TypeAlias = Any
    EstimatorChoice: TypeAlias = Any
else:
    AlgorithmChoice, ControllerChoice = choice(ALGORITHMS), choice(CONTROLLERS)
    CoordinatorChoice, EstimatorChoice = choice(COORDINATORS), choice(ESTIMATORS)

Positive = Annotated[float, Field(gt=0)]
Plain = bool | int | str
Extent = Annotated[float, Field(gt=0)]
Place = Annotated[tuple[float, float, Extent, Extent], Field(strict=False)]  # x, y, width, height


def _listed(given: Any) -> Any:
    """One pattern as a list of one."""
    return [given] if isinstance(given, str) else given


def as_plot(given: Any) -> Any:
    """`[a.x, a.v]`, or one name, as a mapping."""
    names = _listed(given)
    return {"signals": names} if isinstance(names, list) else given


def _part(given: Any) -> Any:
    """`road: road.csv` as a mapping."""
    return {"model": given} if isinstance(given, str) else given


def as_connection(given: Any) -> Any:
    """`a.x -> b.y` as a mapping."""
    if not isinstance(given, str):
        return given
    source, arrow, target = (word.strip() for word in given.partition("->"))
    if not (arrow and source and target) or "->" in target:
        raise ValueError(f"must be written as 'part.output -> part.input', not {given!r}")
    return {"from": source, "to": target}


def as_junction(given: Any) -> Any:
    """`[a.pin, b.pin]` as a mapping."""
    return {"ports": given} if isinstance(given, list) else given


class Entry(BaseModel):
    """A mapping in the file."""

    model_config = ConfigDict(**STRICT, allow_inf_nan=False)


class CalendarEntry(Entry):
    """How times are shown."""

    unit: Literal["ms", "s", "min", "h", "d", "a"] = "s"
    reference: str | None = None  # the date at which time is zero

    @model_validator(mode="after")
    def _a_date(self) -> CalendarEntry:
        self.made()
        return self

    def made(self) -> Calendar:
        """The same, for a run; OptionError, a ValueError, where the date is none."""
        return Calendar(self.unit, self.reference)


class HostEntry(Entry):
    """A host: the parts that name the same one share it; without a name each has its own."""

    host: str | None = None
    restart: int = Field(0, ge=0)
    timeout: Positive | None = None
    memory: str | None = None
    environment: dict[str, str] = {}
    directory: str | None = None
    sandbox: bool = False

    @model_validator(mode="after")
    def _possible(self) -> HostEntry:
        self.made()
        return self

    def made(self) -> HostOptions:
        """The same, for a run; OptionError, a ValueError, where an option is none."""
        more = self.model_dump(exclude={"host"})
        return Isolated(**more) if self.host is None else LocalHost(self.host, **more)


PlaceEntry = Literal["isolated", "here"] | HostEntry


class RunEntry(Entry):
    """How the system is meant to be run."""

    start: float | None = None
    stop: float | None = None
    step: Positive | None = None
    algorithm: AlgorithmChoice | None = None
    controller: ControllerChoice | None = None
    estimators: dict[str, EstimatorChoice] | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    record: Annotated[list[str] | None, BeforeValidator(_listed)] = None
    every: Positive | None = None  # rows this far apart, not one for each window
    calendar: CalendarEntry | None = None
    placement: Literal["isolated"] | dict[str, PlaceEntry] | None = None
    compile: bool | None = None

    @model_validator(mode="after")
    def _one_rhythm(self) -> RunEntry:
        if self.step is not None and self.controller is not None:
            raise ValueError("takes 'step' or 'controller', not both")
        return self

    def settings(self) -> RunSettings:
        """The same, for a run."""
        from ..controllers import FixedStep
        from ..results.recorders import Sampling

        controller = self.controller if self.step is None else FixedStep(self.step)
        names = ("start", "stop", "rtol", "atol", "record", "estimators")
        plain = {name: getattr(self, name) for name in names}
        return RunSettings(
            **plain,
            algorithm=self.algorithm,
            controller=controller,
            recorder=None if self.every is None else Sampling(self.every),
            calendar=None if self.calendar is None else self.calendar.made(),
            placement=self._placed(),
            compile=self.compile,
        )

    def _placed(self) -> Placement | None:
        if self.placement is None or isinstance(self.placement, str):
            return None if self.placement is None else Isolated()
        plain: dict[Any, HostOptions | None] = {"isolated": Isolated(), "here": None}
        return {
            pattern: place.made() if isinstance(place, HostEntry) else plain[place]
            for pattern, place in self.placement.items()
        }


class ConnectionEntry(Entry):
    """A connection."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    gain: float = 1.0
    offset: float = 0.0
    convert: bool = True
    table: list[Annotated[tuple[Plain, Plain], Field(strict=False)]] = []


class JunctionEntry(Entry):
    """Power ports that meet."""

    ports: list[str]
    kind: Literal["effort", "flow"] | None = None
    level: Literal["flow", "displacement"] | None = None
    coordinator: CoordinatorChoice | None = None


class SystemEntry(Entry):
    """Parts, connections and junctions."""

    name: str | None = None
    parts: dict[str, Annotated[PartEntry, BeforeValidator(_part)]]
    connections: list[Annotated[ConnectionEntry, BeforeValidator(as_connection)]] = []
    junctions: list[Annotated[JunctionEntry, BeforeValidator(as_junction)]] = []
    layout: dict[str, Place] = {}
    look: LookEntry = LookEntry()


class PortEntry(Entry):
    """A power port of an FMU."""

    domain: str
    effort: str
    flow: str
    displacement: str | None = None
    relative_order: int | None = None
    time_scale: Positive | None = None


class MergeEntry(Entry):
    """How a merged system is solved."""

    solver: str | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    step: Positive | None = None


class PartEntry(Entry):
    """A part: a model, or a system that is used as one."""

    model: str | None = None
    ports: dict[str, PortEntry] = {}
    system: (
        Annotated[
            Annotated[str, Tag(FILE)] | Annotated[SystemEntry, Tag(INLINE)],
            Discriminator(lambda given: FILE if isinstance(given, str) else INLINE),
        ]
        | None
    ) = None
    options: dict[str, Any] = {}  # of an FMU or a table
    values: dict[str, Any] = {}
    force: list[str] = []  # names of values that may lie beyond declared limits
    merge: bool | MergeEntry = False
    algorithm: AlgorithmChoice | None = None
    controller: ControllerChoice | None = None
    names: dict[str, str] = {}
    rtol: Positive | None = None
    atol: Positive | None = None
    share_events: bool | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> PartEntry:
        if (self.model is None) == (self.system is None):
            raise ValueError("needs either 'model' or 'system'")
        extra = self.model_fields_set - {"model", "values", "force", "options", "ports"}
        if self.model is not None and extra:
            raise ValueError(f"takes '{min(extra)}' only with 'system', not with 'model'")
        if self.system is not None and self.options:
            raise ValueError("takes 'options' only with 'model', not with 'system'")
        nested = self.model_fields_set & {"algorithm", "controller", "rtol", "atol", "share_events"}
        if self.merge is not False and nested:
            raise ValueError(f"is merged, so '{min(nested)}' does not apply; see 'merge: {{...}}'")
        if self.ports and not (self.model or "").lower().endswith(".fmu"):
            raise ValueError("takes 'ports' only with an .fmu; other models declare their own")
        return self

    def merging(self) -> dict[str, Any]:
        """The options of dv.merge that are given."""
        options: dict[str, Any] = {}
        if isinstance(self.merge, MergeEntry):
            options = self.merge.model_dump(exclude_none=True)
        return {**options, "names": self.names} if self.names else options

    def nesting(self) -> dict[str, Any]:
        """The options of dv.Nested that are given."""
        names = ("algorithm", "controller", "names", "rtol", "atol", "share_events")
        return {n: getattr(self, n) for n in names if getattr(self, n)}


class PlotEntry(Entry):
    """Signals that are plotted together."""

    signals: Annotated[list[str], Field(min_length=1)]
    over: str = ""  # another signal, in the place of time


class DrawingEntry(SystemEntry):
    """A whole file."""

    dovetail: Literal[1]
    run: RunEntry = RunEntry()
    plots: list[Annotated[PlotEntry, BeforeValidator(as_plot)]] = []


SystemEntry.model_rebuild()
DrawingEntry.model_rebuild()
