"""A whole system as one part of another: several rates, several algorithms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..algorithms import Algorithm, GaussSeidel
from ..check.checking import check
from ..check.remarks import beyond_data
from ..check.repeatable import unrepeatable
from ..check.shortfalls import shortfalls
from ..controllers import Controller, FixedStep
from ..core.brief import brief
from ..core.description import Capabilities, Description, Port, Variable
from ..core.errors import CapabilityError, DrawingError, ModelError, Problem, did_you_mean
from ..core.model_page import ModelPage
from ..core.options import check_method
from ..drawing.system import System
from ..drawing.tuning import unsuitable
from ..run.requests import uncountable
from ..subsystems.foreign import SupportsForeignCode, runs_foreign_code, take_findings
from .nested_part import NestedPart
from .outer_inputs import OUTSIDE


@dataclass(frozen=True, eq=False)
class Nested(ModelPage):
    """A system as a part: it runs its own windows inside each window of the outer system.

    Its inputs are the inner inputs that nothing feeds, its outputs all inner outputs, named
    `part.variable`; `names` renames and restricts them, outer name -> inner name. Power ports of
    inner parts that meet nothing inside are ports of it, `part.port`, where it has their variables.
    Inside a window the inner parts see the outer inputs as they move: interpolated where the outer
    algorithm interpolates. Without a controller, one inner window per outer window.
    Events inside stay inside: the outer system sees what they did at the end of its window. With
    `share_events` they end the outer window, for all parts.
    """

    system: System
    algorithm: Algorithm = GaussSeidel()
    controller: Controller | None = None
    names: dict[str, str] = field(default_factory=dict)
    share_events: bool = False
    rtol: float = 1e-5
    atol: float = 1e-6
    tunes: ClassVar[tuple[str, ...]] = ()  # tunable parameters that are inputs: see `tuned`

    def __post_init__(self) -> None:
        if not isinstance(self.system, System):
            kind = type(self.system).__name__
            way_out = "; dv.open opens one from a file" if isinstance(self.system, str) else ""
            raise ModelError(f"only a dv.System can be nested, not {kind}{way_out}.")
        object.__setattr__(self, "system", self.system.copy())  # a blueprint does not change
        check_method("algorithm", self.algorithm, "step", "dv.GaussSeidel()")
        if self.controller is not None:
            check_method("controller", self.controller, "judge", "dv.FixedStep(0.01)")
        if OUTSIDE in self.system.parts:
            raise ModelError(f"a nested system must not have a part named '{OUTSIDE}'.")
        errors = [
            p for p in check(self.system, live=False, choices=False).problems if not p.warning
        ]
        if errors:
            raise DrawingError(errors, self.system.name)
        lacking = shortfalls(self.system, self.algorithm, self._inner_controller(1.0))
        if lacking:
            raise CapabilityError(f"{brief(self.algorithm)} in '{self.system.name}'", lacking)
        _ = self.description

    @cached_property
    def exposed(self) -> tuple[dict[str, tuple[str, Variable]], dict[str, tuple[str, Variable]]]:
        """Inputs and outputs: outer name -> inner name and variable."""
        s = self.system
        inputs = {
            f"{p.name}.{v.name}": v
            for p in s.parts.values()
            for v in p.description.inputs
            if not s.is_fed(p.name, v.name)
        }
        parts = [(p.name, p.description) for p in s.parts.values()]
        outputs = {f"{name}.{v.name}": v for name, d in parts for v in d.outputs}
        renamed = self.names or {n: n for n in (*inputs, *outputs)}
        for outer, inner in renamed.items():
            if inner not in inputs and inner not in outputs:
                hint = did_you_mean(inner, (*inputs, *outputs))
                raise ModelError(f"names says '{outer}' is '{inner}', which is not there.{hint}")
        given = {outer: (n, inputs[n]) for outer, n in renamed.items() if n in inputs}
        return (
            given | {name: (name, self._input(name)) for name in self.tunes},
            {outer: (n, outputs[n]) for outer, n in renamed.items() if n in outputs},
        )

    @cached_property
    def description(self) -> Description:
        """The nested system seen from outside."""
        inputs, outputs = self.exposed
        parts = [p.description for p in self.system.parts.values()]
        inner = [d.capabilities for d in parts]
        parameters = tuple(
            replace(v, name=f"{p.name}.{v.name}", start=p.values.get(v.name, v.start))
            for p in self.system.parts.values()
            for v in p.description.parameters
            if f"{p.name}.{v.name}" not in self.tunes
        )
        return Description(
            inputs=tuple(
                replace(v, name=outer, start=self._start(inner_name, v))
                for outer, (inner_name, v) in inputs.items()
            ),
            outputs=tuple(replace(v, name=outer) for outer, (_, v) in outputs.items()),
            parameters=parameters,
            feedthrough=self._feedthrough(),
            ports=self._ports(),
            capabilities=Capabilities(
                can_restore=all(c.can_restore for c in inner),
                can_serialize=all(c.can_serialize for c in inner),
                can_evaluate_now=all(c.can_evaluate_now for c in inner),
                can_derive_at_start=False,
                can_derive_now=False,
                can_return_early=self.share_events and any(c.can_return_early for c in inner),
                has_events=any(c.has_events for c in inner),
                knows_next_event=self.share_events and any(c.knows_next_event for c in inner),
                can_tell_derivatives=self.algorithm.inputs == "hermite",
                input_order=None,
            ),
            kind=f"Nested '{self.system.name}'",
        )

    def tuned(self, names: Collection[str]) -> Nested:
        """The same with these parameters of inner parts as inputs, behind those it has."""
        for name in names:
            part, _, variable = name.partition(".")
            why = unsuitable(self.system.parts[part].model, part, variable)
            if why is not None:
                raise DrawingError([Problem(name, f"'{name}' cannot be connected:{why}")])
        made = replace(self)
        made.__dict__.pop("exposed", None)
        made.__dict__.pop("description", None)
        made.__dict__["tunes"] = tuple(names)
        return made

    def span_notes(self, start: float, stop: float) -> list[tuple[str, bool]]:
        """What parts inside know less of than a run over this span needs; too many windows."""
        found = beyond_data(self.system, start, stop)
        notes = [(f"contains {p.what.rstrip('.')}", p.warning) for p in found]
        why = "" if self.controller is None else uncountable(self.controller, start, stop)
        return [*notes, (f"has inside: {why}", False)] if why else notes

    @property
    def against_repeating(self) -> str:
        """Why a second instance may not run beside the first; empty if it may."""
        against = unrepeatable(self.system)
        return f"contains a part that may not live twice: {against}" if against else ""

    def runs_foreign_code(self) -> bool:
        """Whether a part inside does."""
        return any(runs_foreign_code(p.model) for p in self.system.parts.values())

    def against_sharing(self) -> str:
        """Nothing: parts inside that are better off alone get hosts of their own."""
        return ""

    def against_company(self) -> str:
        """Nothing that is known here."""
        return ""

    def folders(self) -> tuple[Path, ...]:
        """Those of its parts."""
        models = [p.model for p in self.system.parts.values()]
        return tuple(f for m in models if isinstance(m, SupportsForeignCode) for f in m.folders())

    def echo_messages(self, to: int) -> None:
        """Messages of parts inside go to this file descriptor as well, at once."""
        for part in self.system.parts.values():
            if isinstance(part.model, SupportsForeignCode):
                part.model.echo_messages(to)

    def take_findings(self, found: Mapping[str, Any]) -> None:
        """What parts inside found out in another process is known here."""
        for part in self.system.parts.values():
            take_findings(part.model, found)

    def instantiate(self, name: str) -> NestedPart:
        """A live part."""
        return NestedPart(self)

    def fingerprint(self) -> str:
        """A hash of the inner drawing and how it is run."""
        options = f"{self.algorithm} {self.controller} {self.names} {self.share_events}"
        return f"{self.system.fingerprint()} {options}"

    def _input(self, name: str) -> Variable:
        """A parameter of an inner part, as that part takes it when it is connected."""
        part, _, variable = name.partition(".")
        inputs = self.system.parts[part].tuning(variable).description.inputs
        return next(v for v in inputs if v.name == variable)

    def _start(self, name: str, variable: Variable) -> Any:
        part, _, inner = name.partition(".")
        return self.system.parts[part].values.get(inner, variable.start)

    def _inner_controller(self, size: float) -> Controller:
        return self.controller or FixedStep(size)

    def _ports(self) -> dict[str, Port]:
        """Ports of inner parts whose two variables are seen from outside, by their names there."""
        inputs, outputs = self.exposed
        outer = {inner: name for name, (inner, _) in (*outputs.items(), *inputs.items())}
        found = dict[str, Port]()
        for part in self.system.parts.values():
            for name, port in part.description.ports.items():
                effort, flow = (outer.get(f"{part.name}.{v}") for v in (port.effort, port.flow))
                shift = outer.get(f"{part.name}.{port.displacement}")
                if effort is not None and flow is not None:
                    made = replace(port, effort=effort, flow=flow, displacement=shift)
                    found[f"{part.name}.{name}"] = made
        return found

    def _feedthrough(self) -> dict[str, frozenset[str]]:
        """Which outer inputs each outer output depends on at once, through all inner paths."""
        s, (inputs, outputs) = self.system, self.exposed
        outer = {inner: name for name, (inner, _) in inputs.items()}
        reach: dict[str, frozenset[str]] = {}

        def behind(name: str, busy: frozenset[str]) -> frozenset[str]:
            if name in reach:
                return reach[name]
            if name in busy:
                return frozenset()
            part, _, variable = name.partition(".")
            found: set[str] = set()
            for used in s.parts[part].description.depends(variable):
                for source in s.sources_of(part, used):
                    found |= behind(str(source.source), busy | {name})
                if f"{part}.{used}" in outer:
                    found.add(outer[f"{part}.{used}"])
            if not busy:
                reach[name] = frozenset(found)
            return frozenset(found)

        return {name: behind(inner, frozenset()) for name, (inner, _) in outputs.items()}
