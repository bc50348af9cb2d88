"""A compiled Python model in a drawing that is exported: for plans it is one more FMU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...compiling.building import built, library_in
from ...core.description import Description, Variable
from ...core.obstacle import Obstacle
from ...fmi.archive.archive import Archive
from ...fmi.description import FmuDescription, FmuInterface, FmuVariable
from ...fmi.description.variable import Causality, Dimension
from ...runplan.making import MemberFacts
from ...runplan.plan import Calls, MemberKind
from ...subsystems.batch import BatchRole
from ...units import Unit, parse
from .comparison import differs
from .equations import TracedEquations, equations_of
from .output_rates import output_rates, rates_differ, rates_source


class EquationsFactory:
    """What a plan must know of compiled models; nothing here is run."""

    def facts(self, model: CompiledModel) -> MemberFacts:
        """As of an FMU of FMI 2 whose inputs follow polynomials."""
        inside = [(v, r) for v, r in model.references if r >= model.first_input]
        ins = [r for v, r in inside if v.causality == "input"]
        outs = [r for v, r in inside if v.causality == "output"]
        refs = tuple(_each(model.inputs, ins)), tuple(_each(model.outputs, outs))
        return MemberFacts(MemberKind.CO_SIMULATION, 2, Calls.DERIVATIVES, None, *refs)

    def __call__(self, members: Any, plan: Any) -> Any:
        """There is no batch of them: they run in exports only."""
        raise NotImplementedError


_FACTORY = EquationsFactory()


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A traced model, its library, and its variables as those of an FMU."""

    equations: TracedEquations
    folder: Path
    identifier: str

    batch_obstacles: tuple[Obstacle, ...] = ()
    batch_role: BatchRole = "asked"
    follows_curves: bool = False
    tolerance: float | None = None

    @staticmethod
    def of(model: Any, name: str, orders: int = 0) -> CompiledModel | Obstacle:
        """A model, compiled and compared; or what stands against it.

        `orders`: how many derivatives of its outputs are asked for.
        """
        from .source import source_of

        found = equations_of(model, name)
        if isinstance(found, Obstacle):
            return found
        rates = output_rates(found, orders, name)
        if isinstance(rates, Obstacle):
            return rates
        folder, identifier = built(source_of(found) + rates_source(found, rates))
        library = library_in(folder, identifier)
        wrong = differs(found, library, name) or rates_differ(found, rates, library, name)
        return wrong or CompiledModel(found, folder, identifier)

    def cuts(self, start: float, size: float) -> bool:
        """Whether its samples or jumps lie between windows of this size."""
        e = self.equations
        period, offset = e.sampling
        jumps = [t - start for t in e.jumps if t > start or e.repeats]
        times = [period, offset] if e.is_sampled else [*jumps, e.repeats]
        return any(abs(t - round(t / size) * size) > 1e-9 * size for t in times)

    @property
    def batch_factory(self) -> Any:
        """What makes plans know it."""
        return _FACTORY

    @cached_property
    def description(self) -> Description:
        """That of the model, without events: these are for whoever runs the export."""
        found = self.equations.model.description
        able = replace(found.capabilities, has_events=False, knows_next_event=False)
        return replace(found, capabilities=able)

    def instantiate(self, name: str) -> Any:
        """A live part, in Python: the model itself."""
        return self.equations.model.instantiate(name)

    def fingerprint(self) -> str:
        """What it computes."""
        return self.identifier

    @property
    def token(self) -> str:
        """What it is known by."""
        return self.identifier

    @property
    def archive(self) -> Archive:
        """Its files."""
        return Archive(self.identifier, self.folder, self.folder)

    @property
    def interface(self) -> FmuInterface:
        """What it can do."""
        return FmuInterface(
            "co-simulation",
            self.identifier,
            says_how_often=True,
            can_get_and_set_state=True,
            can_serialize_state=True,
            can_vary_step_size=True,
            can_interpolate_inputs=True,
        )

    @cached_property
    def fmu(self) -> FmuDescription:
        """What of a description is asked for."""
        named = {v.unit for g in self._groups for v in g if v.unit}
        units: dict[str, Unit | None] = {name: parse(name) for name in sorted(named)}
        return FmuDescription("2.0", "2.0", self.identifier, self.token, units=units)

    @property
    def first_input(self) -> int:
        """The value reference of the first input."""
        return sum(v.size for group in self._groups[:2] for v in group)

    @property
    def _groups(self) -> tuple[tuple[Variable, ...], ...]:
        e = self.equations
        return e.p, e.x, e.u, e.y

    @cached_property
    def references(self) -> tuple[tuple[FmuVariable, int], ...]:
        """All variables with the value reference of their first element."""
        e, found, at = self.equations, list[tuple[FmuVariable, int]](), 0
        sorts: tuple[Causality, ...] = ("parameter", "local", "input", "output")
        states = _symbols(e)
        for group, causality in zip(self._groups, sorts, strict=True):
            first = at
            for v in group:
                made = _variable(v, at, causality)
                if (
                    causality == "output"
                    and states.get(v.name) == [*e.outputs][at - first : at - first + v.size]
                ):
                    made = replace(made, initial="exact")  # a state: its start value is its own
                if self._changes_at_events(v, causality):
                    made = replace(made, variability="discrete")
                found.append((made, at))
                at += v.size
        return tuple(found)

    def _changes_at_events(self, v: Variable, causality: Causality) -> bool:
        if self.equations.is_sampled:
            return causality in ("local", "output")
        return causality == "output" and v.variability == "discrete"

    @property
    def inputs(self) -> tuple[FmuVariable, ...]:
        """Its inputs."""
        return tuple(v for v, _ in self.references if v.causality == "input")

    @property
    def outputs(self) -> tuple[FmuVariable, ...]:
        """Those of its outputs that are published."""
        shown = {v.name for v in self.description.outputs}
        every = (v for v, _ in self.references if v.causality == "output")
        return tuple(v for v in every if v.name in shown)

    @property
    def settable(self) -> tuple[FmuVariable, ...]:
        """Parameters and start values of states."""
        shown = {v.name for v in self.description.parameters}
        every = (v for v, _ in self.references if v.causality in ("parameter", "local"))
        return tuple(v for v in every if v.name in shown)


def _symbols(e: TracedEquations) -> dict[str, list[int]]:
    """Where each state stands on the tape."""
    found, at = dict[str, list[int]](), 0
    for v in e.x:
        found[v.name] = [e.tape.symbol(f"x[{at + k}]") for k in range(v.size)]
        at += v.size
    return found


def _variable(v: Variable, reference: int, causality: Causality) -> FmuVariable:
    return FmuVariable(
        v.name,
        reference,
        "Float64",
        causality,
        "tunable" if causality == "parameter" else "continuous",
        "calculated" if causality == "output" else None if causality == "input" else "exact",
        unit=v.unit,
        minimum=v.minimum,
        maximum=v.maximum,
        nominal=v.nominal,
        relative=v.relative,
        dimensions=tuple(Dimension(size) for size in v.shape),
        description=v.description,
    )


def _each(variables: Sequence[FmuVariable], known: Sequence[int]) -> list[int]:
    """The value references of all elements."""
    assert all(v.reference in known for v in variables)
    return [v.reference + k for v in variables for k in range(v.size())]
