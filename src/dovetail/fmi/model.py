"""An FMU as a model: described without running it, made live as often as needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..description import Capabilities, Description
from ..errors import FileError
from ..signals import Signals
from ..values import fitted, signals
from .abi import fmi1 as abi1
from .abi import fmi2 as abi2
from .abi import fmi3 as abi3
from .archive import Archive
from .cosimulation import CoSimulation
from .fmi1 import Fmi1
from .fmi2 import Fmi2
from .fmi3 import Fmi3
from .instance import Instance
from .library import Library
from .schema import FmuDescription, FmuVariable, Interface, read
from .schema.conversion import to_description, to_variable

_LIVE: dict[str, int] = {}  # instances of FMUs that may be there only once
_LETTERS = {"r": ("Float64",), "i": ("Int32", "Enumeration"), "b": ("Boolean",), "s": ("String",)}


@dataclass(frozen=True, eq=False)
class Fmu:
    """A co-simulation FMU of any version.

    `unpacked` names a folder where it is extracted already; `structural` sets structural
    parameters of FMI 3, which decide the sizes of arrays. `tolerance` is told to the FMU's own
    solver, `logging` switches its debug messages on.
    """

    path: str
    unpacked: str | None = None
    structural: Mapping[str, int] = field(default_factory=dict)
    tolerance: float | None = None
    logging: bool = False

    def __post_init__(self) -> None:
        _ = self.interface  # say what is wrong now, not when it runs
        known = {v.name for v in self.fmu.variables if v.causality == "structuralParameter"}
        for name in self.structural:
            if name not in known:
                raise FileError(self.path, f"'{name}' is no structural parameter of it")

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
        """Its co-simulation interface."""
        found = self.fmu.co_simulation
        if found is None:
            kinds = " and ".join(i.kind for i in self.fmu.interfaces) or "nothing"
            what = f"the FMU offers {kinds}, but no co-simulation"
            raise FileError(self.path, what, "export it for co-simulation as well")
        if found.needs_tool:
            what = "the FMU is only a link to another program, which must be installed"
            raise FileError(self.path, what, "export it as a stand-alone FMU")
        clocks = [v.name for v in self.fmu.variables if v.type == "Clock"]
        if clocks:
            what = f"it has clocks ('{clocks[0]}'), which this version of Dovetail does not run"
            raise FileError(self.path, what)
        return found

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        found = to_description(
            self.fmu, self.interface, capabilities=self._capabilities(), values=self.structural
        )
        fixed = {v.name for v in self.fmu.of("structuralParameter")}  # they decide the shapes
        return replace(found, parameters=tuple(p for p in found.parameters if p.name not in fixed))

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
        return Library(Path(path), abi.SIGNATURES, abi.REQUIRED, prefix)

    def instantiate(self, name: str) -> CoSimulation:
        """A live part."""
        return CoSimulation(name, self)

    def new_instance(self, name: str) -> Instance:
        """An instance that is not live yet."""
        kinds: dict[str, type[Instance]] = {"1.0": Fmi1, "2.0": Fmi2, "3.0": Fmi3}
        instance = kinds[self.fmu.version](name, self.library)
        instance.log.names = self._name_of
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
        return f"{self.fmu.token} {self.fmu.model_name} {sorted(self.structural.items())}"

    def __reduce__(self) -> Any:
        options = (self.unpacked, dict(self.structural), self.tolerance, self.logging)
        return Fmu, (self.path, *options)

    def _named(self, names: Any) -> tuple[FmuVariable, ...]:
        known = self.fmu.by_name
        return tuple(known[name] for name in names)

    def _capabilities(self) -> Capabilities:
        i = self.interface
        return Capabilities(
            can_restore=i.can_get_and_set_state,
            can_serialize=i.can_get_and_set_state and i.can_serialize_state,
            can_tell_slopes=i.max_output_derivative_order >= 1,
            input_order=3 if i.can_interpolate_inputs else 0,
            can_vary_size=i.can_vary_step_size,
            can_ask_to_end=True,
        )
