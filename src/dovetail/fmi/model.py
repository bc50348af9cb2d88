"""An FMU as a model: described without running it, made live as often as needed."""
# Over 250 lines: one blueprint, with every answer about an FMU cached where it is asked for.

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from ..core.description import Description, Port
from ..core.options import check_path, worded
from ..core.signals import Signals
from ..core.values import fitted, signals
from ..integrators import Integrator, is_installed
from .archive.archive import Archive, beside
from .archive.findings import all_found, keep_against_rollback, know
from .calls.binding import bound
from .calls.instance import Instance
from .calls.intermediate import can_follow
from .calls.library import Library
from .described import described, remarks
from .description import FmuDescription, FmuInterface, FmuVariable, read
from .description.conversion import to_variable
from .foreign_code import ForeignCode
from .live import instance_of, part_of
from .native.membership import BatchMembership
from .options import check_options
from .parts.clockwork import TRIGGERED
from .parts.cosimulation import CoSimulation
from .parts.modelexchange import ModelExchange
from .parts.reporting import reported
from .parts.solving import NO_CVODE, interface_of, solver_of

_STALE = ("description", "inputs", "settable", "_own_obstacles")  # where parameters are inputs


@dataclass(frozen=True, eq=False)
class Fmu(ForeignCode, BatchMembership):
    """An FMU of any version, as a model: `dv.load("x.fmu", ...)` makes it of the same options.

    Args:
        path: Its file, or a folder that it was unpacked into.
        unpacked: A folder where it is extracted already.
        structural: Structural parameters of FMI 3, which decide the sizes of arrays: {"n": 5}.
        tolerance: What is told to the FMU's own solver.
        logging: Whether its messages are switched on: all, or those of the categories named.
        events: Whether it may end windows at events; by itself where FMI 3 offers event mode or
            early return. With True a step that an FMI 2 FMU discards ends where it succeeded last.
        intervals: Of clocks that leave them to the importer, in s.
        kind: What it is used for; without it the first of the three that it offers.
        solver: For model exchange, what solves its equations: a name such as "radau", or an
            object; cvode if that is installed, else bdf.
        rtol: Relative tolerance of that solver.
        atol: Absolute tolerance of that solver, in nominal values of the states.
        step: The longest step of that solver, in s.
        internals: Whether its local variables are outputs as well, to be recorded: all, or those
            that are named, calculated parameters among them.
        ports: Power ports by name, besides those that terminals make.
        intermediate: Whether what an FMI 3 FMU shows inside its steps is kept in the result: all,
            or by patterns.
    """

    path: str
    unpacked: str | None = None
    structural: Mapping[str, int] = field(default_factory=dict)
    tolerance: float | None = None
    logging: bool | Sequence[str] = False
    events: bool | None = None
    intervals: Mapping[str, float] = field(default_factory=dict)
    kind: Literal["co-simulation", "model exchange", "scheduled execution"] | None = None
    solver: str | Integrator | None = None
    rtol: float | None = None
    atol: float | None = None
    step: float | None = None
    internals: bool | Sequence[str] = False
    ports: Mapping[str, Port] = field(default_factory=dict)
    intermediate: bool | str | Sequence[str] = False
    tunes: ClassVar[tuple[str, ...]] = ()  # tunable parameters that are inputs: see `tuned`

    def __post_init__(self) -> None:
        check_path("an FMU", self.path)
        object.__setattr__(self, "path", os.path.abspath(self.path))  # wherever it is used
        if self.unpacked is None and (folder := beside(Path(self.path))) is not None:
            object.__setattr__(self, "unpacked", str(folder.resolve()))
        _ = self.interface, self.integrator  # say now what is wrong
        check_options(self)
        _ = self.reported
        if self.ports or self.internals:
            _ = self.description

    @cached_property
    def archive(self) -> Archive:
        """Its files."""
        return Archive.open(self.path, unpacked=self.unpacked)

    @cached_property
    def fmu(self) -> FmuDescription:
        """Its model description."""
        return read(self.archive)

    @cached_property
    def interface(self) -> FmuInterface:
        """The interface it is used by: the one asked for, or the first of those it offers."""
        return interface_of(self)

    @property
    def is_scheduled(self) -> bool:
        """Whether its partitions are activated one by one, instead of stepping the whole."""
        return self.interface.kind == "scheduled execution"

    @property
    def uses_event_mode(self) -> bool:
        """Whether it is told about events, and tells about its own."""
        return self.interface.has_event_mode and self.events is not False

    @property
    def redoes_steps(self) -> bool:
        """Whether a discarded step is taken again, up to where it succeeded (FMI 2)."""
        return self.fmu.version == "2.0" and self.events is True

    @property
    def may_stop_early(self) -> bool:
        """Whether its steps may end inside a window."""
        early = self.interface.might_return_early and self.events is not False
        return early or self.uses_event_mode or self.redoes_steps

    @cached_property
    def follows_curves(self) -> bool:
        """Whether it asks for its inputs inside a step (FMI 3)."""
        return not self.is_scheduled and can_follow(self.interface, tuple(self.fmu.of("input")))

    @cached_property
    def reported(self) -> tuple[FmuVariable, ...]:
        """Variables whose values inside its steps are kept (FMI 3)."""
        return reported(self)

    @cached_property
    def clocks(self) -> tuple[FmuVariable, ...]:
        """Clocks that tick at times of their own, for the importer to keep."""
        return tuple(v for v in self.fmu.of("input") if _keeps_time(v))

    @cached_property
    def integrator(self) -> Integrator:
        """What solves the equations of model exchange."""
        return solver_of(self)

    @property
    def preferred_step(self) -> float | None:
        """The steps that it asks for, if it takes steps and says so."""
        size = self.fmu.experiment.step_size
        return size if size and size > 0 and not self.is_exchange else None

    @property
    def usual_span(self) -> float | None:
        """How long its default experiment is, if it has one."""
        return self.fmu.experiment.span

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a user should know before it runs."""
        fallen_back = self.is_exchange and self.solver is None and not is_installed()
        return ((NO_CVODE,) if fallen_back else ()) + remarks(self)

    @property
    def is_exchange(self) -> bool:
        """Whether its equations are solved here."""
        return self.interface.kind == "model exchange"

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        return described(self)

    def tuned(self, names: Collection[str]) -> Fmu:
        """The same FMU with these tunable parameters as inputs, behind those it has."""
        made: Fmu = object.__new__(type(self))  # what was read of it needs no second reading
        known = {k: v for k, v in self.__dict__.items() if k not in _STALE}
        made.__dict__.update(known, tunes=tuple(names))
        return made

    def doubt_rollback(self, found: str) -> None:
        """It does not roll back, though it says so: later runs do not ask it to."""
        keep_against_rollback(self.archive, found)
        for stale in ("description", "notes", "_own_obstacles"):
            self.__dict__.pop(stale, None)

    @property
    def token(self) -> str:
        """The GUID or instantiation token."""
        return self.fmu.token

    @property
    def resources(self) -> str | None:
        """Where its resources are, in the words of its version; FMI 3 knows of none at all."""
        if self.fmu.version == "3.0":
            return self.archive.resource_path
        return self.archive.resource_uri(self.fmu.version)

    @cached_property
    def inputs(self) -> tuple[FmuVariable, ...]:
        """Its inputs, in the order of the description."""
        return self._named(v.name for v in self.description.inputs)

    @cached_property
    def outputs(self) -> tuple[FmuVariable, ...]:
        """Its outputs, in the order of the description."""
        return self._named(v.name for v in self.description.outputs)

    @cached_property
    def settable(self) -> tuple[FmuVariable, ...]:
        """What may be given a value before initialization; inputs come in it, but in FMI 1."""
        found = [v.name for v in self.description.parameters]
        if self.fmu.version == "1.0":
            found += [v.name for v in self.description.inputs]
        return self._named(found)

    @cached_property
    def structural_values(self) -> list[Signals]:
        """The values of structural parameters that were given."""
        chosen = [v for v in self.fmu.variables if v.name in self.structural]
        described = [to_variable(v, self.fmu) for v in chosen]
        return [signals([d], {d.name: fitted(d, self.structural[d.name])}) for d in described]

    @cached_property
    def library(self) -> Library:
        """Its binary, which stays in memory; instances borrow one while they live."""
        return bound(self)

    def instantiate(self, name: str) -> CoSimulation | ModelExchange:
        """A live part."""
        return part_of(self, name)

    def new_instance(self, name: str) -> Instance:
        """An instance that is not live yet."""
        return instance_of(self, name)

    def size_of(self, variable: FmuVariable) -> int:
        """How many scalars a variable has."""
        return variable.size(self.structural)

    def fingerprint(self) -> str:
        """What it is: its token and its content."""
        found = f"{self.fmu.token} {self.fmu.model_name} {sorted(self.structural.items())}"
        found += f" {self.tunes}" if self.tunes else ""
        return f"{found} {self.interface.kind} {self.integrator}" if self.is_exchange else found

    def _repr_html_(self) -> str:
        from .description.page import page

        return page(self.fmu, self.interface)

    def __reduce__(self) -> Any:
        options = (self.unpacked, dict(self.structural), self.tolerance, self.logging)
        more = (self.kind, self.solver, self.rtol, self.atol, self.step, self.internals)
        own = (*options, self.events, dict(self.intervals), *more, dict(self.ports or {}))
        return _restored, ((self.path, *own, self.intermediate), self.tunes, self._found_out)

    @property
    def _found_out(self) -> dict[str, Any]:
        """What another process that gets it may not be able to read."""
        return all_found(self.archive) if "archive" in self.__dict__ else {}

    def _named(self, names: Any) -> tuple[FmuVariable, ...]:
        known = self.fmu.by_name
        return tuple(known[name] for name in names)


def _restored(
    options: tuple[Any, ...], tunes: tuple[str, ...], found: Mapping[str, Any] | None = None
) -> Fmu:
    made = Fmu(*options)
    if found:
        know(made.archive, found)
    return made.tuned(tunes) if tunes else made


def _keeps_time(v: FmuVariable) -> bool:
    return v.timing is not None and v.timing.interval_variability != TRIGGERED


worded(Fmu)
