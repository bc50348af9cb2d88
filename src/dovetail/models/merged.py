"""A whole system as one set of equations, with one integrator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..assembly.assembly import Assembly
from ..core.description import Capabilities, Description
from ..core.errors import CapabilityError, ModelError, Shortfall
from ..core.model_page import ModelPage
from ..core.options import check_method
from ..drawing.system import System
from ..hosts.homes import Homes
from ..integrators import Integrator, is_installed, named
from ..subsystems.subsystem import Subsystem
from .coupled_equations import is_patient, offers_equations
from .merged_part import MergedPart
from .nested import Nested

_WAY = "run the system with an algorithm, or merge only the parts around it"


@dataclass(frozen=True, eq=False)
class Merged(ModelPage):
    """A system as one model x' = f(t, x, u), y = g(t, x, u): nothing is held between windows.

    Its states are those of all parts, solved together by one integrator; connections, with
    gains, offsets and units, are followed at every evaluation, algebraic loops and unknowns of
    junctions solved there; an event of one part is one of all. Inputs and outputs are named as
    those of `Nested`.
    """

    system: System
    solver: str | Integrator | None = None
    rtol: float = 1e-8
    atol: float = 1e-10
    step: float | None = None
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.system, System):
            what = type(self.system).__name__
            raise ModelError(f"only a dv.System can be merged, not {what}; put it into one")
        object.__setattr__(self, "system", self.system.copy())  # a blueprint does not change
        _ = self.integrator, self.whole
        lacking = _lacking(self.system)
        if lacking:
            raise CapabilityError(f"dv.merge('{self.system.name}')", lacking)

    @cached_property
    def integrator(self) -> Integrator:
        """The one solver inside: CVODE if it is installed, else Radau."""
        if self.solver is not None and not isinstance(self.solver, str):
            check_method("solver", self.solver, "run", "'radau' or dv.integrators.Radau()")
            return self.solver
        name = self.solver or ("cvode" if is_installed() else "radau")
        try:
            return named(name, rtol=self.rtol, atol=self.atol, step=self.step)
        except ValueError as error:
            raise ModelError(str(error)) from error

    @cached_property
    def whole(self) -> Nested:
        """The drawing with its surface."""
        return Nested(self.system, names=self.names)

    @cached_property
    def description(self) -> Description:
        """The merged system seen from outside."""
        inside = [p.description for p in self.system.parts.values()]
        inner, states = [d.capabilities for d in inside], [d.states for d in inside]
        inputs, outputs = self.whole.exposed
        pushed = _pushed(self.system)  # what follows a junction may follow any input
        through = {n: frozenset(inputs) for n, (place, _) in outputs.items() if place in pushed}
        return replace(
            self.whole.description,
            feedthrough=dict(self.whole.description.feedthrough or {}) | through,
            capabilities=Capabilities(
                can_restore=all(c.can_restore for c in inner),
                can_serialize=all(c.can_serialize for c in inner),
                can_linearize=True,
                can_tell_derivatives=True,
                can_evaluate_now=True,
                can_derive_at_start=all(c.can_derive_at_start for c in inner),
                can_return_early=any(c.can_return_early for c in inner),
                has_events=any(c.has_events for c in inner),
                knows_next_event=any(c.knows_next_event for c in inner),
                input_order=None,
                can_ask_to_end=any(c.can_ask_to_end for c in inner),
            ),
            kind=f"Merged '{self.system.name}'",
            states=None if None in states else sum(n for n in states if n is not None),
        )

    def span_notes(self, start: float, stop: float) -> list[tuple[str, bool]]:
        """What parts inside know less of than a run over this span needs."""
        return self.whole.span_notes(start, stop)

    @property
    def against_repeating(self) -> str:
        """Why a second instance may not run beside the first; empty if it may."""
        return self.whole.against_repeating

    def runs_foreign_code(self) -> bool:
        """Whether a part inside does."""
        return self.whole.runs_foreign_code()

    def against_sharing(self) -> str:
        """Nothing: its parts live together or not at all."""
        return ""

    def against_company(self) -> str:
        """Nothing that is known here."""
        return ""

    def folders(self) -> tuple[Path, ...]:
        """Those of its parts."""
        return self.whole.folders()

    def echo_messages(self, to: int) -> None:
        """Messages of parts inside go to this file descriptor as well, at once."""
        self.whole.echo_messages(to)

    def take_findings(self, found: Mapping[str, Any]) -> None:
        """What parts inside found out in another process is known here."""
        self.whole.take_findings(found)

    def instantiate(self, name: str) -> MergedPart:
        """A live part."""
        return MergedPart(name, self)

    def fingerprint(self) -> str:
        """A hash of the inner drawing and how it is solved."""
        return f"{self.system.fingerprint()} {self.integrator} {self.names}"


def merge(system: System, **options: Any) -> Merged:
    """The system as one model with one integrator; options are those of `Merged`.

    Every part must offer its equations: Dynamic, Algebraic, Source and Table do, Discrete and
    Clock are taken along, and so are model-exchange FMUs and merged systems.
    """
    return Merged(system, **options)


def _pushed(system: System) -> set[str]:
    """Outputs that follow the unknown of a junction at once, as `part.variable`."""
    found = {
        f"{e.part}.{e.input.name}" for j in system.junctions if j.case != "wires" for e in j.ends
    }
    while True:
        more = {
            f"{p.name}.{v.name}"
            for p in system.parts.values()
            for v in p.description.outputs
            for used in p.description.depends(v.name)
            if f"{p.name}.{used}" in found
        }
        more |= {str(c.target) for c in system.connections if str(c.source) in found | more}
        if more <= found:
            return found
        found |= more


def _lacking(system: System) -> tuple[Shortfall, ...]:
    """The parts whose equations are not accessible."""
    assembly = Assembly.of(system, homes=Homes())
    try:
        return tuple(
            Shortfall(s.name, "does not offer its equations", _remedy(s.subsystem))
            for s in assembly.subsystems
            if not (offers_equations(s.subsystem) or is_patient(s.subsystem))
        )
    finally:
        assembly.close()


def _remedy(subsystem: Subsystem) -> str:
    if subsystem.description.kind.endswith("co-simulation"):
        return "load it with kind='model exchange' if it offers that, or " + _WAY
    return _WAY
