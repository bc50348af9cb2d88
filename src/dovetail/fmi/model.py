"""An FMU as a model: described without running it, made live as often as needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

from ..description import Capabilities, Description, Port
from ..errors import FileError, did_you_mean
from ..integrators import Integrator, is_installed
from ..signals import Signals
from ..tuning import with_inputs
from ..values import fitted, signals
from .abi import fmi1 as abi1
from .abi import fmi2 as abi2
from .abi import fmi3 as abi3
from .archive import Archive, beside
from .clockwork import TRIGGERED
from .cosimulation import CoSimulation
from .fmi1 import Fmi1
from .fmi2 import Fmi2
from .fmi3 import Fmi3
from .instance import Instance
from .intermediate import can_follow
from .library import Library
from .linearization import can_linearize
from .modelexchange import ModelExchange
from .ports import ports_of
from .reporting import reported
from .schema import FmuDescription, FmuVariable, Interface, read
from .schema.conversion import to_description, to_variable
from .solving import NO_CVODE, abilities, check_unused, kind_of, solver_of

_LIVE: dict[str, int] = {}  # instances of FMUs that may be there only once
_PLAIN = ("Float64", "Int32", "Boolean", "String", "Enumeration")  # that can be recorded
_LETTERS = {"r": ("Float64",), "i": ("Int32", "Enumeration"), "b": ("Boolean",), "s": ("String",)}


_HOMES: dict[Path, str] = {}  # folders that were named, and the FMU that lives there
_OWN = "extract each into a folder of its own"
_STALE = ("description", "inputs", "settable")  # where parameters have become inputs


def shared(first: str, second: str) -> str:
    """What is wrong if two FMUs are said to lie in one folder."""
    names = [Path(path).name for path in (first, second)]
    if names[0] == names[1]:
        names = [first, second]
    return f"'{names[0]}' and '{names[1]}' cannot both be extracted in this folder"


@dataclass(frozen=True, eq=False)
class Fmu:
    """An FMU of any version.

    `unpacked` names a folder where it is extracted already; `structural` sets structural
    parameters of FMI 3, which decide the sizes of arrays. `tolerance` is told to the FMU's own
    solver, `logging` switches its debug messages on. `events`: whether the FMU may end windows
    at events; by default where FMI 3 offers event mode or early return. With True a step that
    an FMI 2 FMU discards ends where it succeeded last. `intervals` are those of clocks that
    leave them to the importer. With `internals` its local variables are outputs as well, to be
    recorded; or those that are named, calculated parameters among them. With `intermediate`,
    True or patterns, what an FMI 3 FMU shows inside its steps is kept in the result. `kind` is
    "co-simulation", "model exchange" or "scheduled execution"; without it the first of these
    that it offers. For model exchange are the `solver` for its
    equations, cvode if that is installed and bdf otherwise; its tolerances `rtol` and `atol`, the
    latter in nominal values of the states; and its longest `step`. `ports` are power ports,
    besides those that terminals make.
    """

    path: str
    unpacked: str | None = None
    structural: Mapping[str, int] = field(default_factory=dict)
    tolerance: float | None = None
    logging: bool = False
    events: bool | None = None
    intervals: Mapping[str, float] = field(default_factory=dict)
    kind: str | None = None
    solver: str | Integrator | None = None
    rtol: float | None = None
    atol: float | None = None
    step: float | None = None
    internals: bool | Sequence[str] = False
    ports: Mapping[str, Port] = field(default_factory=dict)
    intermediate: bool | str | Sequence[str] = False
    tunes: ClassVar[tuple[str, ...]] = ()  # tunable parameters that are inputs: see `tuned`

    def __post_init__(self) -> None:
        if self.unpacked is None and (folder := beside(Path(self.path))) is not None:
            object.__setattr__(self, "unpacked", str(folder.resolve()))
        _ = self.interface, self.integrator, self.reported  # say now what is wrong
        known = {v.name for v in self.fmu.variables if v.causality == "structuralParameter"}
        for name in self.structural:
            if name not in known:
                raise FileError(self.path, f"'{name}' is no structural parameter of it")
        self._check_events()
        self._check_intervals()
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
    def interface(self) -> Interface:
        """The interface it is used by: the one asked for, or the first of those it offers."""
        f, kind = self.fmu, None if self.kind is None else kind_of(self.kind)
        offered = (f.co_simulation, f.model_exchange, f.scheduled_execution)
        found = next((i for i in offered if i is not None and kind in (None, i.kind)), None)
        if found is None:
            kinds = " and ".join(i.kind for i in self.fmu.interfaces) or "nothing"
            wanted = kind or "co-simulation or model exchange"
            what = f"the FMU offers {kinds}, but no {wanted}"
            raise FileError(self.path, what, f"export it for {wanted} as well")
        if found.kind != "model exchange":
            check_unused(self, found)
        if found.tool is not None:  # later versions bring a binary that finds its tool, or says so
            what = "the FMU is only a link to another program, which must be installed"
            raise FileError(self.path, what, "export it as a stand-alone FMU")
        return found

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
    def notes(self) -> tuple[str, ...]:
        """What a user should know before it runs."""
        fallen_back = self.is_exchange and self.solver is None and not is_installed()
        return (NO_CVODE,) if fallen_back else ()

    @property
    def is_exchange(self) -> bool:
        """Whether its equations are solved here."""
        return self.interface.kind == "model exchange"

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        found = to_description(
            self.fmu, self.interface, capabilities=self._capabilities(), values=self.structural
        )
        fixed = {v.name for v in self.fmu.of("structuralParameter")}  # they decide the shapes
        fixed.update(v.name for v in self.fmu.variables if v.type == "Clock")
        own = {v.name for v in self.clocks}
        inside = self._inside()
        through = {y: seen - own for y, seen in found.feedthrough.items()}
        found = replace(
            found,
            inputs=tuple(v for v in found.inputs if v.name not in own),
            outputs=(*found.outputs, *(to_variable(v, self.fmu) for v in inside)),
            parameters=tuple(p for p in found.parameters if p.name not in fixed),
            feedthrough={**through, **{v.name: frozenset[str]() for v in inside}},
        )
        found = replace(found, ports=ports_of(self.fmu, found, self.ports or {}, self.path))
        return with_inputs(found, self.tunes) if self.tunes else found

    def tuned(self, names: Collection[str]) -> Fmu:
        """The same FMU with these tunable parameters as inputs, behind those it has."""
        made: Fmu = object.__new__(type(self))  # what was read of it needs no second reading
        known = {k: v for k, v in self.__dict__.items() if k not in _STALE}
        made.__dict__.update(known, tunes=tuple(names))
        return made

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
        """Its binary, loaded once."""
        identifier, version = self.interface.model_identifier, self.fmu.version
        binary = self.archive.binary(identifier, version)
        if binary is None:
            from .build import built

            path = built(self.archive, self.fmu, self.interface).path
        else:
            path = binary.path
        tables: dict[str, Any] = {"1.0": abi1, "2.0": abi2, "3.0": abi3}
        abi = tables[version]
        prefix = f"{identifier}_" if version == "1.0" else ""
        required = abi.REQUIRED_OF_SCHEDULED if self.is_scheduled else abi.REQUIRED
        if not self.is_exchange:
            return Library(Path(path), abi.SIGNATURES, required, prefix, self.path)
        table = {**abi.SIGNATURES, **abi.EXCHANGE}
        return Library(Path(path), table, abi.EXCHANGE_REQUIRED, prefix, self.path)

    def instantiate(self, name: str) -> CoSimulation | ModelExchange:
        """A live part."""
        if self.is_exchange and any(v.type == "Clock" for v in self.fmu.variables):
            from .clocked_exchange import ClockedExchange

            return ClockedExchange(name, self)
        if self.is_exchange:
            return ModelExchange(name, self)
        if self.is_scheduled:
            from .scheduled import Scheduled

            return Scheduled(name, self)
        if self.uses_event_mode:
            from .eventful import Eventful

            return Eventful(name, self)
        return CoSimulation(name, self)

    def new_instance(self, name: str) -> Instance:
        """An instance that is not live yet."""
        kinds: dict[str, type[Instance]] = {"1.0": Fmi1, "2.0": Fmi2, "3.0": Fmi3}
        instance = kinds[self.fmu.version](name, self.library)
        instance.log.names = self._name_of
        if isinstance(instance, Fmi3):
            instance.event_mode = self.uses_event_mode
            instance.early_return = self.interface.might_return_early and self.events is not False
        return instance

    def _name_of(self, letter: str, reference: int) -> str | None:
        """The variable that a message means by its reference."""
        kinds = _LETTERS.get(letter, ())
        return next(
            (
                v.name
                for v in self.fmu.variables
                if v.reference == reference and (not kinds or v.type in kinds)
            ),
            None,
        )

    def size_of(self, variable: FmuVariable) -> int:
        """How many scalars a variable has."""
        return variable.size(self.structural)

    def claim(self) -> None:
        """Count an instance; refuse a second one where the FMU allows only one."""
        key = str(self.library.path)
        if self.unpacked is not None:
            other = _HOMES.setdefault(self.archive.directory, self.path)
            if other != self.path and _LIVE.get(key, 0) > 0:
                raise FileError(self.unpacked, shared(other, self.path), _OWN)
            _HOMES[self.archive.directory] = self.path
        if self.interface.only_once_per_process and _LIVE.get(key, 0) > 0:
            what = "this FMU can be instantiated only once in a process"
            raise FileError(self.path, what, "run its parts in separate processes")
        _LIVE[key] = _LIVE.get(key, 0) + 1

    def release(self) -> None:
        """An instance is gone."""
        key = str(self.library.path)
        _LIVE[key] = max(_LIVE.get(key, 0) - 1, 0)

    def fingerprint(self) -> str:
        """What it is: its token and its content."""
        found = f"{self.fmu.token} {self.fmu.model_name} {sorted(self.structural.items())}"
        found += f" {self.tunes}" if self.tunes else ""
        return f"{found} {self.interface.kind} {self.integrator}" if self.is_exchange else found

    def __reduce__(self) -> Any:
        options = (self.unpacked, dict(self.structural), self.tolerance, self.logging)
        more = (self.kind, self.solver, self.rtol, self.atol, self.step, self.internals)
        own = (*options, self.events, dict(self.intervals), *more, dict(self.ports or {}))
        return _restored, ((self.path, *own, self.intermediate), self.tunes)

    def _inside(self) -> list[FmuVariable]:
        """Variables that are outputs though the FMU does not say so."""
        names = self.internals
        if isinstance(names, bool):
            local = self.fmu.of("local") if names else []
            return [v for v in local if v.type in _PLAIN and not v.shape(self.structural)]
        hidden = [*self.fmu.of("local"), *self.fmu.of("calculatedParameter")]
        known = {v.name: v for v in hidden if v.type in _PLAIN and not v.shape(self.structural)}
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known)
                what = f"internals names '{name}', which is no scalar local variable of it"
                raise FileError(self.path, f"{what}.{hint}" if hint else what)
        return [known[name] for name in names]

    def _check_events(self) -> None:
        """Refuse what cannot be run without event mode, and events that cannot be had."""
        clocks = [v.name for v in self.fmu.variables if v.type == "Clock"]
        if self.is_exchange:
            if self.events is not None:
                what = "events are part of model exchange and cannot be switched"
                raise FileError(self.path, what, "leave events=... out")
            return
        if clocks and not (self.uses_event_mode or self.is_scheduled):
            what = f"its clock '{clocks[0]}' ticks in event mode only"
            way = "leave events=False out" if self.interface.has_event_mode else "ask its supplier"
            raise FileError(self.path, what, way)
        if self.events is True and not self.may_stop_early and not self.is_scheduled:
            what = "events=True, but it offers neither event mode nor early return"
            raise FileError(self.path, what, "leave events=True out")
        if self.redoes_steps and not self.interface.can_get_and_set_state:
            what = (
                "events=True asks to go back after a discarded step, but it cannot save its state"
            )
            raise FileError(self.path, what, "leave events=True out")

    def _check_intervals(self) -> None:
        known = {v.name: v.timing for v in self.clocks}
        for name, interval in self.intervals.items():
            timing = known.get(name)
            if timing is None:
                raise FileError(self.path, f"'{name}' is no clock that keeps its own time")
            if timing.interval_variability not in ("fixed", "tunable") or timing.interval is None:
                raise FileError(
                    self.path, f"the interval of its clock '{name}' is not for others to set"
                )
            if not (isfinite(interval) and interval > 0):
                what = f"the interval of clock '{name}' must be above zero, not {interval}"
                raise FileError(self.path, what)

    def _named(self, names: Any) -> tuple[FmuVariable, ...]:
        known = self.fmu.by_name
        return tuple(known[name] for name in names)

    def _capabilities(self) -> Capabilities:
        i = self.interface
        if self.is_exchange:
            return abilities(self)
        return Capabilities(
            can_restore=i.can_get_and_set_state,
            can_repeat=i.can_reject_steps,
            can_serialize=i.can_get_and_set_state and i.can_serialize_state,
            can_linearize=can_linearize(self.fmu, i),
            can_tell_slopes=i.max_output_derivative_order >= 1,
            knows_input_slopes=i.can_interpolate_inputs,  # by values alone it cannot know them
            input_order=3 if i.can_interpolate_inputs or self.follows_curves else 0,
            can_vary_size=i.can_vary_step_size or self.is_scheduled,
            can_ask_to_end=True,
            can_return_early=self.may_stop_early,
            has_events=self.uses_event_mode or self.is_scheduled,
            knows_next_event=self.uses_event_mode or self.is_scheduled,
        )


def _restored(options: tuple[Any, ...], tunes: tuple[str, ...]) -> Fmu:
    made = Fmu(*options)
    return made.tuned(tunes) if tunes else made


def _keeps_time(v: FmuVariable) -> bool:
    return v.timing is not None and v.timing.interval_variability != TRIGGERED
